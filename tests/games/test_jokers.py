"""Jokers that are wild and plays of their own: the folder ``vocabulary/jokers`` and an independent reading."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from abl_cards.games.game import load
from tests.effort import amount
from tests.games.random_play import match_keys

FOLDER = Path(__file__).parent / "vocabulary" / "jokers"
PACK = "123456" * 4 + "xX"
STATES = amount(40, 3_000, 20_000)
SUITED = """
#include <seats>.
#include <climbing>.
#include <wilds>.
seat(0..1). deals(S,7) :- seat(S). leads(0). over :- out(_). points(S,-1,N) :- stuck(S,N).
#external stuck(S,N) : seat(S), N = 1..7.
rank(1..6). suit(a;b). vacant(7).
pack(card(R,S),1) :- rank(R), suit(S).
pack(joker,2). letter(joker,"JO"). acts_as(joker,(wild;joker)).
acts_as(card(R,S),(R;card(R,S))) :- rank(R), suit(S).
label(joker). label(single(R)) :- rank(R). label(run(R)) :- rank(R), R < 6. label(pass).
form(single(R),single(R)) :- rank(R). form(run(R),run(R,S)) :- label(run(R)), suit(S).
form(joker,joker). form(pass,pass).
kind(joker,single). kind(single(R),single) :- rank(R). kind(run(R,S),run) :- form(_,run(R,S)). kind(pass,pass).
needs(joker,1,joker,1). needs(single(R),1,R,1) :- rank(R). needs(run(R,S),I,R+I-1,1) :- form(_,run(R,S)), I = 1..3.
same_suit(run(R,S),S) :- form(_,run(R,S)).
wilds(run(R,S),1) :- form(_,run(R,S)).
natural(run(R,S),4,1) :- form(_,run(R,S)), R = 2..4.
strength(joker,9). strength(single(R),R) :- rank(R). strength(run(R,S),R) :- form(_,run(R,S)).
"""
"""Runs of three in one suit with at most one joker, which may be past the six, but never a four."""


class Play(NamedTuple):
    """A play as it is meant: its label, how strong it is, and its cards."""

    label: str
    tier: int
    group: str
    strength: int
    cards: str


def meanings(cards: str) -> list[Play]:
    """Return all plays that some cards may be meant as, from the text of the rules."""
    jokers, real = sum(card in "xX" for card in cards), [int(card) for card in cards if card not in "xX"]
    if not real:
        alone = {"x": ("small", 8), "X": ("big", 9)}
        return [Play(alone[cards][0], 0, "1", alone[cards][1], cards)] if len(cards) == 1 else (
            [Play("both", 2, "both", 0, cards)] if jokers == 2 else []
        )  # fmt: skip
    found = []
    if len(set(real)) == 1 and len(cards) <= 3:
        found.append(Play(f"set({real[0]},{len(cards)})", 0, str(len(cards)), real[0], cards))
    if len(set(real)) == 1 and len(cards) == 4:
        found.append(Play(f"bomb({real[0]})", 1, "bomb", real[0] + (0 if jokers else 10), cards))
    for low in range(1, 6) if len(cards) == 3 and jokers <= 1 else ():
        missing = Counter([low, low + 1, low + 2]) - Counter(real)
        if missing.total() == jokers and (7 not in real):
            found.append(Play(f"run({low})", 0, "run", low, cards))
    return found


def plays(hand: str, old: Play | None) -> set[tuple[str, str]]:
    """Return labels and cards of all legal plays but the pass."""
    counts = Counter(hand)
    parts = product(*([card * count for count in range(counts[card] + 1)] for card in counts))
    chosen = {"".join(sorted("".join(part), key="123456Xx".index)) for part in parts}
    return {
        (play.label, play.cards)
        for cards in chosen
        if 1 <= len(cards) <= 4
        for play in meanings(cards)
        if old is None or play.tier > old.tier or (play.group == old.group and play.strength > old.strength)
    }


def test_move_lists_equal_naive_reading() -> None:
    rng, states, expected = Random(4), list[dict[str, Any]](), list[set[tuple[str, str]]]()
    while len(states) < STATES:
        cards = rng.sample(PACK, 20)
        hand = "".join(sorted({"x", *cards[:7]} if rng.random() < 0.3 else cards[:8], key="123456Xx".index))
        old = None
        if rng.random() < 0.7:
            label, laid = rng.choice(sorted(plays("".join(cards[8:]), None)))
            (old,) = (play for play in meanings(laid) if play.label == label)
            if not Counter(PACK) >= Counter(hand + laid):
                continue
        to_beat = None if old is None else {"label": old.label, "cards": old.cards}
        states.append({"hand": hand, "to_beat": to_beat})
        expected.append(plays(hand, old))
    for state, moves, found in zip(states, load(str(FOLDER)).engine().legal_moves(states), expected, strict=True):
        assert not isinstance(moves, Exception), (state, moves)
        assert _read(moves) == sorted(found), state
        assert ("pass" in moves) == (state["to_beat"] is not None)


def test_wild_cards_stand_in_for_cards_of_one_suit(tmp_path: Path) -> None:
    (tmp_path / "game.lp").write_text(SUITED)
    rng, pack = Random(5), [f"{suit}{rank}" for suit in "ab" for rank in range(1, 7)] + ["JO", "JO"]
    hands = [sorted(rng.sample(pack, 7)) for _ in range(STATES)]
    found = load(str(tmp_path)).engine().legal_moves([{"hand": hand, "to_beat": None} for hand in hands])
    for hand, moves in zip(hands, found, strict=True):
        expected: Counter[tuple[str, ...]] = Counter((card,) for card in {*hand})
        for low, suit, joker in product(range(1, 6), "ab", (None, 0, 1, 2)):
            ranks = range(low, low + 3)
            run = [f"{suit}{rank}" for rank in ranks]
            if joker is not None:
                run[joker] = "JO"
            is_allowed = joker is None or ranks[joker] != 4  # a four is natural
            if is_allowed and not Counter(run) - Counter(hand):
                expected[tuple(sorted(run))] += 1
        assert not isinstance(moves, Exception), moves
        cards = [move["cards"] if isinstance(move, dict) else move for move in moves]
        assert Counter(tuple(sorted(move)) for move in cards) == expected, hand


def test_legal_labels_of_one_suit_have_cards(tmp_path: Path) -> None:
    (tmp_path / "game.lp").write_text(SUITED)
    engine = load(str(tmp_path)).engine()
    tables = engine.start_matches(match_keys(STATES, 5))
    decisions = tables.decisions(tables.rows_to_play())
    lists = decisions.moves()
    for column, (start, end) in enumerate(pairwise(lists.start)):
        listed = {engine.label_of(int(form)) for form in lists.form[start:end]}
        assert listed == {engine.labels[label] for label in np.flatnonzero(decisions.legal_mask[:, column])}


def _read(moves: list[Any]) -> list[tuple[str, str]]:
    """Labels and cards of moves in JSON; cards alone are a play of one meaning."""
    found = []
    for move in moves:
        if isinstance(move, dict):
            found.append((move["label"], "".join(sorted(move["cards"], key="123456Xx".index))))
        elif move != "pass":
            cards = "".join(sorted(move, key="123456Xx".index))
            (play,) = meanings(cards)
            found.append((play.label, cards))
    return sorted(found)
