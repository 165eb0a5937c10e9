"""A record as pictures: what every seat held before each act, and what lay on the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games import Engine, Indices, Moves, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.words.order import in_order
from abl_cards.page.course import Course
from abl_cards.page.words import orders, remembered

HERE = np.array([0])


@dataclass
class Film(Quiet):
    """Hears one record being played again."""

    engine: Engine
    pictures: list[dict[str, Any]] = field(default_factory=list)
    ended: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        """Nothing is seen yet."""
        self._course = Course(self.engine)

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Cards that are dealt again begin anew."""
        self.pictures.clear()
        self._course.episode_began(tables, which)

    def chosen(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """A picture before a choice."""
        self._course.trick = []
        before = self._picture(tables, plays=False)
        self._course.chosen(tables, which, card)
        self._take(before)

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """A picture before a play."""
        before = self._picture(tables, plays=True)
        self._course.played(tables, which, moves)
        self._take(before)

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """What came of it."""
        self._course.episode_ended(tables, which)
        self.ended = self._course.ended

    def _take(self, before: dict[str, Any]) -> None:
        act = self._course.log[-1]
        self.pictures.append(before | {"act": act, "trick": [each for each in self._course.trick if each is not act]})

    def _picture(self, tables: Tables, plays: bool) -> dict[str, Any]:
        state, rules = tables.state, self.engine.rules
        context, texts = int(state.context[0]), rules.letters.texts
        return {
            "seat": int(tables.seat[0]), "plays": plays, "told": remembered(self.engine, state.fluents[0]),
            "hands": [[texts[kind] for kind in in_order(rules, hand, context)] for hand in state.hands[0]],
            "wild": orders(rules, context)["wild"], "side": tables.sides(HERE)[0].tolist(),
        }  # fmt: skip


def film(engine: Engine, record: Mapping[str, Any]) -> tuple[Film, list[int | None], str]:
    """The pictures of a record, by picture the number by which decisions are asked for, and what is wrong with it.

    Raises GameError for what is no record at all.
    """
    seen = Film(engine)
    told = engine.replay([record], seen)
    problem = told.disagreements[0].text if told.disagreements else ""
    if not seen.pictures:
        raise GameError(problem or "nothing happens in this record")
    numbers = iter(engine.plays_of([record])[0])
    if problem:  # the record only comes so far, or is wrong from there on
        return seen, [number + 1 for number in range(len(seen.pictures))], problem
    plays = [next(numbers, None) if each["plays"] else None for each in seen.pictures]
    ours = all(number == place + 1 for place, number in enumerate(plays) if number is not None)
    return seen, [place + 1 if ours else number for place, number in enumerate(plays)], problem
