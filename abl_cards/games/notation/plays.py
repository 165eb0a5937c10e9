"""Notation of plays and choices, and the forms that cards can have.

A play is written as its cards by ``CardCodes``, a pass as ``"pass"``. Cards with several possible labels are written
with the intended one: ``{"label": "run(3)", "cards": ["*","A4"]}``. A choice is written as its option: a card, a number
or a term. Games with a canonical notation (canonical.py) use that instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, split_term
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame, cache_per_game, whole_hand_moves
from abl_cards.games.description import Cards, counts_from_cards
from abl_cards.games.notation.canonical import CanonicalNotation, canonical_notation, is_canonical_play
from abl_cards.games.tables import NO_FORM
from abl_cards.games.types import NO_CARD

PASS = "pass"
BATCH_SIZE = 256
"""Card sets per batch; bounds memory, because each has a column of all forms."""


@dataclass(frozen=True)
class NotatedMove:
    """A play, a pass or a choice."""

    text: str
    value: Any

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> Any:
        """Return the JSON form used in states and records."""
        return self.value


class ParsedPlay(NamedTuple):
    """Play as parsed from text or JSON.

    Attributes:
        cards: Cards; empty for a pass.
        label: Index of the label; None if not given.
        form: Index of the form; None if not given.
    """

    cards: Cards
    label: int | None = None
    form: int | None = None


# --- forms of cards ---------------------------------------------------------------------------------------------------


def find_forms(rules: CompiledGame, cards: Cards, context: int) -> tuple[int, ...]:
    """Return the forms that played cards can have in a context."""
    return find_forms_batch(rules, counts_from_cards(cards, len(rules.pack))[None], np.array([context], np.int16))[0]


def find_forms_batch(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16]
) -> list[tuple[int, ...]]:
    """Return the forms of all cards of each of hands [n, kinds] in contexts [n]."""
    forms: list[tuple[int, ...]] = []
    for first in range(0, len(hands), BATCH_SIZE):
        forms += _find_forms_chunk(rules, hands[first : first + BATCH_SIZE], contexts[first : first + BATCH_SIZE])
    return forms


def _find_forms_chunk(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16]
) -> list[tuple[int, ...]]:
    lists = whole_hand_moves(rules, hands, contexts, np.zeros(len(hands), np.bool_))
    forms, bounds = lists.form.tolist(), lists.start.tolist()
    return [tuple(sorted(set(forms[first:last]))) for first, last in pairwise(bounds)]


def order_key(rules: CompiledGame, form: int, context: int) -> tuple[Term, int]:
    """Return kind and strength of a form, which decide which forms beat it."""
    return rules.forms.forms[form].kind, int(rules.strength[context, form])


def _have_equal_order(rules: CompiledGame, forms: Sequence[int], context: int) -> bool:
    return len(forms) <= 1 or len({order_key(rules, form, context) for form in forms}) <= 1


# --- writing ----------------------------------------------------------------------------------------------------------


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
    filtered = [drop_partial_forms(rules, forms, form) for forms in form_lists]
    matching = [(forms, int(context)) for forms, context in zip(filtered, contexts, strict=True) if form in forms]
    ambiguous = [
        forms_and_context for forms_and_context in matching if len(_labels_of_forms(rules, forms_and_context[0])) > 1
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
            readings = drop_partial_forms(rules, can_be.get(row, (form,)), form)
            notations.append(_notate_play(rules, form, card_lists[row], readings, context_list[row]))
    return notations


def _count_rows(cards: NDArray[np.uint8], kinds: int) -> NDArray[np.uint8]:
    """Count the copies of each kind [n, kinds] in rows of cards [n, max cards], padded with NO_CARD."""
    counts, rows = np.zeros((len(cards), NO_CARD + 1), np.uint8), np.arange(len(cards))
    for column in cards.T:
        counts[rows, column] += 1
    return np.ascontiguousarray(counts[:, :kinds])


def drop_partial_forms(rules: CompiledGame, forms: Sequence[int], intended: int) -> tuple[int, ...]:
    """Return forms without those that occur only inside composed plays, unless the intended form is one."""
    partial = _lists_by_form(rules).is_partial
    return tuple(forms) if partial[intended] else tuple(form for form in forms if not partial[form])


class _ListsByForm(NamedTuple):
    """Facts of forms as lists, which single forms are read from faster than from arrays."""

    label_of: list[int]
    is_partial: list[bool]


@cache_per_game
def _lists_by_form(rules: CompiledGame) -> _ListsByForm:
    return _ListsByForm(rules.forms.label_of.tolist(), rules.partial_forms.tolist())


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
        if len(rows) > MAX_COMPARED_FORMS:
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


MAX_COMPARED_FORMS = 2000
"""Largest number of forms of one size that are compared pairwise."""


def _cells_overlap(rules: CompiledGame, cells: Sequence[int]) -> bool:
    """Return whether a card acts as two cells that forms use."""
    return bool(np.isin(rules.cells.acts_as, np.array(cells, np.int16)).sum(axis=2).max(initial=0) > 1)


def _without_padding(cards: NDArray[np.uint8]) -> Cards:
    return tuple(card for card in cards.tolist() if card != NO_CARD)


def _labels_of_forms(rules: CompiledGame, forms: Sequence[int]) -> list[Term]:
    label_of = _lists_by_form(rules).label_of
    return [rules.labels[label] for label in sorted({label_of[form] for form in forms})]


def _notate_play(rules: CompiledGame, form: int, played: Cards, can_be: Sequence[int], context: int) -> NotatedMove:
    codes, label_of, notation = rules.card_codes, _lists_by_form(rules).label_of, canonical_notation(rules)
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
    if not _have_equal_order(rules, label_forms, context):
        value = {"label": rules.label_texts[label], "form": str(rules.forms.forms[form].name), "cards": cards}
    return NotatedMove(text, value)


def notate_option(rules: CompiledGame, option: int, stage: str | None = None) -> NotatedMove:
    """Write a choice; in the canonical notation if the stage has one."""
    value, notation = options_json(rules)[option], canonical_notation(rules)
    canonical = notation.write_choice(stage, value) if notation and stage and isinstance(value, str) else None
    return (
        NotatedMove(str(value), value)
        if canonical is None
        else NotatedMove(" ".join([*canonical[:2], value]), canonical)
    )


@cache_per_game
def options_json(rules: CompiledGame) -> tuple[Any, ...]:
    """Return the JSON forms of all options.

    Args:
        rules: Compiled game.

    Returns:
        [options], each a card text, a number or a term.
    """
    pack, codes = rules.pack, rules.card_codes
    return tuple(
        codes.kind_texts[pack.index[option]] if option in pack.index else option for option in rules.schema.options
    )


@cache_per_game
def label_name_parts(rules: CompiledGame) -> tuple[tuple[str, str], ...]:
    """Return the name and the argument texts of each label.

    Args:
        rules: Compiled game.

    Returns:
        [labels], for example ``("pair", "4")``; the second is ``"-"`` without arguments.
    """
    names = label_arguments(rules)
    return tuple((name, ",".join(arguments) or "-") for name, arguments in names)


@cache_per_game
def label_arguments(rules: CompiledGame) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the functor and argument texts of each label; ranks and suits of the played cards by their letters."""
    parsed = [split_term(label) for label in rules.labels]
    votes: dict[tuple[str, int, int], list[bool]] = {}
    cells, letters = rules.cells.names, rules.card_codes.term_texts
    for form in rules.forms.forms:
        name, arguments = parsed[form.label]
        form_terms = {cells[group.cell] for group in form.groups} | {form.suit}
        for position, argument in enumerate(arguments):
            votes.setdefault((name, len(arguments), position), []).append(argument in form_terms)
    spelled = {key for key, votes_of_place in votes.items() if 2 * sum(votes_of_place) > len(votes_of_place)}
    kinds, texts = rules.pack.index, rules.card_codes.kind_texts
    return tuple(
        (name, (texts[kinds[label]],)) if label in kinds else
        (name, tuple(
            letters.get(argument, str(argument)) if (name, len(arguments), position) in spelled else str(argument)
            for position, argument in enumerate(arguments)
        ))
        for label, (name, arguments) in zip(rules.labels, parsed, strict=True)
    )  # fmt: skip


