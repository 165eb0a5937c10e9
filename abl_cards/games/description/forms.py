"""Labels and forms of plays, as the facts of a knowledge base declare them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description.cells import Cells
from abl_cards.games.description.label_facts import read_label_texts, read_mapping, require_int
from abl_cards.games.description.pack import WILD, Pack

PASS_TERM = "pass"
"""Label and form of a pass."""
MAX_FORMS = 32_000
"""Maximum numbers of forms and of labels."""
MAX_KICKERS = 15
"""Maximum number of groups of kickers of one rank, as they are bits of a word."""
MAX_GROUPS = 32
"""Maximum number of groups of a form, by the size of scratch arrays in the kernels."""
MAX_CARDS = 120
"""Maximum number of cards of a form, kickers included."""

BitMask = int
"""Integer whose bits are flags."""


@dataclass(frozen=True)
class CardGroup:
    """Cards of a form that act as one cell."""

    cell: int  # index of the cell
    count: int  # number of cards
    min_natural: int  # number of these that must not be wild
    only_kind: int | None  # kind that all of the cards must be, None for any


@dataclass(frozen=True)
class Kickers:
    """Kickers of a form: groups of cards that act as one cell, chosen among several cells."""

    num_groups: int  # number of groups
    group_size: int  # cards in each group
    allowed: Mapping[int, BitMask]  # by cell: bit K if K groups may be of it
    misread: Mapping[int, BitMask]  # by cell: bit K if a lead with K groups of it is a play of another form


@dataclass(frozen=True)
class Form:
    """Form of a play: the groups of cards that realise a label."""

    name: Term
    label: int  # index of the label
    kind: Term  # kind of play; only plays of one kind are compared
    groups: tuple[CardGroup, ...]
    max_wilds: int  # number of wild cards that may substitute
    min_wilds: int  # number of these that must
    suit: Term | None  # suit of all cards, None for any
    has_mixed_suits: bool  # the cards must be of at least two suits
    kickers: Kickers | None
    has_kickers_apart: bool  # the two kinds of jokers may not be kickers together
    excluded_forms: tuple[Term, ...] = ()  # forms whose card sets are not of this form

    @property
    def has_own_kickers(self) -> bool:
        """Whether kickers may act as the cell of a group."""
        return self.kickers is not None and any(group.cell in self.kickers.allowed for group in self.groups)

    @property
    def wild_range(self) -> tuple[int, int]:
        """Least and greatest number of wild cards that substitute."""
        return self.min_wilds, self.max_wilds

    @property
    def num_cards(self) -> int:
        """Number of cards, kickers included."""
        num_kicker_cards = self.kickers.num_groups * self.kickers.group_size if self.kickers else 0
        return sum(group.count for group in self.groups) + num_kicker_cards


@dataclass(frozen=True)
class Forms:
    """Labels and forms of a game.

    Attributes:
        labels: Labels in the order of masks and policies.
        forms: Forms sorted by label, then by number of cards.
    """

    labels: tuple[Term, ...]
    forms: tuple[Form, ...]

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def index(self) -> dict[Term, int]:
        """Index of each form by its name."""
        return {form.name: index for index, form in enumerate(self.forms)}

    @cached_property
    def label_index(self) -> dict[Term, int]:
        """Index of each label."""
        return {label: index for index, label in enumerate(self.labels)}

    @cached_property
    def label_of(self) -> NDArray[np.int16]:
        """[forms] index of the label of each form."""
        return np.array([form.label for form in self.forms], np.int16)

    @cached_property
    def num_cards(self) -> NDArray[np.int64]:
        """[forms] number of cards of each form."""
        return np.array([form.num_cards for form in self.forms], np.int64)

    @cached_property
    def group_cells(self) -> tuple[int, ...]:
        """Indices of the cells that groups of cards take, kickers excluded, in ascending order."""
        return tuple(sorted({group.cell for form in self.forms for group in form.groups}))

    @cached_property
    def group_counts(self) -> NDArray[np.int16]:
        """[forms, group_cells] number of cards that the groups of each form take of each cell."""
        columns = {cell: column for column, cell in enumerate(self.group_cells)}
        counts = np.zeros((len(self.forms), len(columns)), np.int16)
        for row, form in enumerate(self.forms):
            for group in form.groups:
                counts[row, columns[group.cell]] += group.count
        return counts

    @cached_property
    def label_min_cards(self) -> NDArray[np.int16]:
        """[labels] number of cards of the smallest form of each label; 0 for a label without a form."""
        cards = np.full(len(self.labels), np.iinfo(np.int16).max, np.int16)
        np.minimum.at(cards, self.label_of, np.array([form.num_cards for form in self.forms], np.int16))
        return np.where(cards == np.iinfo(np.int16).max, 0, cards).astype(np.int16)

    @cached_property
    def pass_form(self) -> int:
        """Index of the form of a pass."""
        return self.index[PASS_TERM]

    @cached_property
    def max_cards(self) -> int:
        """Number of cards of the largest form."""
        return max(form.num_cards for form in self.forms)


def read_labels(kb: KnowledgeBase) -> tuple[Term, ...]:
    """Read the labels of a game in order: by ``label/2``, or by ``label/1`` and ``order/2``.

    Args:
        kb: Knowledge base of the game.

    Raises:
        KBError: There are no labels, too many, or some without a key.
    """
    if kb.facts("label", 2):
        return read_label_texts(kb)
    labels = [label for (label,) in kb.facts("label", 1)]
    if len(labels) > MAX_FORMS:
        raise make_kb_error(f"label/1: {len(labels)} labels", f"at most {MAX_FORMS}", ErrorCode.GAME_TOO_LARGE)
    if not labels:
        remedy = "write label(single(R)) :- rank(R). and so on"
        raise make_kb_error("no label/1: there is nothing to play", remedy, ErrorCode.MISSING_FACT)
    keys = {label: key for (label,), key in read_mapping(kb, "order", 2, 1).items()}
    missing = [label for label in labels if label not in keys]
    if keys and missing:
        raise make_kb_error(
            f"label({missing[0]}): it has no order/2",
            f"write order({missing[0]},Key), or no order/2 at all",
            ErrorCode.MISSING_FACT,
        )
    key_ranks = _rank_terms(list(keys.values()))
    return tuple(sorted(labels, key=lambda label: key_ranks[keys[label]])) if keys else tuple(labels)


def _rank_terms(terms: list[Term]) -> dict[Term, int]:
    """Rank terms from 0 in clingo's order of terms."""
    import clingo

    ordered = sorted({term: clingo.parse_term(str(term)) for term in terms}.items(), key=lambda pair: pair[1])
    return {term: rank for rank, (term, _) in enumerate(ordered)}


