"""What a seat knows of the hands it does not see, and what it believes of them: ``has, lacks`` and ``belief``.

``has(Seat,Rank,Suit,N)``, ``has(Seat,Card,N)``: when the play begins the seat has at least N copies of this card;
``lacks``: fewer than N. Copies that the seat lays down later are taken off both. ``has_now, lacks_now`` say the same of
the hand as it is. Besides everybody knows the counts.
Where the rules have no ``lacks``, nobody can hold what others are known to hold.
Cards that lie aside are in no hand: of what is unseen so many are left over.

``belief(Name,Cell,Weight)`` is asked of each other seat: ten points make each copy of the cards that act as the cell
2.7 times as likely to lie with it, or, negative, as unlikely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, Term, make_kb_error
from abl_cards.core import map_ranges
from abl_cards.games.binding import CircuitQuery, ColumnWriter, make_gather_writer, make_lazy_writer, make_masked_writer
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import HAND_OUTPUTS, WILD, functor, require_int
from abl_cards.games.tables import hidden_kernels
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import Indices, InformationSet

LOG_ODDS_SCALE = np.float32(10.0)
"""Points for a factor of e."""
_BATCH_SIZE = 1 << 11  # observers whose others are asked about together; their rows should stay in the cache


def check_beliefs(rules: CompiledGame) -> None:
    """Raise KBError for facts and beliefs about what is no card, or about no seat."""
    _get_hand_facts(rules)
    get_belief_model(rules)


# --- what is certain --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _HandFacts:
    """The circuit of has and lacks, and what its outputs mean."""

    query: CircuitQuery
    outputs: NDArray[np.int16]  # [outputs, 5] seat, kind of card, copies at least, and at most; 1 for the hand as it is
    is_exclusive: bool  # nothing says what a seat lacks, but that others have it


def compute_constraints(rules: CompiledGame, view: PlayerView) -> InformationSet:
    """What the seats of a view know of the others."""
    unseen, left = view.unseen, view.hidden_hand_sizes.astype(np.int8)
    if rules.has_open_hands:
        return InformationSet(unseen, left, view.hidden_hands, view.hidden_hands.copy())
    facts = _get_hand_facts(rules) if view.has_hand_sizes else None
    if facts is None:
        return InformationSet.from_counts(unseen, left)
    n, shape = len(view), (*left.shape, len(rules.pack))
    answers, others, state = facts.query.evaluate(n, view.column_writers), view.other_seats, view.state
    at_least, at_most = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    map_ranges(n, lambda lo, hi: hidden_kernels.write_bounds(
        answers, facts.outputs, others, state.played, view.rows, unseen, facts.is_exclusive, lo, hi, at_least, at_most
    ))  # fmt: skip
    return InformationSet(unseen, left, at_least, at_most)


def _get_hand_facts(rules: CompiledGame) -> _HandFacts | None:
    key = "hands", id(rules)
    if key not in rules.kb.memo:
        rules.kb.memo[key] = rules, _read_hand_facts(rules)  # what is kept holds the rules: no others can have their id
    found: _HandFacts | None = rules.kb.memo[key][1]
    return found


def _read_hand_facts(rules: CompiledGame) -> _HandFacts | None:
    told = rules.build_query(*HAND_OUTPUTS)
    if told is None:
        return None
    outputs = [_read_bound(rules, atom) for atom in told.circuit.outputs]
    shared = all(name in _LOWER_BOUNDS for name, _ in told.circuit.outputs)
    return _HandFacts(told, np.array(outputs, np.int16).reshape(-1, 5), shared)


_LOWER_BOUNDS, _CURRENT = {"has", "has_now"}, {"has_now", "lacks_now"}


def _read_bound(rules: CompiledGame, atom: Atom) -> tuple[int, int, int, int, int]:
    """A row of ``_Facts.outputs``; raises KBError."""
    name, (seat, *card, copies) = atom
    kind: Term = card[0] if len(card) == 1 else f"card({card[0]},{card[1]})"
    text = f"{name}({seat},{','.join(map(str, card))},{copies})"
    if kind not in rules.pack.index:
        raise make_kb_error(f"{text} is about no card", "write a card of pack/2")
    at = require_int(seat, text)
    if not 0 <= at < rules.seating.seats or require_int(copies, text) < 1:
        raise make_kb_error(
            f"{text}: no such seat, or no number of copies", "write a seat of seat/1, and copies from 1 on"
        )
    least, most = (
        (require_int(copies, text), hidden_kernels.NO_UPPER_BOUND)
        if name in _LOWER_BOUNDS
        else (0, require_int(copies, text) - 1)
    )
    return at, rules.pack.index[kind], least, most, int(name in _CURRENT)


# --- what is believed -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BeliefModel:
    """The circuit of belief/3, and what its outputs mean."""

    query: CircuitQuery
    names: tuple[str, ...]  # [outputs] of the belief
    belief_cells: NDArray[np.int64]  # [outputs] the number of the cell that each is about
    weights: NDArray[np.float32]  # [outputs] points: they add up exactly
    num_cells: int
    cell_places: NDArray[
        np.int64
    ]  # [contexts, kinds, most] which of these cells each card acts as, their number for others


def compute_log_odds(rules: CompiledGame, view: PlayerView) -> NDArray[np.float32]:
    """[n, others, kinds] the logarithm of the factor for the odds of every card; 0 where nothing is believed."""
    n, others = len(view), rules.seating.seats - 1
    change = np.zeros((n, others, len(rules.pack)), np.float32)
    found = get_belief_model(rules) if view.has_hand_sizes else None
    if found is None:
        return change

    def ask(first: int, end: int) -> None:
        for lo in range(first, end, _BATCH_SIZE // others):
            hi = min(end, lo + _BATCH_SIZE // others)
            part = view.select(np.arange(lo, hi))
            fired = found.query.evaluate(others * (hi - lo), _make_belief_writers(rules, part))
            hidden_kernels.accumulate_log_odds(
                fired,
                found.belief_cells,
                found.weights,
                LOG_ODDS_SCALE,
                found.num_cells,
                found.cell_places,
                view.context,
                lo,
                hi,
                change,
            )

    map_ranges(n, ask)
    return change


def _make_belief_writers(rules: CompiledGame, view: PlayerView) -> dict[str, ColumnWriter]:
    """What fills the columns about every other seat of every observer."""
    state, others = view.state, rules.seating.seats - 1
    which, seats = np.repeat(view.rows, others), view.other_seats.ravel()
    return {
        "shown": lambda lo, hi, columns, used: hidden_kernels.write_shown(
            state.play_stats, which, seats, used, lo, hi, columns
        ),
        "size": make_lazy_writer(lambda _: view.hidden_hand_sizes.ravel()),
        "fluents": _make_fluent_writer(rules, state.fluents, which, np.repeat(view.seats, others)),
    }


def _make_fluent_writer(
    rules: CompiledGame, state: NDArray[np.int16], rows: Indices, seats: NDArray[np.int8]
) -> ColumnWriter:
    """What seats [n] know of what tables rows [n] remember."""
    if not len(rules.fluents.private_slots):
        return make_gather_writer(state, rows)
    return make_masked_writer(state, rows, seats, rules.fluents.slot_owner, rules.fluents.defaults)


def evaluate_beliefs(rules: CompiledGame, view: PlayerView) -> NDArray[np.uint8]:
    """[outputs, n, others] which beliefs there are about the other seats, as ``get_belief_model`` numbers them."""
    found = get_belief_model(rules)
    others = rules.seating.seats - 1
    if found is None:
        return np.zeros((0, len(view), others), np.uint8)
    return found.query.evaluate(others * len(view), _make_belief_writers(rules, view)).reshape(-1, len(view), others)


def list_beliefs(rules: CompiledGame, view: PlayerView) -> list[list[list[tuple[Term, ...]]]]:
    """By observer and other seat, the ``belief/3`` that hold: their arguments; none but at a table."""
    held = (
        evaluate_beliefs(rules, view)
        if view.has_hand_sizes
        else np.zeros((0, len(view), rules.seating.seats - 1), np.uint8)
    )
    arguments = [args for _, args in rules.belief_circuit.outputs] if rules.belief_circuit is not None else []
    return [
        [[arguments[row] for row in np.flatnonzero(held[:, one, other]).tolist()] for other in range(held.shape[2])]
        for one in range(held.shape[1])
    ]


def find_belief_cells(rules: CompiledGame, context: NDArray[np.integer]) -> NDArray[np.int64]:
    """[n, kinds] the number of the cell by which beliefs go in contexts [n]; that of cells for a card without one."""
    found = get_belief_model(rules)
    if found is None:
        return np.zeros((len(context), len(rules.pack)), np.int64)
    return np.asarray(found.cell_places.min(axis=2)[context])


def get_belief_model(rules: CompiledGame) -> BeliefModel | None:
    """What the rules believe; None where they believe nothing."""
    key = "beliefs", id(rules)
    if key not in rules.kb.memo:
        rules.kb.memo[key] = rules, _read_belief_model(rules)
    found: BeliefModel | None = rules.kb.memo[key][1]
    return found


def _read_belief_model(rules: CompiledGame) -> BeliefModel | None:
    circuit = rules.belief_circuit
    if circuit is None:
        return None
    about = [_find_belief_cell(rules, atom) for atom in circuit.outputs]
    cells = sorted(set(about) - {-1})
    weights = [
        require_int(weight, f"belief({name},{cell},{weight})") * (about[row] >= 0)
        for row, (_, (name, cell, weight)) in enumerate(circuit.outputs)
    ]
    places = np.full(len(rules.cells) + 1, len(cells), np.int64)  # the last for no cell
    places[cells] = np.arange(len(cells))
    return BeliefModel(
        CircuitQuery.from_circuit(circuit, rules.schema), tuple(functor(str(args[0])) for _, args in circuit.outputs),
        np.searchsorted(cells, np.maximum(about, cells[:1] or 0)), np.array(weights, np.float32), len(cells),
        places[rules.cells.acts_as],
    )  # fmt: skip


def _find_belief_cell(rules: CompiledGame, atom: Atom) -> int:
    """What a belief is about, -1 for wild cards where there are none; raises KBError."""
    name, cell, _ = atom[1]
    if cell == WILD and cell not in rules.cells.index:
        return -1
    if cell not in rules.cells.index:
        raise make_kb_error(
            f"belief({name},{cell},…) is about no card", "write what a card acts as: a rank, a card, wild"
        )
    return rules.cells.index[cell]
