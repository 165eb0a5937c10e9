"""A Guandan episode as text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import card_text
from abl_cards.games import Engine, Tables, game
from abl_cards.games.tables import Indices, Moves
from abl_cards.platforms.contest.standings import level_at, options_of, refusing, stage_of, standing, values
from abl_cards.platforms.contest.wire import RANK_TEXT, TRIBUTE, hand_texts
from tests.games.random_play import match_keys, step


class Scribe:
    """A listener that writes down one episode of the match at table 0."""

    def __init__(self, engine: Engine, number: int) -> None:
        self._engine, self._number = engine, number
        self._decisions = 0
        self.lines: list[str] = []

    def drew(self, tables: object, which: np.ndarray) -> None:
        """Cards are dealt at once."""

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """The level, the result before, and the deal."""
        if tables.episode[0] == self._number:
            level = level_at(tables, 0)
            self.lines += [f"episode {self._number + 1}, level {RANK_TEXT[level]}, teams at {levels(tables)}"]
            if self._number:
                before = values(tables.rules, "finished", tables.state.fluents[:1])[0]
                self.lines.append(f"finish before: {seats(before)}")
            for seat, hand in enumerate(tables.state.hands[0]):
                self.lines.append(f"seat {seat}: {' '.join(hand_texts(hand, level))}")

    def chosen(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """A tribute or a return, and how many cards there were to choose from."""
        if tables.episode[0] == self._number:
            choices = int(tables.choices(which).options[0].sum())
            verb = "pays" if stage_of(tables, 0) == TRIBUTE else "returns"
            kind = int(np.flatnonzero(options_of(tables.rules) == card[0])[0])
            self._write(tables, choices, f"{verb} {card_text(kind)}")

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """A play or a pass, and how many labels were legal."""
        if tables.episode[0] == self._number:
            if tables.state.acts[0] == 0 and refusing(tables, 0):
                self.lines.append("the tribute is refused")
            legal = int(tables.decisions(which).legal.sum())
            self._write(tables, legal, str(self._engine.action(moves.form[0], moves.cards[0])))

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """The order of finish."""
        if tables.episode[0] == self._number:
            self.lines.append(f"finish: {seats(tables.state.order[0])}")

    def match_ended(self, tables: Tables, which: Indices) -> None:
        """The winner is written down with the levels."""

    def _write(self, tables: Tables, choices: int, what: str) -> None:
        self._decisions += 1
        self.lines.append(f"{self._decisions:4}  seat {tables.seat[0]}  {choices:3} legal  {what}")


def levels(tables: Tables) -> str:
    """The levels of the teams."""
    return " : ".join(RANK_TEXT[rank] for rank in standing(tables.rules, tables.state.fluents[:1])[0].tolist())


def seats(order: NDArray[np.int8]) -> str:
    """Seats in their order."""
    return " ".join(map(str, order))


def episode(profile: str, seed: int, number: int) -> str:
    """The episode of this number, from 0, in the random match of a seed."""
    engine = game("guandan").engine(None, profile)
    assert isinstance(engine, Engine)
    scribe = Scribe(engine, number)
    tables = engine.tables(match_keys(1, seed), scribe)
    while tables.episode[0] <= number and step(tables):
        pass
    winner = int(tables.winner[0])
    end = f"team {winner} has won the match" if winner >= 0 else f"teams at {levels(tables)}, "
    end += "" if winner >= 0 else f"level {RANK_TEXT[level_at(tables, 0)]} is played next"
    return "\n".join([f"guandan, profile {profile}, seed {seed}", *scribe.lines, end]) + "\n"
