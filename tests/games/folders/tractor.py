"""Helpers of the Tractor tests: brute-force positions at tables, and every play of a follower."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.state.state import PLAY, TableState
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from abl_cards.games.tables.tricks import settle_tricks
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types.moves import NO_CARD, Moves
from tests.brute_force.tractor.cards import BIG, NONE, PACK, RANKS, SMALL, Cards, Order
from tests.brute_force.tractor.deal import shows
from tests.brute_force.tractor.leads import Lead
from tests.brute_force.tractor.random_play import Throw
from tests.brute_force.tractor.referee import Round

LEADER, FOLLOWER = 0, 1


class Follow(NamedTuple):
    """A lead and a hand that answers it."""

    order: Order
    lead: Lead
    hand: Sequence[str]


def counted(rules: CompiledGame, cards: Sequence[str]) -> NDArray[np.uint8]:
    """[kinds] how often each kind of card is there."""
    number = {text: kind for kind, text in enumerate(rules.card_codes.kind_texts)}
    return np.bincount([number[card] for card in cards], minlength=len(rules.pack)).astype(np.uint8)


def texts(rules: CompiledGame, counts: NDArray[np.integer]) -> Cards:
    """The cards of counts [kinds], sorted."""
    return tuple(sorted(rules.card_codes.kind_texts[kind] for kind in np.repeat(np.arange(len(counts)), counts)))


def set_order(rules: CompiledGame, state: TableState, row: int, order: Order) -> None:
    """Set level and trump suit of a table to those of an order."""
    for name, value in (("level", RANKS.index(order.level) + 2), ("trump", order.trump.lower())):
        fluent = rules.fluents.find(name)
        assert fluent
        there = name == "level" or order.trump != NONE
        state.fluents[row, fluent.first_slot] = fluent.values.index(value) if there else -1


def following(rules: CompiledGame, follows: Sequence[Follow]) -> TableState:
    """Tables at which FOLLOWER answers what LEADER has led."""
    state = rules.create_state(len(follows))
    for row, (order, lead, hand) in enumerate(follows):
        set_order(rules, state, row, order)
        state.hands[row, FOLLOWER] = counted(rules, hand)
        if lead.parts:
            state.trick_cards[row, LEADER] = counted(rules, lead.cards)
    led = np.array([bool(follow.lead.parts) for follow in follows])
    state.leader[:], state.seat[:] = np.where(led, LEADER, FOLLOWER), FOLLOWER
    state.to_beat[:] = np.where(led, 0, -1)
    state.context[:] = rules.contexts.compute_index(state.fluents)
    return state


def every_answer(rules: CompiledGame, follows: Sequence[Follow]) -> list[set[Cards]]:
    """Return the legal plays of each position, by playing every legal part."""
    answers: list[set[Cards]] = [set() for _ in follows]
    first = following(rules, follows)
    led_sizes = np.array([sum(first.trick_cards[row, LEADER]) for row in range(len(follows))])
    rows, laid = np.arange(len(follows)), np.zeros((len(follows), len(rules.pack)), np.uint8)
    while len(rows):
        state = rules.create_state(len(rows))
        for name in ("fluents", "context", "leader", "seat", "to_beat"):
            getattr(state, name)[:] = getattr(first, name)[rows]
        state.trick_cards[:], state.hands[:] = first.trick_cards[rows], first.hands[rows]
        state.hands[:, FOLLOWER] -= laid
        state.trick_cards[:, FOLLOWER] += laid
        lists = Decisions(PlayerView(rules, state, np.arange(len(rows)), state.seat)).moves()
        assert (np.diff(lists.start) > 0).all()
        cards = np.zeros((len(lists.form), len(rules.pack) + 1), np.uint8)
        np.add.at(cards, (np.arange(len(cards))[:, None], np.minimum(lists.cards, len(rules.pack))), 1)
        here = rows[lists.decision_index]
        now = laid[lists.decision_index] + cards[:, :-1]
        passing = lists.form == rules.forms.pass_form
        whole = np.where(led_sizes[here] > 0, now.sum(axis=1) == led_sizes[here], passing | ~thrown(rules, lists.form))
        for row, cards_now in zip(here[whole].tolist(), now[whole], strict=True):
            answers[row].add(texts(rules, cards_now))
        left = np.unique(np.column_stack([here[~whole], now[~whole]]), axis=0)
        rows, laid = left[:, 0].astype(np.int64), left[:, 1:].astype(np.uint8)
    return answers


def thrown(rules: CompiledGame, forms: NDArray[np.int16]) -> NDArray[np.bool_]:
    """[n] whether a form is a card of a throw, after which there are more."""
    kinds = np.array([form.kind == "throw" for form in rules.forms.forms])
    return kinds[forms]


def takers(rules: CompiledGame, tricks: Sequence[tuple[Order, Lead, Sequence[Cards]]]) -> list[int]:
    """Return the winner of each trick, as its distance from the leader."""
    state, rows = rules.create_state(len(tricks)), np.arange(len(tricks))
    for row, (order, lead, answers) in enumerate(tricks):
        set_order(rules, state, row, order)
        for seat, cards in enumerate((lead.cards, *answers)):
            state.trick_cards[row, seat] = counted(rules, cards)
    state.leader[:], state.trick_forms[:], state.last_actor[:] = 0, 0, 3
    state.context[:] = rules.contexts.compute_index(state.fluents)
    settle_tricks(rules, state, rows)
    return state.owner.tolist()


def record_of(rules: CompiledGame, one: Round) -> dict[str, Any]:
    """A round of the brute force, as records have it."""
    acts: list[list[Any]] = []
    dealt = Round(one.rules, one.level, one.banker if one.given else None)
    drawn, kitty = list[str](), list[str]()
    for step, seat, cards in one.acts:
        if step == "deal":
            dealt.deal(*cards)
            drawn += cards
        elif step == "show":
            if len(list(shows(one.rules, one.level, dealt.shown, dealt.hands[seat]))) > 1:
                acts.append([seat, _shown(cards)])
            dealt.show(cards)
        elif step == "undeclared":
            kitty = list(cards[1:])
        elif step == "bury":
            acts += [[seat, card] for card in cards]
        else:
            acts.append([seat, list(cards)])
    drawn += kitty or [card for card, copies in (Counter(PACK) - Counter(drawn)).items() for _ in range(copies)]
    number = RANKS.index(one.level)
    before = {"level": RANKS[number], "standing": [RANKS[number]] * 2}
    return {
        "hands": [[], [], [], []], "stock": drawn, "acts": acts, "points": one.result,
        "before": {**before, "banker": one.banker, "given": True} if one.given else before,
        "lots": {"first": one.banker},
    }  # fmt: skip


def _shown(cards: Cards) -> str:
    if not cards:
        return "none"
    what = {SMALL: "small", BIG: "big"}.get(cards[0], cards[0][0].lower())
    return f"{'declare' if len(cards) == 1 else 'overturn'}({what})"


def lay_throws(rules: CompiledGame, throws: Sequence[Throw]) -> list[tuple[Cards, int]]:
    """Return the cards on the table after LEADER, of the banker's side, has thrown, and the price."""
    tables, rows = Tables(rules, len(throws)), np.arange(len(throws))
    state, banker, total = tables.state, rules.fluents.find("banker"), rules.fluents.find("total")
    assert banker
    assert total
    cards, form = np.full((len(throws), rules.max_play_cards), NO_CARD, np.uint8), np.zeros(len(throws), np.int16)
    for row, throw in enumerate(throws):
        set_order(rules, state, row, throw.order)
        for seat, hand in enumerate((throw.hand, *throw.others)):
            state.hands[row, seat] = counted(rules, hand)
        laid = np.repeat(np.arange(len(rules.pack)), counted(rules, throw.lead.cards))
        cards[row, : len(laid)] = laid
    state.fluents[:, banker.first_slot] = banker.values.index(LEADER)
    state.stage[:], state.context[:] = PLAY, rules.contexts.compute_index(state.fluents)
    form[:] = next(place for place, throw in enumerate(rules.forms.forms) if throw.kind == "throw")
    tables.play(rows, Moves(form, cards))
    return [(texts(rules, state.trick_cards[row, LEADER]), int(state.fluents[row, total.first_slot])) for row in rows]
