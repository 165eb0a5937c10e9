"""Read the forms of plays from the facts of a knowledge base."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.description.cells import Cells
from abl_cards.games.description.fact_arguments import read_mapping, require_int
from abl_cards.games.description.form_checks import check_forms, check_kickers_apart
from abl_cards.games.description.forms import (
    MAX_CARDS,
    MAX_FORMS,
    MAX_GROUPS,
    MAX_KICKERS,
    NO_PASS_REMEDY,
    PASS_TERM,
    BitMask,
    CardGroup,
    Form,
    Forms,
    Kickers,
)
from abl_cards.games.description.labels import read_labels
from abl_cards.games.description.pack import WILD, Pack


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
        raise make_kb_error("there is no form of a pass", NO_PASS_REMEDY, ErrorCode.MISSING_FACT)
    check_forms(forms, cells)
    if len(forms) > MAX_FORMS:
        raise make_kb_error(f"{len(forms)} forms", f"at most {MAX_FORMS}", ErrorCode.GAME_TOO_LARGE)
    read = Forms(labels, tuple(forms))
    check_kickers_apart(read, cells)
    return read


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
        self._min_natural = self._read_min_natural()
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

    def _read_min_natural(self) -> dict[tuple[Term, Term], int]:
        min_natural: dict[tuple[Term, Term], int] = defaultdict(int)
        for form, cell, count in self._form_facts("natural", 3):
            min_count = min(require_int(count, f"natural({form},{cell},{count})"), MAX_CARDS + 1)
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
            min_natural = self._min_natural.get((form, cell), 0)
            if min_natural > int(count):
                message = f"natural({form},{cell},{min_natural}): the group has only {count} cards"
                raise make_kb_error(message, f"write a number from 0 to {count}", ErrorCode.INVALID_FORM)
            needs[form][position] = CardGroup(
                self._find_cell(cell, fact),
                int(count),
                min_natural,
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
