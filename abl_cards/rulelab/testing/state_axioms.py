"""Axioms about the states of tables for clingo: which inputs are true together.

Real tables satisfy further conditions. So a proof of equality under these axioms holds for them, while a state that is
found may be unreachable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from abl_cards.asp import Atom
from abl_cards.circuit import Axioms, MiterEncoding
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import AT_LEAST, EQUAL, SINGLE_VALUED, ColumnTest, find_test
from abl_cards.games.tables import largest_hand

CARD_GROUPS = ("hand", "unseen", "gone", "left")
"""Groups that count the cells of one set of cards."""
_FORM_COLUMN, _LABEL_COLUMN = 0, 1  # columns of the group move

CountLiterals = list[list[int]]
"""By kind, the literals of "at least one copy, two, …"."""


def make_state_axioms(rules: CompiledGame, exclude_trick_cards: bool = False) -> Axioms:
    """Make the axioms of a game; optionally exclude states in which cards of the play to beat are held too."""
    return lambda encoding: _StateAxioms(rules, encoding, exclude_trick_cards).add()


@dataclass
class _StateAxioms:
    rules: CompiledGame
    encoding: MiterEncoding
    exclude_trick_cards: bool

    def add(self) -> None:
        """Say all of it."""
        tests = {atom: test for atom in self.rules.kb.input_atoms if (test := find_test(self.rules.schema, atom))}
        never = [atom for atom in self.encoding.inputs if atom not in tests]
        for atom in never:
            self.encoding.forbid(self.encoding.input_atom(atom))
        columns: dict[tuple[str, int], dict[Atom, ColumnTest]] = {}
        for atom, test in tests.items():
            columns.setdefault((test.group, test.column), {})[atom] = test
        asked = {test.group for atom, test in tests.items() if atom in self.encoding.inputs}
        for (group, _), column in columns.items():
            if group in asked:
                self._add_column(group, column)
        contexts = self._add_contexts(columns)
        cards = {group: self._add_cards(group, columns, contexts) for group in CARD_GROUPS if group in asked}
        self._add_pack_limits(cards, asked)
        if self.exclude_trick_cards and "hand" in cards and len(self.rules.contexts) == 1:
            self._exclude_cards_to_beat(cards["hand"], columns)
        if "move" in asked:
            self._add_move(columns, cards)

    def _add_column(self, group: str, column: Mapping[Atom, ColumnTest]) -> None:
        """Numbers: who has three has two. Names: one of them."""
        encoding = self.encoding
        rising = sorted((test.value, atom) for atom, test in column.items() if test.comparison == AT_LEAST)
        for (low, weak), (high, strong) in pairwise(rising):
            encoding.forbid(encoding.input_atom(strong), -encoding.input_atom(weak))
            if low == high:
                encoding.forbid(encoding.input_atom(weak), -encoding.input_atom(strong))
        for value, atom in rising:
            if value <= 0:
                encoding.forbid(-encoding.input_atom(atom))
        equal: dict[int, list[int]] = {}
        for atom, test in column.items():
            if test.comparison == EQUAL:
                equal.setdefault(test.value, []).append(encoding.input_atom(atom))
        for same in equal.values():
            for other in same[1:]:
                encoding.require_equal(same[0], other)
        if equal:
            needed = group in ("seat", "trick") and all(test.column == 0 for test in column.values())
            encoding.require_one_of((same[0] for same in equal.values()), needed and self._is_complete(group, equal))

    def _is_complete(self, group: str, equal: Mapping[int, object]) -> bool:
        """Return whether the inputs of a group cover all its values."""
        wanted = self.rules.seating.seats if group == "seat" else len(self.rules.forms)  # no pass to beat, but leading
        return len(equal) >= wanted

    # --- cards --------------------------------------------------------------------------------------------------------

    def _add_contexts(self, columns: Mapping[tuple[str, int], Mapping[Atom, ColumnTest]]) -> list[int]:
        """A literal a context, of which one is true; fluents agree with it."""
        contexts, encoding = self.rules.contexts, self.encoding
        if len(contexts) == 1:
            return [encoding.true]
        literals = [encoding.new_choice() for _ in range(len(contexts))]
        encoding.require_one_of(literals)
        states = contexts.fluent_states
        manner = {slot: fluent.value_type for fluent in self.rules.fluents.fluents for slot in fluent.slots}
        for slot in contexts.slots:
            for atom, test in columns.get(("fluents", slot), {}).items():
                values = states[:, slot]
                true = values == test.value if manner[slot] == SINGLE_VALUED else values >= test.value
                where = [literal for literal, holds in zip(literals, true.tolist(), strict=True) if holds]
                encoding.require_equal(encoding.input_atom(atom), encoding.any_of(where))
        return literals

    def _add_cards(
        self, group: str, columns: Mapping[tuple[str, int], Mapping[Atom, ColumnTest]], contexts: Sequence[int]
    ) -> CountLiterals:
        """Copies of each kind, and what they act as."""
        encoding, pack, cells = self.encoding, self.rules.pack, self.rules.cells
        counts = [_make_count_literals(encoding, int(copies)) for copies in pack.copies]
        for (other, cell), column in columns.items():
            if other != group:
                continue
            by_context = [
                [kind for kind in range(len(pack)) if cell in cells.acts_as[context, kind].tolist()]
                for context in range(len(contexts))
            ]
            for atom, test in column.items():
                enough = [
                    encoding.all_of([context, _at_least(encoding, counts, kinds, test.value)])
                    for context, kinds in zip(contexts, by_context, strict=True)
                ]
                encoding.require_equal(encoding.input_atom(atom), encoding.any_of(enough))
        return counts

    def _add_pack_limits(self, cards: Mapping[str, CountLiterals], asked: Iterable[str]) -> None:
        """One pack: what is held, unseen and gone; what is left was held; nobody holds more than is dealt."""
        encoding, pack = self.encoding, self.rules.pack
        for kind, copies in enumerate(pack.copies.tolist()):
            seen = [literal for group in ("hand", "unseen", "gone") if group in cards for literal in cards[group][kind]]
            encoding.forbid(encoding.at_least(copies + 1, [(literal, 1) for literal in seen]))
            if "left" in cards and "hand" in cards:
                for left, held in zip(cards["left"][kind], cards["hand"][kind], strict=True):
                    encoding.forbid(left, -held)
        if "hand" in cards:
            every = [(literal, 1) for kind in cards["hand"] for literal in kind]
            encoding.forbid(encoding.at_least(largest_hand(self.rules) + 1, every))
            if "size" in asked:
                for atom in self.rules.kb.input_atoms:
                    test = find_test(self.rules.schema, atom)
                    if test and test.group == "size":
                        encoding.require_equal(encoding.input_atom(atom), encoding.at_least(test.value, every))

    def _exclude_cards_to_beat(
        self, hand: CountLiterals, columns: Mapping[tuple[str, int], Mapping[Atom, ColumnTest]]
    ) -> None:
        """The cards of the form to beat are not held, as far as they are the cards of the form alone."""
        encoding, cells, copies = self.encoding, self.rules.cells, self.rules.pack.copies

        @cache
        def too_many(cell: int, count: int) -> int:
            kinds = cells.find_kinds(cells.names[cell], 0)
            return _at_least(encoding, hand, kinds, int(copies[kinds].sum()) - count + 1)

        for atom, test in columns.get(("trick", 0), {}).items():
            form = self.rules.forms.forms[test.value] if test.value >= 0 else None
            if form is not None and not form.max_wilds:
                for group in form.groups:
                    encoding.forbid(encoding.input_atom(atom), too_many(group.cell, group.count))

    # --- the move -----------------------------------------------------------------------------------------------------

    def _add_move(
        self, columns: Mapping[tuple[str, int], Mapping[Atom, ColumnTest]], cards: Mapping[str, CountLiterals]
    ) -> None:
        """A form has one label, and takes as many cards from the hand as it has."""
        encoding, forms = self.encoding, self.rules.forms
        lays = [encoding.new_choice() for _ in range(len(forms))]
        encoding.require_one_of(lays, at_least_one=False)
        for atom, test in columns.get(("move", _FORM_COLUMN), {}).items():
            encoding.require_equal(encoding.input_atom(atom), lays[test.value])
        for atom, test in columns.get(("move", _LABEL_COLUMN), {}).items():
            mine = [literal for form, literal in enumerate(lays) if forms.label_of[form] == test.value]
            encoding.require_equal(encoding.input_atom(atom), encoding.any_of(mine))
        if "left" not in cards:
            return
        left = [literal for kind in cards["left"] for literal in kind]
        nothing = [literal for form, literal in enumerate(lays) if not forms.label_min_cards[forms.label_of[form]]]
        encoding.forbid(encoding.any_of(nothing), -encoding.any_of(left))  # who passes has a card, and keeps it
        for atom, test in columns.get(("emptying", 0), {}).items():
            if test.value == 1:
                encoding.require_equal(encoding.input_atom(atom), encoding.any_of(left))
        if "hand" in cards:
            pairs = zip(cards["hand"], cards["left"], strict=True)
            gone = [
                encoding.all_of([held, -rest]) for one, other in pairs for held, rest in zip(one, other, strict=True)
            ]
            self._add_move_sizes(lays, gone)
            for kind, laid in enumerate(
                self._forms_using_kind(lays)
            ):  # nothing leaves the hand but what the form is made of
                for held, rest in zip(cards["hand"][kind], cards["left"][kind], strict=True):
                    encoding.forbid(held, -rest, -laid)

    def _forms_using_kind(self, lays: Sequence[int]) -> Iterator[int]:
        """By kind, whether a form is laid that such a card can be part of."""
        cells, forms = self.rules.cells, self.rules.forms.forms
        contexts = range(len(self.rules.contexts))
        kinds = cache(lambda cell: {k for context in contexts for k in cells.find_kinds(cells.names[cell], context)})
        everything, users = set(range(len(self.rules.pack))), [list[int]() for _ in range(len(self.rules.pack))]
        for literal, form in zip(lays, forms, strict=True):
            own = {group.cell for group in form.groups} | set(form.kickers.allowed if form.kickers else ())
            for kind in everything if form.max_wilds else set().union(*map(kinds, own)):
                users[kind].append(literal)
        return (self.encoding.any_of(literals) for literals in users)

    def _add_move_sizes(self, lays: Sequence[int], gone: Sequence[int]) -> None:
        encoding, forms = self.encoding, self.rules.forms
        by_size: dict[int, list[int]] = {}
        for form, literal in enumerate(lays):
            by_size.setdefault(int(forms.label_min_cards[forms.label_of[form]]), []).append(literal)
        every = [(literal, 1) for literal in gone]
        for size, literals in by_size.items():
            laid = encoding.any_of(literals)
            encoding.forbid(laid, encoding.at_least(size + 1, every))
            if size:
                encoding.forbid(laid, -encoding.at_least(size, every))


def _make_count_literals(encoding: MiterEncoding, copies: int) -> list[int]:
    literals = [encoding.new_choice() for _ in range(copies)]
    for less, more in pairwise(literals):
        encoding.forbid(more, -less)
    return literals


def _at_least(encoding: MiterEncoding, counts: CountLiterals, kinds: Sequence[int], bound: int) -> int:
    if bound <= 0:
        return encoding.true
    if len(kinds) == 1:
        return counts[kinds[0]][bound - 1] if bound <= len(counts[kinds[0]]) else -encoding.true
    return encoding.at_least(bound, [(literal, 1) for kind in kinds for literal in counts[kind]])
