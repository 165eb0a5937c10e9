"""What the tests of trick games share: whole rounds beside a referee of its own, and facts for clingo."""

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
    """An independent game, told card by card."""

    @property
    def turn(self) -> int:
        """The seat to act."""

    def choices(self) -> list[str]:
        """The cards that may be laid."""

    def play(self, card: str) -> None:
        """Raises ValueError for one that may not."""


def cards_of(rules: CompiledGame, counts: np.ndarray) -> list[str]:
    """A hand as brute forces have it."""
    return [rules.card_codes.kind_texts[kind] for kind in np.repeat(np.arange(len(counts)), counts)]


def legal_cards(rules: CompiledGame, decisions: Decisions) -> Iterator[set[str]]:
    """By decision the cards that may be laid, by the mask and by the list, which agree."""
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
    """Play an episode at random at each of so many tables, and ask a referee at every step; returns the cards laid.

    ``begin`` makes the referee of a table that has just been dealt, ``give`` tells it a card that is chosen, ``end``
    compares the points.
    """
    tables, laid = Tables.begin(rules, match_keys(rounds, seed)), 0
    tables.auto_next_episode = False
    referees: list[Any] = [begin(tables, table) for table in range(rounds)]
    while (which := np.flatnonzero(np.isin(tables.state.stage, (PLAY, CHOICE)))).size:
        keys, seats = splitmix64_array(tables.keys[which], tables.num_decisions[which]), tables.seat[which].copy()
        if (tables.state.stage[which] == CHOICE).all():
            assert give
            chosen = RandomAgent().choose(tables.choices(which), keys)
            for table, option in zip(which.tolist(), chosen.tolist(), strict=True):
                card = rules.schema.options[option]
                give(referees[table], rules.card_codes.kind_texts[rules.pack.index[card]])
            tables.choose(which, chosen)
            continue
        decisions = tables.decisions(which)
        moves = RandomAgent().play(decisions, keys)
        for row, (table, legal) in enumerate(zip(which.tolist(), legal_cards(rules, decisions), strict=True)):
            assert referees[table].turn == seats[row]
            assert legal == set(referees[table].choices())
            referees[table].play(rules.card_codes.kind_texts[moves.cards[row, 0]])
        tables.play(which, moves)
        laid += len(which)
    for table, referee in enumerate(referees):
        end(tables, table, referee)
    return laid


def facts_met(rules: CompiledGame, states: int, seed: int) -> Iterator[tuple[set[Atom], set[str]]]:
    """What the rules are told of plays met in random games, written down anew, and the labels that are legal there."""
    tables, found = Tables.begin(rules, match_keys(20, seed)), 0
    draw = np.random.default_rng(seed)
    while found < states:
        if (over := np.flatnonzero(tables.winner != -1)).size:
            tables.begin_match(over, splitmix64_array(tables.keys[over], seed))
        which, keys = tables.rows_to_play(), splitmix64_array(tables.keys, tables.num_decisions)
        if (choosing := tables.rows_to_choose()).size:
            tables.choose(choosing, RandomAgent().choose(tables.choices(choosing), keys[choosing]))
        if not which.size:
            continue
        decisions = tables.decisions(which)
        for row in np.flatnonzero(draw.random(len(which)) < 0.2)[: states - found].tolist():
            legal = {str(rules.labels[label]) for label in np.flatnonzero(decisions.legal_mask[:, row])}
            yield _facts(rules, tables, int(which[row])), legal
            found += 1
        tables.play(which, RandomAgent().play(decisions, keys[which]))


def _facts(rules: CompiledGame, tables: Tables, table: int) -> set[Atom]:
    state, seat = tables.state, int(tables.seat[table])

    def parts(counts: np.ndarray) -> list[tuple[int | str, ...]]:
        kinds = [str(rules.pack.kinds[kind])[5:-1].split(",") for kind in np.flatnonzero(counts)]
        return [(int(rank), suit) for rank, suit in kinds]

    found = {Atom("held", (*each, 1)) for each in parts(state.hands[table, seat])}
    found |= {Atom("in_trick", (by, *each, 1)) for by in range(4) for each in parts(state.trick_cards[table, by])}
    found |= {Atom("leader", (int(state.leader[table]),)), Atom("asked", (seat,))}
    found |= {Atom("acted", (int(state.last_actor[table]),)), Atom("owner", (int(state.owner[table]),))}
    found |= {Atom("acts", (number,)) for number in range(1, int(state.num_acts[table]) + 1)}
    return (found | _remembered(rules, state.fluents[table])) & set(rules.kb.input_atoms)


def _remembered(rules: CompiledGame, fluents: Sequence[int]) -> set[Atom]:
    found: set[Atom] = set()
    for fluent in rules.fluents.fluents:
        for key, slot in zip(fluent.keys, fluent.slots, strict=True):
            number = int(fluents[slot])
            if fluent.value_type == "one" and number >= 0:
                found.add(Atom(fluent.signature.name, (*key, fluent.values[number])))
            elif fluent.value_type == "any" and number:
                found.add(Atom(fluent.signature.name, key))
            elif fluent.value_type == "count":
                found |= {Atom(fluent.signature.name, (*key, least)) for least in range(1, number + 1)}
    return found


def unlike_clingo(rules: CompiledGame, states: int, seed: int) -> list[str]:
    """Where the labels that the circuit allows are not those that clingo derives from the facts of a state."""
    control, found = Clingo(rules), list[str]()
    for told, legal in facts_met(rules, states, seed):
        derived = control.legal(told)
        if derived != legal:
            found.append(f"{sorted(map(str, told))}: clingo {sorted(derived)}, circuit {sorted(legal)}")
    return found
