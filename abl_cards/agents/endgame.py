"""Where few cards are left: what each label wins in whole deals that the estimate makes likely, solved exactly.

The deals are drawn as those of the look-ahead are, each is solved with all hands open, and what a label wins on
average takes the place of what the critic expects. Where too many deals are not solved within the positions that a
decision may take, nothing is said of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.lookahead import TEMPERATURE, tilted
from abl_cards.agents.mind import Mind, View
from abl_cards.agents.names import AgentName
from abl_cards.games import Decisions, GameError, Indices, Tables
from abl_cards.games.ending.fitting import check_fits
from abl_cards.games.ending.positions import Position, positions
from abl_cards.games.hidden import Constraints
from abl_cards.streams import mix_all
from reasoners.endings import Solver, Unsolved
from reasoners.hands import Estimate, counting, draw
from reasoners.replies import keys_of

CARDS = 16
"""Cards in all hands together from which on a decision is solved, where nothing else is said."""
DEALS = 32
"""Deals that are solved for a decision; equal ones once."""
NODES = 60_000
"""Positions that a decision may take."""
NODES_A_SECOND = 1_000_000
"""Where somebody says how long a decision may take: half of what a processor looks at."""
LEAST = 0.5
"""The share of the deals that must be solved."""
_ENDING = 19  # what the random numbers are for
_BITS, _PART = 14, 4  # of the table of positions; one deal may take that part of the positions of a decision


@dataclass(frozen=True)
class Solved:
    """What became of a policy at k decisions."""

    log_probabilities: NDArray[np.float32]  # [k, labels]
    points: NDArray[np.float32]  # [k, labels] of the episode, NaN where a decision is not solved
    wins: NDArray[np.int64]  # [k, labels] deals that are won
    deals: NDArray[np.int64]  # [k] deals that were solved, 0 where nothing is said


class Endgame:
    """Solves the decisions of a mind where few cards are left."""

    def __init__(
        self, mind: Mind, cards: int = CARDS, deals: int = DEALS, nodes: int = NODES, temperature: float = TEMPERATURE
    ) -> None:
        """With at most so many cards, over so many deals, looking at so many positions."""
        self._mind, self._cards, self._deals, self._nodes = mind, cards, deals, nodes
        self._temperature = temperature

    def consider(self, decisions: Decisions, view: View, proposed: NDArray[np.float32]) -> Solved:
        """What a policy becomes whose log-probabilities [k, labels] are proposed where the view has a choice."""
        k = len(proposed)
        points, wins = np.full(proposed.shape, np.nan, np.float32), np.zeros(proposed.shape, np.int64)
        solved = np.zeros(k, np.int64)
        known = decisions.hidden().at(view.choice)
        cards = decisions.view.hand[view.choice].sum(axis=1, dtype=np.int64) + known.left.sum(axis=1, dtype=np.int64)
        for row in np.flatnonzero(cards <= self._cards).tolist():
            labels = np.flatnonzero(view.legal[row])
            worth, weights = self._solve(decisions, known.at(np.array([row])), view, row, labels)
            if weights.sum() >= LEAST * self._deals:
                points[row, labels] = (worth * weights[:, None]).sum(axis=0) / weights.sum()
                wins[row, labels] = ((worth > 0) * weights[:, None]).sum(axis=0)
                solved[row] = weights.sum()
        return Solved(tilted(proposed, points, self._temperature), points, wins, solved)

    def _solve(
        self, decisions: Decisions, constraints: Constraints, view: View, row: int, labels: Indices
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """[deals, labels] what labels win in the deals that are solved, and [deals] how often each was drawn."""
        estimate: Estimate = view.estimate[[row]] if self._mind.estimates else counting(constraints)
        deals = draw(estimate, constraints, mix_all(keys_of(view.observation[[row]]), _ENDING), self._deals)[0]
        unlike, often = np.unique(deals, axis=0, return_counts=True)
        order = np.argsort(-often, kind="stable")
        which = int(view.choice[row])
        moves = view.survey.lists.rows(view.survey.row[which, labels])
        tables = self._mind.engine.imagine(decisions, np.full(len(order), which), unlike[order])
        seat, left = int(decisions.view.seats[which]), self._nodes
        worth, weights = [np.zeros((0, len(labels)))], [np.zeros(0, np.int64)]
        for position, weight in zip(_positions(tables), often[order], strict=False):
            solver = Solver(position, min(left, self._nodes // _PART), bits=_BITS)
            try:
                worth.append(_worth(solver, position, seat, moves.form, moves.cards)[None])
            except Unsolved:
                break
            weights.append(np.array([weight]))
            left -= solver.nodes
            if left <= 0:
                break
        return np.concatenate(worth), np.concatenate(weights)


def _positions(tables: Tables) -> list[Position]:
    """What lies on imagined tables; none where too much can come of it, or nothing is at stake."""
    try:
        return positions(tables, np.arange(len(tables)))
    except GameError:  # of these hands: whether the game fits was asked before
        return []


def _worth(
    solver: Solver, position: Position, seat: int, forms: NDArray[np.int16], cards: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """[moves] what the moves of a seat win."""
    each = [position.find(seat, int(form), row) for form, row in zip(forms, cards, strict=True)]
    values = {move: solver.value(solver.after(solver.start, move)) for move in dict.fromkeys(each)}
    return np.array([position.worth.points(values[move], seat) for move in each])


def endgame_of(name: AgentName, mind: Mind, think: float | None = None) -> Endgame | None:
    """What ``endgame=N`` in a name means: N cards, or none; raises GameError where it is no number.

    Or where the ends of the game cannot be solved. So many seconds to think are for so many positions.
    """
    said = name.value("endgame")
    if said is not None and not said.isdecimal():
        raise GameError(f"agent '{name}': write endgame=N, cards in all hands together, or 0")
    cards = int(said) if said is not None else 0
    if not cards:
        return None
    check_fits(mind.engine.rules)
    nodes = NODES if think is None else max(1, int(think * NODES_A_SECOND))
    return Endgame(mind, cards, nodes=nodes, temperature=mind.networks.preset.temperature)
