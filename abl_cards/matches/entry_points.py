"""Matches and reviews of a game by names of agents, for users of the library.

>>> from abl_cards.games import load
>>> print(play_agents(load("president"), ["kb", "random"], games=8, seed=1).summary())  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from abl_cards.agents import Agent, check_agent_name, make_agent
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine, Game
from abl_cards.matches.match_runner import play_match
from abl_cards.matches.recorder import open_record_file
from abl_cards.matches.records import normalise_record
from abl_cards.matches.results import MatchResult
from abl_cards.matches.review import ReviewConfig, ReviewedDecision, review_record


def play_agents(
    game: Game | Engine,
    agents: Sequence[str | Agent],
    games: int = 400,
    seed: int = 0,
    record: str | Path | None = None,
) -> MatchResult:
    """Play whole matches on duplicate deals: each deal is played once in every seating of the agents.

    Args:
        game: The game, or its engine.
        agents: Two agents, or one for each side: names such as ``"kb"``, or agents.
        games: Number of matches; the seatings of the last deal may be incomplete.
        seed: Seed of the deals and of the agents' random numbers.
        record: File to write every episode to, ``.jsonl`` or ``.jsonl.gz``; None for none.

    Returns:
        The result, with 95 % intervals that take the duplicate deals into account.

    Raises:
        GameError: A name or the number of agents or games is wrong, or the file cannot be written.
        KBError: The rules have errors.
    """
    if games < 1:
        raise GameError(f"games: {games}, expected 1 or more", ErrorCode.INVALID_VALUE)
    engine = game.engine() if isinstance(game, Game) else game
    names = [_agent_name(agent) for agent in agents]
    players = [make_agent(agent, engine) if isinstance(agent, str) else agent for agent in agents]
    if record is None:
        return play_match(engine, names, players, games, seed)
    with open_record_file(Path(record)) as write:
        return play_match(engine, names, players, games, seed, write_record=write)


def review_game(
    game: Game | Engine,
    record: Mapping[str, Any],
    agent: str | Agent = "kb",
    seats: Collection[int] | None = None,
    rollout_agent: str | Agent = "kb",
    num_deals: int = 100,
    max_moves: int = 6,
    min_loss: float = 0.0,
    seed: int = 0,
    language: str = "en",
) -> list[ReviewedDecision]:
    """Review the decisions of a record: the best move, and the points that the played one gave away.

    Args:
        game: The game, or its engine.
        record: An episode in the JSON form of docs/formats.md, as `play_match` writes it.
        agent: Agent whose choice is compared.
        seats: Seats to review; None for all.
        rollout_agent: Agent that plays sampled deals to their end.
        num_deals: Sampled deals for each move; one half chooses the best move, the other measures the loss.
        max_moves: Moves of a decision that are tried, at most.
        min_loss: Points that a mistake costs at least.
        seed: Seed of the sampled deals.
        language: Language of the reasons, ``"en"`` or ``"zh"``.

    Returns:
        One entry for each play with more than one legal move, in the order of the record.

    Raises:
        GameError: The record, the name of an agent or a seat is wrong.
        KBError: The rules have errors.
    """
    engine = game.engine() if isinstance(game, Game) else game
    unknown = [seat for seat in seats or () if not 0 <= seat < len(engine.teams)]
    if unknown:
        raise GameError(f"seats: {unknown[0]}, expected 0 to {len(engine.teams) - 1}", ErrorCode.INVALID_VALUE)
    players = [make_agent(each, engine) if isinstance(each, str) else each for each in (agent, rollout_agent)]
    config = ReviewConfig(engine, players[0], players[1], num_deals, max_moves, min_loss, seed, language)
    return review_record(config, normalise_record(engine, record), None if seats is None else frozenset(seats))


def _agent_name(agent: str | Agent) -> str:
    """Return the name of an agent in results and records."""
    return str(check_agent_name(agent)) if isinstance(agent, str) else str(getattr(agent, "name", type(agent).__name__))
