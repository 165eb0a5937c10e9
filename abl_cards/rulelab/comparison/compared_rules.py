"""Compare the rules of two engines on sampled states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from abl_cards.agents import make_preference_model
from abl_cards.asp import KBError
from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.sampling import SituationSet
from abl_cards.games.tables import Choices, Decisions
from abl_cards.matches import collect_situations, sample_from_records, sample_positions
from abl_cards.rulelab.comparison.chosen_moves import ComparedKb
from abl_cards.rulelab.comparison.differences import KbDifference
from abl_cards.rulelab.comparison.touched_fluents import find_touched_fluents

MAX_EXAMPLES = 5
"""Most examples of changed decisions."""


def compare_rules(
    engines: tuple[Engine, Engine],
    agent_names: tuple[str, str] = ("kb", "kb"),
    n_states: int = 1000,
    seed: int = 0,
    records: Sequence[Mapping[str, Any]] | None = None,
) -> KbDifference:
    """Compare the legal labels, the chosen moves and the weights of two engines.

    States come from play and from random sampling. Half of them are made by each version if both can be played.

    Args:
        engines: Engines of the original and of the edited rules.
        agent_names: Agents that decide by the preferences of each engine.
        n_states: Number of states.
        seed: Seed of the states.
        records: Records from which the states are sampled instead.

    Returns:
        The differences.

    Raises:
        GameError: An agent is unknown, a record is invalid, or play by both rules stops with an error.
        KBError: The preferences are refused.
    """
    before, after = (
        ComparedKb(engine, make_preference_model(name, engine), _collect_situations(engine, seed))
        for engine, name in zip(engines, agent_names, strict=True)
    )
    difference = KbDifference(before, after, find_touched_fluents(*engines))
    for decisions in (
        _sample_states(engines, n_states, seed)
        if records is None
        else sample_from_records(engines[0], records, n_states, seed)
    ):
        difference.add(decisions, MAX_EXAMPLES)
    return difference


def _collect_situations(engine: Engine, seed: int) -> SituationSet | None:
    """Collect situations from self-play; None if play stops by an error."""
    try:
        return collect_situations(engine, seed)
    except (GameError, KBError):
        return None


def _sample_states(engines: Sequence[Engine], n_states: int, seed: int) -> Iterator[Decisions | Choices]:
    """Sample states from play, then at random, half of them by either rules if both can be played."""
    halves = n_states - n_states // 2, n_states // 2
    met_in_play: list[Decisions | Choices] = []
    others: list[Decisions | Choices] = []
    for count, engine, other in zip(halves, engines, engines[::-1], strict=True):
        try:
            positions = list(sample_positions(engine, count, seed))
        except (GameError, KBError):  # play stops by these rules
            positions = list(sample_positions(other, count, seed + 1))
        met_in_play += positions[:1]
        others += positions[1:]
    yield from (*met_in_play, *others)
