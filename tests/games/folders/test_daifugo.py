"""Daifugo as a folder of rules: an independent referee over whole matches, planted states, clingo, and vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from abl_cards.asp.terms import Atom
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.game import load
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.tables.tables import FixedDeals, Tables
from abl_cards.games.types.moves import NO_CARD, Moves
from tests.brute_force import daifugo as brute
from tests.effort import amount
from tests.games.folders.states import Clingo, rules_of
from tests.games.folders.tricks import cards_of
from tests.games.random_play import match_keys, pick, step

MATCHES, STATES, CLINGO = amount(1, 20, 200), amount(30, 1_500, 20_000), amount(6, 100, 1_000)
PLANTED = amount(1, 20, 120)  # matches of planted deals, some 170 decisions each


@pytest.fixture(scope="module")
def rules() -> CompiledGame:
    return rules_of("daifugo")


def label_of(reading: brute.Reading) -> str:
    """The label of a play as its seat means it."""
    if reading.is_joker:
        return "joker"
    rank, suits = reading.ranks[0] + 3, reading.suits.lower()
    if reading.is_run:
        return f"run({rank},{reading.number},{suits})"
    return f"five({rank})" if reading.number == 5 else f"set({rank},{suits})"


@cache
def readings() -> dict[str, brute.Reading]:
    """The reading of each label."""
    by_suit = [[*(suit + rank for rank in brute.RANKS), brute.JOKER] for suit in brute.SUITS]
    by_rank = [[*(suit + rank for suit in brute.SUITS), brute.JOKER] for rank in brute.RANKS]
    return {label_of(reading): reading for hand in by_suit + by_rank for reading, _ in brute.plays(hand)}


def listed(rules: CompiledGame, decisions: Decisions) -> Iterator[set[tuple[str, frozenset[str]]]]:
    """Yield the moves of each decision as labels with cards; assert that mask and list agree."""
    lists = decisions.moves()
    labels = decisions.labels_of(lists.form)
    for row in range(len(decisions.rows)):
        moves = range(lists.start[row], lists.start[row + 1])
        found = {(rules.label_texts[labels[move]], frozenset(_texts(rules, lists.cards[move]))) for move in moves}
        assert len(found) == len(moves)
        assert {label for label, _ in found} == {
            rules.label_texts[label] for label in np.flatnonzero(decisions.legal_mask[:, row])
        }
        yield found


def _texts(rules: CompiledGame, cards: np.ndarray) -> list[str]:
    return [rules.card_codes.kind_texts[card] for card in cards if card != NO_CARD]


class _Referee(NullListener):
    """One match of the brute force for each table."""

    def __init__(self, matches: int) -> None:
        self.matches = [brute.Match() for _ in range(matches)]
        self.points, self.met = [[0] * brute.SEATS for _ in range(matches)], Counter[str]()

    def on_episode_start(self, tables: Tables, rows: Any) -> None:
        for row in rows.tolist():
            self.matches[row].deal([cards_of(tables.rules, hand) for hand in tables.state.hands[row]])

    def on_choice(self, tables: Tables, rows: Any, options: np.ndarray) -> None:
        masks = tables.choices(rows).options
        for row, option, mask in zip(rows.tolist(), options.tolist(), masks, strict=True):
            match, schema = self.matches[row], tables.rules.schema
            terms = [schema.options[index] for index in np.flatnonzero(mask)]
            cards = {_texts(tables.rules, np.array([tables.rules.pack.index[term]]))[0] for term in terms}
            self.met["given back"] += 1
            assert match.turn == tables.seat[row]
            assert cards == match.hands[match.turn]
            match.give(_texts(tables.rules, np.array([tables.rules.pack.index[schema.options[option]]]))[0])

    def on_play(self, tables: Tables, rows: Any, moves: Moves) -> None:
        rules, decisions = tables.rules, tables.decisions(rows)
        for index, (row, legal) in enumerate(zip(rows.tolist(), listed(rules, decisions), strict=True)):
            match = self.matches[row]
            assert match.turn == tables.seat[row]
            expected = {(label_of(reading), cards) for reading, cards in match.options()}
            assert legal == expected | ({("pass", frozenset())} if match.old else set())
            label = rules.label_texts[rules.forms.label_of[moves.form[index]]]
            play = None if label == "pass" else (readings()[label], frozenset(_texts(rules, moves.cards[index])))
            self.met.update(["decisions", *situations(match, play)])
            match.act(play)

    def on_episode_end(self, tables: Tables, rows: Any) -> None:
        for row in rows.tolist():
            self.points[row] = [sum(pair) for pair in zip(self.points[row], tables.points[row].tolist(), strict=True)]


def situations(match: brute.Match, play: brute.Play | None) -> Iterator[str]:
    """Name the rare rules that a play meets."""
    if play is None:
        return
    reading, cards = play
    if reading.is_run:
        yield (
            "run before the three" if reading.ranks[0] < 0 else "run past the two" if reading.ranks[-1] > 12 else "run"
        )
    if match.old is not None and match.old.is_joker:
        yield "three of spades on the joker"
    if reading.is_joker:
        yield "joker alone"
    elif brute.JOKER in cards:
        yield "joker in a run" if reading.is_run else f"joker among {reading.number}"
        if brute.EIGHT in reading.ranks and not any(card[1] == "8" for card in cards):
            yield "joker as an eight"
    if brute.turns_round(reading):
        yield "revolution ends" if match.revolution else "revolution"
    if match.locked:
        yield "locked"


SITUATIONS = {
    "run", "run before the three", "run past the two", "three of spades on the joker", "joker alone", "joker in a run",
    *(f"joker among {number}" for number in range(2, 6)), "joker as an eight", "revolution", "revolution ends",
    "locked", "given back",
}  # fmt: skip


def planted_deals(rules: CompiledGame, number: int, seed: int) -> FixedDeals:
    """Deal neighbours in the order of suits or of ranks to one seat, more or less; the joker to any seat."""
    rng, kinds = Random(seed), rules.card_codes.kind_texts
    hands = np.zeros((number, brute.SEATS, len(kinds)), np.uint8)
    for deal in hands:
        first, noise, by_suit = rng.randrange(13), rng.choice([0.0, 0.5, 2.0, 6.0]), rng.random() < 0.5

        def place(card: str, first: int = first, noise: float = noise, by_suit: bool = by_suit) -> float:
            suit, rank = brute.SUITS.index(card[0]), (brute.RANKS.index(card[1]) - first) % 13
            return (13 * suit + rank if by_suit else 4 * rank + suit) + rng.gauss(0, 1) * noise

        pack = sorted(set(brute.PACK) - {brute.JOKER}, key=place)
        pack.insert(rng.randrange(len(pack) + 1), brute.JOKER)
        for seat, hand in enumerate(np.split(np.arange(53), [11, 22, 33, 43])):
            for card in hand:
                deal[seat, kinds.index(pack[card])] = 1
    return FixedDeals(hands, np.zeros((number, len(kinds)), np.uint8))


def _largest(rules: CompiledGame, mask: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return the masks of labels with only plays of most cards for half of the keys, and rarely a pass."""
    sizes = np.array([1 if label == "pass" else 1 + readings()[label].number for label in rules.label_texts])[:, None]
    largest = np.where(mask, sizes, 0)
    few = (largest == largest.max(axis=0)) & (mask == 1)
    return np.where(keys % np.uint64(2) == 0, few, mask).astype(np.uint8)


