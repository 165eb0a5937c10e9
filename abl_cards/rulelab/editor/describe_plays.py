"""Describe the plays of a game and their order as text, with one line for plays that differ only in length."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

import numpy as np

from abl_cards.asp import Atom, Term
from abl_cards.core import join_texts, texts_by_language
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import WILD, Form, functor, parse_rank_and_suit
from abl_cards.games.notation import spell, spell_fluent
from abl_cards.games.tables import initial_fluent_state

_SHAPES = texts_by_language({
    "card": ("one card", "一张"),
    "rank": ("{} of a rank", "{}张同点"),
    "row1": ("{} ranks in a row", "{}连"),
    "row2": ("{} pairs in a row", "{}连对"),
    "row3": ("{} triples in a row", "{}连三张"),
    "row": ("{} ranks in a row, {} cards of each", "{}连，每点{}张"),
    "ranks1": ("{} ranks", "{}种点数"),
    "ranks": ("{} ranks, {} cards of each", "{}种点数，每点{}张"),
    "kicker_one": ("{} with one other card", "{}，带一张"),
    "kicker1": ("{} with {} other cards", "{}，带{}张"),
    "kicker_pair": ("{} with one pair", "{}，带一对"),
    "kicker2": ("{} with {} pairs", "{}，带{}对"),
    "kicker": ("{} with {} times {} of a rank", "{}，带{}组{}张"),
    "suit": ("{} of one suit", "同花{}"),
    "and": (" and ", "加"),
    "of_cards": ("{} of {} cards", "{}（{}张）"),
})  # fmt: skip

_MAX_NAMES = 3  # Chinese names in one line
_SUITED = re.compile(r"card\((-?\d+),\w+\)")


@dataclass(frozen=True)
class Translator:
    """Texts of one language.

    Attributes:
        language: "en" or "zh".
        templates: Texts with fields, by key.
    """

    language: str
    templates: Mapping[str, str] = field(repr=False)

    def __call__(self, key: str, *values: object) -> str:
        """Return a text with its fields filled."""
        return self.templates[key].format(*values)

    def join(self, texts: Iterable[object]) -> str:
        """Join texts to a list."""
        return join_texts(texts, self.language)


@dataclass
class _PlayGroup:
    """Kinds of play with one name and shape, of any length."""

    name: str
    form: Form
    is_bomb: bool
    is_row: bool = True  # the ranks follow each other in every form
    labels: set[int] = field(default_factory=set)
    lengths: set[int] = field(default_factory=set)  # groups of equal cards
    kickers: set[int] = field(default_factory=set)
    sizes: set[int] = field(default_factory=set)  # cards
    ranks: set[tuple[Term, ...]] = field(default_factory=set)


@dataclass(frozen=True)
class _Cards:
    """Cards of a form by rank; cells of cards of one rank count together."""

    ranks: tuple[Term, ...]
    counts: tuple[int, ...]
    has_one_suit: bool

    @classmethod
    def of_form(cls, form: Form, engine: Engine) -> _Cards:
        """Return the cards of a form."""
        cells = [engine.rules.cells.names[group.cell] for group in form.groups]
        totals: dict[Term, int] = {}
        for cell, group in zip(cells, form.groups, strict=True):
            totals[_rank_of(cell)] = totals.get(_rank_of(cell), 0) + group.count
        suits = {parts[1] if (parts := parse_rank_and_suit(cell)) else None for cell in cells}
        is_suited = form.suit is not None and form.suit is not False
        has_one_suit = len(form.groups) > 1 and (is_suited or (len(suits) == 1 and None not in suits))
        return cls(tuple(totals), tuple(totals.values()), has_one_suit)


def describe_plays(engine: Engine, translate: Translator) -> Iterator[str]:
    """Yield a line for each shape of plays, with the range of its lengths.

    Args:
        engine: Engine of the game.
        translate: Texts of the language.
    """
    shapes = Translator(translate.language, _SHAPES[translate.language])
    labels: dict[tuple[str, str], set[int]] = {}
    for group in _group_plays(engine):
        labels.setdefault((group.name, _shape(group, engine, shapes)), set()).update(group.labels)
    for (kind_name, shape), alike in labels.items():
        name = _name_labels(engine, kind_name, alike, translate.language)
        yield translate("plays_of", name, shape, len(alike)) if len(alike) > 1 else translate("play", name, shape)


def describe_shape(engine: Engine, forms: Sequence[int], language: str) -> str:
    """Describe the cards of plays with one name among players: ``5–12 ranks in a row``.

    Args:
        engine: Engine of the game.
        forms: Indices of the forms of these plays.
        language: "en" or "zh".

    Returns:
        The text; empty if the forms differ in more than length, or their cells have no names.
    """
    shapes, rules = Translator(language, _SHAPES[language]), engine.rules
    texts = set()
    for group in _group_forms(engine, [rules.forms.forms[form] for form in forms], lambda form: ""):
        cells = [rules.cells.names[item.cell] for item in group.form.groups]
        if len(cells) > 1 and not _are_words(spell(rules, "rank", _rank_of(cell), language) for cell in cells):
            return ""
        texts.add(_shape(group, engine, shapes))
    return texts.pop() if len(texts) == 1 else ""


def describe_order(engine: Engine, translate: Translator) -> Iterator[str]:
    """Yield lines about the order of plays.

    Args:
        engine: Engine of the game.
        translate: Texts of the language.
    """
    rules, groups = engine.rules, _group_plays(engine)
    if rules.trick_query is not None:
        yield translate("follow")
        trumps = rules.kb.instances("trumps", 1)
        if len(trumps) == 1:  # the same suit in every state
            yield translate("trumps", spell(rules, "suit", trumps[0][0], translate.language))
    elif rules.tiers and len(rules.kb.instances("beats", 1)) > 1:  # more than the pass
        yield translate("same_length" if any(len(group.lengths) > 1 for group in groups) else "same_kind")
        if bombs := _bomb_names(engine, groups, translate.language):
            yield translate("bombs", " < ".join(bombs))
    singles = _comparable_singles(rules)
    context = int(rules.contexts.compute_index(initial_fluent_state(rules)[None])[0])
    strengths = rules.strength[context][singles]
    rows = np.argsort(strengths, kind="stable")
    names = [rules.cells.names[rules.forms.forms[singles[row]].groups[0].cell] for row in rows]
    ranks = dict.fromkeys(spell(rules, "rank", _rank_of(name), translate.language) for name in names)
    is_fixed = bool((rules.strength[:, singles] == rules.strength[:1, singles]).all())
    if len(set(strengths.tolist())) > 1 and _are_words(ranks):
        yield translate("order" if is_fixed else "order_at_first", " ".join(ranks))
    yield from _describe_wild_cards(rules, context, translate)
    if not is_fixed:
        names = [spell_fluent(rules, name, translate.language) for name in rules.contexts.fluent_names]
        yield translate("order_depends", translate.join(names))


def _comparable_singles(rules: CompiledGame) -> list[int]:
    """Return the indices of the forms of one card, of the kind of most of them: others are not compared with these."""
    by_kind: dict[Term, list[int]] = {}
    for position, form in enumerate(rules.forms.forms):
        if form.num_cards == 1 and not form.suit:
            by_kind.setdefault(form.kind, []).append(position)
    return max(by_kind.values(), key=len, default=[])


def _describe_wild_cards(rules: CompiledGame, context: int, translate: Translator) -> Iterator[str]:
    """Yield the cards that stand in for others in the context in which a match begins."""
    if WILD not in rules.cells.index:
        return
    is_wild = (rules.cells.acts_as == rules.cells.index[WILD]).any(axis=2)
    kinds = [rules.pack.kinds[kind] for kind in np.flatnonzero(is_wild[context])]
    cards = translate.join(spell(rules, "card", kind, translate.language) for kind in kinds)
    yield translate("wild" if (is_wild == is_wild[0]).all() else "wild_at_first", cards or translate("no_card"))


def _are_words(texts: Iterable[str]) -> bool:
    """Return whether people can read the texts; False if one is a term such as ``at(c,11)``."""
    return not any("(" in text for text in texts)


def _bomb_names(engine: Engine, groups: Sequence[_PlayGroup], language: str) -> list[str]:
    """Return the kinds that beat others, from weak to strong; kinds of one tier are joined."""
    shapes, tiers, forms_by_kind = Translator(language, _SHAPES[language]), engine.rules.tiers, dict[Term, list[Form]]()
    for form in engine.rules.forms.forms:
        forms_by_kind.setdefault(form.kind, []).append(form)
    lowest = min(tiers.values())
    bombs: dict[tuple[int, str, int], None] = {}  # tier, name and number of cards, in order
    for group in groups:
        for kind, forms in forms_by_kind.items():
            labels = {form.label for form in forms} & group.labels
            if labels and tiers.get(kind, lowest) > lowest:
                bombs[tiers[kind], _name_labels(engine, group.name, labels, language), forms[0].num_cards] = None
    num_tiers = Counter(name for _, name in {(tier, name) for tier, name, _ in bombs})
    names: dict[int, dict[str, None]] = {}
    for tier, name, size in bombs:
        text = shapes("of_cards", name, size) if num_tiers[name] > 1 else name
        names.setdefault(tier, {})[text] = None
    return [" = ".join(names[tier]) for tier in sorted(names)]


def _name_labels(engine: Engine, kind_name: str, labels: Collection[int], language: str) -> str:
    """Return the name of plays of one kind: in Chinese the names of their labels, or how all of many names begin."""
    if language != "zh":
        return kind_name
    names = list(dict.fromkeys(engine.play_name(engine.labels[label]).kind for label in sorted(labels)))
    begin = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return ("".join(letters[0] for letters in begin) if len(names) > _MAX_NAMES else "") or "/".join(names)


def _group_plays(engine: Engine) -> list[_PlayGroup]:
    passing = engine.label_traits.pass_label
    forms = [form for form in _list_playable(engine.rules) if form.label != passing]
    return _group_forms(engine, forms, lambda form: _kind_name(form, engine))


def _list_playable(rules: CompiledGame) -> list[Form]:
    """List the forms without those that the rules bar in every state, as a variant does with plays that it has not."""
    possible = set(rules.play_query.circuit.without_false_outputs().outputs)
    labels = [Atom("legal", (label,)) for label in rules.forms.labels]
    return [form for form in rules.forms.forms if {labels[form.label], Atom("move", (form.name,))} <= possible]


def _group_forms(engine: Engine, forms: Iterable[Form], name_of: Callable[[Form], str]) -> list[_PlayGroup]:
    traits = engine.label_traits
    groups: dict[object, _PlayGroup] = {}
    for form in forms:
        name = name_of(form)
        cards, is_bomb = _Cards.of_form(form, engine), bool(traits.is_bomb[form.label])
        counts = cards.counts
        kicker_size = form.kickers.group_size if form.kickers else 0
        is_row = len(counts) > 1 and len(set(counts)) == 1
        shape = (counts[0], "row") if is_row else counts if not is_bomb or len(counts) > 1 else "bomb"
        key = name, functor(engine.labels[form.label]), shape, kicker_size, cards.has_one_suit, is_bomb
        group = groups.setdefault(key, _PlayGroup(name, form, is_bomb))
        group.is_row &= _is_row(cards.ranks)
        group.labels.add(form.label)
        group.lengths.add(len(counts))
        group.sizes.add(form.num_cards)
        group.kickers.add(form.kickers.num_groups if form.kickers else 0)
        group.ranks.add(cards.ranks)
    return list(groups.values())


def _shape(group: _PlayGroup, engine: Engine, shapes: Translator) -> str:
    form, cards = group.form, _Cards.of_form(group.form, engine)
    counts, cells = cards.counts, cards.ranks
    texts = [spell(engine.rules, "rank", cell, shapes.language) for cell in cells]
    if len(group.ranks) == 1 and len(counts) > 1 and _are_words(texts):
        text = shapes.join(f"{text} ×{count}" for text, count in zip(texts, counts, strict=True))
    elif len(counts) > 1 and len(set(counts)) == 1:
        text = _row_text(format_range(group.lengths), counts[0], group.is_row, shapes)
    elif len(counts) == 1 and group.is_bomb:
        text = shapes("rank", format_range(group.sizes))
    else:
        text = shapes("and").join(shapes("card") if count == 1 else shapes("rank", count) for count in counts)
    if form.kickers is not None:
        text = _kicker_text(text, format_range(group.kickers), form.kickers.group_size, shapes)
    return shapes("suit", text) if cards.has_one_suit else text


def _kicker_text(text: str, number: str, size: int, shapes: Translator) -> str:
    if number == "1" and size in (1, 2):
        return shapes("kicker_one" if size == 1 else "kicker_pair", text)
    return shapes(f"kicker{size}", text, number) if size in (1, 2) else shapes("kicker", text, number, size)


def _row_text(length: str, count: int, is_row: bool, shapes: Translator) -> str:
    key = "row" if is_row else "ranks"
    return shapes(f"{key}{count}", length) if f"{key}{count}" in shapes.templates else shapes(key, length, count)


def _is_row(cells: Sequence[Term]) -> bool:
    """Return whether ranks follow each other; the lowest may follow the highest, as in A 2 3 4 5."""
    numbers = [cell for cell in cells if isinstance(cell, int)]
    breaks = [second - first for first, second in pairwise(numbers) if second != first + 1]
    return len(numbers) == len(cells) and (not breaks or (len(breaks) == 1 and breaks[0] < 0))


def format_range(numbers: set[int]) -> str:
    """Return the least and the greatest number: ``5–12``, or ``5`` if they are equal."""
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}–{high}"


def _kind_name(form: Form, engine: Engine) -> str:
    """Return the name of a kind; a numbered kind gets the name of its labels."""
    name = str(form.kind).partition("(")[0] if isinstance(form.kind, str) else f"{functor(engine.labels[form.label])}"
    return name.replace("_", " ")


def describe_pack(engine: Engine, language: str) -> str:
    """Return the cards of a pack by rank, with their numbers.

    Args:
        engine: Engine of the game.
        language: "en" or "zh".
    """
    totals: dict[Term, int] = {}
    for kind, copies in zip(engine.rules.pack.kinds, engine.rules.pack.copies.tolist(), strict=True):
        rank = _rank_of(kind)
        totals[rank] = totals.get(rank, 0) + copies
    ranks_by_total: dict[int, list[str]] = {}
    for rank, total in totals.items():
        ranks_by_total.setdefault(total, []).append(spell(engine.rules, "rank", rank, language))
    return ", ".join(f"{' '.join(ranks)} ×{total}" for total, ranks in ranks_by_total.items())


def _rank_of(card: Term) -> Term:
    """Return the rank of a card of a suit, or the card itself.

    >>> _rank_of("card(14,s)"), _rank_of("card(small,joker)"), _rank_of(3)
    (14, 'card(small,joker)', 3)
    """
    match = _SUITED.fullmatch(str(card))
    return int(match[1]) if match else card
