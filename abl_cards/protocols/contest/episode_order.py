"""Order of the episodes in a file, whose matches may follow one another or be interleaved.

A file may be read in chunks: ``ReplayState`` holds the state after the earlier chunks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.protocols.contest.episodes import Episode, read_episode, read_match_number
from abl_cards.protocols.contest.levels import MatchBatch, promote, start_matches

MatchNumber = int | None
"""The number of a match, None where records do not tell it: they lie one behind the other then."""

_LATER_LINES = "the lines after it in the same match"


class MatchState(NamedTuple):
    """State of a match after an episode."""

    batch: MatchBatch  # of one match


@dataclass
class ReplayState:
    """State of the matches of a file after the chunks read so far."""

    by_match: dict[MatchNumber, MatchState] = field(default_factory=dict)
    finished_match: MatchState | None = None  # that of every match that is over
    broken_matches: dict[MatchNumber, bool] = field(
        default_factory=dict
    )  # matches with an unreadable line: whether it was told so
    latest_match: MatchNumber = None  # the match of the latest line that could be read
    has_unreadable_line: bool = False  # whether any line could not be read: a match may have begun there

    def update(
        self, rules: CompiledGame, episodes: Sequence[Episode], matches: MatchBatch, order: NDArray[np.int8]
    ) -> None:
        """Note where the matches stand after these episodes, which began on this ladder and ended in this order."""
        latest = {episode.match: number for number, episode in enumerate(episodes)}
        which = np.array(list(latest.values()))
        after = promote(rules, matches.select(which), order[which])
        for row, match in enumerate(latest):
            standing = MatchState(after.select(np.array([row])))
            if standing.batch.winner[0] != -1:
                self.finished_match = standing = self.finished_match or standing
            self.by_match[match] = standing


def read_episodes(
    rules: CompiledGame, records: Sequence[Mapping[str, Any] | GameError], state: ReplayState
) -> tuple[list[Episode], dict[int, str]]:
    """The episodes that can be checked, and what is wrong with the others.

    The rest of a match follows from every line of it, so what comes behind a line that cannot be read is left out.
    """
    episodes: list[Episode] = []
    problems: dict[int, str] = {}
    spoilt: dict[MatchNumber, int] = {}  # the unreadable line of a match among these
    seen, lost = set(state.by_match), 0
    for line, record in enumerate(records, start=1):
        match = state.latest_match if isinstance(record, GameError) else read_match_number(record)
        try:
            if isinstance(record, GameError):
                raise record
            episode = read_episode(line, record, rules)
        except GameError as problem:
            problems[line] = str(problem)
            spoilt[match] = lost = line
            state.broken_matches[match] = False
            state.has_unreadable_line = True
            continue
        state.latest_match = match
        if episode.is_first:
            state.broken_matches.pop(match, None)
        elif match not in seen and state.has_unreadable_line:  # it may have begun where a line was lost
            state.broken_matches.setdefault(match, False)
            spoilt |= {match: lost} if lost and match not in spoilt else {}
        seen.add(match)
        if match not in state.broken_matches:
            episodes.append(episode)
        elif not state.broken_matches[match]:
            state.broken_matches[match] = True
            if match in spoilt:
                problems[spoilt[match]] += f"; {_LATER_LINES} cannot be checked"
            else:
                problems[line] = f"cannot be checked, like {_LATER_LINES}: one before it could not be read"
    return episodes, problems


@dataclass(frozen=True)
class EpisodeOrder:
    """Which episode goes before which."""

    previous: NDArray[np.int64]  # [n] its number, -1 for none of these
    depth: NDArray[np.int64]  # [n] how many of these go before
    initial_states: Mapping[int, MatchState]  # by number: where its match stood before all of these

    @classmethod
    def from_episodes(cls, episodes: Sequence[Episode], state: ReplayState) -> EpisodeOrder:
        """Follow the matches."""
        before, depth = np.full(len(episodes), -1), np.zeros(len(episodes), np.int64)
        latest: dict[MatchNumber, int] = {}
        earlier: dict[int, MatchState] = {}
        for number, episode in enumerate(episodes):
            if not episode.is_first and episode.match in latest:
                before[number] = latest[episode.match]
                depth[number] = depth[before[number]] + 1
            elif not episode.is_first and episode.match in state.by_match:
                earlier[number] = state.by_match[episode.match]
            latest[episode.match] = number
        return cls(before, depth, earlier)

    def compute_starts(self, rules: CompiledGame, order: NDArray[np.int8]) -> MatchBatch:
        """Return the start of each episode, given the orders of finish [n, 4].

        Matches are promoted in parallel: the k-th episodes of all matches together.
        """
        ladder = start_matches(rules, len(order))
        for number, standing in self.initial_states.items():
            ladder.assign(np.array([number]), standing.batch)
        for depth in range(1, int(self.depth.max(initial=0)) + 1):
            now = np.flatnonzero(self.depth == depth)
            before = self.previous[now]
            ladder.assign(now, promote(rules, ladder.select(before), order[before]))
        return ladder