# --- reading ----------------------------------------------------------------------------------------------------------


def read_play(rules: CompiledGame, value: Any) -> ParsedPlay:
    """Read a play.

    Args:
        rules: Compiled game.
        value: JSON form of a play: cards, ``"pass"``, an object with label and cards, or canonical notation.

    Returns:
        The parsed play.

    Raises:
        GameError: The value is not a play of the game.
    """
    if value == PASS:
        return ParsedPlay(())
    notation = canonical_notation(rules)
    if notation is not None and is_canonical_play(value):
        return _read_canonical(rules, notation, value)
    if not isinstance(value, dict):
        cards = rules.card_codes.read(value)
        if not cards:
            raise GameError(f'a play without cards is written "{PASS}"', ErrorCode.INVALID_MOVE)
        return ParsedPlay(cards)
    unknown = sorted(set(map(str, value)) - {"label", "form", "cards"})
    if unknown or "cards" not in value:
        raise GameError(f'{value!r} is not a play: write {{"label": …, "cards": …}}', ErrorCode.INVALID_MOVE)
    label = form = None
    if "label" in value:
        names = {text: index for index, text in enumerate(rules.label_texts)}
        label = _look_up_name(names, value["label"], "label")
    if "form" in value:
        form = _look_up_name(
            {str(each_form.name): index for index, each_form in enumerate(rules.forms.forms)}, value["form"], "form"
        )
    cards = () if value["cards"] == PASS else rules.card_codes.read(value["cards"])
    if not cards and label not in (None, int(rules.forms.label_of[rules.forms.pass_form])):
        raise GameError(f"cards: {value['label']} needs cards", ErrorCode.INVALID_MOVE)
    return ParsedPlay(cards, label, form)


