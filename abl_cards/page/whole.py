"""A play as a whole where plays are laid card by card: which one an agent would make, and the reasons of each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abl_cards.agents import Reasoned
from abl_cards.errors import GameError
from abl_cards.games import Engine, Indices, Moves, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.snapshots import copy_rows
from reasoners.explanation import Explanation, Verdict, explain

HERE = np.array([0])
MOST_STEPS = 64
KEY = np.zeros(1, np.uint64)


class _Ear(Quiet):
    """Hears the first play."""

    heard: Moves | None = None

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Keep it."""
        self.heard = self.heard or moves


@dataclass(frozen=True)
class Step:
    """What is laid next, and what speaks for and against it."""

    found: Explanation
    verdict: Verdict
    moves: Moves


@dataclass(frozen=True)
class Whole:
    """A play, and how it is laid."""

    moves: Moves
    steps: tuple[Step, ...]


def whole_play(
    engine: Engine, tables: Tables, player: Reasoned, language: str, parts: Sequence[Moves] = ()
) -> Whole:  # fmt: skip
    """The play that an agent makes at one table, or the one of these parts, at a copy of it; raises GameError.

    Where the parts come to their end and the play does not, it ends with a pass.
    """
    ear, steps = _Ear(), list[Step]()
    copy = Tables(tables.rules, 1, ear)
    copy_rows(tables.state, HERE, copy.state)
    copy.endless, copy.keys[:] = False, tables.keys
    for number in range(MOST_STEPS):
        decisions = copy.decisions(HERE)
        moment = engine.look(decisions)
        found = explain(engine, player.judge, moment, language, player.opinion(moment))
        if number < len(parts):
            moves = parts[number]
        else:
            moves = _passing(engine, moment.lists.cards.shape[1]) if parts else player.play(decisions, KEY)
        (row,) = moment.lists.find(moves).tolist()
        if row < 0:
            raise GameError("that is not laid so")
        steps.append(Step(found, found.verdict(row), moves))
        copy.play(HERE, moves)
        if ear.heard is not None:
            return Whole(ear.heard, tuple(steps))
    raise GameError("the agent comes to no end")


def _passing(engine: Engine, width: int) -> Moves:
    from abl_cards.games.tables import NO_CARD

    return Moves(np.array([engine.rules.forms.passing], np.int16), np.full((1, width), NO_CARD, np.uint8))
