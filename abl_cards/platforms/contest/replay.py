"""Play records again: every episode at a table of its own, all at once, each decision checked against the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import card_text
from abl_cards.errors import GameError
from abl_cards.games.play.state import EPISODE_OVER, MATCH_OVER
from abl_cards.games.play.tables import Dealt, Tables
from abl_cards.games.reading.rules import Rules
from abl_cards.games.results import Disagreement, Replay
from abl_cards.games.tables import Indices, Listener
from abl_cards.platforms.contest.actions import find_moves
from abl_cards.platforms.contest.episodes import Episode
from abl_cards.platforms.contest.gifts import Ledger
from abl_cards.platforms.contest.ladder import Ladder
from abl_cards.platforms.contest.sequels import Sequel, Standings, read_all
from abl_cards.platforms.contest.standings import levels, options_of, refusing, stage_of, standing
from abl_cards.platforms.contest.wire import BACK, RANK_TEXT, TRIBUTE, Action


def replay(
    rules: Rules,
    records: Sequence[Mapping[str, Any] | GameError],
    listener: Listener | None = None,
    standings: Standings | None = None,
) -> Replay:
    """Check every record, one a line: who pays what to whom, every play, the order of finish and the levels.

    Every episode has a table of its own; a listener hears them all, those of a wrong record up to the mistake.
    Standings tell where matches stand that began before, and are kept up to date.
    """
    standings = standings or Standings()
    episodes, wrong = read_all(rules, records, standings)
    if episodes:
        wrong |= _check(rules, episodes, listener, standings)
    plays = sum(len(episode.plays) for episode in episodes)
    return Replay(len(records), plays, tuple(Disagreement(line, text) for line, text in sorted(wrong.items())))


def _check(rules: Rules, episodes: list[Episode], listener: Listener | None, standings: Standings) -> dict[int, str]:
    """What is wrong, by line. An order that the plays do not lead to is wrong once: later levels follow the plays."""
    order = np.array([episode.order for episode in episodes], np.int8)
    sequel = Sequel.of(episodes, standings)
    while True:
        ladder = sequel.climb(rules, order)
        again = _Again(rules, episodes, ladder, listener)
        wrong = again.run() | _compare_levels(rules, episodes, ladder)
        played = again.order(order)
        if (played == order).all():
            standings.keep(rules, episodes, ladder, order)
            return wrong
        order, listener = played, None  # it has heard everything once


def _compare_levels(rules: Rules, episodes: list[Episode], ladder: Ladder) -> dict[int, str]:
    wrong = {}
    played, stands = levels(rules, ladder.fluents).tolist(), standing(rules, ladder.fluents).tolist()
    for index, episode in enumerate(episodes):
        expected = (played[index], *stands[index])
        found = (episode.level, *episode.ranks)
        if ladder.winner[index] != -1:
            wrong[episode.line] = "the match was over before this episode"
        elif found != expected:
            texts = [" ".join(RANK_TEXT[rank] for rank in ranks) for ranks in (found, expected)]
            wrong[episode.line] = f"level and ranks are {texts[0]} where the rules lead to {texts[1]}"
    return wrong


class _Again:
    """The episodes at their tables; a table whose record is wrong is left alone from then on."""

    def __init__(self, rules: Rules, episodes: list[Episode], ladder: Ladder, listener: Listener | None) -> None:
        self._rules, self._episodes = rules, episodes
        self._tables = Tables.resume(rules, _dealt(rules, episodes, ladder), listener)
        self._wrong: dict[int, str] = {}
        self._alive = np.ones(len(episodes), bool)
        self._next = np.zeros(len(episodes), np.int64)  # the number of the next play of each record
        self._ledgers = [Ledger() for _ in episodes]
        self._options = options_of(rules)

    def run(self) -> dict[int, str]:
        """Play to the end; returns what is wrong, by line."""
        for table in range(len(self._episodes)):
            self._check_refusal(table)
        while (choosing := self._living(self._tables.choosing())).size > 0:
            self._exchange(choosing)
        while (playing := self._living(self._tables.playing())).size > 0:
            self._play(playing)
        for finished in np.flatnonzero(self._alive):
            self._check_end(int(finished))
        return self._wrong

    def order(self, otherwise: NDArray[np.int8]) -> NDArray[np.int8]:
        """[n, 4] the order of finish of the episodes that were played to their end."""
        stage = self._tables.state.stage
        over = (stage == EPISODE_OVER) | (stage == MATCH_OVER)
        return np.where(over[:, None], self._tables.state.order, otherwise)

    def _living(self, which: Indices) -> Indices:
        return which[self._alive[which]]

    def _reject(self, table: int, text: str) -> None:
        self._alive[table] = False
        self._wrong[self._episodes[table].line] = text

    def _check_refusal(self, table: int) -> None:
        episode, refusers = self._episodes[table], refusing(self._tables, table)
        if sorted(episode.anti) != refusers:
            self._reject(table, f"anti is {list(episode.anti)} where the big jokers of {refusers} refuse the tribute")
        elif (episode.tribute or episode.back) and stage_of(self._tables, table) != TRIBUTE:
            self._reject(table, f"{len(episode.tribute)} tributes and {len(episode.back)} returns where none is due")

    def _exchange(self, which: Indices) -> None:
        options = self._tables.choices(which).options
        chosen = np.zeros(len(which), np.int64)
        for row, table in enumerate(which.tolist()):
            seat, paying = int(self._tables.seat[table]), stage_of(self._tables, table) == TRIBUTE
            gifts = self._episodes[table].tribute if paying else self._episodes[table].back
            gift = next((gift for gift in gifts if gift[0] == seat), None)
            if gift is None:
                self._reject(table, f"seat {seat} must {'pay' if paying else 'return'} a card and does not")
            elif not options[row, self._options[gift[2]]]:
                self._reject(table, f"seat {seat} may not {'pay' if paying else 'return'} {card_text(gift[2])}")
            else:
                chosen[row] = self._options[gift[2]]
                self._ledgers[table].note(TRIBUTE if paying else BACK, seat, gift[2])
        alive = self._alive[which]
        self._tables.choose(which[alive], chosen[alive].astype(np.uint8))
        for table in which[alive].tolist():
            self._check_receivers(table)

    def _check_receivers(self, table: int) -> None:
        """Once the rules say who pays whom, the record must say the same, and no more."""
        ledger, episode = self._ledgers[table], self._episodes[table]
        paid = ledger.paid(self._tables, table)
        if paid is None:
            return
        pairs, due = {gift[:2] for gift in paid}, len(paid)
        if (len(episode.tribute), len(episode.back)) != (due, due):
            text = (
                f"{len(episode.tribute)} tributes and {len(episode.back)} returns where the rules demand {due} of each"
            )
            self._reject(table, text)
        elif {gift[:2] for gift in episode.tribute} != pairs or {gift[1::-1] for gift in episode.back} != pairs:
            self._reject(table, f"tribute and back go other ways than {sorted(pairs)}")

    def _play(self, which: Indices) -> None:
        actions = [self._action_at(int(table)) for table in which]
        alive = self._alive[which]
        which, wanted = which[alive], [action for action in actions if action is not None]
        if not which.size:
            return
        lists, chosen = find_moves(self._tables.decisions(which), wanted)
        for table, action, move in zip(which, wanted, chosen, strict=True):
            if move < 0:
                self._reject(
                    int(table),
                    f"play {self._next[table] + 1}: {action} is not legal for seat {self._tables.seat[table]}",
                )
        legal = chosen >= 0
        self._next[which[legal]] += 1
        self._tables.play(which[legal], lists.rows(chosen[legal]))

    def _action_at(self, table: int) -> Action | None:
        plays, number, seat = self._episodes[table].plays, int(self._next[table]), int(self._tables.seat[table])
        if number >= len(plays):
            self._reject(table, f"the record ends after {number} plays, but seat {seat} is to play")
        elif plays[number][0] != seat:
            self._reject(table, f"play {number + 1}: seat {plays[number][0]} plays where it is the turn of seat {seat}")
        else:
            return plays[number][1]
        return None

    def _check_end(self, table: int) -> None:
        episode, order = self._episodes[table], tuple(int(seat) for seat in self._tables.state.order[table])
        if len(episode.plays) > self._next[table]:
            self._reject(table, f"play {self._next[table] + 1}: the episode is over")
        elif order != episode.order:
            self._reject(table, f"order is {list(episode.order)} where the plays lead to {list(order)}")


def _dealt(rules: Rules, episodes: list[Episode], ladder: Ladder) -> Dealt:
    """Where the episodes begin; who leads a first one is no more than the first seat that plays."""
    n, seats = len(episodes), rules.table.seats
    leader = np.array([episode.plays[0][0] if episode.plays else 0 for episode in episodes], np.int16)
    return Dealt(
        np.stack([episode.hands for episode in episodes]), np.zeros((n, len(rules.pack)), np.uint8), ladder.fluents,
        np.repeat(leader[:, None], len(rules.words.lots), axis=1), np.zeros((n, seats), np.int64),
        np.zeros(n, np.int32),
    )  # fmt: skip
