"""Deals that were played many times: once in recorded games, and once in each of several pairings of agents.

The outcome of a single game depends mostly on the play. The mean over games of different players measures the value of
the cards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, make_agent
from abl_cards.core import ErrorCode, GameError, check_path, derive_key, splitmix64_array
from abl_cards.games import Engine
from abl_cards.hand_analysis.deal_rules import DealRules
from abl_cards.hand_analysis.deal_values import GameOutcomes, OutcomeListener, compute_features, compute_hand_points
from abl_cards.hand_analysis.deals import DealBatch
from abl_cards.matches import replay_confirmed
from abl_cards.training import load_checkpoint, save_checkpoint, translate_restore_errors

if TYPE_CHECKING:
    from abl_cards.games.tables import Tables

ProgressCallback = Callable[[int, str], None]
"""Called with the number of pairings that were played, and a remark."""
_DEAL_STREAM, _DECISION_STREAM = 1, 2  # streams of random numbers


@dataclass(frozen=True)
class DealSample:
    """n deals, the recorded ones first, with the outcomes of their games.

    Attributes:
        deals: The deals.
        hand_points: float32[n, 3] Points of the hands: landlord, down, up.
        outcomes: Means over the games of each deal.
        recorded_outcomes: Outcomes of the r recorded games alone.
        self_play_wins: float32[agents, n] Wins of the landlord where one agent had all seats.
    """

    deals: DealBatch
    hand_points: NDArray[np.float32]
    outcomes: GameOutcomes
    recorded_outcomes: GameOutcomes
    self_play_wins: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.hand_points)

    @property
    def features(self) -> NDArray[np.float64]:
        """float64[n, features] Features of all deals, by ``deal_values.FEATURE_NAMES``."""
        return compute_features(self.hand_points, self.outcomes)

    @property
    def recorded_features(self) -> NDArray[np.float64]:
        """float64[r, features] Features of the recorded games, played once as in the paper."""
        return compute_features(self.hand_points[: len(self.recorded_outcomes.won)], self.recorded_outcomes)

    def save(self, file: str | Path) -> None:
        """Write the sample to a file; an interruption leaves the old file."""
        save_checkpoint(
            file,
            {
                "parts": self.deals.hand_keys, "bottom": self.deals.bottom_keys, "points": self.hand_points,
                "outcomes": tuple(self.outcomes), "recorded": tuple(self.recorded_outcomes),
                "alike": self.self_play_wins,
            },
        )  # fmt: skip

    @classmethod
    def load(cls, file: str | Path) -> DealSample:
        """Read a sample.

        Args:
            file: File that ``save`` wrote.

        Returns:
            The sample.

        Raises:
            GameError: The file is missing, damaged, or in another format.
        """
        file = check_path("file", file)
        state = load_checkpoint(file)
        if state is None:
            message = f"{file}: the deals that were played are missing; begin in another folder"
            raise GameError(message, ErrorCode.CHECKPOINT_NOT_READABLE)
        with translate_restore_errors(file):
            hands = DealBatch(state["parts"], state["bottom"])
            return cls(
                hands,
                state["points"],
                GameOutcomes(*state["outcomes"]),
                GameOutcomes(*state["recorded"]),
                state["alike"],
            )

    def digest(self) -> str:
        """Return 16 hexadecimal digits of a digest of the contents."""
        parts = (
            self.deals.hand_keys,
            self.hand_points,
            np.array(self.outcomes),
            np.array(self.recorded_outcomes),
            self.self_play_wins,
        )
        return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()[:16]


def collect_sample(
    rules: DealRules, records: tuple[Engine, Sequence[Mapping[str, Any]]] | None, num_random_deals: int,
    pairings: Sequence[str], seed: int, on_progress: ProgressCallback = lambda done, remark: None,
) -> DealSample:  # fmt: skip
    """Play recorded and random deals once in each pairing of agents.

    Args:
        rules: Rules of deals.
        records: Records of games, with the engine of their rules; None for none.
        num_random_deals: Number of random deals.
        pairings: Names of agents, ``LANDLORD/PEASANTS``, or one agent for all seats.
        seed: Seed of deals and decisions.
        on_progress: Called with the number of pairings played and the next one.

    Returns:
        The deals with their outcomes.

    Raises:
        GameError: A record breaks the rules, or a pairing is invalid.
    """
    random_deals = rules.deal_sampler.deal(
        splitmix64_array(
            np.full(num_random_deals, derive_key(seed, _DEAL_STREAM), np.uint64), np.arange(num_random_deals)
        )
    )
    recorded = OutcomeListener(len(records[1]) if records else 0)
    if records:
        replay_confirmed(*records, recorded)
    deals = DealBatch.concatenate([recorded.deals, random_deals])
    outcomes, self_play_wins = [], [np.zeros((0, len(deals.bottom_keys)), np.float32)]
    for index, pairing in enumerate(pairings):
        on_progress(index, pairing)
        landlord, peasants = (make_agent(name, rules.engine) for name in parse_pairing(pairing))
        outcomes.append(
            play_fixed_deals(
                rules.with_deals(deals),
                len(random_deals.bottom_keys) + len(recorded.finished),
                (landlord, peasants),
                seed,
            )
        )
        self_play_wins += [] if "/" in pairing else [outcomes[-1].won[None]]
    points = compute_hand_points(rules.hand_scorer, deals)
    return DealSample(
        deals, points, _combine_outcomes(outcomes, recorded.outcomes), recorded.outcomes, np.concatenate(self_play_wins)
    )


def parse_pairing(text: str) -> tuple[str, str]:
    """Parse a pairing of agents.

    Args:
        text: ``LANDLORD/PEASANTS``, or one agent for all seats.

    Returns:
        The names of the agents of landlord and peasants.

    Raises:
        GameError: The text has another form.
    """
    names = text.split("/")
    if not 1 <= len(names) <= 2 or not all(names):
        raise GameError(f"pairing '{text}': write LANDLORD/PEASANTS, or one agent", ErrorCode.INVALID_VALUE)
    return names[0], names[-1]


def play_fixed_deals(engine: Engine, num_deals: int, agents: tuple[Agent, Agent], seed: int = 0) -> GameOutcomes:
    """Play the fixed deals of an engine once.

    Args:
        engine: Engine with fixed deals.
        num_deals: Number of deals.
        agents: Agents of the landlord, and of both peasants.
        seed: Seed of decisions.

    Returns:
        The outcomes of the games.
    """
    tables: Tables = engine.start_matches(np.arange(num_deals, dtype=np.uint64))
    salt = int(derive_key(seed, _DECISION_STREAM) >> np.uint64(1))
    while (rows := tables.rows_to_play()).size:
        peasant = tables.roles(rows)[np.arange(len(rows)), tables.seat[rows]]
        for index, agent in enumerate(agents):
            agent_rows = rows[peasant == index]
            if agent_rows.size:
                keys = splitmix64_array(
                    splitmix64_array(tables.keys[agent_rows], salt), tables.num_decisions[agent_rows]
                )
                tables.play(agent_rows, agent.play(tables.decisions(agent_rows), keys))
    return GameOutcomes.from_tables(tables, np.arange(num_deals))


def _combine_outcomes(outcomes: list[GameOutcomes], recorded: GameOutcomes) -> GameOutcomes:
    """Return the mean over all games of each deal; the first deals have a recorded game in addition."""
    mean, num_recorded = GameOutcomes.mean(outcomes), len(recorded.won)
    for mean_column, recorded_column in zip(mean, recorded, strict=True):
        mean_column[:num_recorded] = (mean_column[:num_recorded] * len(outcomes) + recorded_column) / (
            len(outcomes) + 1
        )
    return mean
