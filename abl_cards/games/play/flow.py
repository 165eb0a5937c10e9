"""What happens between plays: fluents change at events, somebody is asked to choose, an episode is scored.

Each of these is a question to circuits, asked for the tables concerned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards import garbage
from abl_cards.games.faults import blame, several, stop_where
from abl_cards.games.play import state as kernels
from abl_cards.games.play import stock
from abl_cards.games.play.changes import SHOWN, Change, slot_and_value
from abl_cards.games.play.state import NOBODY, State
from abl_cards.games.play.view import act_column, fill_laying
from abl_cards.games.reading.rules import Rules, entries_of
from abl_cards.games.reading.tabulate import Question
from abl_cards.games.shapes import number
from abl_cards.games.tables import DRAW, LEADING, Indices
from abl_cards.games.telling.columns import EVENTS
from abl_cards.games.telling.counted import Held, Laid
from abl_cards.games.telling.writer import Fill, Told, lazily, rows_of
from abl_cards.games.words.once import once
from abl_cards.logic.errors import kb_error


class Control(NamedTuple):
    """What comes next between plays."""

    again: NDArray[np.bool_]  # [n] the cards are dealt again
    stage: NDArray[np.int8]  # [n] the choice that is asked for, or -1
    seat: NDArray[np.int8]  # [n] who is asked
    leader: NDArray[np.int8]  # [n] who leads the play
    drawer: NDArray[np.int8]  # [n] who draws a card before all that, or NOBODY

    def at(self, some: NDArray[np.bool_]) -> Control:
        """What comes next at some of these tables."""
        again, *seats = self
        return Control(again[some], *(each[some] for each in seats))


@dataclass(frozen=True)
class Flow:
    """The questions of a game."""

    rules: Rules
    lots: tuple[int, ...]  # how many sides each random number has
    changes: Mapping[str, Change]  # by event, where anything changes
    asked: Question  # who is asked, and who leads
    ended: Told | None  # points/3, and what ends a match
    first: tuple[tuple[int, int], ...]  # slots and values when a match begins
    parts: Question | None  # role/2, side/2

    @property
    def roles(self) -> tuple[str, ...]:
        """The parts that seats have in the game; a single one where all are alike."""
        outputs = self.parts.told.circuit.outputs if self.parts else ()
        return tuple(dict.fromkeys(str(args[1]) for name, args in outputs if name == "role")) or ("player",)

    @property
    def says_sides(self) -> bool:
        """Whether the rules say who plays with whom, and not the teams alone."""
        return self.parts is not None and any(name == "side" for name, _ in self.parts.told.circuit.outputs)

    @classmethod
    def of(cls, rules: Rules) -> Flow:
        """Compile them; raises KBError."""
        return _flow(rules)

    # --- asking ------------------------------------------------------------------------------------------------------

    def fills(self, state: State, which: Indices, event: str | None = None) -> dict[str, Fill]:
        """What fills the groups of columns that everybody, or the referee, may be told."""
        rules = self.rules
        contexts = cache(lambda: rules.contexts.at(state.fluents, which))
        return {
            "hands": Held(rules.cells, lambda: state.hands, which, contexts),
            "lies": Laid(rules.cells, state.lies, which, contexts),
            "laying": fill_laying(state.lies, which),
            "leader": lazily(lambda _: state.leader[which]),
            "aside": Held(rules.cells, lambda: state.aside[:, None], which, contexts),
            "plays": lazily(lambda seat: state.plays[which, seat]),
            "fluents": rows_of(state.fluents, which),
            "act": lazily(lambda column: act_column(state, which, column)),
            "move": lazily(lambda column: rules.forms.label_of[state.laid[which]] if column else state.laid[which]),
            "result": lazily(lambda column: self._result_column(state, which, column)),
            "lots": lazily(lambda lot: state.lots[which, lot]),
            "acts": lazily(lambda _: state.acts[which]),
            "stock": lazily(lambda _: stock.left(rules, state, which)),
            "drew": lazily(lambda _: state.drew[which]),
            "drawn": lazily(lambda _: stock.card_drawn(state, which)),
            "left_over": lazily(lambda place: stock.left_over(rules, state, which, place)),
            "event": lazily(lambda column: _event_column(state, which, event, column)),
        }

    def _result_column(self, state: State, which: Indices, column: int) -> NDArray[np.integer]:
        seats = self.rules.table.seats
        if column < seats:
            return state.order[which, column]
        return state.hands[which, column - seats].sum(axis=1)

    def init(self, state: State, which: Indices) -> None:
        """A match begins."""
        for slot, value in self.first:
            state.fluents[which, slot] = value

    def happens(self, event: str, state: State, which: Indices) -> None:
        """Something has happened at some tables."""
        change = self.changes.get(event)
        if change is not None and which.size:
            answers = change.told.ask(len(which), self.fills(state, which, event))
            change.apply(answers, state, which)

    def acted(self, state: State, which: Indices) -> None:
        """Seats have played or passed."""
        if self.changes.keys() & {"play", "pass"}:
            laid = state.laid[which]
            passed = laid == self.rules.forms.passing
            for event, there in (("play", ~passed), ("pass", passed)):
                change = self.changes.get(event)
                if change is not None:
                    rows = which[there & change.matters[laid]]
                    if change.known is None:
                        self.happens(event, state, rows)
                    elif rows.size:
                        change.apply_known(state, rows)

    def settled(self, state: State, which: Indices) -> None:
        """What comes of plays is told; some have ended a trick."""
        if "trick" in self.changes:
            self.happens("trick", state, which[state.to_beat[which] == LEADING])
        if self._plays_change_context:
            state.context[which] = self.rules.contexts.at(state.fluents, which)

    def turns(self, state: State, which: Indices) -> NDArray[np.uint8]:
        """[n] what the rules say of the turn after what acts have changed, as in Turns.table."""
        course = self.rules.course
        assert course is not None
        return entries_of(course.circuit, course.ask(len(which), self.fills(state, which)))

    @cached_property
    def _plays_change_context(self) -> bool:
        """Whether what comes of a play can be another context: in most games that stays from deal to deal."""
        changes = [self.changes[event] for event in ("play", "pass", "trick", SHOWN) if event in self.changes]
        return any(change.touches(self.rules.contexts.slots) for change in changes)

    def control(self, state: State, which: Indices) -> Control:
        """What comes next at some tables."""
        answers = self.asked.ask(state.fluents, which, self.fills(state, which))
        again, stage, seat, leader, drawer, askings, leaders, drawers = kernels.control(answers, self._asking)
        asked, drawing = stage >= 0, drawers > 0
        wrong = ((leaders != 1) & ~drawing & ~asked | (askings > 1) | (drawers > 1) & ~asked) & ~again
        stop_where(wrong, which, lambda row: self._unclear(answers[:, row]))
        drawer[again | asked] = NOBODY
        return Control(again, stage, seat, leader, drawer)

    def _unclear(self, answers: NDArray[np.uint8]) -> str:
        """What is wrong where several are asked, or several lead, or nobody."""
        outputs, kb = self.asked.told.circuit.outputs, self.rules.kb
        there = [atom for atom, truth in zip(outputs, answers, strict=True) if truth]
        asked = [f"seat {atom.args[1]} for {atom.args[0]}" for atom in there if atom.name == "asks"]
        if asked:
            return f"who is to choose is not clear: `asks/2` names {several(asked)}{blame(kb, 'asks/2')}"
        drawing = [f"seat {atom.args[0]}" for atom in there if atom.name == "draws"]
        if drawing:
            return f"who is to draw is not clear: `draws/1` names {several(drawing)}{blame(kb, 'draws/1')}"
        leading = [f"seat {atom.args[0]}" for atom in there if atom.name == "leads"]
        return (
            f"who leads is not clear: `leads/1` must name one seat, and names {several(leading)}{blame(kb, 'leads/1')}"
        )

    @cached_property
    def _asking(self) -> NDArray[np.int64]:
        """[outputs, 3] what each output of the question who is asked says."""
        stages = self.rules.words.stages
        found = []
        for name, args in self.asked.told.circuit.outputs:
            if name == "deal_again":
                found.append((kernels.AGAIN, 0, 0))
            elif name == "asks":
                found.append((kernels.ASKS, stages.index(args[0]), int(args[1])))
            elif name == "draws":
                found.append((kernels.DRAWS, 0, int(args[0])))
            else:
                found.append((kernels.LEADS, 0, int(args[0])))
        return np.array(found, np.int64).reshape(-1, 3)

    def roles_at(self, state: State, which: Indices) -> NDArray[np.int8]:
        """[n, seats] the part of each seat, by number; of several the last one, the first where there is none."""
        return self._parts_at("role", state, which)

    def sides_at(self, state: State, which: Indices) -> NDArray[np.int8]:
        """[n, seats] the side of each seat: its team, where the rules say nothing else."""
        return self._parts_at("side", state, which)

    def _parts_at(self, name: str, state: State, which: Indices) -> NDArray[np.int8]:
        """[n, seats] what the outputs of a name say of the seats."""
        seats = self.rules.table.seats
        nothing = np.array(self.rules.table.team if name == "side" else (0,) * seats, np.int8)
        if self.parts is None or all(name != each for each, _ in self.parts.told.circuit.outputs):
            return np.tile(nothing, (len(which), 1))
        if self.parts.contexts is not None and self.parts.answers is not None:
            if name not in self._parts_known:
                self._parts_known[name] = self._parts_of(name, self.parts.answers, nothing)
            return self._parts_known[name][self.parts.contexts.at(state.fluents, which)]
        answers = self.parts.ask(state.fluents, which, self.fills(state, which, "end"))
        return self._parts_of(name, answers, nothing)

    @cached_property
    def _parts_known(self) -> dict[str, NDArray[np.int8]]:
        """[contexts, seats] by the name of outputs, where few fluents decide them."""
        return {}

    def _parts_of(self, name: str, answers: NDArray[np.uint8], nothing: NDArray[np.int8]) -> NDArray[np.int8]:
        """[n, seats] what answers [outputs, n] say of the seats."""
        assert self.parts is not None
        found = np.tile(nothing, (answers.shape[1], 1))
        for (each, args), truth in zip(self.parts.told.circuit.outputs, answers, strict=True):
            if each == name:
                value = self.roles.index(str(args[1])) if name == "role" else number(args[1], f"side({args[0]},…)")
                found[truth == 1, int(args[0])] = value
        return found

    def end(self, state: State, which: Indices) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.int8]]:
        """[n, seats] the points of episodes that are over, [n] whether the match is, and who has won it.

        That is a team, DRAW, or -1 where points decide.
        """
        n = len(which)
        points, winner = np.zeros((n, self.rules.table.seats), np.int32), np.full(n, -1, np.int8)
        if self.ended is None:
            return points, np.ones(n, np.bool_), winner
        answers = self.ended.ask(n, self.fills(state, which, "end"))
        kernels.add_points(answers, self._worth, points)
        over = np.zeros(n, np.bool_)
        for row, (name, args) in enumerate(self.ended.circuit.outputs):
            if name != "points":
                truth = answers[row] == 1
                over |= truth
                if name == "won":
                    winner[truth] = int(args[0])
                elif name == "drawn":
                    winner[truth] = DRAW
        return points, over if self._match_ends else ~over, winner

    @cached_property
    def _match_ends(self) -> bool:
        """Whether the rules say when a match is over; else it is over with the episode."""
        return any(name != "points" for name, _ in self.ended.circuit.outputs) if self.ended else False

    @cached_property
    def _worth(self) -> NDArray[np.int32]:
        """[outputs of points/3, 3] the number of the output, the seat that it is about, and the points."""
        outputs = self.ended.circuit.outputs if self.ended else ()
        said = [
            (row, int(args[0]), number(args[1], f"points({args[0]},{args[1]},…)"))
            for row, (name, args) in enumerate(outputs)
            if name == "points"
        ]
        return np.array(said, np.int32).reshape(-1, 3)


def _event_column(state: State, which: Indices, event: str | None, column: int) -> NDArray[np.integer]:
    """What happens, what is asked for, what was chosen, and whose turn it is."""
    if column == 0:
        return np.full(len(which), EVENTS.index(event) if event else -1)
    field: NDArray[np.integer] = (state.choice, state.chosen, state.seat)[column - 1]
    return field[which]


def check_init(rules: Rules) -> None:
    """Raise KBError where a match would begin in no way, or in several."""
    _first(rules)


@once
@garbage.none_made()
def _flow(rules: Rules) -> Flow:
    lots = tuple(number(sides, f"lot({name},…)") for name, sides in rules.kb.facts("lots", 2))
    asked = rules.told("deal_again/0", "asks/2", "draws/1", "leads/1")
    if asked is None:
        raise kb_error("no rule derives leads/1", "say who leads the first trick: leads(0), or leads(S) :- holds(S,…)")
    changes = {event: change for event in EVENTS if (change := Change.of(rules, event))}
    parts = rules.told("role/2", "side/2")
    return Flow(
        rules, lots, changes, Question.of(asked, rules.fluents),
        rules.told("points/3", "won/1", "drawn/0", "match_over/0"), _first(rules),
        Question.of(parts, rules.fluents) if parts else None,
    )  # fmt: skip


def _first(rules: Rules) -> tuple[tuple[int, int], ...]:
    found: dict[int, int] = {}
    for (text,) in rules.kb.facts("init", 1):
        slot, value = slot_and_value(rules, text, "init")
        if found.setdefault(slot, value) != value:
            raise kb_error(f"init({text}): a match begins with another value as well", "keep one of them")
    return tuple(found.items())
