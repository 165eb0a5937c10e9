"""What happens between plays: fluents change at events, somebody is asked to choose, an episode is scored.

Each of these is a question to circuits, asked for the tables concerned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from abl_cards import garbage
from abl_cards.games.faults import TableError, blame, several, stop_where
from abl_cards.games.play import state as kernels
from abl_cards.games.play import stock
from abl_cards.games.play.shown import take_back
from abl_cards.games.play.state import NOBODY, State
from abl_cards.games.play.view import act_column, fill_laying
from abl_cards.games.reading.rules import Rules, form_classes
from abl_cards.games.reading.tabulate import Question
from abl_cards.games.shapes import number
from abl_cards.games.tables import DRAW, LEADING, Indices
from abl_cards.games.telling.columns import EVENTS, test_of
from abl_cards.games.telling.counted import Held, Laid
from abl_cards.games.telling.writer import Fill, Told, columns_of, lazily, rows_of
from abl_cards.games.words.once import once
from abl_cards.logic import Atom, Signature, Term, evaluate
from abl_cards.logic.circuit import FALSE, TRUE
from abl_cards.logic.errors import kb_error

_CHANGES = ("next/1", "drop/1", "adds/3", "passes/3", "takes_aside/1", "lays_aside/2", "takes_back/3")
SHOWN = "shown"
"""The event at which cards may be taken back."""


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


class Change(NamedTuple):
    """What may change at an event."""

    told: Told
    sets: NDArray[np.int64]  # [n, 3] output, slot, value
    adds: NDArray[np.int64]  # [n, 3] output, slot, number
    passes: NDArray[np.int64]  # [n, 4] output, from, to, kind; -1 for those aside
    takes: NDArray[np.int64]  # [n, 2] output, seat: all that lies aside
    matters: NDArray[np.bool_]  # [forms] of which laid down anything changes at all
    rivals: tuple[
        NDArray[np.int64], NDArray[np.int64]
    ]  # outputs that set one slot, side by side, and where slots begin
    known: NDArray[np.uint8] | None  # [outputs, forms] where the form alone decides what changes
    backs: NDArray[np.int64]  # [n, 4] output, seat, kind, copies that are taken back out of the trick

    def apply(self, answers: NDArray[np.uint8], state: State, which: Indices) -> None:
        """Change the tables [n] by the answers [outputs, n]."""
        place, row = kernels.change(answers, which, *self[1:5], state.hands, state.aside, state.fluents)
        if place >= 0:
            self._missing(self.passes[row, 0], int(which[place]))
        if len(self.backs):
            place, row = take_back(answers, which, self.backs, state.lies, state.hands, state.played)
            if place >= 0:
                self._missing(self.backs[row, 0], int(which[place]))

    def _missing(self, number: int, table: int) -> NoReturn:
        """Raise TableError for a card that is not there."""
        output = self.told.circuit.outputs[number]
        raise TableError(table, f"{output}, and the card is not there: `{output.name}/{len(output.args)}`")

    def apply_known(self, state: State, which: Indices) -> None:
        """Change the tables [n] by the forms that have just been laid down there."""
        assert self.known is not None
        self.apply(np.take(self.known, state.laid[which], axis=1), state, which)


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
            self._check_values(change, answers, which)
            change.apply(answers, state, which)

    def _check_values(self, change: Change, answers: NDArray[np.uint8], which: Indices) -> None:
        """Raise TableError where a fluent would get two values at once."""
        outputs, starts = change.rivals
        if not len(starts):
            return
        group, row = kernels.rivals(answers, outputs, starts)
        if group >= 0:
            mine = outputs[starts[group] : starts[group + 1] if group + 1 < len(starts) else None]
            found = [str(change.told.circuit.outputs[each].args[0]) for each in mine if answers[each, row]]
            kb = self.rules.kb
            raise TableError(
                int(which[row]), f"`next/1` gives two values at once: {several(found)}{blame(kb, 'next/1')}"
            )

    def played(self, state: State, which: Indices) -> None:
        """Seats have played or passed."""
        if self.changes.keys() & {"play", "pass", "trick"}:
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
            self.happens("trick", state, which[state.to_beat[which] == LEADING])
            if self._plays_change_context:
                state.context[which] = self.rules.contexts.at(state.fluents, which)

    @cached_property
    def _plays_change_context(self) -> bool:
        """Whether what comes of a play can be another context: in most games that stays from deal to deal."""
        changes = [self.changes[event] for event in ("play", "pass", "trick", SHOWN) if event in self.changes]
        slots = [*self.rules.contexts.slots]
        return any(np.isin(found[:, 1], slots).any() for change in changes for found in (change.sets, change.adds))

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
    changes = {event: change for event in EVENTS if (change := _change(rules, event))}
    parts = rules.told("role/2", "side/2")
    return Flow(
        rules, lots, changes, Question.of(asked, rules.fluents),
        rules.told("points/3", "won/1", "drawn/0", "match_over/0"), _first(rules),
        Question.of(parts, rules.fluents) if parts else None,
    )  # fmt: skip


def _first(rules: Rules) -> tuple[tuple[int, int], ...]:
    found: dict[int, int] = {}
    for (text,) in rules.kb.facts("init", 1):
        slot, value = _place(rules, text, "init")
        if found.setdefault(slot, value) != value:
            raise kb_error(f"init({text}): a match begins with another value as well", "keep one of them")
    return tuple(found.items())


def _place(rules: Rules, text: Term, output: str) -> tuple[int, int]:
    """The slot and the value of a fluent."""
    from abl_cards.logic.terms import parse_name

    name, arguments = parse_name(text)
    signature = Signature(name, len(arguments))
    place = rules.fluents[signature].place(arguments) if signature in rules.fluents else None
    if place is None:
        raise kb_error(
            f"{output}({text}): no such fluent", f"declare it: #external {text}. and one({name},{len(arguments)})."
        )
    return place.slot, place.value


def _change(rules: Rules, event: str) -> Change | None:
    told = rules.told(*_CHANGES)
    if told is None:
        return None
    events = {Atom("event", (each,)): each == event for each in EVENTS}
    circuit = told.circuit.specialise({atom: value for atom, value in events.items() if atom in told.circuit.inputs})
    circuit = circuit.without_never()
    if not circuit.outputs:
        return None
    sets, adds, passes, takes, backs, rivals = [], [], [], [], [], dict[int, list[int]]()
    for output, (name, args) in enumerate(circuit.outputs):
        if name == "next":
            sets.append((output, *_place(rules, args[0], "next")))
            rivals.setdefault(sets[-1][1], []).append(output)
        elif name == "drop":
            slot, _ = _place(rules, args[0], "drop")
            sets.append((output, slot, int(rules.fluents.nothing[slot])))
        elif name == "adds":
            slot, _ = _place(rules, _counted(args[0]), "adds")
            adds.append((output, slot, number(args[1], f"adds({args[0]},…)")))
        elif name == "passes":
            passes.append((output, int(args[0]), int(args[1]), rules.pack.number[args[2]]))
        elif name == "takes_aside":
            takes.append((output, int(args[0])))
        elif name == "lays_aside":
            passes.append((output, int(args[0]), -1, rules.pack.number[args[1]]))
        elif name == "takes_back":
            backs.append((output, *_taken_back(rules, event, args)))
    told = Told.of(circuit, rules.words)
    tables = [np.array(found, np.int64).reshape(-1, width) for found, width in
              ((sets, 3), (adds, 3), (passes, 4), (takes, 2), (backs, 4))]  # fmt: skip
    tables[4] = tables[4][np.lexsort((-tables[4][:, 3], tables[4][:, 2], tables[4][:, 1]))]
    matters, known = _mattering(rules, told)
    return Change(told, tables[0], tables[1], tables[2], tables[3], matters, _side_by_side(rivals), known, tables[4])


def _taken_back(rules: Rules, event: str, args: tuple[Term, ...]) -> tuple[int, int, int]:
    """The seat, the kind, and how many copies; raises KBError."""
    text = f"takes_back({args[0]},{args[1]},{args[2]})"
    if event != SHOWN or not rules.composing:
        raise kb_error(
            f"{text} at event({event}): cards are taken back of plays that are laid card by card, when they are shown",
            "write it with event(shown), and more/0 for plays of several parts",
        )
    if number(args[2], text) < 1:
        raise kb_error(f"{text}: no number of copies", "write copies from 1 on")
    return int(args[0]), rules.pack.number[args[1]], number(args[2], text)


def _side_by_side(rivals: Mapping[int, list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """See Change.rivals."""
    groups = [outputs for outputs in rivals.values() if len(outputs) > 1]
    starts = np.cumsum([0, *map(len, groups)])[:-1]
    return np.array([output for outputs in groups for output in outputs], np.int64), starts.astype(np.int64)


MOST_CLASSES = 64
"""Of forms that a circuit tells apart: beyond that all of them matter."""


def _mattering(rules: Rules, told: Told) -> tuple[NDArray[np.bool_], NDArray[np.uint8] | None]:
    """[forms] whether anything can come of it when a form is laid down; and what, where nothing else decides."""
    classes, examples = form_classes(told, rules.words, rules.forms)
    if len(examples) > MOST_CLASSES:
        return np.ones(len(rules.forms), np.bool_), None
    moves = Told.of(told.circuit, rules.words, frozenset({"move"}))
    rows = moves.rows(len(examples), {"move": columns_of([examples, rules.forms.label_of[examples]])})
    asked = [row for row, atom in enumerate(told.circuit.inputs) if (test := test_of(rules.words, atom)) and
             test.group == "move"]  # fmt: skip
    found = []
    for column in rows.T:
        values = {told.circuit.inputs[row]: bool(column[row]) for row in asked}
        found.append((told.circuit.specialise(values) if values else told.circuit).output_literals)
    literals = np.stack(found, axis=1)[:, classes]  # [outputs, forms]
    decided = bool(np.isin(literals, (TRUE, FALSE)).all())
    return (literals != FALSE).any(axis=0), (literals == TRUE).astype(np.uint8) if decided else None


def _counted(text: Term) -> str:
    """``failures(0)`` as ``failures(0,1)``."""
    text = str(text)
    return f"{text[:-1]},1)" if text.endswith(")") else f"{text}(1)"


__all__ = ["Any", "Change", "Flow", "evaluate"]
