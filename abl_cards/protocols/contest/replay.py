"""Replay records: every episode at a table of its own, in parallel, with each decision checked against the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.state import EPISODE_OVER, MATCH_OVER
from abl_cards.games.tables import DealtEpisodes, Listener, Tables
from abl_cards.games.types import Indices, ReplayMismatch, ReplayResult
from abl_cards.protocols.common import format_card
from abl_cards.protocols.contest.actions import find_moves
from abl_cards.protocols.contest.codec import BACK, RANK_TEXT, TRIBUTE, ContestAction
from abl_cards.protocols.contest.episode_order import EpisodeOrder, ReplayState, read_episodes
from abl_cards.protocols.contest.episodes import Episode
from abl_cards.protocols.contest.levels import MatchBatch
from abl_cards.protocols.contest.match_state import (
    card_options,
    current_stage,
    read_levels,
    read_team_levels,
    refusing_seats,
)
from abl_cards.protocols.contest.tribute import TributeTracker


def replay_records(
    rules: CompiledGame,
    records: Sequence[Mapping[str, Any] | GameError],
    listener: Listener | None = None,
    state: ReplayState | None = None,
) -> ReplayResult:
    """Check every record, one per line: tribute, every play, the order of finish and the levels.

    A listener is notified of all events; those of an invalid record end at the error. ``state`` holds matches that
    began in earlier chunks, and is updated.
    """
    state = state or ReplayState()
    episodes, errors = read_episodes(rules, records, state)
    if episodes:
        errors |= _check_episodes(rules, episodes, listener, state)
    plays = sum(len(episode.plays) for episode in episodes)
    return ReplayResult(len(records), plays, tuple(ReplayMismatch(line, text) for line, text in sorted(errors.items())))


def _check_episodes(
    rules: CompiledGame, episodes: list[Episode], listener: Listener | None, state: ReplayState
) -> dict[int, str]:
    """Return the errors by line. A wrong order of finish is reported once: later levels follow the plays."""
    order = np.array([episode.order for episode in episodes], np.int8)
    episode_order = EpisodeOrder.from_episodes(episodes, state)
    while True:
        starts = episode_order.compute_starts(rules, order)
        replayer = _EpisodeReplayer(rules, episodes, starts, listener)
        errors = replayer.run() | _compare_levels(rules, episodes, starts)
        replayed_order = replayer.finish_order(order)
        if (replayed_order == order).all():
            state.update(rules, episodes, starts, order)
            return errors
        order, listener = replayed_order, None  # the listener is notified once only


def _compare_levels(rules: CompiledGame, episodes: list[Episode], matches: MatchBatch) -> dict[int, str]:
    errors = {}
    levels, team_levels = (
        read_levels(rules, matches.fluents).tolist(),
        read_team_levels(rules, matches.fluents).tolist(),
    )
    for index, episode in enumerate(episodes):
        expected = (levels[index], *team_levels[index])
        recorded = (episode.level, *episode.ranks)
        if matches.winner[index] != -1:
            errors[episode.line] = "the match was over before this episode"
        elif recorded != expected:
            texts = [" ".join(RANK_TEXT[rank] for rank in ranks) for ranks in (recorded, expected)]
            errors[episode.line] = f"level and ranks are {texts[0]} where the rules lead to {texts[1]}"
    return errors


class _EpisodeReplayer:
    """Tables of episodes; a table with an invalid record is not played any further."""

    def __init__(
        self, rules: CompiledGame, episodes: list[Episode], matches: MatchBatch, listener: Listener | None
    ) -> None:
        self._rules, self._episodes = rules, episodes
        self._tables = Tables.resume(rules, _initial_deals(rules, episodes, matches), listener)
        self._errors: dict[int, str] = {}
        self._is_valid = np.ones(len(episodes), bool)
        self._next_play = np.zeros(len(episodes), np.int64)  # index of the next play of each record
        self._tributes = [TributeTracker() for _ in episodes]
        self._options = card_options(rules)

    def run(self) -> dict[int, str]:
        """Play all episodes to the end; return the errors by line."""
        for table in range(len(self._episodes)):
            self._check_refusal(table)
        while (choosing := self._select_valid(self._tables.rows_to_choose())).size > 0:
            self._replay_exchange(choosing)
        while (playing := self._select_valid(self._tables.rows_to_play())).size > 0:
            self._replay_plays(playing)
        for finished in np.flatnonzero(self._is_valid):
            self._check_end(int(finished))
        return self._errors

    def finish_order(self, default: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the orders of finish [n, 4]; the default for episodes that were not played to the end."""
        stage = self._tables.state.stage
        over = (stage == EPISODE_OVER) | (stage == MATCH_OVER)
        return np.where(over[:, None], self._tables.state.finish_order, default)

    def _select_valid(self, rows: Indices) -> Indices:
        return rows[self._is_valid[rows]]

    def _reject(self, table: int, text: str) -> None:
        self._is_valid[table] = False
        self._errors[self._episodes[table].line] = text

    def _check_refusal(self, table: int) -> None:
        episode, refusers = self._episodes[table], refusing_seats(self._tables, table)
        if sorted(episode.anti) != refusers:
            self._reject(table, f"anti is {list(episode.anti)} where the big jokers of {refusers} refuse the tribute")
        elif (episode.tribute or episode.back) and current_stage(self._tables, table) != TRIBUTE:
            self._reject(table, f"{len(episode.tribute)} tributes and {len(episode.back)} returns where none is due")

    def _replay_exchange(self, rows: Indices) -> None:
        options = self._tables.choices(rows).options
        chosen = np.zeros(len(rows), np.int64)
        for row, table in enumerate(rows.tolist()):
            seat, paying = int(self._tables.seat[table]), current_stage(self._tables, table) == TRIBUTE
            exchanged = self._episodes[table].tribute if paying else self._episodes[table].back
            gift = next((gift for gift in exchanged if gift[0] == seat), None)
            if gift is None:
                self._reject(table, f"seat {seat} must {'pay' if paying else 'return'} a card and does not")
            elif not options[row, self._options[gift[2]]]:
                self._reject(table, f"seat {seat} may not {'pay' if paying else 'return'} {format_card(gift[2])}")
            else:
                chosen[row] = self._options[gift[2]]
                self._tributes[table].add(TRIBUTE if paying else BACK, seat, gift[2])
        is_valid = self._is_valid[rows]
        self._tables.choose(rows[is_valid], chosen[is_valid].astype(np.uint8))
        for table in rows[is_valid].tolist():
            self._check_receivers(table)

    def _check_receivers(self, table: int) -> None:
        """Compare givers and receivers of the record with those of the rules, once all tributes are paid."""
        tracker, episode = self._tributes[table], self._episodes[table]
        paid = tracker.paid_tributes(self._tables, table)
        if paid is None:
            return
        pairs, num_due = {gift[:2] for gift in paid}, len(paid)
        if (len(episode.tribute), len(episode.back)) != (num_due, num_due):
            counts = f"{len(episode.tribute)} tributes and {len(episode.back)} returns"
            self._reject(table, f"{counts} where the rules demand {num_due} of each")
        elif {gift[:2] for gift in episode.tribute} != pairs or {gift[1::-1] for gift in episode.back} != pairs:
            self._reject(table, f"tribute and back have other seats than {sorted(pairs)}")

    def _replay_plays(self, rows: Indices) -> None:
        actions = [self._action_at(int(table)) for table in rows]
        is_valid = self._is_valid[rows]
        rows, valid_actions = rows[is_valid], [action for action in actions if action is not None]
        if not rows.size:
            return
        lists, chosen = find_moves(self._tables.decisions(rows), valid_actions)
        for table, action, move in zip(rows, valid_actions, chosen, strict=True):
            if move < 0:
                self._reject(
                    int(table),
                    f"play {self._next_play[table] + 1}: {action} is not legal for seat {self._tables.seat[table]}",
                )
        legal = chosen >= 0
        self._next_play[rows[legal]] += 1
        self._tables.play(rows[legal], lists.select(chosen[legal]))

    def _action_at(self, table: int) -> ContestAction | None:
        plays, index, seat = self._episodes[table].plays, int(self._next_play[table]), int(self._tables.seat[table])
        if index >= len(plays):
            self._reject(table, f"the record ends after {index} plays, but seat {seat} is to play")
        elif plays[index][0] != seat:
            self._reject(table, f"play {index + 1}: seat {plays[index][0]} plays where it is the turn of seat {seat}")
        else:
            return plays[index][1]
        return None

    def _check_end(self, table: int) -> None:
        episode, order = self._episodes[table], tuple(int(seat) for seat in self._tables.state.finish_order[table])
        if len(episode.plays) > self._next_play[table]:
            self._reject(table, f"play {self._next_play[table] + 1}: the episode is over")
        elif order != episode.order:
            self._reject(table, f"order is {list(episode.order)} where the plays lead to {list(order)}")


def _initial_deals(rules: CompiledGame, episodes: list[Episode], matches: MatchBatch) -> DealtEpisodes:
    """Return the starts of the episodes; the leader of a match's first episode is the first seat that plays."""
    n, seats = len(episodes), rules.seating.seats
    leader = np.array([episode.plays[0][0] if episode.plays else 0 for episode in episodes], np.int16)
    return DealtEpisodes(
        np.stack([episode.hands for episode in episodes]), np.zeros((n, len(rules.pack)), np.uint8), matches.fluents,
        np.repeat(leader[:, None], len(rules.schema.lots), axis=1), np.zeros((n, seats), np.int64),
        np.zeros(n, np.int32),
    )  # fmt: skip
