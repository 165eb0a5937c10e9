"""Which cards take a trick: for a card that is led, the cards of each suit, decided by the engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import parse_rank_and_suit
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import NO_CARD, ONLY_TABLE, Moves
from abl_cards.web.play_kinds import Cards, PlayExample, cards_from_weak, find_examples, tables_with_hands


@dataclass(frozen=True)
class SuitAnswer:
    """Cards of one suit, or without one, that may follow a led card.

    Attributes:
        cards: Kinds of the cards from weak to strong.
        takers: Those that take the trick if they are laid.
        is_led: Whether it is the suit of the led card.
    """

    cards: Cards
    takers: Cards
    is_led: bool

    @property
    def is_upward(self) -> bool:
        """True if every card that is stronger than a taker is a taker."""
        return self.cards[len(self.cards) - len(self.takers) :] == self.takers


@dataclass(frozen=True)
class TrickLadder:
    """Which cards take a trick.

    Attributes:
        led: The led card.
        answers: Answers by suit, that of the led card first.
        must_follow: Whether a hand with a card of the suit must lay one.
    """

    led: PlayExample
    answers: tuple[SuitAnswer, ...]
    must_follow: bool

    @property
    def trumps(self) -> Cards:
        """Cards outside of the led suit that take the trick, from weak to strong."""
        return tuple(card for answer in self.answers if not answer.is_led for card in answer.takers)


def single_examples(engine: Engine) -> list[PlayExample]:
    """Return the leads of single cards in the order of the cards of hands."""
    rules = engine.rules
    singles = np.flatnonzero(rules.forms.num_cards == 1)
    labels = set(rules.forms.label_of[singles].tolist())
    found = find_examples(engine, sorted(labels)).values()
    return [example for example in found if len(example.cards) == 1]


def lead(engine: Engine, example: PlayExample, count: int) -> Tables:
    """Return tables at which a play has just been led by a seat with the whole pack.

    Args:
        engine: Engine of a game of tricks.
        example: The play.
        count: Number of tables.
    """
    tables, rows = tables_with_hands(engine, None, count), np.arange(count)
    seat = int(tables.state.seat[0])
    cards = np.full((count, max(engine.rules.max_play_cards, len(example.cards))), NO_CARD, np.uint8)
    cards[:, : len(example.cards)] = example.cards
    tables.play(rows, Moves(np.full(count, example.form, np.int16), cards))
    if int(tables.state.seat[0]) == seat:  # a composed play goes on until the seat passes
        passing = np.full(count, engine.rules.forms.pass_form, np.int16)
        tables.play(rows, Moves(passing, np.full_like(cards, NO_CARD)))
    return tables


@cache_per_game
def _trick_ladders(rules: CompiledGame) -> dict[int, TrickLadder]:
    return {}


def find_trick_ladder(engine: Engine, example: PlayExample) -> TrickLadder:
    """Find which cards take a trick in which a card is led.

    Args:
        engine: Engine of a game of tricks.
        example: Lead of a single card.
    """
    cache: dict[int, TrickLadder] = _trick_ladders(engine.rules)
    if example.label not in cache:
        cache[example.label] = _compute_ladder(engine, example)
    return cache[example.label]


def _compute_ladder(engine: Engine, example: PlayExample) -> TrickLadder:
    rules = engine.rules
    kinds = np.arange(len(rules.pack))
    tables = lead(engine, example, len(kinds))
    hands, seats = np.zeros((len(kinds), len(kinds)), np.uint8), tables.state.seat
    hands[kinds, kinds] = 1
    tables.state.hands[kinds, seats] = hands
    decisions = Decisions(tables.decisions(kinds).view)
    lists = decisions.moves()
    takes = decisions.takes_trick(lists)
    takers = {int(kind) for kind, does in zip(lists.decision_index, takes, strict=True) if does}
    codes, order = rules.card_codes, cards_from_weak(engine)
    by_suit: dict[object, list[int]] = {}
    for text in order:
        kind = codes.kind_by_text[text]
        if kind == example.cards[0] and rules.pack.copies[kind] == 1:
            continue
        parts = parse_rank_and_suit(rules.pack.kinds[kind])
        by_suit.setdefault(parts[1] if parts else None, []).append(kind)
    led_parts = parse_rank_and_suit(rules.pack.kinds[example.cards[0]])
    led_suit = led_parts[1] if led_parts else None
    answers = [
        SuitAnswer(tuple(cards), tuple(card for card in cards if card in takers), suit is not None and suit == led_suit)
        for suit, cards in by_suit.items()
    ]
    return TrickLadder(
        example, tuple(sorted(answers, key=lambda answer: not answer.is_led)), _must_follow(engine, example, answers)
    )


def _must_follow(engine: Engine, example: PlayExample, answers: list[SuitAnswer]) -> bool:
    """Return whether a hand of one card of the led suit and one of another must lay the first one."""
    follow = next(card for answer in answers if answer.is_led for card in answer.cards if card != example.cards[0])
    others = [answer.cards[0] for answer in answers if not answer.is_led]
    tables = lead(engine, example, len(others))
    rows = np.arange(len(others))
    hands = np.zeros((len(others), len(engine.rules.pack)), np.uint8)
    hands[rows, others] = 1
    hands[rows, follow] = 1
    tables.state.hands[rows, tables.state.seat] = hands
    lists = Decisions(tables.decisions(rows).view).moves()
    return bool((lists.cards[:, 0] == follow).all())


def choose_lead(engine: Engine) -> PlayExample | None:
    """Return a lead of a middle card that is not a trump; None if no single card can be led."""
    examples = single_examples(engine)
    legal = Decisions(tables_with_hands(engine, None).decisions(ONLY_TABLE).view).legal_mask[:, 0]
    by_suit: dict[object, list[PlayExample]] = {}
    for example in examples:
        parts = parse_rank_and_suit(engine.rules.pack.kinds[example.cards[0]])
        if parts and legal[example.label]:
            by_suit.setdefault(parts[1], []).append(example)
    middles = [leads[len(leads) // 2] for leads in by_suit.values()]
    return max(middles, key=lambda example: len(find_trick_ladder(engine, example).trumps), default=None)


def find_trumps(engine: Engine) -> Cards:
    """Return the cards that take a trick in which a card of another suit is led, from weak to strong."""
    trumps: Cards = _trumps(engine.rules)
    return trumps


@cache_per_game
def _trumps(rules: CompiledGame) -> Cards:
    engine = Engine(rules, rules.folder.name)
    first = choose_lead(engine)
    if first is None:
        return ()
    ladder = find_trick_ladder(engine, first)
    if not ladder.trumps:
        return ()
    plain = [answer for answer in ladder.answers if not answer.is_led and len(answer.takers) < len(answer.cards) / 2]
    second = [example for example in single_examples(engine) if plain and example.cards[0] in plain[0].cards[:1]]
    trumps = set(ladder.trumps)
    if second:
        own = next(answer.cards for answer in ladder.answers if answer.is_led)
        trumps |= set(own) & set(find_trick_ladder(engine, second[0]).trumps)
    order = cards_from_weak(engine)
    return tuple(kind for text in order if (kind := rules.card_codes.kind_by_text[text]) in trumps)
