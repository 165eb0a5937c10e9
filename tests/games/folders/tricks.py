"""Helpers of the trick-game tests: whole rounds against a referee, and facts for clingo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from abl_cards.agents.baselines import RandomAgent
from abl_cards.asp.terms import Atom
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.state.state import CHOICE, PLAY
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from tests.games.folders.states import Clingo
from tests.games.random_play import match_keys


class Referee(Protocol):
    """An independent game that receives one card at a time."""

    @property
    def turn(self) -> int:
        """The seat to act."""

    def choices(self) -> list[str]:
        """Return the legal cards."""

    def play(self, card: str) -> None:
        """Play a card; raise ValueError for an illegal one."""


def cards_of(rules: CompiledGame, counts: np.ndarray) -> list[str]:
    """A hand as brute forces have it."""
    return [rules.card_codes.kind_texts[kind] for kind in np.repeat(np.arange(len(counts)), counts)]


def legal_cards(rules: CompiledGame, decisions: Decisions) -> Iterator[set[str]]:
    """Yield the legal cards of each decision; assert that mask and list agree."""
    lists = decisions.moves()
    assert (lists.cards[:, 1:] == 255).all()
    for row, column in enumerate(decisions.legal_mask.T):
        mask = {rules.labels[label] for label in np.flatnonzero(column)}
        texts = {rules.card_codes.kind_texts[rules.pack.index[label]] for label in mask}
        cards = lists.cards[lists.start[row] : lists.start[row + 1], 0]
        assert {rules.card_codes.kind_texts[card] for card in cards} == texts
        yield texts


def follow_rounds(
    rules: CompiledGame,
    rounds: int,
    seed: int,
    begin: Callable[[Tables, int], Referee],
    end: Callable[[Tables, int, Any], None],
    give: Callable[[Any, str], None] | None = None,
) -> int:
    """Play a random episode at each table, check every step with a referee, and return the number of cards played.

    ``begin`` makes the referee of a table after the deal, ``give`` passes a chosen card or other option to it, and
    ``end`` compares the points.
    """
    tables, laid = Tables.begin(rules, match_keys(rounds, seed)), 0
    tables.auto_next_episode = False
    referees: list[Any] = [begin(tables, table) for table in range(rounds)]
    while np.isin(tables.state.stage, (PLAY, CHOICE)).any():
        if (choosing := tables.rows_to_choose()).size:
            assert give
            keys = splitmix64_array(tables.keys[choosing], tables.num_decisions[choosing])
            chosen = RandomAgent().choose(tables.choices(choosing), keys)
            for table, option in zip(choosing.tolist(), chosen.tolist(), strict=True):
                give(referees[table], _option_text(rules, option))
            tables.choose(choosing, chosen)
            continue
        waiting = tables.rows_to_play()
        keys, seats = splitmix64_array(tables.keys[waiting], tables.num_decisions[waiting]), tables.seat[waiting].copy()
        decisions = tables.decisions(waiting)
        moves = RandomAgent().play(decisions, keys)
        for row, (table, legal) in enumerate(zip(waiting.tolist(), legal_cards(rules, decisions), strict=True)):
            assert referees[table].turn == seats[row]
            assert legal == set(referees[table].choices())
            referees[table].play(rules.card_codes.kind_texts[moves.cards[row, 0]])
        tables.play(waiting, moves)
        laid += len(waiting)
    for table, referee in enumerate(referees):
        end(tables, table, referee)
    return laid


def _option_text(rules: CompiledGame, option: int) -> str:
    """Return the card as brute forces have it, or the term of another option."""
    term = rules.schema.options[option]
    kind = rules.pack.index.get(term)
    return str(term) if kind is None else rules.card_codes.kind_texts[kind]


def sample_facts(rules: CompiledGame, states: int, seed: int) -> Iterator[tuple[set[Atom], set[str]]]:
    """Yield independent facts and legal labels of decisions in random games."""
    tables, count = Tables.begin(rules, match_keys(20, seed)), 0
    draw = np.random.default_rng(seed)
    while count < states:
        if (over := np.flatnonzero(tables.winner != -1)).size:
            tables.begin_match(over, splitmix64_array(tables.keys[over], seed))
        playing, keys = tables.rows_to_play(), splitmix64_array(tables.keys, tables.num_decisions)
        if (choosing := tables.rows_to_choose()).size:
            tables.choose(choosing, RandomAgent().choose(tables.choices(choosing), keys[choosing]))
        if not playing.size:
            continue
        decisions = tables.decisions(playing)
        for row in np.flatnonzero(draw.random(len(playing)) < 0.2)[: states - count].tolist():
            legal = {str(rules.labels[label]) for label in np.flatnonzero(decisions.legal_mask[:, row])}
            yield _facts(rules, tables, int(playing[row])), legal
            count += 1
        tables.play(playing, RandomAgent().play(decisions, keys[playing]))


def _facts(rules: CompiledGame, tables: Tables, table: int) -> set[Atom]:
    state, seat = tables.state, int(tables.seat[table])

    def parts(counts: np.ndarray) -> list[tuple[int | str, ...]]:
        kinds = [str(rules.pack.kinds[kind])[5:-1].split(",") for kind in np.flatnonzero(counts)]
        return [(int(rank), suit) for rank, suit in kinds]

    atoms = {Atom("held", (*card, 1)) for card in parts(state.hands[table, seat])}
    atoms |= {Atom("in_trick", (by, *card, 1)) for by in range(4) for card in parts(state.trick_cards[table, by])}
    atoms |= {Atom("leader", (int(state.leader[table]),)), Atom("asked", (seat,))}
    atoms |= {Atom("acted", (int(state.last_actor[table]),)), Atom("owner", (int(state.owner[table]),))}
    atoms |= {Atom("acts", (number,)) for number in range(1, int(state.num_acts[table]) + 1)}
    return (atoms | _remembered(rules, state.fluents[table])) & set(rules.kb.input_atoms)


def _remembered(rules: CompiledGame, fluents: Sequence[int]) -> set[Atom]:
    atoms: set[Atom] = set()
    for fluent in rules.fluents.fluents:
        for key, slot in zip(fluent.keys, fluent.slots, strict=True):
            number = int(fluents[slot])
            if fluent.value_type == "one" and number >= 0:
                atoms.add(Atom(fluent.signature.name, (*key, fluent.values[number])))
            elif fluent.value_type == "any" and number:
                atoms.add(Atom(fluent.signature.name, key))
            elif fluent.value_type == "count":
                atoms |= {Atom(fluent.signature.name, (*key, least)) for least in range(1, number + 1)}
    return atoms


def compare_with_clingo(rules: CompiledGame, states: int, seed: int) -> list[str]:
    """Compare the labels of the circuit with those that clingo derives from the facts of a state."""
    control, messages = Clingo(rules), list[str]()
    for facts, legal in sample_facts(rules, states, seed):
        derived = control.legal(facts)
        if derived != legal:
            messages.append(f"{sorted(map(str, facts))}: clingo {sorted(derived)}, circuit {sorted(legal)}")
    return messages
