"""A Guandan episode as text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import card_text
from abl_cards.games.guandan.course import TRIBUTE
from abl_cards.games.guandan.engine import GuandanEngine, engine_of
from abl_cards.games.guandan.records import hand_texts
from abl_cards.games.guandan.tables import Tables
from abl_cards.games.guandan.wire import RANK_TEXT
from abl_cards.games.tables import Indices, Moves
from tests.games.random_play import match_keys, step


class Scribe:
    """A listener that writes down one episode of the match at table 0."""

    def __init__(self, engine: GuandanEngine, number: int) -> None:
        self._engine, self._number = engine, number
        self._decisions = 0
        self.lines: list[str] = []

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """The level, the result before, and the deal."""
        if tables.episode[0] == self._number:
            level = int(tables.course.level[0])
            self.lines += [f"episode {self._number + 1}, level {RANK_TEXT[level]}, teams at {levels(tables)}"]
            self.lines += [f"finish before: {seats(tables.previous[0])}"] if self._number else []
            for seat, hand in enumerate(tables.course.hands[0]):
                self.lines.append(f"seat {seat}: {' '.join(hand_texts(hand, level))}")
            if tables.exchange.refused[0]:
                self.lines.append("the tribute is refused")

    def card_given(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """A tribute or a return, and how many cards there were to choose from."""
        if tables.episode[0] == self._number:
            choices = int(tables.exchanges(which).options[0].sum())
            verb = "pays" if tables.course.stage[0] == TRIBUTE else "returns"
            self._write(tables, choices, f"{verb} {card_text(int(card[0]))}")

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """A play or a pass, and how many labels were legal."""
        if tables.episode[0] == self._number:
            legal = int(tables.decisions(which).legal.sum())
            self._write(tables, legal, str(self._engine.action(moves.form[0], moves.cards[0])))

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """The order of finish."""
        if tables.episode[0] == self._number:
            self.lines.append(f"finish: {seats(tables.course.order[0])}")

    def match_ended(self, tables: Tables, which: Indices) -> None:
        """The winner is written down with the levels."""

    def _write(self, tables: Tables, choices: int, what: str) -> None:
        self._decisions += 1
        self.lines.append(f"{self._decisions:4}  seat {tables.seat[0]}  {choices:3} legal  {what}")


def levels(tables: Tables) -> str:
    """The levels of the teams."""
    return " : ".join(RANK_TEXT[int(rank)] for rank in tables.ladder.standing[0])


def seats(order: NDArray[np.int8]) -> str:
    """Seats in their order."""
    return " ".join(map(str, order))


def episode(profile: str, seed: int, number: int) -> str:
    """The episode of this number, from 0, in the random match of a seed."""
    engine = engine_of(profile=profile)
    scribe = Scribe(engine, number)
    tables = engine.tables(match_keys(1, seed), scribe)
    while tables.episode[0] <= number and step(tables):
        pass
    winner = int(tables.winner[0])
    end = f"team {winner} has won the match" if winner >= 0 else f"teams at {levels(tables)}, "
    end += "" if winner >= 0 else f"level {RANK_TEXT[int(tables.course.level[0])]} is played next"
    return "\n".join([f"guandan, profile {profile}, seed {seed}", *scribe.lines, end]) + "\n"
