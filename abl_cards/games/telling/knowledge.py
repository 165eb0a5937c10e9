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

from abl_cards.games.hidden import Constraints
from abl_cards.games.play.view import View
from abl_cards.games.reading.pack import WILD
from abl_cards.games.reading.questions import HANDS
from abl_cards.games.reading.rules import Rules
from abl_cards.games.shapes import functor, number
from abl_cards.games.tables import Indices
from abl_cards.games.telling import knowing
from abl_cards.games.telling.writer import Fill, Told, lazily, rows_of, rows_seen
from abl_cards.logic import Atom, Term
from abl_cards.logic.errors import kb_error
from abl_cards.parallel import each_share

SCALE = np.float32(10.0)
"""Points for a factor of e."""
_AT_ONCE = 1 << 11  # observers whose others are asked about together; their rows should stay in the cache


def check_beliefs(rules: Rules) -> None:
    """Raise KBError for facts and beliefs about what is no card, or about no seat."""
    _facts_of(rules)
    hints_of(rules)


# --- what is certain --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Facts:
    """The circuit of has and lacks, and what its outputs mean."""

    told: Told
    outputs: NDArray[np.int16]  # [outputs, 5] seat, kind of card, copies at least, and at most; 1 for the hand as it is
    shared: bool  # nothing says what a seat lacks, but that others have it


def hidden(rules: Rules, view: View) -> Constraints:
    """What the seats of a view know of the others."""
    unseen, left = view.unseen, view.sizes.astype(np.int8)
    if rules.open_hands:
        return Constraints(unseen, left, view.hidden_hands, view.hidden_hands.copy())
    facts = _facts_of(rules) if view.at_table else None
    if facts is None:
        return Constraints.counted(unseen, left)
    n, shape = len(view), (*left.shape, len(rules.pack))
    answers, others, state = facts.told.ask(n, view.fills), view.others, view.state
    at_least, at_most = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    each_share(n, lambda lo, hi: knowing.write_bounds(
        answers, facts.outputs, others, state.played, view.which, unseen, facts.shared, lo, hi, at_least, at_most
    ))  # fmt: skip
    return Constraints(unseen, left, at_least, at_most)


def _facts_of(rules: Rules) -> _Facts | None:
    key = "hands", id(rules)
    if key not in rules.kb.kept:
        rules.kb.kept[key] = rules, _read_facts(rules)  # what is kept holds the rules: no others can have their id
    found: _Facts | None = rules.kb.kept[key][1]
    return found


def _read_facts(rules: Rules) -> _Facts | None:
    told = rules.told(*HANDS)
    if told is None:
        return None
    outputs = [_fact(rules, atom) for atom in told.circuit.outputs]
    shared = all(name in _HAVING for name, _ in told.circuit.outputs)
    return _Facts(told, np.array(outputs, np.int16).reshape(-1, 5), shared)


_HAVING, _NOW = {"has", "has_now"}, {"has_now", "lacks_now"}


def _fact(rules: Rules, atom: Atom) -> tuple[int, int, int, int, int]:
    """A row of ``_Facts.outputs``; raises KBError."""
    name, (seat, *card, copies) = atom
    kind: Term = card[0] if len(card) == 1 else f"card({card[0]},{card[1]})"
    text = f"{name}({seat},{','.join(map(str, card))},{copies})"
    if kind not in rules.pack.number:
        raise kb_error(f"{text} is about no card", "write a card of pack/2")
    at = number(seat, text)
    if not 0 <= at < rules.table.seats or number(copies, text) < 1:
        raise kb_error(f"{text}: no such seat, or no number of copies", "write a seat of seat/1, and copies from 1 on")
    least, most = (number(copies, text), knowing.WHOLE) if name in _HAVING else (0, number(copies, text) - 1)
    return at, rules.pack.number[kind], least, most, int(name in _NOW)


# --- what is believed -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hints:
    """The circuit of belief/3, and what its outputs mean."""

    told: Told
    names: tuple[str, ...]  # [outputs] of the belief
    about: NDArray[np.int64]  # [outputs] the number of the cell that each is about
    weights: NDArray[np.float32]  # [outputs] points: they add up exactly
    cells: int
    places: NDArray[np.int64]  # [contexts, kinds, most] which of these cells each card acts as, their number for others


