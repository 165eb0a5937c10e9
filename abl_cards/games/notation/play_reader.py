"""Read plays and choices from JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from abl_cards.asp import Term, split_term
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.notation.canonical import CanonicalNotation, canonical_notation, is_canonical_play
from abl_cards.games.notation.card_forms import find_forms, have_equal_order
from abl_cards.games.notation.plays import PASS, ParsedPlay, label_arguments, labels_of_forms, options_json


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
        label = _look_up_name(labels_by_text(rules), value["label"], "label")
    if "form" in value:
        form = _look_up_name(
            {str(each_form.name): index for index, each_form in enumerate(rules.forms.forms)}, value["form"], "form"
        )
    cards = () if value["cards"] == PASS else rules.card_codes.read(value["cards"])
    if not cards and label not in (None, int(rules.forms.label_of[rules.forms.pass_form])):
        raise GameError(f"cards: {value['label']} needs cards", ErrorCode.INVALID_MOVE)
    return ParsedPlay(cards, label, form)


@cache_per_game
def labels_by_text(rules: CompiledGame) -> Mapping[str, int]:
    """Index the labels by their terms and by what players read: ``run(10,3)``, ``run(T,3)``, ``run T,3``, ``run 10,3``.

    Where two labels share a text, a term is one in brackets, and a letter one without.
    """
    labels = {text: index for index, text in enumerate(rules.label_texts)}
    arguments = [",".join(map(str, split_term(label)[1])) for label in rules.labels]
    spelled = [(name, ",".join(letters)) for name, letters in label_arguments(rules)]
    forms = [("{}({})", spelled), ("{} {}", spelled)]
    forms.append(("{} {}", [(name, terms) for (name, _), terms in zip(spelled, arguments, strict=True)]))
    for form, names in forms:
        for index, name in enumerate(names):
            if arguments[index] and rules.labels[index] not in rules.pack.index:
                labels.setdefault(form.format(*name), index)
    return labels


def split_label(rules: CompiledGame, text: str) -> tuple[int, list[str]] | None:
    """Read the label with which the text of a move begins.

    Args:
        rules: Compiled game.
        text: Text of a move, such as ``run T,3 ST HJ SQ``.

    Returns:
        Index of the label, and the other words; None if the text begins with no label.
    """
    words, labels = text.split(), labels_by_text(rules)
    for length in (2, 1):
        label = labels.get(" ".join(words[:length])) if len(words) >= length else None
        if label is not None:
            return label, words[length:]
    return None


def join_words(rules: CompiledGame, words: Sequence[str]) -> str:
    """Join words of cards to one text that `CardCodes.read` accepts."""
    return ("" if rules.card_codes.is_joined else " ").join(words)


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


def _look_up_name(names: Mapping[str, int], value: Any, field: str) -> int:
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
        letters = rules.card_codes.term_texts
        spelled = [index for index, option in enumerate(rules.schema.options) if letters.get(option) == value]
        if len(spelled) == 1:  # a suit or a rank by its letter
            return spelled[0]
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
            f": they can be {_join_with_or(labels_of_forms(rules, all_forms))}" if all_forms and play.cards else ""
        )
        raise GameError(
            f"{cards_text or 'no cards'} {_mismatch_text(rules, play)}{alternatives}", ErrorCode.INVALID_MOVE
        )
    if not have_equal_order(rules, forms, context):
        raise GameError(ambiguity_message(rules, play, forms), ErrorCode.AMBIGUOUS_MOVE)
    return forms[0]


def ambiguity_message(rules: CompiledGame, play: ParsedPlay, forms: Sequence[int]) -> str:
    """Return the message for a play that can be of several forms."""
    cards_text, labels = rules.card_codes.to_text(play.cards), labels_of_forms(rules, forms)
    if len(labels) > 1:
        return f'{cards_text} can be {_join_with_or(labels)}: write {{"label": "{labels[0]}", "cards": …}}'
    names = [rules.forms.forms[form].name for form in forms]
    example = f'{{"label": "{labels[0]}", "form": "{names[0]}", "cards": …}}'
    return f"{cards_text} can be {_join_with_or(names)}: write {example}"


def _mismatch_text(rules: CompiledGame, play: ParsedPlay) -> str:
    if play.form is not None:
        return f"are not a {rules.forms.forms[play.form].name}"
    return "are not a play" if play.label is None else f"are not a {rules.labels[play.label]}"


def _join_with_or(terms: Sequence[Term]) -> str:
    """Join terms with commas and a final "or".

    >>> _join_with_or(["pair(4)", "pair(5)", "bomb"])
    'pair(4), pair(5) or bomb'
    """
    texts = list(map(str, terms))
    return " or ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)
