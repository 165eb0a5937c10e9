"""Kinds of plays of a game as players name them, each with examples that the engine accepts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, cache_per_game, find_show_rules
from abl_cards.games.description import Form, counts_from_cards, parse_rank_and_suit
from abl_cards.games.notation import ParsedPlay, label_name_parts, match_plays
from abl_cards.games.state import PLAY
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import ONLY_TABLE
from abl_cards.web.texts import ENGLISH_PLAY_NAMES, WILD_CELL, card_orders, label_kind_text, label_text

LATE_ACTS = 1 << 14
"""Acts so far, so that rules about the first play do not apply."""
MAX_TRIES = 6
"""Forms of a label that are tried until the engine accepts an example."""
_MAX_CHOICES = 500
Cards = tuple[int, ...]


@dataclass(frozen=True)
class PlayExample:
    """Cards that the engine accepts as a play of a label.

    Attributes:
        label: Index of the label.
        form: Index of the form.
        cards: Kinds of the cards.
    """

    label: int
    form: int
    cards: Cards


@dataclass(frozen=True)
class PlayKind:
    """Labels that players call by one name.

    Attributes:
        name: English and Chinese name.
        labels: Indices of the labels from weak to strong; shorter plays first.
        sizes: Least and greatest number of cards.
        forms: Indices of the forms.
    """

    name: tuple[str, str]
    labels: tuple[int, ...]
    sizes: tuple[int, int]
    forms: tuple[int, ...]


def first_play_tables(engine: Engine, key: int = 1) -> Tables:
    """Return a table of a first deal at its first play; choices before it are made by their first options.

    Args:
        engine: Engine of the game.
        key: Random key of the deal.
    """
    tables = engine.start_matches(np.array([key], np.uint64))
    for _ in range(_MAX_CHOICES):
        if tables.rows_to_play().size:
            break
        options = np.flatnonzero(tables.choices(ONLY_TABLE).options[0])
        tables.choose(ONLY_TABLE, options[:1].astype(np.uint8))
    return tables


def tables_with_hands(engine: Engine, hands: Sequence[Cards] | None, count: int = 1) -> Tables:
    """Return tables whose seat leads with given hands, late in a first deal.

    Args:
        engine: Engine of the game.
        hands: Kinds of the cards of each hand; None for the whole pack at every seat.
        count: Number of tables with the whole pack.
    """
    number = count if hands is None else len(hands)
    tables = _first_tables(engine.rules).copy(np.zeros(number, np.int64))
    tables.auto_next_episode = False
    state = tables.state
    state.num_acts[:] = LATE_ACTS
    if hands is None:
        state.hands[:] = engine.rules.pack.copies
    else:
        set_hands(tables, hands)
    return tables


def set_hands(tables: Tables, hands: Sequence[Cards]) -> None:
    """Give the seat to decide at each table a hand."""
    state = tables.state
    for row, cards in enumerate(hands):
        state.hands[row, state.seat[row]] = counts_from_cards(cards, state.hands.shape[2])


@cache_per_game
def _first_tables(rules: CompiledGame) -> Tables:
    return first_play_tables(Engine(rules, rules.folder.name))


def context_of_first_deal(engine: Engine) -> int:
    """Return the order context of a first deal."""
    return int(_first_tables(engine.rules).state.context[0])


def play_kinds(engine: Engine) -> list[PlayKind]:
    """Return the kinds of plays of a game without the pass, in the order of its labels."""
    kinds: list[PlayKind] = _play_kinds(engine.rules)
    return kinds


@cache_per_game
def _play_kinds(rules: CompiledGame) -> list[PlayKind]:
    engine = Engine(rules, rules.folder.name)
    forms = rules.forms
    by_label: dict[int, list[int]] = {}
    for form in range(len(forms)):
        by_label.setdefault(int(forms.label_of[form]), []).append(form)
    passing = int(forms.label_of[forms.pass_form])
    names: dict[tuple[str, str], list[int]] = {}
    for label in by_label:
        if label != passing:
            names.setdefault(kind_name(engine, label), []).append(label)
    ranking = rules.label_ranking[context_of_first_deal(engine)]
    smallest = {label: int(forms.num_cards[rows].min()) for label, rows in by_label.items()}
    kinds = []
    for name, labels in names.items():
        ordered = sorted(labels, key=lambda label: (smallest[label], int(ranking[label])))
        rows = [form for label in ordered for form in by_label[label]]
        sizes = (int(forms.num_cards[rows].min()), int(forms.num_cards[rows].max()))
        kinds.append(PlayKind(name, tuple(ordered), sizes, tuple(rows)))
    return _with_sizes(kinds)


def _with_sizes(kinds: Sequence[PlayKind]) -> list[PlayKind]:
    """Add the number of cards to English names that several kinds share."""
    numbers = Counter(kind.name[0] for kind in kinds)
    return [
        replace(kind, name=(f"{kind.name[0]} of {'–'.join(map(str, dict.fromkeys(kind.sizes)))}", kind.name[1]))
        if numbers[kind.name[0]] > 1
        else kind
        for kind in kinds
    ]


def kind_name(engine: Engine, label: int) -> tuple[str, str]:
    """Return the name of the kind of a label, in English and Chinese."""
    text = engine.labels[label]
    name = engine.play_name(text)
    chinese = label_text(engine, text)[1]
    if not chinese.startswith(name.kind) or (not name.rank and chinese != name.kind):
        english, chinese = label_kind_text(engine, text)
        return english, chinese
    functor = label_name_parts(engine.rules)[label][0]
    return ENGLISH_PLAY_NAMES.get(name.kind) or functor.replace("_", " "), name.kind


# --- examples ---------------------------------------------------------------------------------------------------------


def find_examples(engine: Engine, labels: Sequence[int]) -> dict[int, PlayExample]:
    """Return an example for each label that the engine accepts as a lead.

    Args:
        engine: Engine of the game.
        labels: Indices of labels.
    """
    cache: dict[int, PlayExample | None] = _example_cache(engine.rules)
    missing = [label for label in dict.fromkeys(labels) if label not in cache]
    if missing:
        cache |= dict.fromkeys(missing)
        for found in find_accepted_examples(engine, missing):
            cache[found.label] = cache[found.label] or found
    return {label: example for label in labels if (example := cache[label]) is not None}


def find_accepted_examples(engine: Engine, labels: Sequence[int]) -> list[PlayExample]:
    """Return examples of several forms of each label that the engine accepts as leads.

    Args:
        engine: Engine of the game.
        labels: Indices of labels.
    """
    candidates = [example for label in labels for example in _candidates(engine, label)]
    tables = tables_with_hands(engine, [example.cards for example in candidates])
    return [example for example, is_legal in zip(candidates, are_legal(tables, candidates), strict=True) if is_legal]


@cache_per_game
def _example_cache(rules: CompiledGame) -> dict[int, PlayExample | None]:
    return {}


def labels_of_cards(engine: Engine, cards: Sequence[int], decisions: Decisions) -> list[int]:
    """Return the labels of the plays that cards form as a lead, whether or not they are legal at a table.

    Args:
        engine: Engine of the game.
        cards: Kinds of the cards.
        decisions: Decision whose order of the cards counts.
    """
    tables, view = Tables(engine.rules, 1), decisions.view  # no deal, at which rules in the making may be stuck
    state, row = tables.state, view.rows[:1]
    state.stage[:], state.num_acts[:] = PLAY, LATE_ACTS
    state.seat[:] = state.leader[:] = view.seats[:1]
    state.fluents[:], state.lots[:], state.context[:] = view.state.fluents[row], view.state.lots[row], view.context[:1]
    set_hands(tables, [tuple(cards)])
    alone = Decisions(tables.decisions(ONLY_TABLE).view)
    lists, (rows,) = match_plays(alone, [ParsedPlay(tuple(cards))])
    return list(dict.fromkeys(int(engine.rules.forms.label_of[lists.form[row]]) for row in rows))


def are_legal(tables: Tables, examples: Sequence[PlayExample]) -> list[bool]:
    """Return whether each play is legal at its table, whose hand has just these cards.

    Args:
        tables: A table for each play.
        examples: The plays.
    """
    if not examples:
        return []
    decisions = Decisions(tables.decisions(np.arange(len(examples))).view)
    lists, matches = match_plays(decisions, [ParsedPlay(example.cards) for example in examples])
    return [
        example.form in {int(lists.form[row]) for row in rows} for example, rows in zip(examples, matches, strict=True)
    ]


def _candidates(engine: Engine, label: int) -> Iterator[PlayExample]:
    """Yield card sets that should be plays of a label, without wild cards if possible."""
    forms = engine.rules.forms
    rows = np.flatnonzero(forms.label_of == label).tolist()
    rows.sort(key=lambda form: (forms.forms[form].min_wilds, forms.num_cards[form]))
    for form in rows[:MAX_TRIES]:
        for turn in range(2):
            cards = _build_cards(engine, forms.forms[form], turn)
            if cards is not None:
                yield PlayExample(label, form, cards)


def _build_cards(engine: Engine, form: Form, turn: int) -> Cards | None:
    """Return cards for a form in the first context, natural ones where there are enough; None if there are too few."""
    stock = _CardStock(engine, form, turn)
    for group in form.groups:
        wanted = None if group.only_kind is None else {group.only_kind}
        if not stock.take_group(group.cell, group.count, wanted):
            return None
    return tuple(stock.cards) if form.kickers is None or stock.take_kickers() else None


@dataclass(frozen=True)
class _PackFacts:
    """Cards of a game by the cells that they act as in the first deal."""

    suits: list[object]  # [kinds] suit of each kind; None for cards without one
    is_wild: list[bool]  # [kinds]
    kinds_of_cell: dict[int, list[int]]
    strength: dict[int, int]  # of the single card, by cell


@cache_per_game
def _pack_facts(rules: CompiledGame) -> _PackFacts:
    context = context_of_first_deal(Engine(rules, rules.folder.name))
    acts, forms = rules.cells.acts_as[context].tolist(), rules.forms
    wild = {cell for cell, name in enumerate(rules.cells.names) if str(name) == WILD_CELL}
    kinds_of_cell: dict[int, list[int]] = {}
    for kind, row in enumerate(acts):
        for cell in row:
            if cell >= 0:
                kinds_of_cell.setdefault(cell, []).append(kind)
    singles = [form for form in np.flatnonzero(forms.num_cards == 1).tolist() if forms.forms[form].groups]
    return _PackFacts(
        [parts[1] if (parts := parse_rank_and_suit(kind)) else None for kind in rules.pack.kinds],
        [bool(wild & set(row)) for row in acts],
        kinds_of_cell,
        {int(forms.forms[form].groups[0].cell): int(rules.strength[context, form]) for form in singles},
    )


def single_strengths(engine: Engine) -> dict[int, int]:
    """Return the strength of each kind of card as a single play in a first deal."""
    facts: _PackFacts = _pack_facts(engine.rules)
    strengths: dict[int, int] = {}
    for cell, strength in facts.strength.items():
        for kind in facts.kinds_of_cell.get(cell, []):
            strengths[kind] = max(strength, strengths.get(kind, strength))
    return strengths


def cards_from_weak(engine: Engine) -> list[str]:
    """Return all cards by their letters from weak to strong, as single cards of a first deal."""
    order: list[str] = card_orders(engine.rules, context_of_first_deal(engine))["rank"]
    return order[::-1] if find_show_rules(engine.rules).is_descending else order


class _CardStock:
    """The pack, from which the cards of one form are taken."""

    def __init__(self, engine: Engine, form: Form, turn: int) -> None:
        self.form, self.cards, self.turn = form, list[int](), turn
        self.left: list[int] = engine.rules.pack.copies.tolist()
        self.wilds_left = form.max_wilds
        self.facts: _PackFacts = _pack_facts(engine.rules)

    def take(self, cell: int, count: int, wanted: set[int] | None) -> bool:
        """Take cards that act as a cell, of different suits where the form does not forbid it."""
        return self._take_natural(cell, count, wanted) == count

    def take_group(self, cell: int, count: int, wanted: set[int] | None) -> bool:
        """Take cards that act as a cell, and wild cards for those that the pack lacks."""
        missing = count - self._take_natural(cell, count, wanted)
        for kind, is_wild in enumerate(self.facts.is_wild):
            number = min(missing, self.wilds_left, self.left[kind]) if is_wild else 0
            self.cards += [kind] * number
            self.left[kind] -= number
            missing, self.wilds_left = missing - number, self.wilds_left - number
        return not missing

    def _take_natural(self, cell: int, count: int, wanted: set[int] | None) -> int:
        """Take cards that act as a cell, and return how many there were."""
        kinds = [kind for kind in self.facts.kinds_of_cell.get(cell, []) if wanted is None or kind in wanted]
        suit = self.form.suit
        if suit is not None and suit is not False:
            kinds = [kind for kind in kinds if self.facts.suits[kind] == suit]
        kinds.sort(key=lambda kind: self.facts.is_wild[kind])
        if len(kinds) > 1 and (self.turn or self.form.has_mixed_suits):
            shift = (len(self.cards) + self.turn) % len(kinds)
            kinds = kinds[shift:] + kinds[:shift]
        chosen = [kind for lap in range(max(self.left, default=0)) for kind in kinds if self.left[kind] > lap][:count]
        for kind in chosen:
            self.left[kind] -= 1
        self.cards += chosen
        return len(chosen)

    def take_kickers(self) -> bool:
        """Take the weakest kickers that are allowed, each of another cell where possible."""
        kickers, used = self.form.kickers, {group.cell for group in self.form.groups}
        assert kickers is not None
        cells = [cell for cell in kickers.allowed if cell not in used]
        cells.sort(key=lambda cell: self.facts.strength.get(cell, 1 << 20))
        number = 0
        for per_cell in range(1, kickers.num_groups + 1):
            for cell in cells:
                if number == kickers.num_groups:
                    return True
                if kickers.allowed[cell] >> per_cell & 1 and self.take(cell, kickers.group_size, None):
                    number += 1
        return number == kickers.num_groups
