"""Check the facts of each form of a game for contradictions."""

from __future__ import annotations

from collections import defaultdict

from abl_cards.asp import make_kb_error
from abl_cards.core import ErrorCode
from abl_cards.games.description.cells import Cells
from abl_cards.games.description.form_arrays import find_rank_cells
from abl_cards.games.description.forms import PASS_TERM, Form, Forms
from abl_cards.games.description.labels import number_terms


def check_forms(forms: list[Form], cells: Cells) -> None:
    """Check forms for contradictory parts.

    Args:
        forms: Forms of a game.
        cells: Cells of the game.

    Raises:
        KBError: Two parts of a form may take one card, kickers could be counted twice, or ``excludes/2`` names a form
            that cannot exclude or be excluded.
    """
    _require_disjoint(forms, cells)
    _check_own_kickers(forms, cells)
    _check_excluded_forms(forms)


def check_kickers_apart(forms: Forms, cells: Cells) -> None:
    """Check that the last two cells of plays are the same by ``index/2`` and by the order of terms.

    Kernels keep the cells with the last numbers apart, while rules that compare ranks use the order of terms.

    Args:
        forms: Forms of a game.
        cells: Cells of the game.

    Raises:
        KBError: A form has ``apart/1``, and the last two cells differ.
    """
    form = next((form for form in forms.forms if form.has_kickers_apart and form.kickers), None)
    if form is None:
        return
    names = [cells.names[cell] for cell in find_rank_cells(forms)]
    by_terms = sorted(names, key=number_terms(names).__getitem__)
    if set(names[-2:]) != set(by_terms[-2:]):
        last, expected = (" and ".join(map(str, pair)) for pair in (names[-2:], by_terms[-2:]))
        raise make_kb_error(
            f"apart({form.name}): the two last cells are {last} by index/2, and {expected} by the order of terms",
            f"give {expected} the last places in index/2",
            ErrorCode.INVALID_FORM,
        )


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
