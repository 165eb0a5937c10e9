"""Which episodes of a file follow which: the matches in it may lie one behind the other, or be told in turns.

A file may be read piece by piece: ``Standings`` keep what is needed of the pieces before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.reading.rules import Rules
from abl_cards.platforms.contest.episodes import Episode, match_of, read_episode
from abl_cards.platforms.contest.ladder import Ladder, bottom, promote

Match = int | None
"""The number of a match, None where records do not tell it: they lie one behind the other then."""

_AFTER = "the lines after it in the same match"


class Standing(NamedTuple):
    """Where a match stands after an episode."""

    ladder: Ladder  # of one match


@dataclass
class Standings:
    """Where the matches of a file stand after the pieces that were read."""

    after: dict[Match, Standing] = field(default_factory=dict)
    over: Standing | None = None  # that of every match that is over
    broken: dict[Match, bool] = field(default_factory=dict)  # matches with an unreadable line: whether it was told so
    latest: Match = None  # the match of the latest line that could be read
    lost: bool = False  # whether any line could not be read: a match may have begun there

    def keep(self, rules: Rules, episodes: Sequence[Episode], ladder: Ladder, order: NDArray[np.int8]) -> None:
        """Note where the matches stand after these episodes, which began on this ladder and ended in this order."""
        latest = {episode.match: number for number, episode in enumerate(episodes)}
        which = np.array(list(latest.values()))
        after = promote(rules, ladder.at(which), order[which])
        for row, match in enumerate(latest):
            standing = Standing(after.at(np.array([row])))
            if standing.ladder.winner[0] != -1:
                self.over = standing = self.over or standing
            self.after[match] = standing


def read_all(
    rules: Rules, records: Sequence[Mapping[str, Any] | GameError], standings: Standings
) -> tuple[list[Episode], dict[int, str]]:
    """The episodes that can be checked, and what is wrong with the others.

    The rest of a match follows from every line of it, so what comes behind a line that cannot be read is left out.
    """
    episodes: list[Episode] = []
    problems: dict[int, str] = {}
    spoilt: dict[Match, int] = {}  # the unreadable line of a match among these
    seen, lost = set(standings.after), 0
    for line, record in enumerate(records, start=1):
        match = standings.latest if isinstance(record, GameError) else match_of(record)
        try:
            if isinstance(record, GameError):
                raise record
            episode = read_episode(line, record, rules)
        except GameError as problem:
            problems[line] = str(problem)
            spoilt[match] = lost = line
            standings.broken[match] = False
            standings.lost = True
            continue
        standings.latest = match
        if episode.first:
            standings.broken.pop(match, None)
        elif match not in seen and standings.lost:  # it may have begun where a line was lost
            standings.broken.setdefault(match, False)
            spoilt |= {match: lost} if lost and match not in spoilt else {}
        seen.add(match)
        if match not in standings.broken:
            episodes.append(episode)
        elif not standings.broken[match]:
            standings.broken[match] = True
            if match in spoilt:
                problems[spoilt[match]] += f"; {_AFTER} cannot be checked"
            else:
                problems[line] = f"cannot be checked, like {_AFTER}: one before it could not be read"
    return episodes, problems


@dataclass(frozen=True)
class Sequel:
    """Which episode goes before which."""

    before: NDArray[np.int64]  # [n] its number, -1 for none of these
    depth: NDArray[np.int64]  # [n] how many of these go before
    earlier: Mapping[int, Standing]  # by number: where its match stood before all of these

    @classmethod
    def of(cls, episodes: Sequence[Episode], standings: Standings) -> Sequel:
        """Follow the matches."""
        before, depth = np.full(len(episodes), -1), np.zeros(len(episodes), np.int64)
        latest: dict[Match, int] = {}
        earlier: dict[int, Standing] = {}
        for number, episode in enumerate(episodes):
            if not episode.first and episode.match in latest:
                before[number] = latest[episode.match]
                depth[number] = depth[before[number]] + 1
            elif not episode.first and episode.match in standings.after:
                earlier[number] = standings.after[episode.match]
            latest[episode.match] = number
        return cls(before, depth, earlier)

    def climb(self, rules: Rules, order: NDArray[np.int8]) -> Ladder:
        """Where each episode starts when they end in this order [n, 4].

        Matches climb side by side: the k-th episodes of all of them are promoted together.
        """
        ladder = bottom(rules, len(order))
        for number, standing in self.earlier.items():
            ladder.put(np.array([number]), standing.ladder)
        for depth in range(1, int(self.depth.max(initial=0)) + 1):
            now = np.flatnonzero(self.depth == depth)
            before = self.before[now]
            ladder.put(now, promote(rules, ladder.at(before), order[before]))
        return ladder
