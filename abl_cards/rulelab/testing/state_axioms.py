"""Axioms about the states of tables: which inputs may be true together in a search.

Real tables satisfy further conditions. A proof of equality under these axioms holds for them, while a found state may
be unreachable.
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
        """Add all axioms to the encoding."""
        tests = {atom: test for atom in self.rules.kb.input_atoms if (test := find_test(self.rules.schema, atom))}
        unsupplied = [atom for atom in self.encoding.inputs if atom not in tests]
        for atom in unsupplied:
            self.encoding.forbid(self.encoding.input_atom(atom))
        columns: dict[tuple[str, int], dict[Atom, ColumnTest]] = {}
        for atom, test in tests.items():
            columns.setdefault((test.group, test.column), {})[atom] = test
        read_groups = {test.group for atom, test in tests.items() if atom in self.encoding.inputs}
        for (group, _), column in columns.items():
            if group in read_groups:
                self._add_column(group, column)
        contexts = self._add_contexts(columns)
        cards = {group: self._add_cards(group, columns, contexts) for group in CARD_GROUPS if group in read_groups}
        self._add_pack_limits(cards, read_groups)
        if self.exclude_trick_cards and "hand" in cards and len(self.rules.contexts) == 1:
            self._exclude_cards_to_beat(cards["hand"], columns)
        if "move" in read_groups:
            self._add_move(columns, cards)

    def _add_column(self, group: str, column: Mapping[Atom, ColumnTest]) -> None:
        """Add axioms of a column: a threshold implies the lower ones, and one value is true at a time."""
        encoding = self.encoding
        at_least = ((test.value, atom) for atom, test in column.items() if test.comparison == AT_LEAST)
        # Arguments of two atoms may be a number and a name in one place.
        thresholds = sorted(at_least, key=lambda pair: (pair[0], str(pair[1])))
        for (low, weak), (high, strong) in pairwise(thresholds):
            encoding.forbid(encoding.input_atom(strong), -encoding.input_atom(weak))
            if low == high:
                encoding.forbid(encoding.input_atom(weak), -encoding.input_atom(strong))
        for value, atom in thresholds:
            if value <= 0:
                encoding.forbid(-encoding.input_atom(atom))
        equal: dict[int, list[int]] = {}
        for atom, test in column.items():
            if test.comparison == EQUAL:
                equal.setdefault(test.value, []).append(encoding.input_atom(atom))
        for literals in equal.values():
            for other in literals[1:]:
                encoding.require_equal(literals[0], other)
        if equal:
            is_required = group in ("seat", "trick") and all(test.column == 0 for test in column.values())
            encoding.require_one_of(
                (literals[0] for literals in equal.values()), is_required and self._is_complete(group, equal)
            )

    def _is_complete(self, group: str, equal: Mapping[int, object]) -> bool:
        """Return whether the inputs of a group cover all its values."""
        num_values = (
            self.rules.seating.seats if group == "seat" else len(self.rules.forms)
        )  # every form but the pass, and leading
        return len(equal) >= num_values

    # --- cards --------------------------------------------------------------------------------------------------------

    def _add_contexts(self, columns: Mapping[tuple[str, int], Mapping[Atom, ColumnTest]]) -> list[int]:
        """Make a literal for each context, exactly one of them true, and tie the fluents to them."""
        contexts, encoding = self.rules.contexts, self.encoding
        if len(contexts) == 1:
            return [encoding.true]
        literals = [encoding.new_choice() for _ in range(len(contexts))]
        encoding.require_one_of(literals)
        states = contexts.fluent_states
        value_types = {slot: fluent.value_type for fluent in self.rules.fluents.fluents for slot in fluent.slots}
        for slot in contexts.slots:
            for atom, test in columns.get(("fluents", slot), {}).items():
                values = states[:, slot]
                matches = values == test.value if value_types[slot] == SINGLE_VALUED else values >= test.value
                selected = [literal for literal, holds in zip(literals, matches.tolist(), strict=True) if holds]
                encoding.require_equal(encoding.input_atom(atom), encoding.any_of(selected))
        return literals

    def _add_cards(
        self, group: str, columns: Mapping[tuple[str, int], Mapping[Atom, ColumnTest]], contexts: Sequence[int]
    ) -> CountLiterals:
        """Make literals for the copies of each kind, and tie the inputs about cells to them."""
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
                alternatives = [
                    encoding.all_of([context, _at_least(encoding, counts, kinds, test.value)])
                    for context, kinds in zip(contexts, by_context, strict=True)
                ]
                encoding.require_equal(encoding.input_atom(atom), encoding.any_of(alternatives))
        return counts

    def _add_pack_limits(self, cards: Mapping[str, CountLiterals], read_groups: Iterable[str]) -> None:
        """Limit held, unseen and played cards to the pack, remaining cards to the hand, and the hand to its size."""
        encoding, pack = self.encoding, self.rules.pack
        for kind, copies in enumerate(pack.copies.tolist()):
            seen = [literal for group in ("hand", "unseen", "gone") if group in cards for literal in cards[group][kind]]
            encoding.forbid(encoding.at_least(copies + 1, [(literal, 1) for literal in seen]))
            if "left" in cards and "hand" in cards:
                for left, held in zip(cards["left"][kind], cards["hand"][kind], strict=True):
                    encoding.forbid(left, -held)
        if "hand" in cards:
            all_cards = [(literal, 1) for kind in cards["hand"] for literal in kind]
            encoding.forbid(encoding.at_least(largest_hand(self.rules) + 1, all_cards))
            if "size" in read_groups:
                for atom in self.rules.kb.input_atoms:
                    test = find_test(self.rules.schema, atom)
                    if test and test.group == "size":
                        encoding.require_equal(encoding.input_atom(atom), encoding.at_least(test.value, all_cards))

    def _exclude_cards_to_beat(
        self, hand: CountLiterals, columns: Mapping[tuple[str, int], Mapping[Atom, ColumnTest]]
    ) -> None:
        """Exclude from the hand the cards of the form to beat, where only these cards have that form."""
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
        """Add axioms of a move: one form with its label, which takes its cards from the hand."""
        encoding, forms = self.encoding, self.rules.forms
        form_literals = [encoding.new_choice() for _ in range(len(forms))]
        encoding.require_one_of(form_literals, at_least_one=False)
        for atom, test in columns.get(("move", _FORM_COLUMN), {}).items():
            encoding.require_equal(encoding.input_atom(atom), form_literals[test.value])
        for atom, test in columns.get(("move", _LABEL_COLUMN), {}).items():
            label_forms = [literal for form, literal in enumerate(form_literals) if forms.label_of[form] == test.value]
            encoding.require_equal(encoding.input_atom(atom), encoding.any_of(label_forms))
        if "left" not in cards:
            return
        left = [literal for kind in cards["left"] for literal in kind]
        passes = [
            literal for form, literal in enumerate(form_literals) if not forms.label_min_cards[forms.label_of[form]]
        ]
        encoding.forbid(encoding.any_of(passes), -encoding.any_of(left))  # a seat that passes keeps at least one card
        for atom, test in columns.get(("emptying", 0), {}).items():
            if test.value == 1:
                encoding.require_equal(encoding.input_atom(atom), encoding.any_of(left))
        if "hand" in cards:
            pairs = zip(cards["hand"], cards["left"], strict=True)
            gone = [
                encoding.all_of([held, -remaining])
                for held_copies, left_copies in pairs
                for held, remaining in zip(held_copies, left_copies, strict=True)
            ]
            self._add_move_sizes(form_literals, gone)
            for kind, uses_kind in enumerate(
                self._forms_using_kind(form_literals)
            ):  # only cards of the form leave the hand
                for held, remaining in zip(cards["hand"][kind], cards["left"][kind], strict=True):
                    encoding.forbid(held, -remaining, -uses_kind)

    def _forms_using_kind(self, form_literals: Sequence[int]) -> Iterator[int]:
        """Yield a literal for each kind: a form that can contain the kind is played."""
        cells, forms = self.rules.cells, self.rules.forms.forms
        contexts = range(len(self.rules.contexts))
        kinds = cache(lambda cell: {k for context in contexts for k in cells.find_kinds(cells.names[cell], context)})
        all_kinds, users = set(range(len(self.rules.pack))), [list[int]() for _ in range(len(self.rules.pack))]
        for literal, form in zip(form_literals, forms, strict=True):
            cells_of_form = {group.cell for group in form.groups} | set(form.kickers.allowed if form.kickers else ())
            for kind in all_kinds if form.max_wilds else set().union(*map(kinds, cells_of_form)):
                users[kind].append(literal)
        return (self.encoding.any_of(literals) for literals in users)

    def _add_move_sizes(self, form_literals: Sequence[int], removed_cards: Sequence[int]) -> None:
        encoding, forms = self.encoding, self.rules.forms
        by_size: dict[int, list[int]] = {}
        for form, literal in enumerate(form_literals):
            by_size.setdefault(int(forms.label_min_cards[forms.label_of[form]]), []).append(literal)
        moved_cards = [(literal, 1) for literal in removed_cards]
        for size, literals in by_size.items():
            is_laid = encoding.any_of(literals)
            encoding.forbid(is_laid, encoding.at_least(size + 1, moved_cards))
            if size:
                encoding.forbid(is_laid, -encoding.at_least(size, moved_cards))


def _make_count_literals(encoding: MiterEncoding, copies: int) -> list[int]:
    literals = [encoding.new_choice() for _ in range(copies)]
    for lower, higher in pairwise(literals):
        encoding.forbid(higher, -lower)
    return literals


def _at_least(encoding: MiterEncoding, counts: CountLiterals, kinds: Sequence[int], bound: int) -> int:
    if bound <= 0:
        return encoding.true
    if len(kinds) == 1:
        return counts[kinds[0]][bound - 1] if bound <= len(counts[kinds[0]]) else -encoding.true
    return encoding.at_least(bound, [(literal, 1) for kind in kinds for literal in counts[kind]])