def read_forms(kb: KnowledgeBase, pack: Pack, cells: Cells) -> Forms:
    """Read the labels and forms of a game.

    Args:
        kb: Knowledge base of the game.
        pack: Pack of the game.
        cells: Cells of the game.

    Raises:
        KBError: A fact of a form is missing, contradictory, out of range, or names something unknown.
    """
    labels = read_labels(kb)
    reader = _FormReader(kb, pack, cells, {label: index for index, label in enumerate(labels)})
    forms = sorted(reader.forms(), key=lambda form: (form.label, form.num_cards))
    if PASS_TERM not in {form.name for form in forms}:
        remedy = "write label(pass). form(pass,pass). kind(pass,pass)."
        raise make_kb_error("there is no form of a pass", remedy, ErrorCode.MISSING_FACT)
    _require_disjoint(forms, cells)
    _check_own_kickers(forms, cells)
    _check_excluded_forms(forms)
    if len(forms) > MAX_FORMS:
        raise make_kb_error(f"{len(forms)} forms", f"at most {MAX_FORMS}", ErrorCode.GAME_TOO_LARGE)
    return Forms(labels, tuple(forms))


def _require_disjoint(forms: list[Form], cells: Cells) -> None:
    """Raise KBError if two parts of a form may take the same card, as its card sets would be listed twice."""
    shared: dict[int, set[int]] = defaultdict(set)
    for context in cells.acts_as:
        for kind in context:
            for cell_of_kind in kind[kind >= 0].tolist():
                shared[cell_of_kind] |= set(kind[kind >= 0].tolist())
    for form in forms:
        group_cells = [group.cell for group in form.groups]
        kicker_cells = list(form.kickers.allowed) if form.kickers else []
        for index, cell in enumerate(group_cells):
            further_kickers = [other for other in kicker_cells if other != cell]  # cards of one cell are one set
            overlapping = [other for other in (*group_cells[index + 1 :], *further_kickers) if other in shared[cell]]
            overlapping = [other for other in overlapping if not _are_disjoint_by_card(form, index, other, group_cells)]
            if overlapping:
                _raise_overlap(form, cells, cell, overlapping[0], kicker_cells)
        for cell in kicker_cells:
            if overlapping := [other for other in kicker_cells if other != cell and other in shared[cell]]:
                _raise_overlap(form, cells, cell, overlapping[0], kicker_cells)


