"""States of folder games, to compare the engine with an independent implementation.

Half of them are decisions of random play, half are hands of few ranks or suits with plays to beat drawn by label. Both
together cover cases that are rare in random play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import clingo
import numpy as np
from clingo import ast

from abl_cards.agents.baselines import RandomAgent
from abl_cards.asp.build import Limits
from abl_cards.asp.program import read_statements
from abl_cards.asp.terms import Atom
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.description.card_codes import counts_from_cards
from abl_cards.games.game import load
from abl_cards.games.state.state import PLAY
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types.moves import LEADING, NO_CARD, Moves
from tests.brute_force.hands import Cards, Sets
from tests.brute_force.turns import Course
from tests.effort import amount

Points = Callable[[list[int], list[int]], list[int] | None]


class Play(NamedTuple):
    """The play to beat: its label, form and cards."""

    label: str
    form: int
    cards: Cards


@dataclass(frozen=True)
class Query:
    """A decision: the hand, the play to beat, whether it opens the game, and the cards of the next seat."""

    hand: Cards
    to_beat: Play | None = None
    opening: bool = False
    next_holds: int = 5

    @property
    def cards_to_beat(self) -> Cards | None:
        """The cards to beat."""
        return self.to_beat.cards if self.to_beat else None


def rules_of(game: str, profile: str | None = None) -> CompiledGame:
    """Return the compiled rules of a game, those of its engine."""
    return load(game).engine(profile=profile).rules


def decisions_of(rules: CompiledGame, queries: list[Query]) -> Decisions:
    """Return the queries as decisions of seat 0; the other seats share the remaining cards."""
    tables, n, kinds = Tables(rules, len(queries)), len(queries), len(rules.pack)
    state = tables.state
    for row, query in enumerate(queries):
        state.hands[row, 0] = counts_from_cards(_numbers(rules, query.hand), kinds)
        others = np.repeat(np.arange(kinds), rules.pack.copies - state.hands[row, 0])
        state.hands[row, 1] = counts_from_cards(others[: query.next_holds], kinds)
        state.num_acts[row] = 0 if query.opening else 5
        if query.to_beat is not None:
            state.to_beat[row], state.owner[row] = query.to_beat.form, rules.seating.seats - 1
    return Decisions(PlayerView(rules, state, np.arange(n), np.zeros(n, np.int8), False))


def _numbers(rules: CompiledGame, cards: Cards) -> list[int]:
    return [rules.card_codes.kind_by_text[card] for card in sorted(cards)]


def texts(rules: CompiledGame, row: np.ndarray) -> Cards:
    """The cards of a move."""
    return frozenset(rules.card_codes.kind_texts[card] for card in row if card != NO_CARD)


def listed(rules: CompiledGame, decisions: Decisions) -> Iterator[dict[str, set[Cards]]]:
    """Yield for each decision the sets of cards that the engine lists, by label."""
    lists = decisions.moves()
    for row in range(len(decisions.rows)):
        sets_by_label: dict[str, set[Cards]] = {}
        for move in range(lists.start[row], lists.start[row + 1]):
            label = rules.label_texts[decisions.labels_of(lists.form)[move]]
            cards = texts(rules, lists.cards[move])
            assert cards not in sets_by_label.get(label, ())
            sets_by_label.setdefault(label, set()).add(cards)
        yield sets_by_label


Reading = Callable[[Query], tuple[Sets, bool]]
"""An independent implementation: the legal sets of cards by label, and whether passing is legal."""

_AT_ONCE = 500
_TABLES, _DRAWN_HANDS = amount(4, 64), amount(30, 400)
"""Tables of random play; hands from which plays to beat are drawn."""


def disagreements(rules: CompiledGame, queries: list[Query], reading: Reading) -> list[str]:
    """Compare masks and complete lists with an independent implementation; label names may differ."""
    messages: list[str] = []
    for first in range(0, len(queries), _AT_ONCE):
        messages += _disagreements(rules, queries[first : first + _AT_ONCE], reading)
    return messages


def _disagreements(rules: CompiledGame, queries: list[Query], reading: Reading) -> Iterator[str]:
    decisions = decisions_of(rules, queries)
    for row, (query, sets_by_label) in enumerate(zip(queries, listed(rules, decisions), strict=True)):
        expected, passing = reading(query)
        mask = {rules.label_texts[label] for label in np.flatnonzero(decisions.legal_mask[:, row])}
        passes = sets_by_label.pop("pass", None) is not None
        same = Counter(map(frozenset, sets_by_label.values())) == Counter(map(frozenset, expected.values()))
        if not same or passes != passing or mask != set(sets_by_label) | ({"pass"} if passes else set()):
            yield f"{query}: engine {sets_by_label}, pass {passes}, mask {mask}; expected {expected}, pass {passing}"


def count_moves(
    rules: CompiledGame, hand: str, to_beat: str | None = None, opening: bool = False, next_holds: int = 5
) -> tuple[int, int, bool]:
    """Return the numbers of labels and of sets of cards that a hand may play, and whether it may pass."""
    number = rules.forms.index
    lying = None if to_beat is None else Play(to_beat, number[to_beat], frozenset())
    decisions = decisions_of(rules, [Query(frozenset(hand.split()), lying, opening, next_holds)])
    (sets_by_label,) = listed(rules, decisions)
    passes = "pass" in sets_by_label
    assert int(decisions.legal_mask[:, 0].sum()) == len(sets_by_label)
    return len(sets_by_label) - passes, sum(map(len, sets_by_label.values())) - passes, passes


# --- where states come from -------------------------------------------------------------------------------------------


def played_states(rules: CompiledGame, number: int, seed: int) -> list[Query]:
    """Sample a quarter of the decisions of random play."""
    draw, queries = np.random.default_rng(seed), list[Query]()
    while len(queries) < number:
        tables = Tables.begin(rules, draw.integers(1 << 63, size=_TABLES).astype(np.uint64))
        tables.auto_next_episode, lying = False, dict[int, Play]()
        while (playing := tables.rows_to_play()).size:
            decisions, state = tables.decisions(playing), tables.state
            for row in np.flatnonzero(draw.random(len(playing)) < 0.25):
                table = playing[row]
                hand = _cards(rules, state.hands[table, state.seat[table]])
                to_beat = lying[table] if state.to_beat[table] != LEADING else None
                queries.append(
                    Query(hand, to_beat, state.num_acts[table] == 0, int(decisions.view.hidden_hand_sizes[row, 0]))
                )
            moves = _random(tables, decisions)
            for table, form, cards in zip(playing, moves.form, moves.cards, strict=True):
                if form != rules.forms.pass_form:
                    lying[table] = _play(rules, form, cards)
            tables.play(playing, moves)
    return [queries[place] for place in draw.permutation(len(queries))[:number]]


def _random(tables: Tables, decisions: Any) -> Moves:
    rows = decisions.rows
    return RandomAgent().play(decisions, splitmix64_array(tables.keys[rows], tables.num_decisions[rows]))


def planted_states(rules: CompiledGame, number: int, seed: int) -> list[Query]:
    """Generate hands of few ranks or suits, with plays to beat drawn by label."""
    draw = np.random.default_rng(seed)
    hands = [Query(_hand(rules, draw, frozenset())) for _ in range(_DRAWN_HANDS)]
    decisions = decisions_of(rules, hands)
    lists = decisions.moves()
    by_label: dict[int, list[int]] = {}
    for move, label in enumerate(decisions.labels_of(lists.form)):
        by_label.setdefault(int(label), []).append(move)
    labels, queries = sorted(by_label), list[Query]()
    for _ in range(number):
        to_beat = None
        if draw.random() < 0.7:
            move = draw.choice(by_label[labels[draw.integers(len(labels))]])
            to_beat = _play(rules, lists.form[move], lists.cards[move])
        hand = _hand(rules, draw, to_beat.cards if to_beat else frozenset())
        queries.append(Query(hand, to_beat, False, int(draw.integers(1, 4))))
    return queries


def states(rules: CompiledGame, number: int, seed: int) -> list[Query]:
    """Half of each."""
    return played_states(rules, number // 2, seed) + planted_states(rules, number - number // 2, seed)


def _cards(rules: CompiledGame, counts: np.ndarray) -> Cards:
    return frozenset(rules.card_codes.kind_texts[kind] for kind in np.flatnonzero(counts))


def _play(rules: CompiledGame, form: int, cards: np.ndarray) -> Play:
    return Play(rules.label_texts[rules.forms.label_of[form]], int(form), texts(rules, cards))


def _hand(rules: CompiledGame, draw: np.random.Generator, without: Cards) -> Cards:
    """Cards of a window of ranks, or mostly of one suit."""
    pack = [text for text in rules.card_codes.kind_texts if text not in without]
    ranks = list(dict.fromkeys(text[1] for text in rules.card_codes.kind_texts))
    ranks.sort(key="3456789TJQKA2j".index)
    first, width = draw.integers(len(ranks)), draw.integers(2, 8)
    favoured = set(ranks[first : first + width])
    suit = draw.choice(["D", "C", "H", "S", "", ""])
    weight = np.array([0.02 + 10 * (text[1] in favoured) + 5 * (text[0] == suit) for text in pack])
    size = min(int(draw.integers(1, max(rules.seating.num_dealt) + 1)), len(pack))
    return frozenset(draw.choice(pack, size, replace=False, p=weight / weight.sum()).tolist())


# --- clingo -----------------------------------------------------------------------------------------------------------


def facts(rules: CompiledGame, query: Query) -> set[Atom]:
    """Return the inputs that hold in a state, by an independent implementation."""
    ranks = {letter: rank for rank, letter in _letters(rules).items() if isinstance(rank, int)}
    suits = {letter: suit for suit, letter in _letters(rules).items() if isinstance(suit, str)}
    atoms = {Atom("holding", (number,)) for number in range(1, len(query.hand) + 1)}
    for card in query.hand:
        atoms.add(Atom("held", (ranks[card[1]], suits[card[0]], 1)))
    for rank, count in Counter(ranks[card[1]] for card in query.hand).items():
        atoms |= {Atom("held", (rank, number)) for number in range(1, count + 1)}
    if query.to_beat is None:
        atoms.add(Atom("leading", ()))
    else:
        atoms.add(Atom("to_beat", (rules.forms.forms[query.to_beat.form].name,)))
    if not query.opening:
        atoms |= {Atom("acts", (number,)) for number in range(1, 6)}
    atoms |= {Atom("cards", ("next", number)) for number in range(1, query.next_holds + 1)}
    return atoms & set(rules.kb.input_atoms)


def _letters(rules: CompiledGame) -> dict[int | str, str]:
    return {term: str(text).strip('"') for term, text in rules.kb.facts("letter", 2)}


class Clingo:
    """clingo on the files of a folder, with legal/1 as the only output."""

    def __init__(self, rules: CompiledGame) -> None:
        """Ground them."""
        self._control, self._on = clingo.Control(["--warn=none"]), set[clingo.Symbol]()
        with ast.ProgramBuilder(self._control) as builder:
            for statement in read_statements(rules.kb.files, Limits().file_bytes, rules.kb.request.library):
                builder.add(statement)
        self._control.add("base", [], "#show. #show legal/1.")
        self._control.ground([("base", [])])

    def legal(self, facts: set[Atom]) -> set[str]:
        """Return the legal labels if only these inputs hold."""
        on = {clingo.parse_term(str(fact)) for fact in facts}
        for symbol in on ^ self._on:
            self._control.assign_external(symbol, symbol in on)
        self._on = on
        with self._control.solve(yield_=True) as handle:
            (labels,) = ({str(atom.arguments[0]) for atom in model.symbols(shown=True)} for model in handle)
        return labels


def compare_with_clingo(rules: CompiledGame, queries: list[Query]) -> list[str]:
    """Compare the labels of the circuit with those that clingo derives from the facts of a state."""
    control, legal, messages = Clingo(rules), decisions_of(rules, queries).legal_mask, list[str]()
    for row, query in enumerate(queries):
        derived = control.legal(facts(rules, query))
        mask = {rules.label_texts[label] for label in np.flatnonzero(legal[:, row])}
        if derived != mask:
            messages.append(f"{query}: clingo {sorted(derived)}, circuit {sorted(mask)}")
    return messages


# --- whole matches ----------------------------------------------------------------------------------------------------


def follow(
    rules: CompiledGame, points: Points, matches: int, seed: int, locks: bool = False, lowest_leads: bool = False
) -> None:
    """Play at random to the end; assert that turns and points agree with an independent implementation."""
    keys = np.random.default_rng(seed).integers(1 << 63, size=matches).astype(np.uint64)
    tables = Tables.begin(rules, keys)
    courses = [Course(rules.seating.seats, locks, lowest_leads) for _ in range(matches)]
    while (playing := tables.rows_to_play()).size:
        state, seats = tables.state, tables.state.seat[playing].tolist()
        moves = _random(tables, tables.decisions(playing))
        tables.play(playing, moves)
        left = state.hands[playing].sum(axis=2)
        for row, (table, seat) in enumerate(zip(playing.tolist(), seats, strict=True)):
            course = courses[table]
            turn = course.act(seat, moves.form[row] == rules.forms.pass_form, left[row, seat])
            paid = points(left[row].tolist(), course.gone)
            if paid is None:
                assert turn == (state.seat[table], state.to_beat[table] == LEADING)
            else:
                assert tables.points[table].tolist() == paid
            assert (state.stage[table] != PLAY) == (paid is not None)
    assert not tables.points.sum(axis=1).any()


class Scene:
    """One table with given hands and scripted plays."""

    def __init__(self, rules: CompiledGame, hands: list[str], seat: int = 0) -> None:
        """Cards by seat; ``seat`` leads."""
        self.rules, self.tables = rules, Tables.begin(rules, np.zeros(1, np.uint64))
        state, self._here = self.tables.state, np.zeros(1, np.int64)
        for place, hand in enumerate(hands):
            state.hands[0, place] = counts_from_cards(_numbers(rules, frozenset(hand.split())), len(rules.pack))
        state.seat[0] = state.owner[0] = state.last_actor[0] = seat
        state.num_acts[0] = 1

    @property
    def legal(self) -> set[str]:
        """Return the legal labels of the seat to decide."""
        mask = self.tables.decisions(self._here).legal_mask[:, 0]
        return {self.rules.label_texts[label] for label in np.flatnonzero(mask)}

    def play(self, *labels: str) -> int:
        """Play these labels in turn; return the seat to decide, or -1 if the game is over."""
        for label in labels:
            assert label in self.legal, f"{label} is not legal: {self.legal}"
            decisions = self.tables.decisions(self._here)
            number = np.array([self.rules.label_texts.index(label)], np.int16)
            self.tables.play(self._here, decisions.first_moves(number))
        return int(self.tables.state.seat[0]) if self.tables.state.stage[0] == PLAY else -1

    @property
    def leads(self) -> bool:
        """Return True if there is no play to beat."""
        return bool(self.tables.state.to_beat[0] == LEADING)

    @property
    def points(self) -> list[int]:
        """Return the points of each seat."""
        payoffs: list[int] = self.tables.points[0].tolist()
        return payoffs
