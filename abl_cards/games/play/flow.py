"""What happens between plays: fluents change at events, somebody is asked to choose, an episode is scored.

Each of these is a question to circuits, asked for the tables concerned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.game import GameError
from abl_cards.games.play.state import State, add_points
from abl_cards.games.play.view import act_column
from abl_cards.games.reading.rules import Rules
from abl_cards.games.rule_files import kb_error
from abl_cards.games.shapes import number
from abl_cards.games.tables import DRAW, Indices
from abl_cards.games.telling.columns import EVENTS
from abl_cards.games.telling.writer import Fill, Told, columns_of, lazily, rows_of
from abl_cards.logic import Atom, Signature, Term, evaluate
from abl_cards.logic.circuit import FALSE

_CHANGES = ("next/1", "drop/1", "adds/3", "passes/3", "takes_aside/1", "lays_aside/2")


@dataclass(frozen=True)
class Change:
    """What may change at an event."""

    told: Told
    sets: tuple[tuple[int, int, int], ...]  # output, slot, value
    adds: tuple[tuple[int, int, int], ...]  # output, slot, number
    passes: tuple[tuple[int, int, int, int], ...]  # output, from, to, kind; -1 for those aside
    takes: tuple[tuple[int, int], ...]  # output, seat: all that lies aside

    def apply(self, answers: NDArray[np.uint8], state: State, which: Indices) -> None:
        """Change the tables [n] by the answers [outputs, n]."""
        held = np.asarray(answers.any(axis=1))
        for output, slot, value in self.sets:
            if held[output]:
                state.fluents[which[answers[output] == 1], slot] = value
        for output, slot, value in self.adds:
            if held[output]:
                state.fluents[which[answers[output] == 1], slot] += value
        for output, giver, taker, kind in self.passes:
            if held[output]:
                _move(state, which[answers[output] == 1], giver, taker, kind)
        for output, seat in self.takes:
            if held[output]:
                taking = which[answers[output] == 1]
                state.hands[taking, seat] += state.aside[taking]
                state.aside[taking] = 0


def _move(state: State, which: Indices, giver: int, taker: int, kind: int) -> None:
    if giver >= 0:
        state.hands[which, giver, kind] -= 1
    else:
        state.aside[which, kind] -= 1
    if taker >= 0:
        state.hands[which, taker, kind] += 1
    else:
        state.aside[which, kind] += 1


@dataclass(frozen=True)
class Flow:
    """The questions of a game."""

    rules: Rules
    lots: tuple[int, ...]  # how many sides each random number has
    changes: Mapping[str, Change]  # by event, where anything changes
    asked: Told  # who is asked, and who leads
    scored: Told | None
    ended: Told | None
    first: tuple[tuple[int, int], ...]  # slots and values when a match begins
    parts: Told | None  # role/2, side/2

    @property
    def roles(self) -> tuple[str, ...]:
        """The parts that seats have in the game; a single one where all are alike."""
        outputs = self.parts.circuit.outputs if self.parts else ()
        return tuple(dict.fromkeys(str(args[1]) for name, args in outputs if name == "role")) or ("player",)

    @classmethod
    def of(cls, rules: Rules) -> Flow:
        """Compile them; raises KBError."""
        found = _cache.get(id(rules))
        if found is None:
            found = _cache[id(rules)] = (rules, _flow(rules))
        return found[1]

    # --- asking ------------------------------------------------------------------------------------------------------

    def fills(self, state: State, which: Indices, event: str | None = None) -> dict[str, Fill]:
        """What fills the groups of columns that everybody, or the referee, may be told."""
        rules = self.rules
        return {
            "hands": lambda lo, hi, columns, used: self._fill_hands(state, which, lo, hi, columns, used),
            "aside": lambda lo, hi, columns, used: rules.cells.fold(
                state.aside[which], rules.contexts.of(state.fluents[which]), used, lo, hi, columns
            ),
            "plays": lazily(lambda seat: state.plays[which, seat]),
            "fluents": rows_of(state.fluents, which),
            "act": lazily(lambda column: act_column(state, which, column)),
            "move": lazily(lambda column: rules.forms.label_of[state.laid[which]] if column else state.laid[which]),
            "result": lazily(lambda column: self._result_column(state, which, column)),
            "lots": lazily(lambda lot: state.lots[which, lot]),
            "acts": lazily(lambda _: state.acts[which]),
            "event": columns_of(self._event_columns(state, which, event)),
        }

    def _event_columns(self, state: State, which: Indices, event: str | None) -> list[NDArray[np.integer]]:
        happening = np.full(len(which), EVENTS.index(event) if event else -1)
        return [happening, state.choice[which], state.chosen[which], state.seat[which]]

    def _fill_hands(
        self, state: State, which: Indices, lo: int, hi: int, columns: NDArray[np.int16], used: NDArray[np.int64]
    ) -> None:
        cells, context = self.rules.cells, self.rules.contexts.of(state.fluents[which])
        for seat, mine in cells.blocks(used, self.rules.table.seats):
            cells.fold(state.hands[which, seat], context, used[mine] % len(cells), lo, hi, columns[mine])

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
            change.apply(change.told.ask(len(which), self.fills(state, which, event)), state, which)

    def played(self, state: State, which: Indices) -> None:
        """Seats have played or passed."""
        if "play" in self.changes or "pass" in self.changes:
            passed = state.laid[which] == self.rules.forms.passing
            self.happens("play", state, which[~passed])
            self.happens("pass", state, which[passed])
            state.context[which] = self.rules.contexts.of(state.fluents[which])

    def control(
        self, state: State, which: Indices
    ) -> tuple[NDArray[np.bool_], NDArray[np.int8], NDArray[np.int8], NDArray[np.int8]]:
        """[n] whether to deal again, the choice that is asked for or -1, who is asked, who leads the play."""
        n = len(which)
        again, stage = np.zeros(n, np.bool_), np.full(n, -1, np.int8)
        seat, leader, leaders = np.zeros(n, np.int8), np.zeros(n, np.int8), np.zeros(n, np.int8)
        answers = self.asked.ask(n, self.fills(state, which))
        for (name, args), truth in zip(self.asked.circuit.outputs, answers, strict=True):
            if name == "deal_again":
                again |= truth == 1
            elif name == "asks":
                stage[truth == 1] = self.rules.words.stages.index(args[0])
                seat[truth == 1] = int(args[1])
            else:
                leader[truth == 1] = int(args[0])
                leaders += truth.astype(np.int8)
        wrong = np.flatnonzero((leaders != 1) & (stage < 0) & ~again)
        if wrong.size:
            raise GameError(f"leads/1 names {leaders[wrong[0]]} seats once the cards are dealt; it must name one")
        return again, stage, seat, leader

    def roles_at(self, state: State, which: Indices) -> NDArray[np.int8]:
        """[n, seats] the part of each seat, by number; of several the last one, the first where there is none."""
        found = np.zeros((len(which), self.rules.table.seats), np.int8)
        roles = self.roles
        for seat, role, truth in self._parts_at("role", state, which):
            found[truth, seat] = roles.index(str(role))
        return found

    def sides_at(self, state: State, which: Indices) -> NDArray[np.int8]:
        """[n, seats] the side of each seat: its team, where the rules say nothing else."""
        found = np.tile(np.array(self.rules.table.team, np.int8), (len(which), 1))
        for seat, side, truth in self._parts_at("side", state, which):
            found[truth, seat] = number(side, f"side({seat},{side})")
        return found

    def _parts_at(self, wanted: str, state: State, which: Indices) -> Iterator[tuple[int, Term, NDArray[np.bool_]]]:
        """What holds of the outputs of a name: the seat, what is said of it, and [n] where."""
        if self.parts is None or all(name != wanted for name, _ in self.parts.circuit.outputs):
            return
        answers = self.parts.ask(len(which), self.fills(state, which, "end"))
        for (name, args), truth in zip(self.parts.circuit.outputs, answers, strict=True):
            if name == wanted:
                yield int(args[0]), args[1], truth == 1

    def score(self, state: State, which: Indices) -> NDArray[np.int32]:
        """[n, seats] the points of an episode that is over."""
        points = np.zeros((len(which), self.rules.table.seats), np.int32)
        if self.scored is not None:
            answers = self.scored.ask(len(which), self.fills(state, which, "end"))
            add_points(answers, self.worth, points)
        return points

    @cached_property
    def worth(self) -> NDArray[np.int32]:
        """[outputs, 2] the seat that each output of points/3 is about, and the points."""
        outputs = self.scored.circuit.outputs if self.scored else ()
        said = [(int(seat), number(worth, f"points({seat},{worth},…)")) for _, (seat, worth, _) in outputs]
        return np.array(said, np.int32).reshape(-1, 2)

    def end(self, state: State, which: Indices) -> tuple[NDArray[np.bool_], NDArray[np.int8]]:
        """[n] whether the match is over, and who has won: a team, DRAW, or -1 where points decide."""
        over, winner = np.zeros(len(which), np.bool_), np.full(len(which), -1, np.int8)
        if self.ended is None:
            return ~over, winner
        answers = self.ended.ask(len(which), self.fills(state, which, "end"))
        for (name, args), truth in zip(self.ended.circuit.outputs, answers, strict=True):
            if name == "won":
                winner[truth == 1] = int(args[0])
            elif name == "drawn":
                winner[truth == 1] = DRAW
            over |= truth == 1
        return over, winner


_cache: dict[int, tuple[Rules, Flow]] = {}


def _flow(rules: Rules) -> Flow:
    lots = tuple(number(sides, f"lot({name},…)") for name, sides in rules.kb.facts("lots", 2))
    asked = rules.told("deal_again/0", "asks/2", "leads/1")
    if asked is None:
        raise kb_error("no rule derives leads/1", "say who leads the first trick: leads(0), or leads(S) :- holds(S,…)")
    changes = {event: change for event in EVENTS if (change := _change(rules, event))}
    return Flow(
        rules, lots, changes, asked, rules.told("points/3"), rules.told("won/1", "drawn/0", "match_over/0"),
        _first(rules), rules.told("role/2", "side/2"),
    )  # fmt: skip


def _first(rules: Rules) -> tuple[tuple[int, int], ...]:
    found = []
    for (text,) in rules.kb.facts("init", 1):
        place = _place(rules, text, "init")
        found.append(place)
    return tuple(found)


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
    if all(literal == FALSE for literal in circuit.output_literals.tolist()):
        return None
    sets, adds, passes, takes = [], [], [], []
    for output, (name, args) in enumerate(circuit.outputs):
        if circuit.output_literals[output] == FALSE:
            continue
        if name == "next":
            sets.append((output, *_place(rules, args[0], "next")))
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
    return Change(Told.of(circuit, rules.words), tuple(sets), tuple(adds), tuple(passes), tuple(takes))


def _counted(text: Term) -> str:
    """``failures(0)`` as ``failures(0,1)``."""
    text = str(text)
    return f"{text[:-1]},1)" if text.endswith(")") else f"{text}(1)"


__all__ = ["Any", "Change", "Flow", "evaluate"]
