"""Plays and choices in words, and what cards that were laid down can be.

A play is its cards as Letters write them, a pass ``"pass"``. Cards that read as several labels come with the label that
is meant: ``{"label": "run(3)", "cards": ["*","A4"]}``. A choice is its option: a card, a number, or a term. Games whose
plays have words of their own write them so (written.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.play.card_sets import card_sets
from abl_cards.games.play.choices import NO_FORM
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD
from abl_cards.games.words.letters import Cards, hand_of
from abl_cards.games.words.once import once
from abl_cards.games.words.written import Written, is_written, written
from abl_cards.logic import Term
from abl_cards.logic.terms import parse_name

PASS = "pass"
AT_ONCE = 256
"""Card sets that are read together: each has a column of all forms."""


@dataclass(frozen=True)
class Action:
    """A play, a pass or a choice."""

    text: str
    value: Any

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> Any:
        """As states and records have it."""
        return self.value


class Wanted(NamedTuple):
    """A play as somebody writes it."""

    cards: Cards  # none for a pass
    label: int | None = None  # where it is said
    form: int | None = None


# --- what cards can be ------------------------------------------------------------------------------------------------


def identify(rules: Rules, cards: Cards, context: int) -> tuple[int, ...]:
    """The forms that cards can be which somebody has laid down in a context."""
    return readings(rules, hand_of(cards, len(rules.pack))[None], np.array([context], np.int16))[0]


def readings(rules: Rules, hands: NDArray[np.uint8], contexts: NDArray[np.int16]) -> list[tuple[int, ...]]:
    """The forms that all the cards of each of hands [n, kinds] can be, in contexts [n]."""
    found: list[tuple[int, ...]] = []
    for first in range(0, len(hands), AT_ONCE):
        found += _readings(rules, hands[first : first + AT_ONCE], contexts[first : first + AT_ONCE])
    return found


def _readings(rules: Rules, hands: NDArray[np.uint8], contexts: NDArray[np.int16]) -> list[tuple[int, ...]]:
    n = len(hands)
    labels, forms = (np.ones((count, n), np.uint8) for count in (len(rules.labels), len(rules.forms)))
    lists = card_sets(rules, hands, contexts, np.zeros(n, np.bool_), labels, forms)
    bounds = zip(lists.start[:-1], lists.start[1:], strict=True)
    return [tuple(np.unique(lists.form[first:last]).tolist()) for first, last in bounds]


def order_of(rules: Rules, form: int, context: int) -> tuple[Term, int]:
    """What decides what beats a form: its kind and its strength."""
    return rules.forms.forms[form].kind, int(rules.strength[context, form])


def _alike(rules: Rules, forms: Sequence[int], context: int) -> bool:
    return len({order_of(rules, form, context) for form in forms}) <= 1


# --- out of moves -----------------------------------------------------------------------------------------------------


def action(rules: Rules, form: int, cards: NDArray[np.uint8], context: int | None = None) -> Action:
    """A move in words: a play in a context, by default in any in which the cards can be this form."""
    if context is not None:
        return actions(rules, np.array([form]), cards[None], np.array([context], np.int16))[0]
    whole = _is_composed(rules, form, _laid(cards))
    if form in (NO_FORM, rules.forms.passing) or written(rules) is not None or whole:
        return actions(rules, np.array([form]), cards[None], np.zeros(1, np.int16))[0]
    laid = _laid(cards)
    acting = rules.cells.acts[:, sorted(set(laid))]
    _, contexts = np.unique(acting.reshape(len(acting), -1), axis=0, return_index=True)
    hands = np.repeat(hand_of(laid, len(rules.pack))[None], len(contexts), axis=0)
    found = readings(rules, hands, contexts.astype(np.int16))
    read = [whole_forms(rules, forms, form) for forms in found]
    fitting = [(forms, int(context)) for forms, context in zip(read, contexts, strict=True) if form in forms]
    several = [each for each in fitting if len(_labels(rules, each[0])) > 1]
    forms, at = (several or fitting or [((form,), 0)])[0]
    return _play(rules, form, laid, forms, at)


def actions(
    rules: Rules, forms: NDArray[np.integer], cards: NDArray[np.uint8], contexts: NDArray[np.int16]
) -> list[Action]:
    """Moves in words: forms [n] and cards [n, most] as in Moves, in contexts [n]."""
    numbers = forms.tolist()
    laid = [_laid(row) for row in cards]
    doubtful = _doubtful(rules) if written(rules) is None else _strengths_differ(rules)
    composed = [rules.composing and _is_composed(rules, form, laid[row]) for row, form in enumerate(numbers)]
    plays = [
        row
        for row, form in enumerate(numbers)
        if form not in (NO_FORM, rules.forms.passing) and doubtful[form] and not composed[row]
    ]
    can_be: dict[int, tuple[int, ...]] = {}
    if plays:
        hands = np.stack([hand_of(laid[row], len(rules.pack)) for row in plays])
        can_be = dict(zip(plays, readings(rules, hands, contexts[plays]), strict=True))
    found = []
    for row, form in enumerate(numbers):
        if form == NO_FORM:
            found.append(option_action(rules, int(cards[row, 0])))
        elif composed[row]:
            found.append(Action(rules.letters.spoken(laid[row]), rules.letters.write(laid[row])))
        else:
            read = whole_forms(rules, can_be.get(row, (form,)), form)
            found.append(_play(rules, form, laid[row], read, int(contexts[row])))
    return found


def whole_forms(rules: Rules, forms: Sequence[int], meant: int) -> tuple[int, ...]:
    """The forms that cards can be without what is part of a longer play alone, where that is not meant."""
    return tuple(form for form in forms if rules.partial[meant] or not rules.partial[form])


def _is_composed(rules: Rules, form: int, laid: Cards) -> bool:
    """Whether a play is more than the form of its last card."""
    return form != NO_FORM and len(laid) > rules.forms.cards_of[form]


@once
def _doubtful(rules: Rules) -> NDArray[np.bool_]:
    """[forms] whether cards that are of a form can be of another one: whether both have room in so many cards.

    Asking the walk is exact, and takes far longer; this says where it need not be asked.
    """
    forms = rules.forms.forms
    cells = sorted({group.cell for form in forms for group in form.groups})
    needs = np.zeros((len(forms), len(cells)), np.int16)
    for row, form in enumerate(forms):
        for group in form.groups:
            needs[row, cells.index(group.cell)] += group.count
    wilds = np.array([form.wilds for form in forms], np.int16)
    doubtful = np.full(len(forms), _overlap(rules, cells))
    for size in np.unique(rules.forms.cards_of).tolist():
        rows = np.flatnonzero(rules.forms.cards_of == size)
        if len(rows) > MOST_COMPARED:
            doubtful[rows] = True
            continue
        together = np.zeros((len(rows), len(rows)), np.int16)
        for column in needs[rows].T:
            together += np.maximum(column[:, None], column)
        fits = together <= size + wilds[rows][:, None] + wilds[rows]
        np.fill_diagonal(fits, False)
        doubtful[rows] |= fits.any(axis=1)
    return doubtful


@once
def _strengths_differ(rules: Rules) -> NDArray[np.bool_]:
    """[forms] whether another form of the same label and as many cards is stronger or weaker anywhere."""
    groups = rules.forms.label_of.astype(np.int64) * (rules.forms.most_cards + 1) + rules.forms.cards_of
    kinds = np.unique([str(form.kind) for form in rules.forms.forms], return_inverse=True)[1]
    differ = np.zeros(len(groups), np.bool_)
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        differ[rows] = len(set(kinds[rows])) > 1 or bool((np.ptp(rules.strength[:, rows], axis=1) > 0).any())
    return differ


MOST_COMPARED = 2000
"""Forms of one size that are compared with each other."""


def _overlap(rules: Rules, cells: Sequence[int]) -> bool:
    """Whether a card acts as two cells that forms speak of."""
    return bool(np.isin(rules.cells.acts, np.array(cells, np.int16)).sum(axis=2).max(initial=0) > 1)


def _laid(cards: NDArray[np.uint8]) -> Cards:
    return tuple(card for card in cards.tolist() if card != NO_CARD)


def _labels(rules: Rules, forms: Sequence[int]) -> list[Term]:
    return [rules.labels[label] for label in sorted({int(rules.forms.label_of[form]) for form in forms})]


def _play(rules: Rules, form: int, laid: Cards, can_be: Sequence[int], context: int) -> Action:
    letters, label, words = rules.letters, int(rules.forms.label_of[form]), written(rules)
    if form == rules.forms.passing:
        return Action("PASS", PASS) if words is None else Action(words.text(label, ()), words.play(label, ()))
    cards = letters.write(laid)
    several = len(_labels(rules, can_be)) > 1
    own = [each for each in can_be if rules.forms.label_of[each] == label]
    kind, rank = label_words(rules)[label]
    spoken = letters.spoken(laid)
    said = letters.joined or rules.labels[label] in rules.pack.number  # the cards say all
    text = spoken if said and not several else f"{kind} {rank} {spoken}"
    value: Any = {"label": rules.label_texts[label], "cards": cards} if several else cards
    if words is not None:
        names = [letters.texts[card] for card in laid]
        text, value = words.text(label, names), words.play(label, names)
    if not _alike(rules, own, context):
        value = {"label": rules.label_texts[label], "form": str(rules.forms.forms[form].name), "cards": cards}
    return Action(text, value)


def option_action(rules: Rules, option: int, stage: str | None = None) -> Action:
    """A choice in words; of a stage that has words of its own, by these."""
    value, words = option_json(rules)[option], written(rules)
    triple = words.choice(stage, value) if words and stage and isinstance(value, str) else None
    return Action(str(value), value) if triple is None else Action(" ".join([*triple[:2], value]), triple)


@once
def option_json(rules: Rules) -> tuple[Any, ...]:
    """[options] as JSON: a card of the pack by its letters, a number, else a term."""
    pack, letters = rules.pack, rules.letters
    return tuple(letters.texts[pack.number[each]] if each in pack.number else each for each in rules.words.options)


@once
def label_words(rules: Rules) -> tuple[tuple[str, str], ...]:
    """[labels] what each is called, and its arguments in letters: ``pair`` and ``4``, ``rocket`` and ``-``."""
    spelled = spelled_arguments(rules)
    return tuple((name, ",".join(arguments) or "-") for name, arguments in spelled)


@once
def spelled_arguments(rules: Rules) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """[labels] the functor, and the arguments: by their letter where they are ranks or suits of what is laid down."""
    parsed = [parse_name(label) for label in rules.labels]
    votes: dict[tuple[str, int, int], list[bool]] = {}
    cells, letters = rules.cells.names, rules.letters.terms
    for form in rules.forms.forms:
        name, arguments = parsed[form.label]
        own = {cells[group.cell] for group in form.groups} | {form.suit}
        for place, argument in enumerate(arguments):
            votes.setdefault((name, len(arguments), place), []).append(argument in own)
    spelled = {key for key, seen in votes.items() if 2 * sum(seen) > len(seen)}
    kinds, texts = rules.pack.number, rules.letters.texts
    return tuple(
        (name, (texts[kinds[label]],)) if label in kinds else
        (name, tuple(
            letters.get(argument, str(argument)) if (name, len(arguments), place) in spelled else str(argument)
            for place, argument in enumerate(arguments)
        ))
        for label, (name, arguments) in zip(rules.labels, parsed, strict=True)
    )  # fmt: skip


# --- out of JSON ------------------------------------------------------------------------------------------------------


def read_play(rules: Rules, value: Any) -> Wanted:
    """A play as JSON; raises GameError."""
    if value == PASS:
        return Wanted(())
    words = written(rules)
    if words is not None and is_written(value):
        return _read_written(rules, words, value)
    if not isinstance(value, dict):
        cards = rules.letters.read(value)
        if not cards:
            raise GameError(f'no cards are no play: write "{PASS}"')
        return Wanted(cards)
    strange = sorted(set(map(str, value)) - {"label", "form", "cards"})
    if strange or "cards" not in value:
        raise GameError(f'{value!r} is no play: write {{"label": …, "cards": …}}')
    label = form = None
    if "label" in value:
        names = {text: number for number, text in enumerate(rules.label_texts)}
        label = _known(names, value["label"], "label")
    if "form" in value:
        form = _known({str(each.name): number for number, each in enumerate(rules.forms.forms)}, value["form"], "form")
    cards = () if value["cards"] == PASS else rules.letters.read(value["cards"])
    if not cards and label not in (None, int(rules.forms.label_of[rules.forms.passing])):
        raise GameError(f"cards: no cards are no {value['label']}")
    return Wanted(cards, label, form)


def _read_written(rules: Rules, words: Written, value: list[Any]) -> Wanted:
    """A play as a type, a rank and the cards."""
    if value == words.play(words.passing, ()):
        return Wanted(())
    kind, rank, texts = value
    cards = rules.letters.read(texts)
    label = words.meant.get((kind, rank, len(cards)))
    if not cards or label is None:
        some = rules.letters.spoken(cards) or "no cards"
        raise GameError(f"{kind} {rank} of {some} is no play")
    return Wanted(cards, label)


def _known(names: dict[str, int], value: Any, field: str) -> int:
    if not isinstance(value, str | int) or str(value) not in names:
        raise GameError(f"{field}: {value!r} is none of {', '.join(list(names)[:6])}, …")
    return names[str(value)]


def read_option(rules: Rules, value: Any) -> int:
    """The number of a choice as JSON; raises GameError."""
    known = option_json(rules)
    if written(rules) is not None and is_written(value) and len(value[2]) == 1:
        (value,) = value[2]
    if isinstance(value, str | int) and not isinstance(value, bool):
        for number, each in enumerate(known):
            if value == each:
                return number
    some = ", ".join(map(str, known[:8])) + (", …" if len(known) > 8 else "")
    raise GameError(f"{value!r} is no choice: write one of {some}")


def fits(rules: Rules, wanted: Wanted, form: int) -> bool:
    """Whether a form is what is meant, as far as that is said."""
    if wanted.form is not None and form != wanted.form:
        return False
    return wanted.label is None or int(rules.forms.label_of[form]) == wanted.label


def form_of(rules: Rules, wanted: Wanted, context: int) -> int:
    """The form of cards that are to beat; raises GameError where there is none, or where several differ."""
    every = identify(rules, wanted.cards, context) if len(wanted.cards) <= rules.forms.most_cards else ()
    forms = [form for form in every if form != rules.forms.passing and fits(rules, wanted, form)]
    forms = [form for form in forms if wanted.label is not None or not rules.partial[form]] or forms
    spoken = rules.letters.spoken(wanted.cards)
    if not forms:
        can_be = f": they can be {listed(_labels(rules, every))}" if every and wanted.cards else ""
        raise GameError(f"{spoken or 'no cards'} {_meant(rules, wanted)}{can_be}")
    if not _alike(rules, forms, context):
        raise GameError(ambiguous(rules, wanted, forms))
    return forms[0]


def ambiguous(rules: Rules, wanted: Wanted, forms: Sequence[int]) -> str:
    """What is wrong with a play that can be of several forms."""
    spoken, labels = rules.letters.spoken(wanted.cards), _labels(rules, forms)
    if len(labels) > 1:
        return f'{spoken} can be {listed(labels)}: write {{"label": "{labels[0]}", "cards": …}}'
    names = [rules.forms.forms[form].name for form in forms]
    return f'{spoken} can be {listed(names)}: write {{"label": "{labels[0]}", "form": "{names[0]}", "cards": …}}'


def _meant(rules: Rules, wanted: Wanted) -> str:
    if wanted.form is not None:
        return f"are no {rules.forms.forms[wanted.form].name}"
    return "are no play" if wanted.label is None else f"are no {rules.labels[wanted.label]}"


def listed(terms: Sequence[Term]) -> str:
    """Terms as a list in a sentence.

    >>> listed(["pair(4)", "pair(5)", "bomb"])
    'pair(4), pair(5) or bomb'
    """
    texts = list(map(str, terms))
    return " or ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def wanted_text(rules: Rules, wanted: Wanted) -> str:
    """A play as it is spoken of."""
    return rules.letters.spoken(wanted.cards) or "PASS"