def _read_canonical(rules: CompiledGame, notation: CanonicalNotation, value: list[Any]) -> ParsedPlay:
    """Read a play in canonical notation: a type, a rank and the cards."""
    if value == notation.write_play(notation.pass_label, ()):
        return ParsedPlay(())
    kind, rank, texts = value
    cards = rules.card_codes.read(texts)
    label = notation.label_by_words.get((kind, rank, len(cards)))
    if not cards or label is None:
        cards_text = rules.card_codes.to_text(cards) or "no cards"
        raise GameError(f"{kind} {rank} of {cards_text} is not a play", ErrorCode.INVALID_MOVE)
    return ParsedPlay(cards, label)


def _look_up_name(names: dict[str, int], value: Any, field: str) -> int:
    if not isinstance(value, str | int) or str(value) not in names:
        raise GameError(
            f"{field}: unknown {field} {value!r}; known: {', '.join(list(names)[:6])}, …", ErrorCode.INVALID_MOVE
        )
    return names[str(value)]


def read_option(rules: CompiledGame, value: Any) -> int:
    """Return the index of a choice in JSON; raises GameError."""
    known = options_json(rules)
    if canonical_notation(rules) is not None and is_canonical_play(value) and len(value[2]) == 1:
        (value,) = value[2]
    if isinstance(value, str | int) and not isinstance(value, bool):
        for index, option in enumerate(known):
            if value == option:
                return index
    examples = ", ".join(map(str, known[:8])) + (", …" if len(known) > 8 else "")
    raise GameError(f"unknown choice {value!r}; known: {examples}", ErrorCode.INVALID_MOVE)


def matches_form(rules: CompiledGame, play: ParsedPlay, form: int) -> bool:
    """Return whether a form agrees with a parsed play as far as the text specifies it."""
    if play.form is not None and form != play.form:
        return False
    return play.label is None or int(rules.forms.label_of[form]) == play.label


def resolve_form(rules: CompiledGame, play: ParsedPlay, context: int) -> int:
    """Find the form of a play to beat.

    Args:
        rules: Compiled game.
        play: Parsed play.
        context: Index of the context.

    Returns:
        Index of the form.

    Raises:
        GameError: The cards have no matching form, or several that differ in strength.
    """
    all_forms = find_forms(rules, play.cards, context) if len(play.cards) <= rules.forms.max_cards else ()
    forms = [form for form in all_forms if form != rules.forms.pass_form and matches_form(rules, play, form)]
    forms = [form for form in forms if play.label is not None or not rules.partial_forms[form]] or forms
    cards_text = rules.card_codes.to_text(play.cards)
    if not forms:
        alternatives = (
            f": they can be {join_with_or(_labels_of_forms(rules, all_forms))}" if all_forms and play.cards else ""
        )
        raise GameError(
            f"{cards_text or 'no cards'} {_mismatch_text(rules, play)}{alternatives}", ErrorCode.INVALID_MOVE
        )
    if not _have_equal_order(rules, forms, context):
        raise GameError(ambiguity_message(rules, play, forms), ErrorCode.AMBIGUOUS_MOVE)
    return forms[0]


def ambiguity_message(rules: CompiledGame, play: ParsedPlay, forms: Sequence[int]) -> str:
    """Return the message for a play that can be of several forms."""
    cards_text, labels = rules.card_codes.to_text(play.cards), _labels_of_forms(rules, forms)
    if len(labels) > 1:
        return f'{cards_text} can be {join_with_or(labels)}: write {{"label": "{labels[0]}", "cards": …}}'
    names = [rules.forms.forms[form].name for form in forms]
    return (
        f'{cards_text} can be {join_with_or(names)}: write {{"label": "{labels[0]}", "form": "{names[0]}", "cards": …}}'
    )


def _mismatch_text(rules: CompiledGame, play: ParsedPlay) -> str:
    if play.form is not None:
        return f"are not a {rules.forms.forms[play.form].name}"
    return "are not a play" if play.label is None else f"are not a {rules.labels[play.label]}"


def join_with_or(terms: Sequence[Term]) -> str:
    """Join terms with commas and a final "or".

    >>> join_with_or(["pair(4)", "pair(5)", "bomb"])
    'pair(4), pair(5) or bomb'
    """
    texts = list(map(str, terms))
    return " or ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def play_text(rules: CompiledGame, play: ParsedPlay) -> str:
    """Return the cards of a play as text, or PASS."""
    return rules.card_codes.to_text(play.cards) or "PASS"
