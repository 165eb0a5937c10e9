"""The games of a match as tasks of Ray: the same result as in one process, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from abl_cards.agents import agent
from abl_cards.arena import MatchResult, Part, play_part, result_of
from abl_cards.cluster.parcels import Parcel, answering, opened, packed
from abl_cards.cluster.start import Cluster
from abl_cards.games import Engine, game
from abl_cards.loop.messages import made
from abl_cards.strength.rules import StrengthRules

SHARES = 4
"""Parts of a match for each processor: where some take longer the others do not wait long."""
_FEW = 16
"""Deals; a part has no fewer, because few games cost as much as some more."""


@dataclass(frozen=True)
class Match:
    """What is played, by what, and who plays it."""

    game: str
    kb: Path | None
    profile: str | None
    names: tuple[str, ...]
    games: int
    seed: int
    deals: tuple[Mapping[str, Any], ...] | None = None  # given ones

    def engine(self) -> Engine:
        """The game by these rules; raises KBError, GameError."""
        engine = game(self.game).engine(self.kb, self.profile)
        if self.deals is None:
            return engine
        rules = StrengthRules.of(engine)
        return rules.with_deals(rules.read_deals(self.deals))

    def part(self, first: int, stop: int) -> Part:
        """Games with these numbers."""
        engine = self.engine()
        agents = [agent(name, engine) for name in self.names]
        return play_part(engine, self.names, agents, range(first, stop), self.seed, self.deals is not None)


def play_match(cluster: Cluster, match: Match, engine: Engine, ways: int, tell: Callable[[int], None]) -> MatchResult:
    """Play it in parts, which come in any order; so many games share a deal. Raises GameError."""
    parts = parts_of(match.games, ways, SHARES * cluster.processors)
    told, found, done = packed(match), dict[int, Part](), 0
    for number, plain in cluster.tasks(_play, [(told, each.start, each.stop) for each in parts]):
        found[number] = Part.of(plain)
        done += len(parts[number])
        tell(done)
    return result_of(engine, match.names, match.seed, [found[number] for number in range(len(parts))])


def parts_of(games: int, ways: int, most: int) -> list[range]:
    """The games in about equal parts, no deal in two of them.

    >>> parts_of(100, 2, 3)
    [range(0, 32), range(32, 66), range(66, 100)]
    """
    deals = -(-games // ways)
    number = max(1, min(most, deals // _FEW))
    bounds = [min(games, ways * (deals * each // number)) for each in range(number + 1)]
    return [range(first, stop) for first, stop in pairwise(bounds)]


def _play(told: Parcel, first: int, stop: int) -> Parcel:
    return answering(lambda: made(Match, opened(told)).part(first, stop).plain())