def _are_disjoint_by_card(form: Form, index: int, cell: int, group_cells: list[int]) -> bool:
    """Return True if ``only/3`` gives groups of the same cell different kinds of cards."""
    own_kind = form.groups[index].only_kind
    other_kinds = [
        group.only_kind
        for group_index, group in enumerate(form.groups)
        if group_index != index and group_cells[group_index] == cell
    ]
    return (
        own_kind is not None
        and bool(other_kinds)
        and all(other_kind is not None and other_kind != own_kind for other_kind in other_kinds)
    )


def _raise_overlap(form: Form, cells: Cells, cell: int, other: int, kicker_cells: list[int]) -> None:
    first, second = cells.names[cell], cells.names[other]
    predicate = "kicker/3" if other in kicker_cells else "needs/4"
    overlap = f"cards of {first} twice" if cell == other else f"{first} and {second}, and a card acts as both"
    raise make_kb_error(
        f"form {form.name} takes {overlap} ({predicate})",
        "take them as one group, needs(F,Place,Cell,N), or let kickers be of the group's cell or of other cells",
        ErrorCode.INVALID_FORM,
    )


def _check_own_kickers(forms: list[Form], cells: Cells) -> None:
    """Raise KBError for kickers of a group's own cell in forms where their cards could be counted twice."""
    for form in forms:
        for group in form.groups if form.has_own_kickers else ():
            assert form.kickers
            if group.cell in form.kickers.allowed and (group.only_kind is not None or form.has_mixed_suits):
                predicate = "only/3" if group.only_kind is not None else "mixed_suits/1"
                raise make_kb_error(
                    f"kicker({form.name},{cells.names[group.cell]},…): {form.name} has {predicate}, and a group of "
                    "that cell",
                    f"let its kickers be of other cells, or leave {predicate} out",
                    ErrorCode.INVALID_FORM,
                )


def _check_excluded_forms(forms: list[Form]) -> None:
    """Raise KBError for forms that cannot exclude others, and for those that cannot be excluded."""
    by_name = {form.name: form for form in forms}
    for form in forms:
        for name in form.excluded_forms:
            fact, excluded = f"excludes({form.name},{name})", by_name[name]
            if form.kickers or form.suit is not None:
                predicate = "kickers/3" if form.kickers else "same_suit/2"
                message = f"{fact}: a form with {predicate} excludes no other"
                raise make_kb_error(message, "bound its cards by kicker/3 or needs/4", ErrorCode.INVALID_FORM)
            if excluded.kickers or excluded.max_wilds or excluded.has_mixed_suits or name in (form.name, PASS_TERM):
                raise make_kb_error(
                    f"{fact}: {name} has kickers, wild cards or mixed suits, or is no other play",
                    "exclude a form of needs/4, only/3 and same_suit/2 alone; no rule need make it playable",
                    ErrorCode.INVALID_FORM,
                )


