"""Tables that tell which rules fire.

Every rule has a twin that says whether its body is true (``logic/tracing.py``). Wherever the engine asks a question,
the twins of the rules on the way to its answer are asked as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Tables
from abl_cards.games.play import tricks
from abl_cards.games.play.flow import Flow
from abl_cards.games.play.state import State
from abl_cards.games.questions import with_outputs
from abl_cards.games.reading.questions import QUESTIONS
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD, Moves
from abl_cards.games.telling.columns import EVENTS
from abl_cards.games.telling.writer import Fill, Told, columns_of, lazily, rows_of
from abl_cards.logic import Circuit, KnowledgeBase, Signature
from abl_cards.logic.tracing import FIRED, traced
from abl_cards.selftest.reached import Reached


class Watch:
    """Which rules have fired so far, by the question on the way to whose answer they lie."""

    def __init__(self, rules: Rules) -> None:
        """Nothing has."""
        self.rules, self.reached = rules, Reached(rules)
        self.kb, self.traced = traced(rules.kb)
        self.fired = np.zeros(len(self.traced), np.bool_)
        self.fired[[int(number) for (number,) in self.kb.facts(*FIRED)]] = True  # in every state
        self._program = rules.folder.program(rules.profile)

    @cached_property
    def circuits(self) -> Mapping[str, Circuit]:
        """By question, the twins of the rules on the way to its outputs, in the order of the rules."""
        every = self.kb.circuit(str(FIRED)) if _derives(self.kb, FIRED) else None
        found = {}
        for name, question in QUESTIONS.items():
            reached = self._program.reached([Signature.parse(output) for output in question.outputs])
            mine = [atom for atom in (every.outputs if every else ()) if self.traced[int(atom[1][0])].head in reached]
            if every and mine:
                found[name] = with_outputs(every, mine)
        return found

    @cached_property
    def told(self) -> Mapping[str, Told]:
        """How the twins are asked."""
        words = self.rules.words
        return {name: Told.of(each, words, QUESTIONS[name].told) for name, each in self.circuits.items()}

    def saw(self, question: str, n: int, fills: Mapping[str, Fill]) -> None:
        """The question is asked about n tables."""
        told = self.told.get(question)
        self.reached.saw(question, n, fills)
        if told is not None and n:
            self.note(told.circuit, told.ask(n, {name: fills[name] for name in told.groups}))

    def note(self, circuit: Circuit, answers: NDArray[np.uint8]) -> None:
        """What twins have answered, [outputs, n]."""
        held_by: list[bool] = np.any(answers, axis=1).tolist()
        for (_, (number,)), held in zip(circuit.outputs, held_by, strict=True):
            self.fired[int(number)] |= held


def _derives(kb: KnowledgeBase, signature: Signature) -> bool:
    return any(Signature(atom.name, len(atom.args)) == signature for atom in kb.ground.atoms)


@dataclass(frozen=True)
class WatchedFlow(Flow):
    """A flow that tells a watch what is asked between plays, before anything comes of it."""

    watch: Watch | Reached

    @classmethod
    def around(cls, flow: Flow, watch: Watch | Reached) -> WatchedFlow:
        """A flow that does as another one does."""
        return cls(**{field.name: getattr(flow, field.name) for field in fields(flow)}, watch=watch)

    def happens(self, event: str, state: State, which: NDArray[np.int64]) -> None:
        """Something has happened at some tables."""
        self.watch.saw("changes", len(which), self.fills(state, which, event))
        super().happens(event, state, which)

    def acted(self, state: State, which: NDArray[np.int64]) -> None:
        """Seats have played or passed."""
        passed = state.laid[which] == self.rules.forms.passing
        for event, some in (("play", which[~passed]), ("pass", which[passed])):
            self.watch.saw("changes", len(some), self.fills(state, some, event))
        super().acted(state, which)

    def turns(self, state: State, which: NDArray[np.int64]) -> Any:
        """Whose turn it is, where that hangs on what is remembered."""
        self.watch.saw("course", len(which), self.fills(state, which))
        return super().turns(state, which)

    def control(self, state: State, which: NDArray[np.int64]) -> Any:
        """Who is asked, and who leads."""
        self.watch.saw("control", len(which), self.fills(state, which))
        return super().control(state, which)

    def end(self, state: State, which: NDArray[np.int64]) -> Any:
        """What the episode is worth, and whether the match is over."""
        fills = self.fills(state, which, EVENTS[-1])
        self.watch.saw("end", len(which), fills)
        self.watch.saw("roles", len(which), fills)
        return super().end(state, which)


class WatchedTables(Tables):
    """Tables that tell a watch what is asked."""

    def __init__(self, rules: Rules, n: int, watch: Watch | Reached) -> None:
        """Tables with nothing on them."""
        super().__init__(rules, n)
        self._watch = watch
        self.flow = WatchedFlow.around(self.flow, watch)

    def play(self, which: NDArray[np.int64], moves: Moves) -> None:
        """Whose turn it is mostly stands in a table made in advance: this is what its entry is looked up by."""
        state, forms = self.state, self.rules.forms
        seat, passing = state.seat[which], moves.form == forms.passing
        bit = (1 << seat.astype(np.int64)).astype(np.uint16)
        emptied = state.hands[which, seat].sum(axis=1) == (moves.cards != NO_CARD).sum(axis=1)
        passed = (np.where(passing, state.passed[which] | bit, 0), np.where(passing, bit, 0) | state.gone_by[which])
        owner, leader = np.where(passing, state.owner[which], seat), state.leader[which]
        if self.rules.taking is not None:
            trick = tricks.after(self.rules, state, which, seat, moves)
            self._watch.saw("takes", len(which), trick.fills())
            owner, leader = trick.answers()[0].argmax(axis=0), trick.leader
        if self.rules.course is None:
            act = [seat, owner, *passed, np.where(emptied, bit, 0) | state.out[which]]
            self._watch.saw(
                "course", len(which),
                {
                    "act": columns_of(act), "leader": lazily(lambda _: leader),
                    "fluents": rows_of(state.fluents, which),
                    "move": lazily(lambda column: forms.label_of[moves.form] if column else moves.form),
                },
            )  # fmt: skip
        super().play(which, moves)
