"""Labels and forms as the facts of a knowledge base declare them: what can be laid down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.reading.cells import Cells
from abl_cards.games.reading.pack import WILD, Pack
from abl_cards.games.shapes import functor, number, numbered_labels, one_each
from abl_cards.logic import KnowledgeBase, Term
from abl_cards.logic.errors import kb_error

PASS = "pass"
MOST_FORMS = 32_000
"""Forms of a game, and labels."""
MOST_KICKERS = 15
"""Groups of kickers of one rank: they are bits of a word."""
MOST_GROUPS = 32
"""Groups of a form, for which the kernels have room."""
MOST_CARDS = 120
"""Cards of a form, kickers among them."""

Bits = int


@dataclass(frozen=True)
class Group:
    """Cards that act as one cell, laid down side by side."""

    cell: int
    count: int
    natural: int  # how many of them must be real
    only: int | None  # a kind of card that all of them are of


@dataclass(frozen=True)
class Kickers:
    """Cards that are carried: groups of equal ones, each of a cell that may be one."""

    groups: int
    size: int
    allowed: Mapping[int, Bits]  # by cell: bit K when K groups may be of it
    misread: Mapping[int, Bits]  # of these, what makes it another play when it leads


@dataclass(frozen=True)
class Form:
    """A shape that realises a label."""

    name: Term
    label: int
    kind: Term
    groups: tuple[Group, ...]
    wilds: int
    suit: Term | None
    mixed: bool
    kickers: Kickers | None
    apart: bool

    @property
    def cards(self) -> int:
        """How many cards are laid down."""
        carried = self.kickers.groups * self.kickers.size if self.kickers else 0
        return sum(group.count for group in self.groups) + carried


@dataclass(frozen=True)
class Forms:
    """The labels and forms of a knowledge base; forms of a label lie side by side, small ones first."""

    labels: tuple[Term, ...]
    forms: tuple[Form, ...]

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def number(self) -> dict[Term, int]:
        """The place of each form."""
        return {form.name: place for place, form in enumerate(self.forms)}

    @cached_property
    def label_number(self) -> dict[Term, int]:
        """The place of each label."""
        return {label: place for place, label in enumerate(self.labels)}

    @cached_property
    def label_of(self) -> NDArray[np.int16]:
        """[forms] the label of each form."""
        return np.array([form.label for form in self.forms], np.int16)

    @cached_property
    def cards_of(self) -> NDArray[np.int64]:
        """[forms] how many cards each form is."""
        return np.array([form.cards for form in self.forms], np.int64)

    @cached_property
    def label_cards(self) -> NDArray[np.int16]:
        """[labels] the cards of the smallest form of each label; 0 for a label without a form."""
        cards = np.full(len(self.labels), np.iinfo(np.int16).max, np.int16)
        np.minimum.at(cards, self.label_of, np.array([form.cards for form in self.forms], np.int16))
        return np.where(cards == np.iinfo(np.int16).max, 0, cards).astype(np.int16)

    @cached_property
    def passing(self) -> int:
        """The form of a pass."""
        return self.number[PASS]

    @cached_property
    def most_cards(self) -> int:
        """The cards of the largest form."""
        return max(form.cards for form in self.forms)


def read_labels(kb: KnowledgeBase) -> tuple[Term, ...]:
    """The labels in their order: by ``label/2``, or ``label/1`` with ``order/2``; raises KBError."""
    if kb.facts("label", 2):
        return numbered_labels(kb)
    labels = [label for (label,) in kb.facts("label", 1)]
    if len(labels) > MOST_FORMS:
        raise kb_error(f"label/1: {len(labels)} labels", f"at most {MOST_FORMS}")
    if not labels:
        raise kb_error("no label/1: there is nothing to play", "write label(single(R)) :- rank(R). and so on")
    keys = {label: key for (label,), key in one_each(kb, "order", 2, 1).items()}
    missing = [label for label in labels if label not in keys]
    if keys and missing:
        raise kb_error(f"no order/2 for label {missing[0]}", f"write order({missing[0]},Key), or no order/2 at all")
    ranked = _rank_of_terms(list(keys.values()))
    return tuple(sorted(labels, key=lambda label: ranked[keys[label]])) if keys else tuple(labels)


def _rank_of_terms(terms: list[Term]) -> dict[Term, int]:
    """The order of terms as clingo has it."""
    import clingo

    ordered = sorted({term: clingo.parse_term(str(term)) for term in terms}.items(), key=lambda pair: pair[1])
    return {term: place for place, (term, _) in enumerate(ordered)}


def read_forms(kb: KnowledgeBase, pack: Pack, cells: Cells) -> Forms:
    """What can be laid down; raises KBError where a fact names a card, a label or a form that there is not."""
    labels = read_labels(kb)
    reader = _Reader(kb, pack, cells, {label: place for place, label in enumerate(labels)})
    forms = sorted(reader.forms(), key=lambda form: (form.label, form.cards))
    if PASS not in {form.name for form in forms}:
        raise kb_error("there is no form of a pass", "write label(pass). form(pass,pass). kind(pass,pass).")
    _require_apart(forms, cells)
    if len(forms) > MOST_FORMS:
        raise kb_error(f"{len(forms)} forms", f"at most {MOST_FORMS}")
    return Forms(labels, tuple(forms))


def _require_apart(forms: list[Form], cells: Cells) -> None:
    """Raises KBError where two parts of a form may be the same cards: they would be laid down twice."""
    shared: dict[int, set[int]] = defaultdict(set)
    for context in cells.acts:
        for kind in context:
            for one in kind[kind >= 0].tolist():
                shared[one] |= set(kind[kind >= 0].tolist())
    for form in forms:
        own = [group.cell for group in form.groups]
        carried = list(form.kickers.allowed) if form.kickers else []
        for place, cell in enumerate(own):
            both = [other for other in (*own[place + 1 :], *carried) if other in shared[cell]]
            both = [other for other in both if not _apart_by_card(form, place, other, own)]
            if both:
                _refuse_overlap(form, cells, cell, both[0], carried)
        for cell in carried:
            if both := [other for other in carried if other != cell and other in shared[cell]]:
                _refuse_overlap(form, cells, cell, both[0], carried)


def _apart_by_card(form: Form, place: int, cell: int, own: list[int]) -> bool:
    """Whether each of the groups is of a card of its own, by ``only/3``."""
    mine = form.groups[place].only
    others = [group.only for at, group in enumerate(form.groups) if at != place and own[at] == cell]
    return mine is not None and bool(others) and all(other is not None and other != mine for other in others)


def _refuse_overlap(form: Form, cells: Cells, one: int, other: int, carried: list[int]) -> None:
    first, second = cells.names[one], cells.names[other]
    said = "kicker/3" if other in carried else "needs/4"
    alike = f"cards of {first} twice" if one == other else f"{first} and {second}, and a card acts as both"
    raise kb_error(
        f"form {form.name} takes {alike} ({said})",
        "take them as one group, needs(F,Place,Cell,N), or let kickers be of other cells",
    )


class _Reader:
    """Facts by form."""

    def __init__(self, kb: KnowledgeBase, pack: Pack, cells: Cells, labels: Mapping[Term, int]) -> None:
        self._kb, self._pack, self._cells, self._labels = kb, pack, cells, labels
        self._names = {name for _, name in kb.facts("form", 2)}  # facts of others are of what a variant leaves out
        self._kinds, self._wilds = one_each(kb, "kind", 2, 1), one_each(kb, "wilds", 2, 1)
        self._suits = one_each(kb, "same_suit", 2, 1)
        self._mixed = {form for (form,) in kb.facts("mixed_suits", 1)}
        self._apart = {form for (form,) in kb.facts("apart", 1)}
        self._natural = self._most("natural")
        self._only = one_each(kb, "only", 3, 2)
        self._needs = self._groups()
        self._kickers = self._carried()

    def forms(self) -> list[Form]:
        """Every form, once a label."""
        return [self._form(label, name) for label, name in self._kb.facts("form", 2)]

    def _form(self, label: Term, name: Term) -> Form:
        if label not in self._labels:
            raise kb_error(f"form({label},{name}): there is no label {label}", f"write label({label}).")
        if (name,) not in self._kinds:
            raise kb_error(
                f"form {name} has no kind/2", f"write kind({name},Kind): only plays of one kind are compared"
            )
        groups = tuple(group for _, group in sorted(self._needs.get(name, {}).items()))
        self._require_cards(label, name, groups)
        wilds = min(number(self._wilds.get((name,), 0), f"wilds({name},…)"), MOST_CARDS)
        form = Form(
            name, self._labels[label], self._kinds[name,], groups, wilds, self._suits.get((name,)), name in self._mixed,
            self._kickers.get(name), name in self._apart,
        )  # fmt: skip
        self._require_room(form)
        return form

    def _require_room(self, form: Form) -> None:
        """Raises KBError for a form of more groups or cards than the kernels have room for."""
        if len(form.groups) > MOST_GROUPS:
            last = max(self._needs[form.name])
            group = self._needs[form.name][last]
            fact = f"needs({form.name},{last},{self._cells.names[group.cell]},{group.count})"
            raise kb_error(f"{fact}: {len(form.groups)} groups of a form", f"at most {MOST_GROUPS}: put some together")
        if form.cards > MOST_CARDS:
            most = max(self._needs[form.name].items(), key=lambda item: item[1].count, default=None)
            fact = f"form({self._label_of(form)},{form.name})"
            if most and most[1].count > MOST_CARDS // 2:
                fact = f"needs({form.name},{most[0]},{self._cells.names[most[1].cell]},{most[1].count})"
            elif form.kickers:
                fact = f"kickers({form.name},{form.kickers.groups},{form.kickers.size})"
            raise kb_error(f"{fact}: {form.cards} cards of a form", f"at most {MOST_CARDS}")

    def _label_of(self, form: Form) -> Term:
        return next(label for label, place in self._labels.items() if place == form.label)

    def _require_cards(self, label: Term, name: Term, groups: tuple[Group, ...]) -> None:
        """Raises KBError for a play without cards, and for a pass with cards."""
        if not groups and name != PASS:
            raise kb_error(f"form {name} has no cards", f"write needs({name},1,Rank,Count)")
        if name != PASS:
            return
        if label != PASS:
            raise kb_error(f"form({label},{PASS}): a pass is no play", f"write form({PASS},{PASS}).")
        if groups or PASS in self._kickers:
            facts = [f"needs({PASS},{place},{self._cells.names[group.cell]},{group.count})"
                     for place, group in self._needs.get(PASS, {}).items()]  # fmt: skip
            fact = [*facts, f"kickers({PASS},…)"][0]
            raise kb_error(f"{fact}: a pass has no cards", "give the play another name, or leave its cards out")

    def _cell(self, cell: Term, fact: str) -> int:
        if cell == WILD:
            raise kb_error(
                f"{fact}: no form can take the wild card itself",
                "let forms need other cells, and say by wilds/2 how many wild cards may stand in",
            )
        if cell not in self._cells.number:
            raise kb_error(f"{fact}: no card of the pack acts as {cell}", "write a rank or a card of pack/2")
        return self._cells.number[cell]

    def _of_forms(self, name: str, arity: int) -> Iterator[tuple[Term, ...]]:
        return (arguments for arguments in self._kb.facts(name, arity) if arguments[0] in self._names)

    def _most(self, name: str) -> dict[tuple[Term, Term], int]:
        found: dict[tuple[Term, Term], int] = defaultdict(int)
        for form, cell, count in self._of_forms(name, 3):
            least = min(number(count, f"{name}({form},{cell},{count})"), MOST_CARDS + 1)
            found[form, cell] = max(found[form, cell], least)
        return found

    def _groups(self) -> dict[Term, dict[int, Group]]:
        needs: dict[Term, dict[int, Group]] = defaultdict(dict)
        for form, place, cell, count in self._of_forms("needs", 4):
            fact = f"needs({form},{place},{cell},{count})"
            at = number(place, fact)
            if at in needs[form]:
                raise kb_error(f"needs/4 has two groups at place {place} of {form}", "give each group its own place")
            if number(count, fact) < 1:
                raise kb_error(f"{fact} is no group of cards", "write how many cards, from 1 on")
            needs[form][at] = Group(
                self._cell(cell, fact), int(count), self._natural.get((form, cell), 0), self._kind(form, place)
            )
        return needs

    def _kind(self, form: Term, place: Term) -> int | None:
        card = self._only.get((form, place))
        if card is not None and card not in self._pack.number:
            raise kb_error(f"only({form},{place},{card}): no such card", "write a card of pack/2")
        return None if card is None else self._pack.number[card]

    def _carried(self) -> dict[Term, Kickers]:
        allowed: dict[Term, dict[int, Bits]] = defaultdict(lambda: defaultdict(int))
        misread: dict[Term, dict[int, Bits]] = defaultdict(lambda: defaultdict(int))
        for name, bits in (("kicker", allowed), ("misread", misread)):
            for form, cell, count in self._of_forms(name, 3):
                fact = f"{name}({form},{cell},{count})"
                if not 1 <= number(count, fact) <= MOST_KICKERS:
                    raise kb_error(f"{fact}: no number of groups", f"write 1 to {MOST_KICKERS}")
                bits[form][self._cell(cell, fact)] |= 1 << number(count, fact)
        carried = {}
        for form, groups, size in self._of_forms("kickers", 3):
            fact = f"kickers({form},{groups},{size})"
            if form in carried or number(groups, fact) < 1 or number(size, fact) < 1:
                raise kb_error(
                    f"{fact}: a form carries one number of groups of one size", "write kickers/3 once a form"
                )
            carried[form] = Kickers(number(groups, fact), number(size, fact), dict(allowed[form]), dict(misread[form]))
        return carried


def kind_shown(kind: Term) -> Term:
    """What a seat has shown goes by the kind of play; bombs of all sizes are one kind there."""
    return kind if isinstance(kind, int) else functor(kind)
