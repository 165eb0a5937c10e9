"""Write moves and choices as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import Cards, counts_from_cards
from abl_cards.games.notation.canonical import canonical_notation
from abl_cards.games.notation.card_forms import find_forms_batch, have_equal_order
from abl_cards.games.notation.plays import PASS, label_name_parts, labels_of_forms, lists_by_form, options_json
from abl_cards.games.tables import NO_FORM
from abl_cards.games.types import NO_CARD

_MAX_COMPARED_FORMS = 2000
"""Largest number of forms of one size that are compared pairwise."""


@dataclass(frozen=True)
class NotatedMove:
    """Text and JSON form of a play, a pass or a choice."""

    text: str
    value: Any

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> Any:
        """Return the JSON form used in states and records."""
        return self.value


def notate_move(rules: CompiledGame, form: int, cards: NDArray[np.uint8], context: int | None = None) -> NotatedMove:
    """Write one move.

    Args:
        rules: Compiled game.
        form: Index of the form; NO_FORM for a choice.
        cards: uint8 [n], padded with NO_CARD.
        context: Index of the context; by default one in which the cards can have this form.

    Returns:
        Text and JSON form of the move.
    """
    if context is not None:
        return notate_moves(rules, np.array([form]), cards[None], np.array([context], np.int16))[0]
    is_composed = _is_composed(rules, form, _without_padding(cards))
    if form in (NO_FORM, rules.forms.pass_form) or canonical_notation(rules) is not None or is_composed:
        return notate_moves(rules, np.array([form]), cards[None], np.zeros(1, np.int16))[0]
    card_list = _without_padding(cards)
    acting = rules.cells.acts_as[:, sorted(set(card_list))]
    _, contexts = np.unique(acting.reshape(len(acting), -1), axis=0, return_index=True)
    hands = np.repeat(counts_from_cards(card_list, len(rules.pack))[None], len(contexts), axis=0)
    form_lists = find_forms_batch(rules, hands, contexts.astype(np.int16))
    filtered = [_drop_partial_forms(rules, forms, form) for forms in form_lists]
    matching = [(forms, int(context)) for forms, context in zip(filtered, contexts, strict=True) if form in forms]
    ambiguous = [
        forms_and_context for forms_and_context in matching if len(labels_of_forms(rules, forms_and_context[0])) > 1
    ]
    forms, chosen_context = (ambiguous or matching or [((form,), 0)])[0]
    return _notate_play(rules, form, card_list, forms, chosen_context)


def notate_moves(
    rules: CompiledGame, forms: NDArray[np.integer], cards: NDArray[np.uint8], contexts: NDArray[np.int16]
) -> list[NotatedMove]:
    """Write moves.

    Args:
        rules: Compiled game.
        forms: [n], indices of forms; NO_FORM for choices.
        cards: uint8 [n, max_cards], padded with NO_CARD.
        contexts: int16 [n], indices of contexts.

    Returns:
        Text and JSON form of each move; the label is added where the cards have several.
    """
    form_list, context_list = forms.tolist(), contexts.tolist()
    num_cards = (cards != NO_CARD).sum(axis=1).tolist()
    card_lists = [tuple(row[:number]) for row, number in zip(cards.tolist(), num_cards, strict=True)]
    ambiguous_forms = _is_ambiguous(rules) if canonical_notation(rules) is None else _has_varying_strength(rules)
    composed = [
        rules.has_composed_plays and _is_composed(rules, form, card_lists[row]) for row, form in enumerate(form_list)
    ]
    rows = [
        row
        for row, form in enumerate(form_list)
        if form not in (NO_FORM, rules.forms.pass_form) and ambiguous_forms[form] and not composed[row]
    ]
    can_be: dict[int, tuple[int, ...]] = {}
    if rows:
        hands = _count_rows(cards[rows], len(rules.pack))
        can_be = dict(zip(rows, find_forms_batch(rules, hands, contexts[rows]), strict=True))
    notations = []
    for row, form in enumerate(form_list):
        if form == NO_FORM:
            notations.append(notate_option(rules, int(cards[row, 0])))
        elif composed[row]:
            notations.append(
                NotatedMove(rules.card_codes.to_text(card_lists[row]), rules.card_codes.write(card_lists[row]))
            )
        else:
            readings = _drop_partial_forms(rules, can_be.get(row, (form,)), form)
            notations.append(_notate_play(rules, form, card_lists[row], readings, context_list[row]))
    return notations


def notate_option(rules: CompiledGame, option: int, stage: str | None = None) -> NotatedMove:
    """Write a choice; in the canonical notation if the stage has one."""
    value, notation = options_json(rules)[option], canonical_notation(rules)
    canonical = notation.write_choice(stage, value) if notation and stage and isinstance(value, str) else None
    return (
        NotatedMove(str(value), value)
        if canonical is None
        else NotatedMove(" ".join([*canonical[:2], value]), canonical)
    )


def _count_rows(cards: NDArray[np.uint8], kinds: int) -> NDArray[np.uint8]:
    """Count the copies of each kind [n, kinds] in rows of cards [n, max cards], padded with NO_CARD."""
    counts, rows = np.zeros((len(cards), NO_CARD + 1), np.uint8), np.arange(len(cards))
    for column in cards.T:
        counts[rows, column] += 1
    return np.ascontiguousarray(counts[:, :kinds])


def _drop_partial_forms(rules: CompiledGame, forms: Sequence[int], intended: int) -> tuple[int, ...]:
    """Return forms without those that occur only inside composed plays, unless the intended form is one."""
    partial = lists_by_form(rules).is_partial
    return tuple(forms) if partial[intended] else tuple(form for form in forms if not partial[form])


def _is_composed(rules: CompiledGame, form: int, cards: Cards) -> bool:
    """Return whether a play consists of more than the form of its last cards."""
    return form != NO_FORM and len(cards) > rules.forms.num_cards[form]


@cache_per_game
def _is_ambiguous(rules: CompiledGame) -> NDArray[np.bool_]:
    """Return for each form [forms] whether its cards may also be of another form, by capacities.

    Enumerating the moves is exact and far slower; forms that this excludes need no enumeration.
    """
    forms, counts = rules.forms.forms, rules.forms.group_counts
    wilds = np.array([form.max_wilds for form in forms], np.int16)
    ambiguous = np.full(len(forms), _cells_overlap(rules, rules.forms.group_cells))
    for size in np.unique(rules.forms.num_cards).tolist():
        rows = np.flatnonzero(rules.forms.num_cards == size)
        if len(rows) > _MAX_COMPARED_FORMS:
            ambiguous[rows] = True
            continue
        combined = np.zeros((len(rows), len(rows)), np.int16)
        for column in counts[rows].T:
            combined += np.maximum(column[:, None], column)
        may_overlap = combined <= size + wilds[rows][:, None] + wilds[rows]
        np.fill_diagonal(may_overlap, False)
        ambiguous[rows] |= may_overlap.any(axis=1)
    return ambiguous


@cache_per_game
def _has_varying_strength(rules: CompiledGame) -> NDArray[np.bool_]:
    """Return for each form [forms] whether forms of its label and number of cards differ in kind or strength."""
    groups = rules.forms.label_of.astype(np.int64) * (rules.forms.max_cards + 1) + rules.forms.num_cards
    kinds = np.unique([str(form.kind) for form in rules.forms.forms], return_inverse=True)[1]
    differ = np.zeros(len(groups), np.bool_)
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        differ[rows] = len(set(kinds[rows])) > 1 or bool((np.ptp(rules.strength[:, rows], axis=1) > 0).any())
    return differ


def _cells_overlap(rules: CompiledGame, cells: Sequence[int]) -> bool:
    """Return whether a card acts as two cells that forms use."""
    return bool(np.isin(rules.cells.acts_as, np.array(cells, np.int16)).sum(axis=2).max(initial=0) > 1)


def _without_padding(cards: NDArray[np.uint8]) -> Cards:
    return tuple(card for card in cards.tolist() if card != NO_CARD)


def _notate_play(rules: CompiledGame, form: int, played: Cards, can_be: Sequence[int], context: int) -> NotatedMove:
    codes, label_of, notation = rules.card_codes, lists_by_form(rules).label_of, canonical_notation(rules)
    label = label_of[form]
    if form == rules.forms.pass_form:
        return (
            NotatedMove("PASS", PASS)
            if notation is None
            else NotatedMove(notation.play_text(label, ()), notation.write_play(label, ()))
        )
    texts = [codes.kind_texts[card] for card in played]
    cards_text = ("" if codes.is_joined else " ").join(texts)
    cards = cards_text if codes.is_joined else texts
    is_ambiguous = len({label_of[candidate] for candidate in can_be}) > 1
    label_forms = [candidate for candidate in can_be if label_of[candidate] == label]
    value: Any = {"label": rules.label_texts[label], "cards": cards} if is_ambiguous else cards
    if notation is not None:
        text, value = notation.play_text(label, texts), notation.write_play(label, texts)
    elif not is_ambiguous and (codes.is_joined or rules.labels[label] in rules.pack.index):  # no label is needed
        text = cards_text
    else:
        kind, rank = label_name_parts(rules)[label]
        text = f"{kind} {rank} {cards_text}"
    if not have_equal_order(rules, label_forms, context):
        value = {"label": rules.label_texts[label], "form": str(rules.forms.forms[form].name), "cards": cards}
    return NotatedMove(text, value)
