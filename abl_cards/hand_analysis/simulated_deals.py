"""Deals that were played many times: by recorded players once, by our own agents in many pairings.

A single game says little of a deal, since most of what happens is decided by how it is played. The mean over games
between different players says what the cards are worth.
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
from abl_cards.core import GameError, derive_key, splitmix64_array
from abl_cards.games import Engine
from abl_cards.hand_analysis.deal_rules import DealRules
from abl_cards.hand_analysis.deal_values import GameOutcomes, OutcomeListener, compute_features, compute_hand_points
from abl_cards.hand_analysis.deals import DealBatch
from abl_cards.training import load_checkpoint, save_checkpoint, translate_restore_errors

if TYPE_CHECKING:
    from abl_cards.games.tables import Tables

ProgressCallback = Callable[[int, str], None]
"""Told how many pairings have been played, and a remark."""
_DEAL_STREAM, _DECISION_STREAM = 1, 2  # what random numbers are for


@dataclass(frozen=True)
class DealSample:
    """n deals, the recorded ones first, and what came of them."""

    deals: DealBatch
    hand_points: NDArray[np.float32]  # [n, 3] of landlord, down, up
    outcomes: GameOutcomes  # means over the games of each deal
    recorded_outcomes: GameOutcomes  # [r] of the recorded games alone
    self_play_wins: NDArray[np.float32]  # [a, n] won by the landlord where one agent had all seats, a line an agent

    def __len__(self) -> int:
        return len(self.hand_points)

    @property
    def features(self) -> NDArray[np.float64]:
        """[n, features] see ``deal_values.FEATURE_NAMES``."""
        return compute_features(self.hand_points, self.outcomes)

    @property
    def recorded_features(self) -> NDArray[np.float64]:
        """[r, features] of the recorded games, played once as in the paper."""
        return compute_features(self.hand_points[: len(self.recorded_outcomes.won)], self.recorded_outcomes)

    def save(self, file: Path) -> None:
        """Write everything, or nothing."""
        save_checkpoint(
            file,
            {
                "parts": self.deals.hand_keys, "bottom": self.deals.bottom_keys, "points": self.hand_points,
                "outcomes": tuple(self.outcomes), "recorded": tuple(self.recorded_outcomes),
                "alike": self.self_play_wins,
            },
        )  # fmt: skip

    @classmethod
    def load(cls, file: Path) -> DealSample:
        """Read what ``save`` wrote; raises GameError."""
        kept = load_checkpoint(file)
        if kept is None:
            raise GameError(f"{file}: the deals that were played are missing; begin in another folder")
        with translate_restore_errors(file):
            hands = DealBatch(kept["parts"], kept["bottom"])
            return cls(
                hands, kept["points"], GameOutcomes(*kept["outcomes"]), GameOutcomes(*kept["recorded"]), kept["alike"]
            )

    def digest(self) -> str:
        """A mark of the contents."""
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
    """Play recorded deals and so many random ones once in each pairing, ``LANDLORD PEASANTS`` by name with a colon.

    Recorded games are given with the engine of their rules; raises GameError where a record breaks them.
    """
    own = rules.deal_sampler.deal(
        splitmix64_array(
            np.full(num_random_deals, derive_key(seed, _DEAL_STREAM), np.uint64), np.arange(num_random_deals)
        )
    )
    there = _replay_records(*records) if records else OutcomeListener(0)
    hands = DealBatch.concatenate([there.deals, own])
    several, alike = [], [np.zeros((0, len(hands.bottom_keys)), np.float32)]
    for number, pairing in enumerate(pairings):
        on_progress(number, pairing)
        landlord, peasants = (make_agent(name, rules.engine) for name in parse_pairing(pairing))
        several.append(
            play_fixed_deals(
                rules.with_deals(hands), len(own.bottom_keys) + len(there.finished), (landlord, peasants), seed
            )
        )
        alike += [] if "/" in pairing else [several[-1].won[None]]
    points = compute_hand_points(rules.hand_scorer, hands)
    return DealSample(hands, points, _combine_outcomes(several, there.outcomes), there.outcomes, np.concatenate(alike))


def parse_pairing(text: str) -> tuple[str, str]:
    """The names of landlord and peasants, or of one agent for all; raises GameError."""
    names = text.split("/")
    if not 1 <= len(names) <= 2 or not all(names):
        raise GameError(f"pairing '{text}': write LANDLORD/PEASANTS, or one agent")
    return names[0], names[-1]


def play_fixed_deals(engine: Engine, num_deals: int, agents: tuple[Agent, Agent], seed: int = 0) -> GameOutcomes:
    """Play the given deals of an engine once, one agent the landlord, the other both peasants."""
    tables: Tables = engine.start_matches(np.arange(num_deals, dtype=np.uint64))
    salt = int(derive_key(seed, _DECISION_STREAM) >> np.uint64(1))
    while (which := tables.rows_to_play()).size:
        peasant = tables.roles(which)[np.arange(len(which)), tables.seat[which]]
        for number, player in enumerate(agents):
            mine = which[peasant == number]
            if mine.size:
                keys = splitmix64_array(splitmix64_array(tables.keys[mine], salt), tables.num_decisions[mine])
                tables.play(mine, player.play(tables.decisions(mine), keys))
    return GameOutcomes.from_tables(tables, np.arange(num_deals))


def _replay_records(engine: Engine, records: Sequence[Mapping[str, Any]]) -> OutcomeListener:
    played = OutcomeListener(len(records))
    wrong = engine.replay(records, played).mismatches
    if wrong:
        raise GameError(f"record {wrong[0].line}: {wrong[0].text} ({len(wrong)} that the rules do not confirm)")
    return played


def _combine_outcomes(several: list[GameOutcomes], recorded: GameOutcomes) -> GameOutcomes:
    """The mean of all games of each deal; the first deals have a recorded one more."""
    mean, first = GameOutcomes.mean(several), len(recorded.won)
    for whole, more in zip(mean, recorded, strict=True):
        whole[:first] = (whole[:first] * len(several) + more) / (len(several) + 1)
    return mean