class _FormReader:
    """Reader of the facts about forms."""

    def __init__(self, kb: KnowledgeBase, pack: Pack, cells: Cells, labels: Mapping[Term, int]) -> None:
        self._kb, self._pack, self._cells, self._labels = kb, pack, cells, labels
        self._form_names = {name for _, name in kb.facts("form", 2)}  # a variant may leave out forms, but not facts
        self._kinds, self._wilds = read_mapping(kb, "kind", 2, 1), self._read_wilds()
        self._vacant = {cells.index[cell] for (cell,) in kb.facts("vacant", 1)}
        self._suits = read_mapping(kb, "same_suit", 2, 1)
        self._mixed = {form for (form,) in kb.facts("mixed_suits", 1)}
        self._apart = {form for (form,) in kb.facts("apart", 1)}
        self._min_natural = self._read_min_natural("natural")
        self._only = read_mapping(kb, "only", 3, 2)
        self._needs = self._read_groups()
        self._kickers = self._read_kickers()
        self._excluded: dict[Term, list[Term]] = defaultdict(list)
        for form, other in self._form_facts("excludes", 2):
            if other in self._form_names:  # a variant may leave out forms, but not facts
                self._excluded[form].append(other)

    def forms(self) -> list[Form]:
        """Read all forms; a form of several labels is read once for each."""
        return [self._read_form(label, name) for label, name in self._kb.facts("form", 2)]

    def _read_form(self, label: Term, name: Term) -> Form:
        if label not in self._labels:
            message = f"form({label},{name}): there is no label {label}"
            raise make_kb_error(message, f"write label({label}).", ErrorCode.UNKNOWN_NAME)
        if (name,) not in self._kinds:
            remedy = f"write kind({name},Kind): only plays of one kind are compared"
            message = f"label({label}): its form {name} has no kind/2"
            raise make_kb_error(message, remedy, ErrorCode.MISSING_FACT)
        groups = tuple(group for _, group in sorted(self._needs.get(name, {}).items()))
        self._check_pass(label, name, groups)
        min_wilds, max_wilds = self._wilds.get(name, (0, 0))
        form = Form(
            name, self._labels[label], self._kinds[name,], groups, max_wilds, min_wilds, self._suits.get((name,)),
            name in self._mixed, self._kickers.get(name), name in self._apart, tuple(self._excluded.get(name, ())),
        )  # fmt: skip
        self._require_limits(form)
        self._check_vacant_groups(form)
        return form

    def _require_limits(self, form: Form) -> None:
        """Raise KBError for a form of more groups or cards than the kernels support."""
        if len(form.groups) > MAX_GROUPS:
            last_place = max(self._needs[form.name])
            group = self._needs[form.name][last_place]
            fact = f"needs({form.name},{last_place},{self._cells.names[group.cell]},{group.count})"
            message = f"{fact}: {len(form.groups)} groups of a form"
            raise make_kb_error(message, f"at most {MAX_GROUPS}: put some together", ErrorCode.GAME_TOO_LARGE)
        if form.num_cards > MAX_CARDS:
            largest = max(self._needs[form.name].items(), key=lambda item: item[1].count, default=None)
            fact = f"form({self._find_label(form)},{form.name})"
            if largest and largest[1].count > MAX_CARDS // 2:
                fact = f"needs({form.name},{largest[0]},{self._cells.names[largest[1].cell]},{largest[1].count})"
            elif form.kickers:
                fact = f"kickers({form.name},{form.kickers.num_groups},{form.kickers.group_size})"
            message = f"{fact}: {form.num_cards} cards of a form"
            raise make_kb_error(message, f"at most {MAX_CARDS}", ErrorCode.GAME_TOO_LARGE)

    def _check_vacant_groups(self, form: Form) -> None:
        """Raise KBError if wild cards cannot take all groups of cells that no card acts as."""
        num_vacant = 0
        for place, group in sorted(self._needs.get(form.name, {}).items()):
            if group.cell not in self._vacant:
                continue
            cell = self._cells.names[group.cell]
            num_vacant += group.count
            if num_vacant > form.max_wilds or group.min_natural:
                message = f"needs({form.name},{place},{cell},{group.count}): no card acts as {cell}, vacant/1"
                remedy = f"write wilds({form.name},{num_vacant}), as wild cards alone lie there"
                if group.min_natural:
                    remedy = f"leave out natural({form.name},{cell},{group.min_natural}), as wild cards alone lie there"
                raise make_kb_error(message, remedy, ErrorCode.INVALID_FORM)

    def _find_label(self, form: Form) -> Term:
        return next(label for label, index in self._labels.items() if index == form.label)

    def _check_pass(self, label: Term, name: Term, groups: tuple[CardGroup, ...]) -> None:
        """Raise KBError for a play without cards, and for a pass with cards."""
        if not groups and name != PASS_TERM:
            remedy = f"write needs({name},1,Rank,Count)"
            raise make_kb_error(f"form {name} has no cards", remedy, ErrorCode.MISSING_FACT)
        if name != PASS_TERM:
            return
        if label != PASS_TERM:
            message = f"form({label},{PASS_TERM}): a pass is no play"
            raise make_kb_error(message, f"write form({PASS_TERM},{PASS_TERM}).", ErrorCode.INVALID_FORM)
        if groups or PASS_TERM in self._kickers:
            facts = [f"needs({PASS_TERM},{place},{self._cells.names[group.cell]},{group.count})"
                     for place, group in self._needs.get(PASS_TERM, {}).items()]  # fmt: skip
            fact = [*facts, f"kickers({PASS_TERM},…)"][0]
            remedy = "give the play another name, or leave its cards out"
            raise make_kb_error(f"{fact}: a pass has no cards", remedy, ErrorCode.INVALID_FORM)

    def _find_cell(self, cell: Term, fact: str) -> int:
        if cell == WILD:
            raise make_kb_error(
                f"{fact}: no form can take the wild card itself",
                "say by wilds/2 how many wild cards may stand in; a play of its own takes a cell, acts_as(Card,Cell)",
                ErrorCode.INVALID_FORM,
            )
        if cell not in self._cells.index:
            remedy = "write a rank or a card of pack/2; where wild cards alone lie, vacant(Cell)"
            raise make_kb_error(f"{fact}: no card of the pack acts as {cell}", remedy, ErrorCode.UNKNOWN_NAME)
        return self._cells.index[cell]

    def _form_facts(self, name: str, arity: int) -> Iterator[tuple[Term, ...]]:
        return (arguments for arguments in self._kb.facts(name, arity) if arguments[0] in self._form_names)

    def _read_min_natural(self, name: str) -> dict[tuple[Term, Term], int]:
        min_natural: dict[tuple[Term, Term], int] = defaultdict(int)
        for form, cell, count in self._form_facts(name, 3):
            min_count = min(require_int(count, f"{name}({form},{cell},{count})"), MAX_CARDS + 1)
            min_natural[form, cell] = max(min_natural[form, cell], min_count)
        return min_natural

    def _read_wilds(self) -> dict[Term, tuple[int, int]]:
        """Read how many wild cards substitute at least and at most, by ``wilds/2`` and ``wilds/3``."""
        wilds = {
            form: (0, min(require_int(count, f"wilds({form},…)"), MAX_CARDS))
            for (form,), count in read_mapping(self._kb, "wilds", 2, 1).items()
        }
        for form, low, high in self._kb.facts("wilds", 3):
            fact = f"wilds({form},{low},{high})"
            if form in wilds:
                remedy = "keep one of them: wilds(F,Max) or wilds(F,Min,Max)"
                raise make_kb_error(f"{fact}: {form} has another wilds", remedy, ErrorCode.CONFLICTING_FACTS)
            wilds[form] = require_int(low, fact), min(require_int(high, fact), MAX_CARDS)
            if not 0 <= wilds[form][0] <= wilds[form][1]:
                remedy = "write the least number before the greatest"
                raise make_kb_error(f"{fact}: no range", remedy, ErrorCode.INVALID_ARGUMENT)
        return wilds

    def _read_groups(self) -> dict[Term, dict[int, CardGroup]]:
        needs: dict[Term, dict[int, CardGroup]] = defaultdict(dict)
        for form, place, cell, count in self._form_facts("needs", 4):
            fact = f"needs({form},{place},{cell},{count})"
            position = require_int(place, fact)
            if position in needs[form]:
                message = f"needs/4 has two groups at place {place} of {form}"
                raise make_kb_error(message, "give each group its own place", ErrorCode.CONFLICTING_FACTS)
            if require_int(count, fact) < 1:
                remedy = "write how many cards, from 1 on"
                raise make_kb_error(f"{fact} is no group of cards", remedy, ErrorCode.INVALID_ARGUMENT)
            needs[form][position] = CardGroup(
                self._find_cell(cell, fact),
                int(count),
                self._min_natural.get((form, cell), 0),
                self._find_only_kind(form, place),
            )
        return needs

    def _find_only_kind(self, form: Term, place: Term) -> int | None:
        card = self._only.get((form, place))
        if card is not None and card not in self._pack.index:
            message = f"only({form},{place},{card}): no such card"
            raise make_kb_error(message, "write a card of pack/2", ErrorCode.UNKNOWN_NAME)
        return None if card is None else self._pack.index[card]

    def _read_kickers(self) -> dict[Term, Kickers]:
        allowed, misread = self._read_group_counts("kicker", 0), self._read_group_counts("misread", 1)
        pools, pool_of = self._read_group_counts("kicker_pool", 1), read_mapping(self._kb, "uses_pool", 2, 1)
        kickers = {}
        for form, groups, size in self._form_facts("kickers", 3):
            fact = f"kickers({form},{groups},{size})"
            if form in kickers or require_int(groups, fact) < 1 or require_int(size, fact) < 1:
                raise make_kb_error(
                    f"{fact}: a form carries one number of groups of one size",
                    "write kickers/3 once a form",
                    ErrorCode.INVALID_FORM,
                )
            own = allowed.get(form, {})
            pool = pools.get(pool_of.get((form,), ""), {})
            bits = {cell: mask & ~1 for cell, mask in {**pool, **own}.items()}  # bit 0 only overrides the pool
            if not any(bits.values()):
                remedy = "say which cells it carries: kicker/3, or kicker_pool/3 and uses_pool/2"
                raise make_kb_error(f"{fact}: there is no kicker of it", remedy, ErrorCode.MISSING_FACT)
            unknown = [cell for cell in misread.get(form, {}) if cell not in bits]
            if unknown:
                message = f"misread({form},{self._cells.names[unknown[0]]},…): there is no kicker of that cell"
                raise make_kb_error(message, "write a cell of kicker/3", ErrorCode.MISSING_FACT)
            kickers[form] = Kickers(
                require_int(groups, fact), require_int(size, fact),
                {cell: mask for cell, mask in bits.items() if mask}, misread.get(form, {}),
            )  # fmt: skip
        return kickers

    def _read_group_counts(self, name: str, least: int) -> dict[Term, dict[int, BitMask]]:
        """Read facts ``name(Form or Pool,Cell,Count)``: by the first argument, bit K of each cell for a count of K."""
        bits: dict[Term, dict[int, BitMask]] = defaultdict(lambda: defaultdict(int))
        facts = self._kb.facts(name, 3) if name == "kicker_pool" else self._form_facts(name, 3)
        for owner, cell, count in facts:
            fact = f"{name}({owner},{cell},{count})"
            if not least <= require_int(count, fact) <= MAX_KICKERS:
                message = f"{fact}: no number of groups"
                raise make_kb_error(message, f"write {least} to {MAX_KICKERS}", ErrorCode.INVALID_ARGUMENT)
            if self._find_cell(cell, fact) in self._vacant:
                message = f"{fact}: no card acts as {cell}, vacant/1"
                raise make_kb_error(message, "let kickers be of other cells", ErrorCode.INVALID_FORM)
            bits[owner][self._find_cell(cell, fact)] |= 1 << require_int(count, fact)
        return {owner: dict(cells) for owner, cells in bits.items()}
