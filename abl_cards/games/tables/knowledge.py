"""Constraints on hidden hands (``has, lacks``) and beliefs about them (``belief``), by the rules of a game.

``has(Seat,Rank,Suit,N)`` and ``has(Seat,Card,N)``: at the first play the seat has at least N copies of the card.
``lacks``: it has fewer than N. Copies that the seat plays later are subtracted from both. ``has_now`` and ``lacks_now``
refer to the present hand. Hand sizes are always known. If the rules have no ``lacks``, copies known to be in one hand
are excluded from the others. Cards in the kitty are in no hand, so that many unseen cards remain; to a seat of
``knows_aside(Seat)`` they are not unseen.

``belief(Name,Cell,Weight)`` is evaluated for each other seat. Ten points multiply the odds that the seat holds a copy
of a card that acts as the cell by e = 2.7; negative points divide them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom, Term, make_kb_error
from abl_cards.core import ErrorCode, map_ranges
from abl_cards.games.binding import CircuitQuery, make_gather_writer, make_lazy_writer, make_masked_writer
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import HAND_OUTPUTS, KNOWS_ASIDE, WILD, ColumnWriter, functor, require_int
from abl_cards.games.tables import hidden_kernels
from abl_cards.games.tables.stock import count_leftover_cards
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import Indices, InformationSet

LOG_ODDS_SCALE = np.float32(10.0)
"""Points for a factor of e."""
_BATCH_SIZE = 1 << 11  # (observer, other seat) pairs evaluated together, so that their rows fit in the CPU cache


def check_beliefs(rules: CompiledGame) -> None:
    """Check the outputs ``has``, ``lacks`` and ``belief`` of a game.

    Args:
        rules: Compiled rules.

    Raises:
        KBError: If an output names no card or seat of the game.
    """
    _get_hand_facts(rules)
    get_belief_model(rules)


# --- constraints ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _HandFacts:
    """Circuit of has, lacks and knows_aside, and the meaning of its outputs."""

    query: CircuitQuery
    outputs: NDArray[np.int16]  # [outputs, 5] bounds: seat, kind, minimum and maximum copies, 1 for the present hand
    knows_aside: tuple[tuple[int, int], ...]  # output and seat
    is_exclusive: bool  # the rules have no lacks/3, so copies known to be in one hand are in no other


def compute_constraints(rules: CompiledGame, view: PlayerView) -> InformationSet:
    """Compute the constraints on hidden hands for the seats of a view.

    Args:
        rules: Compiled rules.
        view: View of n observers.

    Returns:
        Constraints for n observers; exact hands in games with open hands.
    """
    unseen, left = view.unseen, view.hidden_hand_sizes.astype(np.int8)
    if rules.has_open_hands:
        return InformationSet(unseen, left, view.hidden_hands, view.hidden_hands.copy())
    facts = _get_hand_facts(rules) if view.has_hand_sizes else None
    if facts is None:
        return InformationSet.from_counts(unseen, left)
    n, shape = len(view), (*left.shape, len(rules.pack))
    outputs, others, state = facts.query.evaluate(n, view.column_writers), view.other_seats, view.state
    if facts.knows_aside and view.has_aside_cards:
        knows = np.any([(view.seats == seat) & (outputs[row] != 0) for row, seat in facts.knows_aside], axis=0)
        unseen = unseen - count_leftover_cards(rules, state, view.rows) * knows[:, None]
    at_least, at_most = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    map_ranges(n, lambda lo, hi: hidden_kernels.write_bounds(
        outputs, facts.outputs, others, state.played, view.rows, unseen, facts.is_exclusive, lo, hi, at_least, at_most
    ))  # fmt: skip
    return InformationSet(unseen, left, at_least, at_most)


@cache_per_game
def _get_hand_facts(rules: CompiledGame) -> _HandFacts | None:
    """Return the hand facts of a game, compiled once; None if it has none."""
    query = rules.build_query(*HAND_OUTPUTS, KNOWS_ASIDE)
    if query is None:
        return None
    atoms = query.circuit.outputs
    knows_aside = tuple((row, require_int(args[0], name)) for row, (name, args) in enumerate(atoms) if len(args) == 1)
    bounds = [_NO_BOUND if len(atom[1]) == 1 else _read_bound(rules, atom) for atom in atoms]
    is_exclusive = not any(name in _UPPER_BOUNDS for name, _ in atoms)
    return _HandFacts(query, np.array(bounds, np.int16).reshape(-1, 5), knows_aside, is_exclusive)


_UPPER_BOUNDS, _CURRENT = {"lacks", "lacks_now"}, {"has_now", "lacks_now"}
_NO_BOUND = 0, 0, 0, hidden_kernels.NO_UPPER_BOUND, 0


def _read_bound(rules: CompiledGame, atom: Atom) -> tuple[int, int, int, int, int]:
    """Return the row of ``_HandFacts.outputs`` for an output; raise KBError for an invalid one."""
    name, (seat, *card, copies) = atom
    kind: Term = card[0] if len(card) == 1 else f"card({card[0]},{card[1]})"
    text = f"{name}({seat},{','.join(map(str, card))},{copies})"
    if kind not in rules.pack.index:
        raise make_kb_error(f"{text} is about no card", "write a card of pack/2", ErrorCode.UNKNOWN_NAME)
    seat_index = require_int(seat, text)
    if not 0 <= seat_index < rules.seating.seats or require_int(copies, text) < 1:
        raise make_kb_error(
            f"{text}: no such seat, or no number of copies",
            "write a seat of seat/1, and copies from 1 on",
            ErrorCode.INVALID_ARGUMENT,
        )
    minimum, maximum = (
        (0, require_int(copies, text) - 1)
        if name in _UPPER_BOUNDS
        else (require_int(copies, text), hidden_kernels.NO_UPPER_BOUND)
    )
    return seat_index, rules.pack.index[kind], minimum, maximum, int(name in _CURRENT)


# --- beliefs ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BeliefModel:
    """Circuit of belief/3, and the meaning of its outputs."""

    query: CircuitQuery
    names: tuple[str, ...]  # [outputs] name of the belief
    belief_cells: NDArray[np.int64]  # [outputs] index of the cell of the belief
    weights: NDArray[np.float32]  # [outputs] points; integers, so that sums are exact
    num_cells: int  # cells that beliefs refer to
    cell_places: NDArray[np.int64]  # [contexts, kinds, max cells] cells that each card acts as, num_cells for none


def compute_log_odds(rules: CompiledGame, view: PlayerView) -> NDArray[np.float32]:
    """Compute the change of log odds that the beliefs of the rules give each copy of a card.

    Args:
        rules: Compiled rules.
        view: View of n observers.

    Returns:
        float32 [n, others, kinds], 0 where no belief holds.
    """
    n, others = len(view), rules.seating.seats - 1
    log_odds = np.zeros((n, others, len(rules.pack)), np.float32)
    model = get_belief_model(rules) if view.has_hand_sizes else None
    if model is None:
        return log_odds

    def add_weights(first: int, end: int) -> None:
        for lo in range(first, end, _BATCH_SIZE // others):
            hi = min(end, lo + _BATCH_SIZE // others)
            part = view.select(np.arange(lo, hi))
            holds = model.query.evaluate(others * (hi - lo), _make_belief_writers(rules, part))
            hidden_kernels.accumulate_log_odds(
                holds,
                model.belief_cells,
                model.weights,
                LOG_ODDS_SCALE,
                model.num_cells,
                model.cell_places,
                view.context,
                lo,
                hi,
                log_odds,
            )

    map_ranges(n, add_weights)
    return log_odds


def _make_belief_writers(rules: CompiledGame, view: PlayerView) -> dict[str, ColumnWriter]:
    """Return writers of circuit inputs for every other seat of every observer."""
    state, others = view.state, rules.seating.seats - 1
    rows, seats = np.repeat(view.rows, others), view.other_seats.ravel()
    return {
        "shown": lambda lo, hi, columns, used: hidden_kernels.write_shown(
            state.play_stats, rows, seats, used, lo, hi, columns
        ),
        "size": make_lazy_writer(lambda _: view.hidden_hand_sizes.ravel()),
        "fluents": _make_fluent_writer(rules, state.fluents, rows, np.repeat(view.seats, others)),
    }


def _make_fluent_writer(
    rules: CompiledGame, state: NDArray[np.int16], rows: Indices, seats: NDArray[np.int8]
) -> ColumnWriter:
    """Return a writer of the fluents of tables rows [n] that seats [n] see."""
    if not len(rules.fluents.private_slots):
        return make_gather_writer(state, rows)
    return make_masked_writer(state, rows, seats, rules.fluents.slot_owner, rules.fluents.defaults)


def evaluate_beliefs(rules: CompiledGame, view: PlayerView) -> NDArray[np.uint8]:
    """Evaluate the beliefs about the other seats.

    Args:
        rules: Compiled rules.
        view: View of n observers.

    Returns:
        uint8 [outputs, n, others], outputs as in ``get_belief_model``; [0, n, others] if the rules have no beliefs.
    """
    model = get_belief_model(rules)
    others = rules.seating.seats - 1
    if model is None:
        return np.zeros((0, len(view), others), np.uint8)
    return model.query.evaluate(others * len(view), _make_belief_writers(rules, view)).reshape(-1, len(view), others)


def list_beliefs(rules: CompiledGame, view: PlayerView) -> list[list[list[tuple[Term, ...]]]]:
    """List the beliefs that hold.

    Args:
        rules: Compiled rules.
        view: View of n observers.

    Returns:
        For each observer and other seat, the arguments of ``belief/3``; empty if hand sizes are unknown.
    """
    holds = (
        evaluate_beliefs(rules, view)
        if view.has_hand_sizes
        else np.zeros((0, len(view), rules.seating.seats - 1), np.uint8)
    )
    arguments = [args for _, args in rules.belief_circuit.outputs] if rules.belief_circuit is not None else []
    return [
        [
            [arguments[row] for row in np.flatnonzero(holds[:, observer, other]).tolist()]
            for other in range(holds.shape[2])
        ]
        for observer in range(holds.shape[1])
    ]


def find_belief_cells(rules: CompiledGame, context: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the belief cell that each card acts as.

    Args:
        rules: Compiled rules.
        context: int [n], order contexts.

    Returns:
        int64 [n, kinds], index of the cell, ``num_cells`` of the belief model for none.
    """
    model = get_belief_model(rules)
    if model is None:
        return np.zeros((len(context), len(rules.pack)), np.int64)
    return np.asarray(model.cell_places.min(axis=2)[context])


