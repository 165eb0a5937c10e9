"""Played games as JSON objects: written down, read, and played again to compare.

``hands`` (two texts by seat), ``plays`` ([seat, cards], a pass is ""), ``winner`` (a seat), ``points`` by seat; seat 0
leads. Our own records add ``game``, ``profile``, ``episode`` and whatever the recorder was given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.audience import Quiet
from abl_cards.games.big2.decisions import Decisions, count_cards
from abl_cards.games.big2.knowledge import RANK_COUNT
from abl_cards.games.big2.rulebook import Rules
from abl_cards.games.big2.tables import Tables
from abl_cards.games.big2.wire import check_pack, hand_text, read_hand, read_some, reading, row_text
from abl_cards.games.game import Disagreement, GameError, Replay
from abl_cards.games.tables import Indices, Listener, MoveLists, Moves


class Big2Recorder(Quiet):
    """Writes down what happens at some tables; see ``records``."""

    def __init__(self, rules: Rules, tables: int, extra: Mapping[str, Any]) -> None:
        """Listen to so many tables; every record carries the extra fields."""
        self._rules, self._extra = rules, dict(extra)
        self._hands: list[list[str]] = [[] for _ in range(tables)]
        self._plays: list[list[list[Any]]] = [[] for _ in range(tables)]
        self._done: list[list[dict[str, Any]]] = [[] for _ in range(tables)]

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Begin a new page."""
        for table in which:
            self._plays[table] = []
            self._hands[table] = [hand_text(hand) for hand in tables.hands[table]]

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Write down plays and passes."""
        for table, cards in zip(which, moves.cards, strict=True):
            self._plays[table].append([int(tables.seat[table]), row_text(cards)])

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """Write down the result."""
        for table, points in zip(which, tables.outcome(which), strict=True):
            self._done[table].append(
                {
                    "game": "big2",
                    "profile": self._rules.profile,
                    **self._extra,
                    "episode": int(tables.episode[table]) - 1,
                    "hands": self._hands[table],
                    "plays": self._plays[table],
                    "winner": int(tables.winner[table]),
                    "points": points.tolist(),
                }
            )

    def records(self, table: int) -> list[dict[str, Any]]:
        """The finished games of a table; forgets them."""
        done, self._done[table] = self._done[table], []
        return done


@dataclass(frozen=True)
class Record:
    """A game, read."""

    hands: NDArray[np.uint8]  # [2, 13]
    plays: tuple[tuple[int, NDArray[np.uint8]], ...]
    winner: int | None
    points: tuple[float, ...] | None


def read_record(record: Any, profile: str) -> Record:
    """Read a record; raises GameError that names the field."""
    if not isinstance(record, Mapping):
        raise GameError("a record is a JSON object")
    if record.get("game", "big2") != "big2" or record.get("profile", profile) != profile:
        raise GameError(f"the record is of {record.get('game')} {record.get('profile')}, the rules of big2 {profile}")
    hands, plays = record.get("hands"), record.get("plays")
    if not isinstance(hands, list) or len(hands) != 2:
        raise GameError("hands: there must be two")
    with reading("hands"):
        counts = [read_some(hand) for hand in hands]
        check_pack(*counts)
    if not isinstance(plays, list):
        raise GameError("plays: there must be a list of [seat, cards]")
    winner, points = record.get("winner"), record.get("points")
    if winner not in (None, 0, 1):
        raise GameError(f"winner: {winner!r} is no seat 0 or 1")
    if points is not None and (not isinstance(points, list) or len(points) != 2):
        raise GameError(f"points: {points!r} are not those of two seats")
    read = tuple(_read_play(number, play) for number, play in enumerate(plays, start=1))
    return Record(np.stack(counts), read, winner, None if points is None else tuple(points))


def _read_play(number: int, play: Any) -> tuple[int, NDArray[np.uint8]]:
    if not isinstance(play, list) or len(play) != 2 or type(play[0]) is not int or play[0] not in (0, 1):
        raise GameError(f'play {number}: {play!r} is no [seat, cards], like [0,"3334"]')
    with reading(f"play {number}"):
        return play[0], read_hand(play[1])


def find_moves(decisions: Decisions, wanted: Sequence[NDArray[np.uint8]]) -> tuple[MoveLists, NDArray[np.int64]]:
    """Legal moves, and the row of each wanted one [13] among them, -1 where it is not legal."""
    lists = decisions.moves()
    asked = np.array(wanted, np.uint8).reshape(-1, RANK_COUNT)
    same = (count_cards(lists.cards) == asked[lists.decision]).all(axis=1)
    rows, found = np.full(len(wanted), -1, np.int64), np.flatnonzero(same)
    rows[lists.decision[found]] = found
    return lists, rows


def replay(rules: Rules, records: Sequence[Mapping[str, Any] | GameError], listener: Listener | None = None) -> Replay:
    """Play records again, one a line, all at once; a listener hears every game at a table of its own."""
    games: list[tuple[int, Record]] = []
    wrong: dict[int, str] = {}
    for line, record in enumerate(records, start=1):
        try:
            if isinstance(record, GameError):
                raise record
            games.append((line, read_record(record, rules.profile)))
        except GameError as problem:
            wrong[line] = str(problem)
    if games:
        wrong |= _again(rules, games, listener)
    plays = sum(len(game.plays) for _, game in games)
    return Replay(len(records), plays, tuple(Disagreement(line, text) for line, text in sorted(wrong.items())))


def _again(rules: Rules, games: Sequence[tuple[int, Record]], listener: Listener | None) -> dict[int, str]:
    """What is wrong with games at their tables, by line; a table whose record is wrong is left alone from then on."""
    tables = Tables.resume(rules, np.stack([game.hands for _, game in games]), listener)
    wrong: dict[int, str] = {}
    number = 0
    while True:
        which = [int(table) for table in tables.playing() if games[table][0] not in wrong]
        if not which:
            break
        for table in map(int, which):
            if problem := _turn_problem(games[table][1], number, int(tables.seat[table])):
                wrong[games[table][0]] = problem
        right = np.array([table for table in which if games[table][0] not in wrong], np.int64)
        if right.size:
            lists, rows = find_moves(tables.decisions(right), [games[table][1].plays[number][1] for table in right])
            for illegal in right[rows < 0].tolist():
                line, game = games[illegal]
                seat, cards = game.plays[number]
                wrong[line] = f"play {number + 1}: {hand_text(cards) or 'PASS'} is not legal for seat {seat}"
            if (rows >= 0).any():
                tables.play(right[rows >= 0], lists.rows(rows[rows >= 0]))
        number += 1
    over = np.flatnonzero(tables.winner != -1)
    for table, points in zip(over.tolist(), tables.outcome(over), strict=True):
        line, game = games[table]
        if problem := _end_problem(game, int(tables.clock[table]), int(tables.winner[table]), points.tolist()):
            wrong.setdefault(line, problem)
    return wrong


def _turn_problem(game: Record, number: int, seat: int) -> str | None:
    if number >= len(game.plays):
        return f"the record ends after {number} plays, but seat {seat} is to play"
    if game.plays[number][0] != seat:
        return f"play {number + 1}: seat {game.plays[number][0]} plays where it is the turn of seat {seat}"
    return None


def _end_problem(game: Record, plays: int, winner: int, points: list[float]) -> str | None:
    if len(game.plays) > plays:
        return f"play {plays + 1}: the game is over"
    if game.winner not in (None, winner):
        return f"winner is {game.winner} where the plays lead to {winner}"
    if game.points is not None and list(game.points) != points:
        return f"points are {list(game.points)} where the plays lead to {points}"
    return None
