"""Play records again: every game at a table of its own, all at once, each decision checked against the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.doudizhu.course import NO_BID, PLAY
from abl_cards.games.doudizhu.decisions import Decisions
from abl_cards.games.doudizhu.records import SIDES, Record, bids_of, check_deal, read_record
from abl_cards.games.doudizhu.rulebook import Rules
from abl_cards.games.doudizhu.shapes import FIRST, NO_CARD
from abl_cards.games.doudizhu.tables import Deal, Tables
from abl_cards.games.doudizhu.wire import Action
from abl_cards.games.game import Disagreement, GameError, Replay
from abl_cards.games.tables import Indices, Listener, MoveLists


def replay(rules: Rules, records: Sequence[Mapping[str, Any] | GameError], listener: Listener | None = None) -> Replay:
    """Check every record, one a line: the deal, who bid what, every play, who won and for how much.

    Every game has a table of its own; a listener hears them all, those of a wrong record up to the mistake.
    """
    lines, games, wrong = _read_all(rules, records)
    if games:
        wrong |= _Again(rules, lines, games, listener).run()
    plays = sum(len(game.plays) for game in games)
    return Replay(len(records), plays, tuple(Disagreement(line, text) for line, text in sorted(wrong.items())))


def _read_all(
    rules: Rules, records: Sequence[Mapping[str, Any] | GameError]
) -> tuple[list[int], list[Record], dict[int, str]]:
    """The games that can be checked with their lines, and what is wrong with the others."""
    lines, games, problems = [], [], {}
    for line, record in enumerate(records, start=1):
        try:
            if isinstance(record, GameError):
                raise record
            game = read_record(record, rules.profile)
            check_deal(game)
            check_auction(rules, game)
        except GameError as problem:
            problems[line] = str(problem)
            continue
        lines.append(line)
        games.append(game)
    return lines, games, problems


def check_auction(rules: Rules, game: Record) -> None:
    """Raise GameError where the bids are not legal, or lead to another landlord or stake."""
    if not game.bids:
        return
    bids = [NO_BID] * 3
    for place, bid in enumerate(game.bids):
        if not rules.auction.may_bid[tuple(bids)][bid]:
            raise GameError(f"bids: {bid} is not legal for seat {place}")
        bids[place] = bid
    landlord, stake = int(rules.auction.landlord[tuple(bids)]), int(rules.auction.stake[tuple(bids)])
    if (landlord, stake) != (game.landlord, game.stake):
        raise GameError(f"bids: they make seat {landlord} the landlord for {stake}")


def deal_of(games: Sequence[Record]) -> Deal:
    """What is on the tables of these games."""
    return Deal(
        hands=np.array([[hand or 0 for hand in game.hands] for game in games], np.uint64),
        bottom=np.array([game.bottom or 0 for game in games], np.uint64),
        landlord=np.array([game.landlord for game in games], np.int8),
        stake=np.array([game.stake for game in games], np.int8),
        bids=np.array([bids_of(game) for game in games], np.int8),
    )


class _Again:
    """The games at their tables; a table whose record is wrong is left alone from then on."""

    def __init__(self, rules: Rules, lines: list[int], games: list[Record], listener: Listener | None) -> None:
        self._lines, self._games = lines, games
        self._tables = Tables.resume(rules, deal_of(games), listener)
        self._next = np.zeros(len(games), np.int64)
        self._alive = np.ones(len(games), np.bool_)
        self._wrong: dict[int, str] = {}

    def run(self) -> dict[int, str]:
        """What is wrong, by line."""
        while (which := self._waiting()).size:
            self._play(which)
        over = np.flatnonzero(self._alive)
        for table, points in zip(over, self._tables.outcome(over), strict=True):
            self._check_end(int(table), points)
        return self._wrong

    def _waiting(self) -> Indices:
        return np.flatnonzero(self._alive & (self._tables.course.stage == PLAY))

    def _reject(self, table: int, text: str) -> None:
        self._wrong.setdefault(self._lines[table], text)
        self._alive[table] = False

    def _play(self, which: Indices) -> None:
        actions = [self._action_at(int(table)) for table in which]
        which, wanted = which[self._alive[which]], [action for action in actions if action is not None]
        if not which.size:
            return
        lists, chosen = find_moves(self._tables.decisions(which), wanted)
        for table, action in zip(which[chosen < 0], (wanted[row] for row in np.flatnonzero(chosen < 0)), strict=True):
            number, seat = self._next[table] + 1, self._tables.seat[table]
            self._reject(int(table), f"play {number}: {action} is not legal for seat {seat}")
        legal = chosen >= 0
        self._next[which[legal]] += 1
        if legal.any():
            self._tables.play(which[legal], lists.rows(chosen[legal]))

    def _action_at(self, table: int) -> Action | None:
        plays, number, seat = self._games[table].plays, int(self._next[table]), int(self._tables.seat[table])
        if number >= len(plays):
            self._reject(table, f"the record ends after {number} plays, but seat {seat} is to play")
        elif plays[number][0] != seat:
            self._reject(table, f"play {number + 1}: seat {plays[number][0]} plays where it is the turn of seat {seat}")
        else:
            return plays[number][1]
        return None

    def _check_end(self, table: int, points: NDArray[np.float64]) -> None:
        game, winner = self._games[table], int(self._tables.winner[table])
        if len(game.plays) > self._next[table]:
            self._reject(table, f"play {self._next[table] + 1}: the game is over")
        elif game.winner not in (None, winner):
            self._reject(table, f"winner is {SIDES[game.winner or 0]} where the plays lead to {SIDES[winner]}")
        elif game.points is not None and list(game.points) != points.tolist():
            self._reject(table, f"points are {list(game.points)} where the plays lead to {points.tolist()}")


def find_moves(decisions: Decisions, actions: Sequence[Action]) -> tuple[MoveLists, NDArray[np.int64]]:
    """Legal moves, and the row of each action among them, -1 where it is not legal."""
    lists = decisions.moves()
    wanted = np.array([action.cards for action in actions], np.uint64)
    same = row_keys(lists.cards) == wanted[lists.decision]
    rows = np.full(len(actions), -1, np.int64)
    found = np.flatnonzero(same)[::-1]
    rows[lists.decision[found]] = found  # the first one stays
    return lists, rows


def row_keys(cards: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Keys of the cards of moves [n, most]."""
    kept = cards != NO_CARD
    shifts = np.where(kept, 4 * (cards.astype(np.int64) - FIRST), 0).astype(np.uint64)
    keys: NDArray[np.uint64] = (kept.astype(np.uint64) << shifts).sum(axis=1, dtype=np.uint64)
    return keys