def test_planted_deals_match_the_referee(rules: CompiledGame) -> None:
    """Long plays are chosen more often, so that runs, revolutions and the joker in each place are met."""
    referee = _Referee(PLANTED)
    deals = planted_deals(rules, PLANTED, seed=7)
    tables = Tables.begin(rules, np.arange(PLANTED, dtype=np.uint64), referee, deals)
    while (playing := tables.rows_to_play()).size or (choosing := tables.rows_to_choose()).size:
        if playing.size:
            keys = splitmix64_array(tables.keys[playing] + np.uint64(1), tables.num_decisions[playing])
            decisions = tables.decisions(playing)
            tables.play(playing, decisions.sample_moves(pick(_largest(rules, decisions.legal_mask, keys), keys), keys))
        else:
            keys = splitmix64_array(tables.keys[choosing], tables.num_decisions[choosing])
            tables.choose(choosing, pick(tables.choices(choosing).options.T, keys).astype(np.uint8))
    assert referee.points == [match.points for match in referee.matches]
    assert set(referee.met) >= SITUATIONS or PLANTED < 100
    print(dict(referee.met))


def test_matches_match_the_referee(rules: CompiledGame) -> None:
    referee = _Referee(MATCHES)
    tables = Tables.begin(rules, match_keys(MATCHES, 3), referee)
    while step(tables):
        pass
    assert [match.deals for match in referee.matches] == [brute.DEALS] * MATCHES
    assert referee.points == [match.points for match in referee.matches]


