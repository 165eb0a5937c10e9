"""States of a game that is a folder, to ask it and an independent reading the same questions.

Half of them are decisions of random play, half are hands with much in common over plays drawn by their labels, as both
together meet what random play alone hardly ever does.
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
from abl_cards.games.compiled.compiled_game import CompiledGame, compile_game
from abl_cards.games.description.card_codes import counts_from_cards
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.variants import KB_ROOT
from abl_cards.games.state.state import PLAY
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types.moves import LEADING, NO_CARD, Moves
from tests.brute_force.hands import Cards, Sets
from tests.brute_force.turns import Course

Points = Callable[[list[int], list[int]], list[int] | None]


class Play(NamedTuple):
    """What lies there: its label, its form and its cards."""

    label: str
    form: int
    cards: Cards


@dataclass(frozen=True)
class Asked:
    """What a seat is asked: its hand, what is to beat, whether it is the first play, what the next seat holds."""

    hand: Cards
    to_beat: Play | None = None
    opening: bool = False
    next_holds: int = 5

    @property
    def lying(self) -> Cards | None:
        """The cards to beat."""
        return self.to_beat.cards if self.to_beat else None


def rules_of(game: str, profile: str | None = None) -> CompiledGame:
    """A folder of kb/, compiled."""
    return compile_game(Folder(KB_ROOT / game), profile)


def decisions_of(rules: CompiledGame, asked: list[Asked]) -> Decisions:
    """The states as tables, from the eyes of seat 0; the other seats share the rest of the cards."""
    tables, n, kinds = Tables(rules, len(asked)), len(asked), len(rules.pack)
    state = tables.state
    for row, each in enumerate(asked):
        state.hands[row, 0] = counts_from_cards(_numbers(rules, each.hand), kinds)
        others = np.repeat(np.arange(kinds), rules.pack.copies - state.hands[row, 0])
        state.hands[row, 1] = counts_from_cards(others[: each.next_holds], kinds)
        state.num_acts[row] = 0 if each.opening else 5
        if each.to_beat is not None:
            state.to_beat[row], state.owner[row] = each.to_beat.form, rules.seating.seats - 1
    return Decisions(PlayerView(rules, state, np.arange(n), np.zeros(n, np.int8), False))


def _numbers(rules: CompiledGame, cards: Cards) -> list[int]:
    return [rules.card_codes.kind_by_text[card] for card in sorted(cards)]


def texts(rules: CompiledGame, row: np.ndarray) -> Cards:
    """The cards of a move."""
    return frozenset(rules.card_codes.kind_texts[card] for card in row if card != NO_CARD)


def listed(rules: CompiledGame, decisions: Decisions) -> Iterator[dict[str, set[Cards]]]:
    """By decision and label the sets of cards that the engine lists."""
    lists = decisions.moves()
    for row in range(len(decisions.rows)):
        found: dict[str, set[Cards]] = {}
        for move in range(lists.start[row], lists.start[row + 1]):
            label = rules.label_texts[decisions.labels_of(lists.form)[move]]
            cards = texts(rules, lists.cards[move])
            assert cards not in found.get(label, ())
            found.setdefault(label, set()).add(cards)
        yield found


Reading = Callable[[Asked], tuple[Sets, bool]]
"""An independent reading: what may be laid down by label, and whether one may pass."""

_AT_ONCE = 500


def disagreements(rules: CompiledGame, asked: list[Asked], reading: Reading) -> list[str]:
    """Where masks or complete lists are not those of an independent reading, whatever the labels are called there."""
    found: list[str] = []
    for first in range(0, len(asked), _AT_ONCE):
        found += _disagreements(rules, asked[first : first + _AT_ONCE], reading)
    return found


def _disagreements(rules: CompiledGame, asked: list[Asked], reading: Reading) -> Iterator[str]:
    decisions = decisions_of(rules, asked)
    for row, (each, here) in enumerate(zip(asked, listed(rules, decisions), strict=True)):
        said, passing = reading(each)
        mask = {rules.label_texts[label] for label in np.flatnonzero(decisions.legal_mask[:, row])}
        passes = here.pop("pass", None) is not None
        same = Counter(map(frozenset, here.values())) == Counter(map(frozenset, said.values()))
        if not same or passes != passing or mask != set(here) | ({"pass"} if passes else set()):
            yield f"{each}: engine {here}, pass {passes}, mask {mask}; expected {said}, pass {passing}"


def number_of(
    rules: CompiledGame, hand: str, to_beat: str | None = None, opening: bool = False, next_holds: int = 5
) -> tuple[int, int, bool]:
    """How many labels a hand may play over a label, how many sets of cards, and whether it may pass."""
    number = rules.forms.index
    lying = None if to_beat is None else Play(to_beat, number[to_beat], frozenset())
    decisions = decisions_of(rules, [Asked(frozenset(hand.split()), lying, opening, next_holds)])
    (found,) = listed(rules, decisions)
    passes = "pass" in found
    assert int(decisions.legal_mask[:, 0].sum()) == len(found)
    return len(found) - passes, sum(map(len, found.values())) - passes, passes


# --- where states come from -------------------------------------------------------------------------------------------


def played_states(rules: CompiledGame, number: int, seed: int) -> list[Asked]:
    """Decisions of random play, each with the odds of one in four."""
    draw, found = np.random.default_rng(seed), list[Asked]()
    while len(found) < number:
        tables = Tables.begin(rules, draw.integers(1 << 63, size=64).astype(np.uint64))
        tables.auto_next_episode, lying = False, dict[int, Play]()
        while (which := tables.rows_to_play()).size:
            decisions, state = tables.decisions(which), tables.state
            for row in np.flatnonzero(draw.random(len(which)) < 0.25):
                table = which[row]
                hand = _cards(rules, state.hands[table, state.seat[table]])
                to_beat = lying[table] if state.to_beat[table] != LEADING else None
                found.append(
                    Asked(hand, to_beat, state.num_acts[table] == 0, int(decisions.view.hidden_hand_sizes[row, 0]))
                )
            moves = _random(tables, decisions)
            for table, form, cards in zip(which, moves.form, moves.cards, strict=True):
                if form != rules.forms.pass_form:
                    lying[table] = _play(rules, form, cards)
            tables.play(which, moves)
    return [found[place] for place in draw.permutation(len(found))[:number]]


def _random(tables: Tables, decisions: Any) -> Moves:
    which = decisions.rows
    return RandomAgent().play(decisions, splitmix64_array(tables.keys[which], tables.num_decisions[which]))


def planted_states(rules: CompiledGame, number: int, seed: int) -> list[Asked]:
    """Hands of few ranks or few suits over plays that are drawn by their labels."""
    draw = np.random.default_rng(seed)
    hands = [Asked(_hand(rules, draw, frozenset())) for _ in range(400)]
    decisions = decisions_of(rules, hands)
    lists = decisions.moves()
    by_label: dict[int, list[int]] = {}
    for move, label in enumerate(decisions.labels_of(lists.form)):
        by_label.setdefault(int(label), []).append(move)
    labels, found = sorted(by_label), list[Asked]()
    for _ in range(number):
        to_beat = None
        if draw.random() < 0.7:
            move = draw.choice(by_label[labels[draw.integers(len(labels))]])
            to_beat = _play(rules, lists.form[move], lists.cards[move])
        hand = _hand(rules, draw, to_beat.cards if to_beat else frozenset())
        found.append(Asked(hand, to_beat, False, int(draw.integers(1, 4))))
    return found


def states(rules: CompiledGame, number: int, seed: int) -> list[Asked]:
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
    ranks.sort(key="3456789TJQKA2".index)
    first, width = draw.integers(len(ranks)), draw.integers(2, 8)
    favoured = set(ranks[first : first + width])
    suit = draw.choice(["D", "C", "H", "S", "", ""])
    weight = np.array([0.02 + 10 * (text[1] in favoured) + 5 * (text[0] == suit) for text in pack])
    size = min(int(draw.integers(1, max(rules.seating.num_dealt) + 1)), len(pack))
    return frozenset(draw.choice(pack, size, replace=False, p=weight / weight.sum()).tolist())


# --- clingo -----------------------------------------------------------------------------------------------------------


def facts(rules: CompiledGame, asked: Asked) -> set[Atom]:
    """What the rules are told of a state, written down anew: the inputs that hold."""
    ranks = {letter: rank for rank, letter in _letters(rules).items() if isinstance(rank, int)}
    suits = {letter: suit for suit, letter in _letters(rules).items() if isinstance(suit, str)}
    found = {Atom("holding", (number,)) for number in range(1, len(asked.hand) + 1)}
    for card in asked.hand:
        found.add(Atom("held", (ranks[card[1]], suits[card[0]], 1)))
    for rank, count in Counter(ranks[card[1]] for card in asked.hand).items():
        found |= {Atom("held", (rank, number)) for number in range(1, count + 1)}
    if asked.to_beat is None:
        found.add(Atom("leading", ()))
    else:
        found.add(Atom("to_beat", (rules.forms.forms[asked.to_beat.form].name,)))
    if not asked.opening:
        found |= {Atom("acts", (number,)) for number in range(1, 6)}
    found |= {Atom("cards", ("next", number)) for number in range(1, asked.next_holds + 1)}
    return found & set(rules.kb.input_atoms)


def _letters(rules: CompiledGame) -> dict[int | str, str]:
    return {term: str(text).strip('"') for term, text in rules.kb.facts("letter", 2)}


class Clingo:
    """clingo over the files of a folder, asked for legal/1 alone."""

    def __init__(self, rules: CompiledGame) -> None:
        """Ground them."""
        self._control, self._on = clingo.Control(["--warn=none"]), set[clingo.Symbol]()
        with ast.ProgramBuilder(self._control) as builder:
            for statement in read_statements(rules.kb.files, Limits().file_bytes, rules.kb.request.library):
                builder.add(statement)
        self._control.add("base", [], "#show. #show legal/1.")
        self._control.ground([("base", [])])

    def legal(self, told: set[Atom]) -> set[str]:
        """The labels that are legal where these inputs hold and no others."""
        on = {clingo.parse_term(str(each)) for each in told}
        for symbol in on ^ self._on:
            self._control.assign_external(symbol, symbol in on)
        self._on = on
        with self._control.solve(yield_=True) as handle:
            (found,) = ({str(atom.arguments[0]) for atom in model.symbols(shown=True)} for model in handle)
        return found


def unlike_clingo(rules: CompiledGame, asked: list[Asked]) -> list[str]:
    """Where the labels that the circuit allows are not those that clingo derives from the facts of a state."""
    control, legal, found = Clingo(rules), decisions_of(rules, asked).legal_mask, list[str]()
    for row, each in enumerate(asked):
        derived = control.legal(facts(rules, each))
        mask = {rules.label_texts[label] for label in np.flatnonzero(legal[:, row])}
        if derived != mask:
            found.append(f"{each}: clingo {sorted(derived)}, circuit {sorted(mask)}")
    return found


# --- whole matches ----------------------------------------------------------------------------------------------------


def follow(
    rules: CompiledGame, points: Points, matches: int, seed: int, locks: bool = False, lowest_leads: bool = False
) -> None:
    """Play at random to the end beside an independent reading of the turns and of the points; asserts they agree."""
    keys = np.random.default_rng(seed).integers(1 << 63, size=matches).astype(np.uint64)
    tables = Tables.begin(rules, keys)
    courses = [Course(rules.seating.seats, locks, lowest_leads) for _ in range(matches)]
    while (which := tables.rows_to_play()).size:
        state, seats = tables.state, tables.state.seat[which].tolist()
        moves = _random(tables, tables.decisions(which))
        tables.play(which, moves)
        left = state.hands[which].sum(axis=2)
        for row, (table, seat) in enumerate(zip(which.tolist(), seats, strict=True)):
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
    """One table with these hands, at which seats lay down what they are told to."""

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
        """The labels that the seat to decide may play."""
        mask = self.tables.decisions(self._here).legal_mask[:, 0]
        return {self.rules.label_texts[label] for label in np.flatnonzero(mask)}

    def play(self, *labels: str) -> int:
        """Lay down these labels in turn; the seat to decide then, -1 where the game is over."""
        for label in labels:
            assert label in self.legal, f"{label} is not legal: {self.legal}"
            decisions = self.tables.decisions(self._here)
            number = np.array([self.rules.label_texts.index(label)], np.int16)
            self.tables.play(self._here, decisions.first_moves(number))
        return int(self.tables.state.seat[0]) if self.tables.state.stage[0] == PLAY else -1

    @property
    def leads(self) -> bool:
        """Whether there is nothing to beat."""
        return bool(self.tables.state.to_beat[0] == LEADING)

    @property
    def points(self) -> list[int]:
        """What the game was worth to each seat."""
        found: list[int] = self.tables.points[0].tolist()
        return found