def hints(rules: Rules, view: View) -> NDArray[np.float32]:
    """[n, others, kinds] the logarithm of the factor for the odds of every card; 0 where nothing is believed."""
    n, others = len(view), rules.table.seats - 1
    change = np.zeros((n, others, len(rules.pack)), np.float32)
    found = hints_of(rules) if view.at_table else None
    if found is None:
        return change

    def ask(first: int, end: int) -> None:
        for lo in range(first, end, _AT_ONCE // others):
            hi = min(end, lo + _AT_ONCE // others)
            part = view.at(np.arange(lo, hi))
            fired = found.told.ask(others * (hi - lo), _shown(rules, part))
            knowing.add_up(
                fired, found.about, found.weights, SCALE, found.cells, found.places, view.context, lo, hi, change
            )

    each_share(n, ask)
    return change


def _shown(rules: Rules, view: View) -> dict[str, Fill]:
    """What fills the columns about every other seat of every observer."""
    state, others = view.state, rules.table.seats - 1
    which, seats = np.repeat(view.which, others), view.others.ravel()
    return {
        "shown": lambda lo, hi, columns, used: knowing.write_shown(state.habits, which, seats, used, lo, hi, columns),
        "size": lazily(lambda _: view.sizes.ravel()),
        "fluents": _known_to(rules, state.fluents, which, np.repeat(view.seats, others)),
    }


def _known_to(rules: Rules, state: NDArray[np.int16], which: Indices, seats: NDArray[np.int8]) -> Fill:
    """What seats [n] know of what tables which [n] remember."""
    if not len(rules.fluents.private):
        return rows_of(state, which)
    return rows_seen(state, which, seats, rules.fluents.whose, rules.fluents.nothing)


def fired(rules: Rules, view: View) -> NDArray[np.uint8]:
    """[outputs, n, others] which beliefs there are about the other seats, as ``hints_of`` numbers them."""
    found = hints_of(rules)
    others = rules.table.seats - 1
    if found is None:
        return np.zeros((0, len(view), others), np.uint8)
    return found.told.ask(others * len(view), _shown(rules, view)).reshape(-1, len(view), others)


def beliefs(rules: Rules, view: View) -> list[list[list[tuple[Term, ...]]]]:
    """By observer and other seat, the ``belief/3`` that hold: their arguments; none but at a table."""
    held = fired(rules, view) if view.at_table else np.zeros((0, len(view), rules.table.seats - 1), np.uint8)
    arguments = [args for _, args in rules.beliefs.outputs] if rules.beliefs is not None else []
    return [
        [[arguments[row] for row in np.flatnonzero(held[:, one, other]).tolist()] for other in range(held.shape[2])]
        for one in range(held.shape[1])
    ]


def classes(rules: Rules, context: NDArray[np.integer]) -> NDArray[np.int64]:
    """[n, kinds] the number of the cell by which beliefs go in contexts [n]; that of cells for a card without one."""
    found = hints_of(rules)
    if found is None:
        return np.zeros((len(context), len(rules.pack)), np.int64)
    return np.asarray(found.places.min(axis=2)[context])


def hints_of(rules: Rules) -> Hints | None:
    """What the rules believe; None where they believe nothing."""
    key = "beliefs", id(rules)
    if key not in rules.kb.kept:
        rules.kb.kept[key] = rules, _read_hints(rules)
    found: Hints | None = rules.kb.kept[key][1]
    return found


def _read_hints(rules: Rules) -> Hints | None:
    circuit = rules.beliefs
    if circuit is None:
        return None
    about = [_cell(rules, atom) for atom in circuit.outputs]
    cells = sorted(set(about) - {-1})
    weights = [
        number(weight, f"belief({name},{cell},{weight})") * (about[row] >= 0)
        for row, (_, (name, cell, weight)) in enumerate(circuit.outputs)
    ]
    places = np.full(len(rules.cells) + 1, len(cells), np.int64)  # the last for no cell
    places[cells] = np.arange(len(cells))
    return Hints(
        Told.of(circuit, rules.words), tuple(functor(str(args[0])) for _, args in circuit.outputs),
        np.searchsorted(cells, np.maximum(about, cells[:1] or 0)), np.array(weights, np.float32), len(cells),
        places[rules.cells.acts],
    )  # fmt: skip


def _cell(rules: Rules, atom: Atom) -> int:
    """What a belief is about, -1 for wild cards where there are none; raises KBError."""
    name, cell, _ = atom[1]
    if cell == WILD and cell not in rules.cells.number:
        return -1
    if cell not in rules.cells.number:
        raise kb_error(f"belief({name},{cell},…) is about no card", "write what a card acts as: a rank, a card, wild")
    return rules.cells.number[cell]