class Planted(NamedTuple):
    """A decision that was made up: hand, play to beat, its cards, order of the ranks, locked suits."""

    hand: list[str]
    old: brute.Reading | None
    cards: frozenset[str]
    revolution: bool
    locked: bool

    @property
    def json(self) -> dict[str, Any]:
        """The state that the engine reads."""
        to_beat = None if self.old is None else {"label": label_of(self.old), "cards": sorted(self.cards)}
        return {"hand": self.hand, "to_beat": to_beat, "revolution": self.revolution, "locked": self.locked}

    @property
    def expected(self) -> set[brute.Play]:
        """The legal plays by the brute force."""
        return brute.plays(sorted(self.hand), self.old, self.revolution, self.locked)

    @property
    def atoms(self) -> set[Atom]:
        """The inputs that hold."""
        atoms = {Atom("held", (_term(card), 1)) for card in self.hand if card != brute.JOKER}
        if brute.JOKER in self.hand:
            atoms |= {Atom("held", ("joker", 1)), Atom("wild", (1,))}
        atoms |= {Atom(name, ()) for name in ("revolution", "locked") if getattr(self, name)}
        return atoms | {Atom("leading", ()) if self.old is None else Atom("to_beat", (label_of(self.old),))}


def _term(card: str) -> str:
    return f"card({brute.RANKS.index(card[1]) + 3},{card[0].lower()})"


def planted(number: int, seed: int) -> list[Planted]:
    """Few ranks or one suit, often with the joker, leading or following any play, in both orders, also locked."""
    rng, states = Random(seed), list[Planted]()
    while len(states) < number:
        hand, revolution = brute.random_hand(rng, rng.randint(1, 11)), rng.random() < 0.5
        if rng.random() < 0.25:
            states.append(Planted(hand, None, frozenset(), revolution, False))
            continue
        ways = sorted(brute.plays(brute.random_hand(rng, 9)), key=str)
        size = rng.choice(sorted({play.number for play, _ in ways}))
        old, cards = rng.choice([way for way in ways if way[0].number == size])
        if not cards & set(hand):
            states.append(Planted(hand, old, cards, revolution, rng.random() < 0.3))
    return states


def test_move_lists_of_planted_states_equal_brute_force() -> None:
    states, engine = planted(STATES, seed=5), load("daifugo").engine()
    parts = [states[first : first + 2_000] for first in range(0, STATES, 2_000)]
    answers = [moves for part in parts for moves in engine.legal_moves([state.json for state in part])]
    for state, moves in zip(states, answers, strict=True):
        assert not isinstance(moves, Exception), (state, moves)
        found = {_read(move) for move in moves if move != "pass"}
        assert found == state.expected, state
        assert len(moves) == len(found) + (state.old is not None)


def _read(move: Any) -> brute.Play:
    """Read a move in JSON; cards alone are a play of one meaning."""
    if isinstance(move, dict):
        return readings()[move["label"]], frozenset(move["cards"])
    (reading,) = brute.readings(move)
    return reading, frozenset(move)


def test_masks_equal_clingo(rules: CompiledGame) -> None:
    control = Clingo(rules)
    for state in planted(CLINGO, seed=6):
        labels = {label_of(reading) for reading, _ in state.expected} | ({"pass"} if state.old else set())
        assert control.legal(state.atoms & set(rules.kb.input_atoms)) == labels


def test_number_of_labels(rules: CompiledGame) -> None:
    runs = sum(16 - length for length in range(3, 12)) * 4
    assert len(rules.labels) == 13 * 15 + 13 + runs + 2
