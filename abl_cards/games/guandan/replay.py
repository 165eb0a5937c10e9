"""Play records again: every episode at a table of its own, all at once, each decision checked against the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import card_text
from abl_cards.games.game import Disagreement, GameError, Replay
from abl_cards.games.guandan.course import BACK, EPISODE_OVER, MATCH_OVER, PLAY, TRIBUTE
from abl_cards.games.guandan.episodes import Episode
from abl_cards.games.guandan.ladder import Ladder, level_of
from abl_cards.games.guandan.readings import find_moves
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.guandan.sequels import Sequel, Standings, read_all
from abl_cards.games.guandan.tables import EpisodeStart, Tables
from abl_cards.games.guandan.wire import RANK_TEXT, Action
from abl_cards.games.tables import Indices, Listener, Moves


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
        ladder, previous = sequel.climb(rules, order)
        again = _Again(rules, episodes, ladder, previous, listener)
        wrong = again.run() | _compare_levels(rules, episodes, ladder)
        played = again.order(order)
        if (played == order).all():
            standings.keep(rules, episodes, ladder, order)
            return wrong
        order, listener = played, None  # it has heard everything once


def _compare_levels(rules: Rules, episodes: list[Episode], ladder: Ladder) -> dict[int, str]:
    wrong = {}
    for index, (episode, level) in enumerate(zip(episodes, level_of(rules, ladder), strict=True)):
        expected = (int(level), int(ladder.standing[index, 0]), int(ladder.standing[index, 1]))
        found = (episode.level, *episode.ranks)
        if ladder.winner[index] != -1:
            wrong[episode.line] = "the match was over before this episode"
        elif found != expected:
            texts = [" ".join(RANK_TEXT[rank] for rank in ranks) for ranks in (found, expected)]
            wrong[episode.line] = f"level and ranks are {texts[0]} where the rules lead to {texts[1]}"
    return wrong


class _Again:
    """The episodes at their tables; a table whose record is wrong is left alone from then on."""

    def __init__(
        self,
        rules: Rules,
        episodes: list[Episode],
        ladder: Ladder,
        previous: NDArray[np.int8],
        listener: Listener | None,
    ) -> None:
        self._rules, self._episodes = rules, episodes
        leader = np.array([episode.plays[0][0] if episode.plays else 0 for episode in episodes], np.int8)
        running = ladder._replace(winner=np.full_like(ladder.winner, -1))
        hands = np.stack([episode.hands for episode in episodes])
        self._tables = Tables.resume(rules, EpisodeStart(hands, running, previous, leader), listener)
        self._wrong: dict[int, str] = {}
        self._alive = np.ones(len(episodes), bool)
        self._next = np.zeros(len(episodes), np.int64)  # the number of the next play of each record

    def run(self) -> dict[int, str]:
        """Play to the end; returns what is wrong, by line."""
        for table in range(len(self._episodes)):
            self._check_refusal(table)
        while (exchanging := self._living(self._tables.exchanging())).size > 0:
            self._exchange(exchanging)
        while (playing := self._living(self._tables.playing())).size > 0:
            self._play(playing)
        for finished in np.flatnonzero(self._alive):
            self._check_end(int(finished))
        return self._wrong

    def order(self, otherwise: NDArray[np.int8]) -> NDArray[np.int8]:
        """[n, 4] the order of finish of the episodes that were played to their end."""
        over = self._tables.course.stage == EPISODE_OVER
        over |= self._tables.course.stage == MATCH_OVER
        return np.where(over[:, None], self._tables.course.order, otherwise)

    def _living(self, which: Indices) -> Indices:
        return which[self._alive[which]]

    def _reject(self, table: int, text: str) -> None:
        self._alive[table] = False
        self._wrong[self._episodes[table].line] = text

    def _check_refusal(self, table: int) -> None:
        episode, refused = self._episodes[table], int(self._tables.exchange.refused[table])
        refusers = [seat for seat in range(4) if refused >> seat & 1]
        if sorted(episode.anti) != refusers:
            self._reject(table, f"anti is {list(episode.anti)} where the big jokers of {refusers} refuse the tribute")
            return
        due = int((self._tables.exchange.payer[table] >= 0).sum())
        if (len(episode.tribute), len(episode.back)) != (due, due):
            text = (
                f"{len(episode.tribute)} tributes and {len(episode.back)} returns where the rules demand {due} of each"
            )
            self._reject(table, text)

    def _exchange(self, which: Indices) -> None:
        options = self._tables.exchanges(which).options
        chosen = np.zeros(len(which), np.uint8)
        for row, table in enumerate(which):
            seat, paying = int(self._tables.seat[table]), self._tables.course.stage[table] == TRIBUTE
            gifts = self._episodes[table].tribute if paying else self._episodes[table].back
            gift = next((gift for gift in gifts if gift[0] == seat), None)
            if gift is None:
                self._reject(table, f"seat {seat} must {'pay' if paying else 'return'} a card and does not")
            elif not options[row, gift[2]]:
                self._reject(table, f"seat {seat} may not {'pay' if paying else 'return'} {card_text(gift[2])}")
            else:
                chosen[row] = gift[2]
        alive = self._alive[which]
        self._tables.give(which[alive], chosen[alive])
        for table in which[alive]:
            self._check_receivers(int(table))

    def _check_receivers(self, table: int) -> None:
        """Once the rules say who pays whom, the record must say the same."""
        exchange, episode = self._tables.exchange, self._episodes[table]
        if self._tables.course.stage[table] not in (BACK, PLAY):
            return
        payer, receiver = exchange.payer[table], exchange.receiver[table]
        pairs = {(int(giver), int(taker)) for giver, taker in zip(payer, receiver, strict=True) if giver >= 0}
        if {gift[:2] for gift in episode.tribute} != pairs or {gift[1::-1] for gift in episode.back} != pairs:
            self._reject(table, f"tribute and back go other ways than {sorted(pairs)}")

    def _play(self, which: Indices) -> None:
        actions = [self._action_at(int(table)) for table in which]
        alive = self._alive[which]
        which, wanted = which[alive], [action for action in actions if action is not None]
        lists, chosen = find_moves(self._rules, self._tables.decisions(which), wanted)
        for table, action, move in zip(which, wanted, chosen, strict=True):
            if move < 0:
                self._reject(
                    int(table),
                    f"play {self._next[table] + 1}: {action} is not legal for seat {self._tables.seat[table]}",
                )
        legal = np.array(chosen) >= 0
        picked = np.array(chosen, np.int64)[legal]
        self._next[which[legal]] += 1
        self._tables.play(which[legal], Moves(lists.form[picked], lists.cards[picked]))

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
        episode, order = self._episodes[table], tuple(int(seat) for seat in self._tables.course.order[table])
        if len(episode.plays) > self._next[table]:
            self._reject(table, f"play {self._next[table] + 1}: the episode is over")
        elif order != episode.order:
            self._reject(table, f"order is {list(episode.order)} where the plays lead to {list(order)}")
