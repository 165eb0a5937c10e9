"""Deals that were played many times: by recorded players once, by our own agents in many pairings.

A single game says little of a deal, since most of what happens is decided by how it is played. The mean over games
between different players says what the cards are worth.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, agent
from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.loop.checkpoint import load_checkpoint, save_checkpoint, taken_up
from abl_cards.streams import key_of, mix_all
from abl_cards.strength.deals import Hands
from abl_cards.strength.outcomes import Outcomes, Played, features, hand_points
from abl_cards.strength.rules import StrengthRules

Tell = Callable[[int, str], None]
"""Told how many pairings have been played, and a remark."""
_DEALS, _DECIDE = 1, 2  # what random numbers are for


@dataclass(frozen=True)
class Sample:
    """n deals, the recorded ones first, and what came of them."""

    hands: Hands
    points: NDArray[np.float32]  # [n, 3] of landlord, down, up
    outcomes: Outcomes  # means over the games of each deal
    recorded: Outcomes  # [r] of the recorded games alone
    alike: NDArray[np.float32]  # [a, n] won by the landlord where one agent had all seats, a line an agent

    def __len__(self) -> int:
        return len(self.points)

    @property
    def features(self) -> NDArray[np.float64]:
        """[n, features] see ``outcomes.FEATURES``."""
        return features(self.points, self.outcomes)

    @property
    def once(self) -> NDArray[np.float64]:
        """[r, features] of the recorded games, played once as in the paper."""
        return features(self.points[: len(self.recorded.won)], self.recorded)

    def save(self, file: Path) -> None:
        """Write everything, or nothing."""
        save_checkpoint(
            file,
            {
                "parts": self.hands.parts, "bottom": self.hands.bottom, "points": self.points,
                "outcomes": tuple(self.outcomes), "recorded": tuple(self.recorded), "alike": self.alike,
            },
        )  # fmt: skip

    @classmethod
    def load(cls, file: Path) -> Sample:
        """Read what ``save`` wrote; raises GameError."""
        kept = load_checkpoint(file)
        if kept is None:
            raise GameError(f"{file}: the deals that were played are missing; begin in another folder")
        with taken_up(file):
            hands = Hands(kept["parts"], kept["bottom"])
            return cls(hands, kept["points"], Outcomes(*kept["outcomes"]), Outcomes(*kept["recorded"]), kept["alike"])

    def digest(self) -> str:
        """A mark of the contents."""
        parts = (self.hands.parts, self.points, np.array(self.outcomes), np.array(self.recorded), self.alike)
        return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()[:16]


def gather(
    rules: StrengthRules, records: tuple[Engine, Sequence[Mapping[str, Any]]] | None, deals: int,
    pairings: Sequence[str], seed: int, tell: Tell = lambda done, remark: None,
) -> Sample:  # fmt: skip
    """Play recorded deals and so many random ones once in each pairing, ``LANDLORD PEASANTS`` by name with a colon.

    Recorded games are given with the engine of their rules; raises GameError where a record breaks them.
    """
    own = rules.dealer.deal(mix_all(np.full(deals, key_of(seed, _DEALS), np.uint64), np.arange(deals)))
    there = _replayed(*records) if records else Played(0)
    hands = Hands.joined([there.hands, own])
    several, alike = [], [np.zeros((0, len(hands.bottom)), np.float32)]
    for number, pairing in enumerate(pairings):
        tell(number, pairing)
        landlord, peasants = (agent(name, rules.engine) for name in read_pairing(pairing))
        several.append(play_out(rules.with_deals(hands), len(own.bottom) + len(there.over), (landlord, peasants), seed))
        alike += [] if "/" in pairing else [several[-1].won[None]]
    points = hand_points(rules.scorer, hands)
    return Sample(hands, points, _together(several, there.outcomes), there.outcomes, np.concatenate(alike))


def read_pairing(text: str) -> tuple[str, str]:
    """The names of landlord and peasants, or of one agent for all; raises GameError."""
    names = text.split("/")
    if not 1 <= len(names) <= 2 or not all(names):
        raise GameError(f"pairing '{text}': write LANDLORD/PEASANTS, or one agent")
    return names[0], names[-1]


def play_out(engine: Engine, deals: int, agents: tuple[Agent, Agent], seed: int = 0) -> Outcomes:
    """Play the given deals of an engine once, one agent the landlord, the other both peasants."""
    tables: Any = engine.tables(np.arange(deals, dtype=np.uint64))
    salt = int(key_of(seed, _DECIDE) >> np.uint64(1))
    while (which := tables.playing()).size:
        peasant = tables.roles(which)[np.arange(len(which)), tables.seat[which]]
        for number, player in enumerate(agents):
            mine = which[peasant == number]
            if mine.size:
                keys = mix_all(mix_all(tables.keys[mine], salt), tables.clock[mine])
                tables.play(mine, player.play(tables.decisions(mine), keys))
    return Outcomes.of(tables, np.arange(deals))


def _replayed(engine: Engine, records: Sequence[Mapping[str, Any]]) -> Played:
    played = Played(len(records))
    wrong = engine.replay(records, played).disagreements
    if wrong:
        raise GameError(f"record {wrong[0].line}: {wrong[0].text} ({len(wrong)} that the rules do not confirm)")
    return played


def _together(several: list[Outcomes], recorded: Outcomes) -> Outcomes:
    """The mean of all games of each deal; the first deals have a recorded one more."""
    mean, first = Outcomes.mean(several), len(recorded.won)
    for whole, more in zip(mean, recorded, strict=True):
        whole[:first] = (whole[:first] * len(several) + more) / (len(several) + 1)
    return mean
