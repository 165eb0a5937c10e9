"""A Guandan episode as text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import Indices, Moves
from abl_cards.protocols.common.cards import format_card
from abl_cards.protocols.contest.codec import RANK_TEXT, TRIBUTE, hand_texts
from abl_cards.protocols.contest.match_state import (
    card_options,
    current_stage,
    fluent_values,
    read_team_levels,
    refusing_seats,
    table_level,
)
from tests.games.random_play import match_keys, step


class TranscriptListener:
    """A listener that writes down one episode of the match at table 0."""

    def __init__(self, engine: Engine, number: int) -> None:
        self._engine, self._number = engine, number
        self._decisions = 0
        self.lines: list[str] = []

    def on_draw(self, tables: object, rows: np.ndarray) -> None:
        """Cards are dealt at once."""

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """The level, the result before, and the deal."""
        if tables.num_episodes[0] == self._number:
            level = table_level(tables, 0)
            self.lines += [f"episode {self._number + 1}, level {RANK_TEXT[level]}, teams at {levels(tables)}"]
            if self._number:
                before = fluent_values(tables.rules, "finished", tables.state.fluents[:1])[0]
                self.lines.append(f"finish before: {seats(before)}")
            for seat, hand in enumerate(tables.state.hands[0]):
                self.lines.append(f"seat {seat}: {' '.join(hand_texts(hand, level))}")

    def on_choice(self, tables: Tables, rows: Indices, card: NDArray[np.uint8]) -> None:
        """A tribute or a return, and how many cards there were to choose from."""
        if tables.num_episodes[0] == self._number:
            choices = int(tables.choices(rows).options[0].sum())
            verb = "pays" if current_stage(tables, 0) == TRIBUTE else "returns"
            kind = int(np.flatnonzero(card_options(tables.rules) == card[0])[0])
            self._write(tables, choices, f"{verb} {format_card(kind)}")

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """A play or a pass, and how many labels were legal."""
        if tables.num_episodes[0] == self._number:
            if tables.state.num_acts[0] == 0 and refusing_seats(tables, 0):
                self.lines.append("the tribute is refused")
            legal = int(tables.decisions(rows).legal_mask.sum())
            self._write(tables, legal, str(self._engine.notate_move(moves.form[0], moves.cards[0])))

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """The order of finish."""
        if tables.num_episodes[0] == self._number:
            self.lines.append(f"finish: {seats(tables.state.finish_order[0])}")

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """The winner is written down with the levels."""

    def _write(self, tables: Tables, choices: int, what: str) -> None:
        self._decisions += 1
        self.lines.append(f"{self._decisions:4}  seat {tables.seat[0]}  {choices:3} legal  {what}")


def levels(tables: Tables) -> str:
    """The levels of the teams."""
    return " : ".join(RANK_TEXT[rank] for rank in read_team_levels(tables.rules, tables.state.fluents[:1])[0].tolist())


def seats(order: NDArray[np.int8]) -> str:
    """Seats in their order."""
    return " ".join(map(str, order))


def episode(profile: str, seed: int, number: int) -> str:
    """The episode of this number, from 0, in the random match of a seed."""
    engine = load("guandan").engine(None, profile)
    assert isinstance(engine, Engine)
    text_writer = TranscriptListener(engine, number)
    tables = engine.start_matches(match_keys(1, seed), text_writer)
    while tables.num_episodes[0] <= number and step(tables):
        pass
    winner = int(tables.winner[0])
    end = f"team {winner} has won the match" if winner >= 0 else f"teams at {levels(tables)}, "
    end += "" if winner >= 0 else f"level {RANK_TEXT[table_level(tables, 0)]} is played next"
    return "\n".join([f"guandan, profile {profile}, seed {seed}", *text_writer.lines, end]) + "\n"
