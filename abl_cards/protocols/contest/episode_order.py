"""Order of the episodes of a file, whose matches may follow one another or be interleaved.

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
"""Number of a match; None if records have no match numbers, so that matches follow one another."""

_LATER_LINES = "the lines after it in the same match"


class MatchState(NamedTuple):
    """State of a match after an episode."""

    batch: MatchBatch  # of one match


@dataclass
class ReplayState:
    """State of the matches of a file after the chunks read so far."""

    by_match: dict[MatchNumber, MatchState] = field(default_factory=dict)
    finished_match: MatchState | None = None  # shared state of all finished matches
    broken_matches: dict[MatchNumber, bool] = field(default_factory=dict)  # unreadable matches: whether reported
    latest_match: MatchNumber = None  # match of the latest readable line
    has_unreadable_line: bool = False  # a match may have begun in an unreadable line

    def update(
        self, rules: CompiledGame, episodes: Sequence[Episode], matches: MatchBatch, order: NDArray[np.int8]
    ) -> None:
        """Update the state of matches after episodes.

        Args:
            rules: Rules of the matches.
            episodes: The n episodes.
            matches: State of the match before each episode.
            order: int8 [n, 4], order of finish of each episode.
        """
        latest = {episode.match: episode_row for episode_row, episode in enumerate(episodes)}
        last_rows = np.array(list(latest.values()))
        batch = promote(rules, matches.select(last_rows), order[last_rows])
        for row, match in enumerate(latest):
            match_state = MatchState(batch.select(np.array([row])))
            if match_state.batch.winner[0] != -1:
                self.finished_match = match_state = self.finished_match or match_state
            self.by_match[match] = match_state


def read_episodes(
    rules: CompiledGame, records: Sequence[Mapping[str, Any] | GameError], state: ReplayState
) -> tuple[list[Episode], dict[int, str]]:
    """Read the episodes of records.

    Args:
        rules: Rules of the records.
        records: Records, or the errors of unreadable lines.
        state: State after earlier chunks of the file; updated.

    Returns:
        The episodes that can be checked, and the errors by line. Later episodes of a match depend on all earlier
        lines, so those after an unreadable line are left out.
    """
    episodes: list[Episode] = []
    problems: dict[int, str] = {}
    unreadable_lines: dict[MatchNumber, int] = {}  # unreadable line of each match in this chunk
    known_matches, latest_unreadable = set(state.by_match), 0
    for line, record in enumerate(records, start=1):
        match = state.latest_match if isinstance(record, GameError) else read_match_number(record)
        try:
            if isinstance(record, GameError):
                raise record
            episode = read_episode(line, record, rules)
        except GameError as error:
            problems[line] = str(error)
            unreadable_lines[match] = latest_unreadable = line
            state.broken_matches[match] = False
            state.has_unreadable_line = True
            continue
        state.latest_match = match
        if episode.is_first:
            state.broken_matches.pop(match, None)
        elif match not in known_matches and state.has_unreadable_line:  # it may have begun in an unreadable line
            state.broken_matches.setdefault(match, False)
            unreadable_lines |= (
                {match: latest_unreadable} if latest_unreadable and match not in unreadable_lines else {}
            )
        known_matches.add(match)
        if match not in state.broken_matches:
            episodes.append(episode)
        elif not state.broken_matches[match]:
            state.broken_matches[match] = True
            if match in unreadable_lines:
                problems[unreadable_lines[match]] += f"; {_LATER_LINES} cannot be checked"
            else:
                problems[line] = f"cannot be checked, like {_LATER_LINES}: an earlier line could not be read"
    return episodes, problems


@dataclass(frozen=True)
class EpisodeOrder:
    """Predecessors of episodes in their matches."""

    previous: NDArray[np.int64]  # [n] row of the preceding episode, -1 for none
    depth: NDArray[np.int64]  # [n] number of preceding episodes
    initial_states: Mapping[int, MatchState]  # by row: state of the match before the first of these

    @classmethod
    def from_episodes(cls, episodes: Sequence[Episode], state: ReplayState) -> EpisodeOrder:
        """Determine the order of episodes that follow a state."""
        previous, depth = np.full(len(episodes), -1), np.zeros(len(episodes), np.int64)
        latest: dict[MatchNumber, int] = {}
        initial_states: dict[int, MatchState] = {}
        for row, episode in enumerate(episodes):
            if not episode.is_first and episode.match in latest:
                previous[row] = latest[episode.match]
                depth[row] = depth[previous[row]] + 1
            elif not episode.is_first and episode.match in state.by_match:
                initial_states[row] = state.by_match[episode.match]
            latest[episode.match] = row
        return cls(previous, depth, initial_states)

    def compute_starts(self, rules: CompiledGame, order: NDArray[np.int8]) -> MatchBatch:
        """Return the start of each episode, given the orders of finish [n, 4].

        Matches are promoted in parallel: the k-th episodes of all matches together.
        """
        starts = start_matches(rules, len(order))
        for row, match_state in self.initial_states.items():
            starts.assign(np.array([row]), match_state.batch)
        for depth in range(1, int(self.depth.max(initial=0)) + 1):
            rows = np.flatnonzero(self.depth == depth)
            previous = self.previous[rows]
            starts.assign(rows, promote(rules, starts.select(previous), order[previous]))
        return starts
