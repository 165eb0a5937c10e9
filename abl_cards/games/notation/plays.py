"""Plays and choices in words, and what cards that were laid down can be.

A play is its cards as CardCodes writes them, a pass ``"pass"``. Cards that read as several labels come with the label
that is meant: ``{"label": "run(3)", "cards": ["*","A4"]}``. A choice is its option: a card, a number, or a term. Games
whose plays have words of their own write them so (canonical.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
"""Card sets that are read together: each has a column of all forms."""


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
    """A play as somebody writes it."""

    cards: Cards  # none for a pass
    label: int | None = None  # where it is said
    form: int | None = None


# --- what cards can be ------------------------------------------------------------------------------------------------


def find_forms(rules: CompiledGame, cards: Cards, context: int) -> tuple[int, ...]:
    """The forms that cards can be which somebody has laid down in a context."""
    return find_forms_batch(rules, counts_from_cards(cards, len(rules.pack))[None], np.array([context], np.int16))[0]


def find_forms_batch(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16]
) -> list[tuple[int, ...]]:
    """The forms that all the cards of each of hands [n, kinds] can be, in contexts [n]."""
    found: list[tuple[int, ...]] = []
    for first in range(0, len(hands), BATCH_SIZE):
        found += _find_forms_chunk(rules, hands[first : first + BATCH_SIZE], contexts[first : first + BATCH_SIZE])
    return found


def _find_forms_chunk(
    rules: CompiledGame, hands: NDArray[np.uint8], contexts: NDArray[np.int16]
) -> list[tuple[int, ...]]:
    n = len(hands)
    labels, forms = (np.ones((count, n), np.uint8) for count in (len(rules.labels), len(rules.forms)))
    lists = whole_hand_moves(rules, hands, contexts, np.zeros(n, np.bool_), labels, forms)
    bounds = zip(lists.start[:-1], lists.start[1:], strict=True)
    return [tuple(np.unique(lists.form[first:last]).tolist()) for first, last in bounds]


def order_key(rules: CompiledGame, form: int, context: int) -> tuple[Term, int]:
    """Return kind and strength of a form, which decide what beats it."""
    return rules.forms.forms[form].kind, int(rules.strength[context, form])


def _have_equal_order(rules: CompiledGame, forms: Sequence[int], context: int) -> bool:
    return len({order_key(rules, form, context) for form in forms}) <= 1


# --- out of moves -----------------------------------------------------------------------------------------------------


def notate_move(rules: CompiledGame, form: int, cards: NDArray[np.uint8], context: int | None = None) -> NotatedMove:
    """A move in words: a play in a context, by default in any in which the cards can be this form."""
    if context is not None:
        return notate_moves(rules, np.array([form]), cards[None], np.array([context], np.int16))[0]
    whole = _is_composed(rules, form, _without_padding(cards))
    if form in (NO_FORM, rules.forms.pass_form) or canonical_notation(rules) is not None or whole:
        return notate_moves(rules, np.array([form]), cards[None], np.zeros(1, np.int16))[0]
    laid = _without_padding(cards)
    acting = rules.cells.acts_as[:, sorted(set(laid))]
    _, contexts = np.unique(acting.reshape(len(acting), -1), axis=0, return_index=True)
    hands = np.repeat(counts_from_cards(laid, len(rules.pack))[None], len(contexts), axis=0)
    found = find_forms_batch(rules, hands, contexts.astype(np.int16))
    read = [drop_partial_forms(rules, forms, form) for forms in found]
    fitting = [(forms, int(context)) for forms, context in zip(read, contexts, strict=True) if form in forms]
    several = [each for each in fitting if len(_labels_of_forms(rules, each[0])) > 1]
    forms, at = (several or fitting or [((form,), 0)])[0]
    return _notate_play(rules, form, laid, forms, at)


def notate_moves(
    rules: CompiledGame, forms: NDArray[np.integer], cards: NDArray[np.uint8], contexts: NDArray[np.int16]
) -> list[NotatedMove]:
    """Moves in words: forms [n] and cards [n, most] as in Moves, in contexts [n]."""
    numbers = forms.tolist()
    laid = [_without_padding(row) for row in cards]
    doubtful = _is_ambiguous(rules) if canonical_notation(rules) is None else _has_varying_strength(rules)
    composed = [rules.has_composed_plays and _is_composed(rules, form, laid[row]) for row, form in enumerate(numbers)]
    plays = [
        row
        for row, form in enumerate(numbers)
        if form not in (NO_FORM, rules.forms.pass_form) and doubtful[form] and not composed[row]
    ]
    can_be: dict[int, tuple[int, ...]] = {}
    if plays:
        hands = np.stack([counts_from_cards(laid[row], len(rules.pack)) for row in plays])
        can_be = dict(zip(plays, find_forms_batch(rules, hands, contexts[plays]), strict=True))
    found = []
    for row, form in enumerate(numbers):
        if form == NO_FORM:
            found.append(notate_option(rules, int(cards[row, 0])))
        elif composed[row]:
            found.append(NotatedMove(rules.card_codes.to_text(laid[row]), rules.card_codes.write(laid[row])))
        else:
            read = drop_partial_forms(rules, can_be.get(row, (form,)), form)
            found.append(_notate_play(rules, form, laid[row], read, int(contexts[row])))
    return found


def drop_partial_forms(rules: CompiledGame, forms: Sequence[int], intended: int) -> tuple[int, ...]:
    """The forms that cards can be without what is part of a longer play alone, where that is not meant."""
    return tuple(form for form in forms if rules.partial_forms[intended] or not rules.partial_forms[form])


def _is_composed(rules: CompiledGame, form: int, laid: Cards) -> bool:
    """Return whether a play consists of more than the form of its last cards."""
    return form != NO_FORM and len(laid) > rules.forms.num_cards[form]


@cache_per_game
def _is_ambiguous(rules: CompiledGame) -> NDArray[np.bool_]:
    """Return for each form [forms] whether its cards may also be of another form, by capacities.

    Enumerating the moves is exact and far slower; forms that this excludes need no enumeration.
    """
    forms = rules.forms.forms
    cells = sorted({group.cell for form in forms for group in form.groups})
    needs = np.zeros((len(forms), len(cells)), np.int16)
    for row, form in enumerate(forms):
        for group in form.groups:
            needs[row, cells.index(group.cell)] += group.count
    wilds = np.array([form.max_wilds for form in forms], np.int16)
    doubtful = np.full(len(forms), _cells_overlap(rules, cells))
    for size in np.unique(rules.forms.num_cards).tolist():
        rows = np.flatnonzero(rules.forms.num_cards == size)
        if len(rows) > MAX_COMPARED_FORMS:
            doubtful[rows] = True
            continue
        together = np.zeros((len(rows), len(rows)), np.int16)
        for column in needs[rows].T:
            together += np.maximum(column[:, None], column)
        fits = together <= size + wilds[rows][:, None] + wilds[rows]
        np.fill_diagonal(fits, False)
        doubtful[rows] |= fits.any(axis=1)
    return doubtful


@cache_per_game
def _has_varying_strength(rules: CompiledGame) -> NDArray[np.bool_]:
    """[forms] whether another form of the same label and as many cards is stronger or weaker anywhere."""
    groups = rules.forms.label_of.astype(np.int64) * (rules.forms.max_cards + 1) + rules.forms.num_cards
    kinds = np.unique([str(form.kind) for form in rules.forms.forms], return_inverse=True)[1]
    differ = np.zeros(len(groups), np.bool_)
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        differ[rows] = len(set(kinds[rows])) > 1 or bool((np.ptp(rules.strength[:, rows], axis=1) > 0).any())
    return differ


MAX_COMPARED_FORMS = 2000
"""Forms of one size that are compared with each other."""


def _cells_overlap(rules: CompiledGame, cells: Sequence[int]) -> bool:
    """Return whether a card acts as two cells that forms use."""
    return bool(np.isin(rules.cells.acts_as, np.array(cells, np.int16)).sum(axis=2).max(initial=0) > 1)


def _without_padding(cards: NDArray[np.uint8]) -> Cards:
    return tuple(card for card in cards.tolist() if card != NO_CARD)


def _labels_of_forms(rules: CompiledGame, forms: Sequence[int]) -> list[Term]:
    return [rules.labels[label] for label in sorted({int(rules.forms.label_of[form]) for form in forms})]


def _notate_play(rules: CompiledGame, form: int, laid: Cards, can_be: Sequence[int], context: int) -> NotatedMove:
    letters, label, words = rules.card_codes, int(rules.forms.label_of[form]), canonical_notation(rules)
    if form == rules.forms.pass_form:
        return (
            NotatedMove("PASS", PASS)
            if words is None
            else NotatedMove(words.play_text(label, ()), words.write_play(label, ()))
        )
    cards = letters.write(laid)
    several = len(_labels_of_forms(rules, can_be)) > 1
    own = [each for each in can_be if rules.forms.label_of[each] == label]
    kind, rank = label_name_parts(rules)[label]
    spoken = letters.to_text(laid)
    said = letters.is_joined or rules.labels[label] in rules.pack.index  # the cards say all
    text = spoken if said and not several else f"{kind} {rank} {spoken}"
    value: Any = {"label": rules.label_texts[label], "cards": cards} if several else cards
    if words is not None:
        names = [letters.kind_texts[card] for card in laid]
        text, value = words.play_text(label, names), words.write_play(label, names)
    if not _have_equal_order(rules, own, context):
        value = {"label": rules.label_texts[label], "form": str(rules.forms.forms[form].name), "cards": cards}
    return NotatedMove(text, value)


def notate_option(rules: CompiledGame, option: int, stage: str | None = None) -> NotatedMove:
    """A choice in words; of a stage that has words of its own, by these."""
    value, words = options_json(rules)[option], canonical_notation(rules)
    triple = words.write_choice(stage, value) if words and stage and isinstance(value, str) else None
    return NotatedMove(str(value), value) if triple is None else NotatedMove(" ".join([*triple[:2], value]), triple)


@cache_per_game
def options_json(rules: CompiledGame) -> tuple[Any, ...]:
    """[options] as JSON: a card of the pack by its letters, a number, else a term."""
    pack, letters = rules.pack, rules.card_codes
    return tuple(letters.kind_texts[pack.index[each]] if each in pack.index else each for each in rules.schema.options)


@cache_per_game
def label_name_parts(rules: CompiledGame) -> tuple[tuple[str, str], ...]:
    """[labels] what each is called, and its arguments in letters: ``pair`` and ``4``, ``rocket`` and ``-``."""
    spelled = label_arguments(rules)
    return tuple((name, ",".join(arguments) or "-") for name, arguments in spelled)


@cache_per_game
def label_arguments(rules: CompiledGame) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """[labels] the functor, and the arguments: by their letter where they are ranks or suits of what is laid down."""
    parsed = [split_term(label) for label in rules.labels]
    votes: dict[tuple[str, int, int], list[bool]] = {}
    cells, letters = rules.cells.names, rules.card_codes.term_texts
    for form in rules.forms.forms:
        name, arguments = parsed[form.label]
        own = {cells[group.cell] for group in form.groups} | {form.suit}
        for place, argument in enumerate(arguments):
            votes.setdefault((name, len(arguments), place), []).append(argument in own)
    spelled = {key for key, seen in votes.items() if 2 * sum(seen) > len(seen)}
    kinds, texts = rules.pack.index, rules.card_codes.kind_texts
    return tuple(
        (name, (texts[kinds[label]],)) if label in kinds else
        (name, tuple(
            letters.get(argument, str(argument)) if (name, len(arguments), place) in spelled else str(argument)
            for place, argument in enumerate(arguments)
        ))
        for label, (name, arguments) in zip(rules.labels, parsed, strict=True)
    )  # fmt: skip


# --- out of JSON ------------------------------------------------------------------------------------------------------


def read_play(rules: CompiledGame, value: Any) -> ParsedPlay:
    """A play as JSON; raises GameError."""
    if value == PASS:
        return ParsedPlay(())
    words = canonical_notation(rules)
    if words is not None and is_canonical_play(value):
        return _read_canonical(rules, words, value)
    if not isinstance(value, dict):
        cards = rules.card_codes.read(value)
        if not cards:
            raise GameError(f'no cards are no play: write "{PASS}"', ErrorCode.INVALID_MOVE)
        return ParsedPlay(cards)
    strange = sorted(set(map(str, value)) - {"label", "form", "cards"})
    if strange or "cards" not in value:
        raise GameError(f'{value!r} is no play: write {{"label": …, "cards": …}}', ErrorCode.INVALID_MOVE)
    label = form = None
    if "label" in value:
        names = {text: number for number, text in enumerate(rules.label_texts)}
        label = _look_up_name(names, value["label"], "label")
    if "form" in value:
        form = _look_up_name(
            {str(each.name): number for number, each in enumerate(rules.forms.forms)}, value["form"], "form"
        )
    cards = () if value["cards"] == PASS else rules.card_codes.read(value["cards"])
    if not cards and label not in (None, int(rules.forms.label_of[rules.forms.pass_form])):
        raise GameError(f"cards: no cards are no {value['label']}", ErrorCode.INVALID_MOVE)
    return ParsedPlay(cards, label, form)


def _read_canonical(rules: CompiledGame, words: CanonicalNotation, value: list[Any]) -> ParsedPlay:
    """A play as a type, a rank and the cards."""
    if value == words.write_play(words.pass_label, ()):
        return ParsedPlay(())
    kind, rank, texts = value
    cards = rules.card_codes.read(texts)
    label = words.label_by_words.get((kind, rank, len(cards)))
    if not cards or label is None:
        some = rules.card_codes.to_text(cards) or "no cards"
        raise GameError(f"{kind} {rank} of {some} is no play", ErrorCode.INVALID_MOVE)
    return ParsedPlay(cards, label)


def _look_up_name(names: dict[str, int], value: Any, field: str) -> int:
    if not isinstance(value, str | int) or str(value) not in names:
        raise GameError(f"{field}: {value!r} is none of {', '.join(list(names)[:6])}, …", ErrorCode.INVALID_MOVE)
    return names[str(value)]


def read_option(rules: CompiledGame, value: Any) -> int:
    """The number of a choice as JSON; raises GameError."""
    known = options_json(rules)
    if canonical_notation(rules) is not None and is_canonical_play(value) and len(value[2]) == 1:
        (value,) = value[2]
    if isinstance(value, str | int) and not isinstance(value, bool):
        for number, each in enumerate(known):
            if value == each:
                return number
    some = ", ".join(map(str, known[:8])) + (", …" if len(known) > 8 else "")
    raise GameError(f"{value!r} is no choice: write one of {some}", ErrorCode.INVALID_MOVE)


def matches_form(rules: CompiledGame, play: ParsedPlay, form: int) -> bool:
    """Return whether a form agrees with a parsed play as far as the text specifies it."""
    if play.form is not None and form != play.form:
        return False
    return play.label is None or int(rules.forms.label_of[form]) == play.label


def resolve_form(rules: CompiledGame, play: ParsedPlay, context: int) -> int:
    """The form of cards that are to beat; raises GameError where there is none, or where several differ."""
    every = find_forms(rules, play.cards, context) if len(play.cards) <= rules.forms.max_cards else ()
    forms = [form for form in every if form != rules.forms.pass_form and matches_form(rules, play, form)]
    forms = [form for form in forms if play.label is not None or not rules.partial_forms[form]] or forms
    spoken = rules.card_codes.to_text(play.cards)
    if not forms:
        can_be = f": they can be {join_with_or(_labels_of_forms(rules, every))}" if every and play.cards else ""
        raise GameError(f"{spoken or 'no cards'} {_mismatch_text(rules, play)}{can_be}", ErrorCode.INVALID_MOVE)
    if not _have_equal_order(rules, forms, context):
        raise GameError(ambiguity_message(rules, play, forms), ErrorCode.AMBIGUOUS_MOVE)
    return forms[0]


def ambiguity_message(rules: CompiledGame, play: ParsedPlay, forms: Sequence[int]) -> str:
    """Return the message for a play that can be of several forms."""
    spoken, labels = rules.card_codes.to_text(play.cards), _labels_of_forms(rules, forms)
    if len(labels) > 1:
        return f'{spoken} can be {join_with_or(labels)}: write {{"label": "{labels[0]}", "cards": …}}'
    names = [rules.forms.forms[form].name for form in forms]
    return f'{spoken} can be {join_with_or(names)}: write {{"label": "{labels[0]}", "form": "{names[0]}", "cards": …}}'


def _mismatch_text(rules: CompiledGame, play: ParsedPlay) -> str:
    if play.form is not None:
        return f"are no {rules.forms.forms[play.form].name}"
    return "are no play" if play.label is None else f"are no {rules.labels[play.label]}"


def join_with_or(terms: Sequence[Term]) -> str:
    """Terms as a list in a sentence.

    >>> join_with_or(["pair(4)", "pair(5)", "bomb"])
    'pair(4), pair(5) or bomb'
    """
    texts = list(map(str, terms))
    return " or ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def play_text(rules: CompiledGame, play: ParsedPlay) -> str:
    """A play as it is spoken of."""
    return rules.card_codes.to_text(play.cards) or "PASS"