@cache_per_game
def get_belief_model(rules: CompiledGame) -> BeliefModel | None:
    """Return the belief model of a game, compiled once.

    Args:
        rules: Compiled rules.

    Returns:
        The model, None if the rules have no beliefs.

    Raises:
        KBError: If a belief names no card.
    """
    circuit = rules.belief_circuit
    if circuit is None:
        return None
    belief_cells = [_find_belief_cell(rules, atom) for atom in circuit.outputs]
    cells = sorted(set(belief_cells) - {-1})
    weights = [
        require_int(weight, f"belief({name},{cell},{weight})") * (belief_cells[row] >= 0)
        for row, (_, (name, cell, weight)) in enumerate(circuit.outputs)
    ]
    places = np.full(len(rules.cells) + 1, len(cells), np.int64)  # the last entry stands for no cell
    places[cells] = np.arange(len(cells))
    return BeliefModel(
        CircuitQuery.from_circuit(circuit, rules.schema), tuple(functor(str(args[0])) for _, args in circuit.outputs),
        np.searchsorted(cells, np.maximum(belief_cells, cells[:1] or 0)), np.array(weights, np.float32), len(cells),
        places[rules.cells.acts_as],
    )  # fmt: skip


def _find_belief_cell(rules: CompiledGame, atom: Atom) -> int:
    """Return the cell of a belief, -1 for wild cards in games without them; raise KBError for an unknown one."""
    name, cell, _ = atom[1]
    if cell == WILD and cell not in rules.cells.index:
        return -1
    if cell not in rules.cells.index:
        raise make_kb_error(
            f"belief({name},{cell},…) is about no card",
            "write what a card acts as: a rank, a card, wild",
            ErrorCode.UNKNOWN_NAME,
        )
    return rules.cells.index[cell]
