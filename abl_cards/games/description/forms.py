"""Labels and forms as the facts of a knowledge base declare them: what can be laid down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.games.description.cells import Cells
from abl_cards.games.description.label_facts import functor, read_label_texts, read_mapping, require_int
from abl_cards.games.description.pack import WILD, Pack

PASS_TERM = "pass"
MAX_FORMS = 32_000
"""Forms of a game, and labels."""
MAX_KICKERS = 15
"""Groups of kickers of one rank: they are bits of a word."""
MAX_GROUPS = 32
"""Groups of a form, for which the kernels have room."""
MAX_CARDS = 120
"""Cards of a form, kickers among them."""

BitMask = int


@dataclass(frozen=True)
class CardGroup:
    """Cards that act as one cell, laid down side by side."""

    cell: int
    count: int
    min_natural: int  # how many of them must be real
    only_kind: int | None  # a kind of card that all of them are of


@dataclass(frozen=True)
class Kickers:
    """Cards that are carried: groups of equal ones, each of a cell that may be one."""

    num_groups: int
    group_size: int
    allowed: Mapping[int, BitMask]  # by cell: bit K when K groups may be of it
    misread: Mapping[int, BitMask]  # of these, what makes it another play when it leads


@dataclass(frozen=True)
class Form:
    """A shape that realises a label."""

    name: Term
    label: int
    kind: Term
    groups: tuple[CardGroup, ...]
    max_wilds: int
    suit: Term | None
    has_mixed_suits: bool
    kickers: Kickers | None
    has_kickers_apart: bool

    @property
    def num_cards(self) -> int:
        """How many cards are laid down."""
        carried = self.kickers.num_groups * self.kickers.group_size if self.kickers else 0
        return sum(group.count for group in self.groups) + carried


@dataclass(frozen=True)
class Forms:
    """The labels and forms of a knowledge base; forms of a label lie side by side, small ones first."""

    labels: tuple[Term, ...]
    forms: tuple[Form, ...]

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def index(self) -> dict[Term, int]:
        """The place of each form."""
        return {form.name: place for place, form in enumerate(self.forms)}

    @cached_property
    def label_index(self) -> dict[Term, int]:
        """The place of each label."""
        return {label: place for place, label in enumerate(self.labels)}

    @cached_property
    def label_of(self) -> NDArray[np.int16]:
        """[forms] the label of each form."""
        return np.array([form.label for form in self.forms], np.int16)

    @cached_property
    def num_cards(self) -> NDArray[np.int64]:
        """[forms] how many cards each form is."""
        return np.array([form.num_cards for form in self.forms], np.int64)

    @cached_property
    def label_min_cards(self) -> NDArray[np.int16]:
        """[labels] the cards of the smallest form of each label; 0 for a label without a form."""
        cards = np.full(len(self.labels), np.iinfo(np.int16).max, np.int16)
        np.minimum.at(cards, self.label_of, np.array([form.num_cards for form in self.forms], np.int16))
        return np.where(cards == np.iinfo(np.int16).max, 0, cards).astype(np.int16)

    @cached_property
    def pass_form(self) -> int:
        """The form of a pass."""
        return self.index[PASS_TERM]

    @cached_property
    def max_cards(self) -> int:
        """The cards of the largest form."""
        return max(form.num_cards for form in self.forms)


def read_labels(kb: KnowledgeBase) -> tuple[Term, ...]:
    """The labels in their order: by ``label/2``, or ``label/1`` with ``order/2``; raises KBError."""
    if kb.facts("label", 2):
        return read_label_texts(kb)
    labels = [label for (label,) in kb.facts("label", 1)]
    if len(labels) > MAX_FORMS:
        raise make_kb_error(f"label/1: {len(labels)} labels", f"at most {MAX_FORMS}")
    if not labels:
        raise make_kb_error("no label/1: there is nothing to play", "write label(single(R)) :- rank(R). and so on")
    keys = {label: key for (label,), key in read_mapping(kb, "order", 2, 1).items()}
    missing = [label for label in labels if label not in keys]
    if keys and missing:
        raise make_kb_error(
            f"no order/2 for label {missing[0]}", f"write order({missing[0]},Key), or no order/2 at all"
        )
    ranked = _rank_terms(list(keys.values()))
    return tuple(sorted(labels, key=lambda label: ranked[keys[label]])) if keys else tuple(labels)


def _rank_terms(terms: list[Term]) -> dict[Term, int]:
    """The order of terms as clingo has it."""
    import clingo

    ordered = sorted({term: clingo.parse_term(str(term)) for term in terms}.items(), key=lambda pair: pair[1])
    return {term: place for place, (term, _) in enumerate(ordered)}


def read_forms(kb: KnowledgeBase, pack: Pack, cells: Cells) -> Forms:
    """What can be laid down; raises KBError where a fact names a card, a label or a form that there is not."""
    labels = read_labels(kb)
    reader = _FormReader(kb, pack, cells, {label: place for place, label in enumerate(labels)})
    forms = sorted(reader.forms(), key=lambda form: (form.label, form.num_cards))
    if PASS_TERM not in {form.name for form in forms}:
        raise make_kb_error("there is no form of a pass", "write label(pass). form(pass,pass). kind(pass,pass).")
    _require_disjoint(forms, cells)
    if len(forms) > MAX_FORMS:
        raise make_kb_error(f"{len(forms)} forms", f"at most {MAX_FORMS}")
    return Forms(labels, tuple(forms))


def _require_disjoint(forms: list[Form], cells: Cells) -> None:
    """Raises KBError where two parts of a form may be the same cards: they would be laid down twice."""
    shared: dict[int, set[int]] = defaultdict(set)
    for context in cells.acts_as:
        for kind in context:
            for one in kind[kind >= 0].tolist():
                shared[one] |= set(kind[kind >= 0].tolist())
    for form in forms:
        own = [group.cell for group in form.groups]
        carried = list(form.kickers.allowed) if form.kickers else []
        for place, cell in enumerate(own):
            both = [other for other in (*own[place + 1 :], *carried) if other in shared[cell]]
            both = [other for other in both if not _are_disjoint_by_card(form, place, other, own)]
            if both:
                _raise_overlap(form, cells, cell, both[0], carried)
        for cell in carried:
            if both := [other for other in carried if other != cell and other in shared[cell]]:
                _raise_overlap(form, cells, cell, both[0], carried)


def _are_disjoint_by_card(form: Form, place: int, cell: int, own: list[int]) -> bool:
    """Whether each of the groups is of a card of its own, by ``only/3``."""
    mine = form.groups[place].only_kind
    others = [group.only_kind for at, group in enumerate(form.groups) if at != place and own[at] == cell]
    return mine is not None and bool(others) and all(other is not None and other != mine for other in others)


def _raise_overlap(form: Form, cells: Cells, one: int, other: int, carried: list[int]) -> None:
    first, second = cells.names[one], cells.names[other]
    said = "kicker/3" if other in carried else "needs/4"
    alike = f"cards of {first} twice" if one == other else f"{first} and {second}, and a card acts as both"
    raise make_kb_error(
        f"form {form.name} takes {alike} ({said})",
        "take them as one group, needs(F,Place,Cell,N), or let kickers be of other cells",
    )


class _FormReader:
    """Facts by form."""

    def __init__(self, kb: KnowledgeBase, pack: Pack, cells: Cells, labels: Mapping[Term, int]) -> None:
        self._kb, self._pack, self._cells, self._labels = kb, pack, cells, labels
        self._form_names = {name for _, name in kb.facts("form", 2)}  # facts of others are of what a variant leaves out
        self._kinds, self._wilds = read_mapping(kb, "kind", 2, 1), read_mapping(kb, "wilds", 2, 1)
        self._suits = read_mapping(kb, "same_suit", 2, 1)
        self._mixed = {form for (form,) in kb.facts("mixed_suits", 1)}
        self._apart = {form for (form,) in kb.facts("apart", 1)}
        self._min_natural = self._read_min_natural("natural")
        self._only = read_mapping(kb, "only", 3, 2)
        self._needs = self._read_groups()
        self._kickers = self._read_kickers()

    def forms(self) -> list[Form]:
        """Every form, once a label."""
        return [self._read_form(label, name) for label, name in self._kb.facts("form", 2)]

    def _read_form(self, label: Term, name: Term) -> Form:
        if label not in self._labels:
            raise make_kb_error(f"form({label},{name}): there is no label {label}", f"write label({label}).")
        if (name,) not in self._kinds:
            raise make_kb_error(
                f"form {name} has no kind/2", f"write kind({name},Kind): only plays of one kind are compared"
            )
        groups = tuple(group for _, group in sorted(self._needs.get(name, {}).items()))
        self._check_pass(label, name, groups)
        wilds = min(require_int(self._wilds.get((name,), 0), f"wilds({name},…)"), MAX_CARDS)
        form = Form(
            name, self._labels[label], self._kinds[name,], groups, wilds, self._suits.get((name,)), name in self._mixed,
            self._kickers.get(name), name in self._apart,
        )  # fmt: skip
        self._require_limits(form)
        return form

    def _require_limits(self, form: Form) -> None:
        """Raises KBError for a form of more groups or cards than the kernels have room for."""
        if len(form.groups) > MAX_GROUPS:
            last = max(self._needs[form.name])
            group = self._needs[form.name][last]
            fact = f"needs({form.name},{last},{self._cells.names[group.cell]},{group.count})"
            raise make_kb_error(
                f"{fact}: {len(form.groups)} groups of a form", f"at most {MAX_GROUPS}: put some together"
            )
        if form.num_cards > MAX_CARDS:
            most = max(self._needs[form.name].items(), key=lambda item: item[1].count, default=None)
            fact = f"form({self._find_label(form)},{form.name})"
            if most and most[1].count > MAX_CARDS // 2:
                fact = f"needs({form.name},{most[0]},{self._cells.names[most[1].cell]},{most[1].count})"
            elif form.kickers:
                fact = f"kickers({form.name},{form.kickers.num_groups},{form.kickers.group_size})"
            raise make_kb_error(f"{fact}: {form.num_cards} cards of a form", f"at most {MAX_CARDS}")

    def _find_label(self, form: Form) -> Term:
        return next(label for label, place in self._labels.items() if place == form.label)

    def _check_pass(self, label: Term, name: Term, groups: tuple[CardGroup, ...]) -> None:
        """Raises KBError for a play without cards, and for a pass with cards."""
        if not groups and name != PASS_TERM:
            raise make_kb_error(f"form {name} has no cards", f"write needs({name},1,Rank,Count)")
        if name != PASS_TERM:
            return
        if label != PASS_TERM:
            raise make_kb_error(
                f"form({label},{PASS_TERM}): a pass is no play", f"write form({PASS_TERM},{PASS_TERM})."
            )
        if groups or PASS_TERM in self._kickers:
            facts = [f"needs({PASS_TERM},{place},{self._cells.names[group.cell]},{group.count})"
                     for place, group in self._needs.get(PASS_TERM, {}).items()]  # fmt: skip
            fact = [*facts, f"kickers({PASS_TERM},…)"][0]
            raise make_kb_error(f"{fact}: a pass has no cards", "give the play another name, or leave its cards out")

    def _find_cell(self, cell: Term, fact: str) -> int:
        if cell == WILD:
            raise make_kb_error(
                f"{fact}: no form can take the wild card itself",
                "let forms need other cells, and say by wilds/2 how many wild cards may stand in",
            )
        if cell not in self._cells.index:
            raise make_kb_error(f"{fact}: no card of the pack acts as {cell}", "write a rank or a card of pack/2")
        return self._cells.index[cell]

    def _form_facts(self, name: str, arity: int) -> Iterator[tuple[Term, ...]]:
        return (arguments for arguments in self._kb.facts(name, arity) if arguments[0] in self._form_names)

    def _read_min_natural(self, name: str) -> dict[tuple[Term, Term], int]:
        found: dict[tuple[Term, Term], int] = defaultdict(int)
        for form, cell, count in self._form_facts(name, 3):
            least = min(require_int(count, f"{name}({form},{cell},{count})"), MAX_CARDS + 1)
            found[form, cell] = max(found[form, cell], least)
        return found

    def _read_groups(self) -> dict[Term, dict[int, CardGroup]]:
        needs: dict[Term, dict[int, CardGroup]] = defaultdict(dict)
        for form, place, cell, count in self._form_facts("needs", 4):
            fact = f"needs({form},{place},{cell},{count})"
            at = require_int(place, fact)
            if at in needs[form]:
                raise make_kb_error(
                    f"needs/4 has two groups at place {place} of {form}", "give each group its own place"
                )
            if require_int(count, fact) < 1:
                raise make_kb_error(f"{fact} is no group of cards", "write how many cards, from 1 on")
            needs[form][at] = CardGroup(
                self._find_cell(cell, fact),
                int(count),
                self._min_natural.get((form, cell), 0),
                self._find_only_kind(form, place),
            )
        return needs

    def _find_only_kind(self, form: Term, place: Term) -> int | None:
        card = self._only.get((form, place))
        if card is not None and card not in self._pack.index:
            raise make_kb_error(f"only({form},{place},{card}): no such card", "write a card of pack/2")
        return None if card is None else self._pack.index[card]

    def _read_kickers(self) -> dict[Term, Kickers]:
        allowed: dict[Term, dict[int, BitMask]] = defaultdict(lambda: defaultdict(int))
        misread: dict[Term, dict[int, BitMask]] = defaultdict(lambda: defaultdict(int))
        for name, bits in (("kicker", allowed), ("misread", misread)):
            for form, cell, count in self._form_facts(name, 3):
                fact = f"{name}({form},{cell},{count})"
                if not 1 <= require_int(count, fact) <= MAX_KICKERS:
                    raise make_kb_error(f"{fact}: no number of groups", f"write 1 to {MAX_KICKERS}")
                bits[form][self._find_cell(cell, fact)] |= 1 << require_int(count, fact)
        carried = {}
        for form, groups, size in self._form_facts("kickers", 3):
            fact = f"kickers({form},{groups},{size})"
            if form in carried or require_int(groups, fact) < 1 or require_int(size, fact) < 1:
                raise make_kb_error(
                    f"{fact}: a form carries one number of groups of one size", "write kickers/3 once a form"
                )
            carried[form] = Kickers(
                require_int(groups, fact), require_int(size, fact), dict(allowed[form]), dict(misread[form])
            )
        return carried


def generalise_kind(kind: Term) -> Term:
    """What a seat has shown goes by the kind of play; bombs of all sizes are one kind there."""
    return kind if isinstance(kind, int) else functor(kind)
