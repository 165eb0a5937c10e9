"""Moves that each side of a comparison finds legal and chooses, and the causes of different choices."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.games.description import functor
from abl_cards.games.preferences import PreferenceModel, list_candidates
from abl_cards.games.sampling import SituationSet
from abl_cards.games.tables import Action, Choices, Decisions, is_play_decision
from abl_cards.games.types import NO_CARD, MoveLists
from abl_cards.reasoners.abduction import Minimiser

LEGALITY, CONSTRAINT, PREFERENCES, ORDER = "legality", "constraint", "preferences", "order"
"""Causes of a changed decision: a move is illegal on one side; a constraint excludes it; other costs; list order."""

AnyDecisions = Decisions | Choices


@dataclass(frozen=True)
class ComparedKb:
    """Rules and preferences of one side of a comparison.

    Attributes:
        engine: Engine of the rules.
        preference_model: Compiled preferences.
        situations: Situations reached in play; None if every state counts as reachable.
    """

    engine: Engine
    preference_model: PreferenceModel
    situations: SituationSet | None = None

    def is_reachable(self, decisions: AnyDecisions) -> NDArray[np.bool_]:
        """Return which states may be reached in play by these rules, as far as known.

        Args:
            decisions: Decisions of n tables.

        Returns:
            bool [n].
        """
        return np.ones(len(decisions.rows), np.bool_) if self.situations is None else self.situations.covers(decisions)

    @property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """Weights of the instances of each preference, sorted."""
        weights_by_name: dict[str, set[int]] = defaultdict(set)
        for name, args in self.preference_model.outputs:
            if name == "cost":
                weights_by_name[functor(str(args[0]))].add(int(args[1]))
        return {name: tuple(sorted(weights)) for name, weights in sorted(weights_by_name.items())}


PreferenceShares = tuple[tuple[str, int], ...]
"""Preferences with their shares in favour of the new move, largest first."""


@dataclass(frozen=True)
class ChosenMoves:
    """Legal moves and chosen moves of one side."""

    side: ComparedKb
    decisions: AnyDecisions
    lists: MoveLists
    rows: NDArray[np.int64]  # [n] chosen move of each decision

    @classmethod
    def compute(cls, side: ComparedKb, decisions: AnyDecisions) -> ChosenMoves:
        lists = list_candidates(side.preference_model, decisions)
        return cls(side, decisions, lists, Minimiser(side.preference_model).order(decisions, lists)[lists.start[:-1]])

    def labels(self, rows: NDArray[np.int64]) -> NDArray[np.str_]:
        """Return the labels of moves, or the options of choices, by name, because sides may number them differently."""
        if not is_play_decision(self.decisions):
            return np.array([str(option) for option in self.decisions.rules.schema.options])[self.lists.cards[rows, 0]]
        names = np.array(self.side.engine.labels)
        return names[self.decisions.labels_of(self.lists.form[rows])]

    def move_cards(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the cards of moves [rows, cards]; none for choices."""
        return self.lists.cards[rows] if is_play_decision(self.decisions) else np.empty((len(rows), 0), np.uint8)

    def card_sets(self) -> dict[tuple[int, str], dict[bytes, int]]:
        """Return the legal card sets by decision and label: row of the move by its sorted cards."""
        sets: dict[tuple[int, str], dict[bytes, int]] = defaultdict(dict)
        labels, cards = self.labels(np.arange(len(self.lists.form))), np.sort(self.lists.cards, axis=1)
        for row, decision in enumerate(self.lists.decision_index.tolist()):
            sets[decision, str(labels[row])][cards[row][cards[row] != NO_CARD].tobytes()] = row
        return sets

    def text(self, row: int) -> str:
        """Return a move as text."""
        return str(self.side.engine.notate_move(int(self.lists.form[row]), self.lists.cards[row]))

    def action(self, row: int) -> Action:
        """Return the chosen move of a decision."""
        return self.side.engine.decision_point_at(self.decisions, row).actions[self.rows[row] - self.lists.start[row]]

    def find(self, row: int, other: ChosenMoves) -> int:
        """Return the index of the other side's choice among the moves of a decision; -1 if it is not legal."""
        first, last = self.lists.start[row : row + 2]
        other_row = other.rows[row : row + 1]
        matches = first + np.flatnonzero(
            (self.move_cards(np.arange(first, last)) == other.move_cards(other_row)).all(axis=1)
        )
        matches = matches[self.labels(matches) == other.labels(other_row)]
        return int(matches[0]) if matches.size else -1

    def weigh_pairs(self, pairs: Mapping[int, tuple[int, int]]) -> dict[int, tuple[Counter[str], Counter[str]]]:
        """Return the costs by functor of pairs of moves of some decisions; constraints are listed as ``:-``."""
        lengths = np.zeros(len(self.lists.start) - 1, np.int64)
        lengths[list(pairs)] = 2
        moves = np.array([move for row in sorted(pairs) for move in pairs[row]], np.int64)
        pair_moves = MoveLists(np.concatenate([[0], lengths.cumsum()]), self.lists.form[moves], self.lists.cards[moves])
        totals: list[Counter[str]] = [Counter() for _ in moves]
        for rows, fired in self.side.preference_model.evaluate(self.decisions, pair_moves) if pairs else ():
            for move, output in zip(*np.nonzero(fired.T), strict=True):
                name, args = self.side.preference_model.outputs[output]
                key, weight = (functor(str(args[0])), int(args[1])) if name == "cost" else (_CONSTRAINT_KEY, 1)
                totals[rows.start + move][key] += weight
        return {row: (totals[2 * index], totals[2 * index + 1]) for index, row in enumerate(sorted(pairs))}


_CONSTRAINT_KEY = ":-"


def legal_masks(side: ComparedKb, decisions: AnyDecisions) -> dict[str, NDArray[np.uint8]]:
    """Return which labels are legal in plays, or which options in choices: uint8 [n] by their names."""
    if isinstance(decisions, Choices):
        return dict(zip(map(str, side.engine.rules.schema.options), decisions.options.T, strict=True))
    return dict(zip(side.engine.labels, decisions.legal_mask, strict=True))


def has_no_move(decisions: AnyDecisions) -> NDArray[np.bool_]:
    """Return which plays [n] have no legal move; converted choices always have options."""
    if not is_play_decision(decisions):
        return np.zeros(len(decisions.rows), np.bool_)
    is_empty: NDArray[np.bool_] = np.diff(decisions.first_card_sets(1)[0].start) == 0
    return is_empty


def find_changed_rows(before: ChosenMoves, after: ChosenMoves) -> list[int]:
    """Return the decisions whose chosen cards or labels differ."""
    cards = (before.move_cards(before.rows) != after.move_cards(after.rows)).any(axis=1)
    return [int(row) for row in np.flatnonzero(cards | (before.labels(before.rows) != after.labels(after.rows)))]


def find_causes(
    before: ChosenMoves, after: ChosenMoves, rows: Sequence[int]
) -> dict[int, tuple[str, PreferenceShares]]:
    """Return the cause of the changed move in each of these decisions."""
    pairs = {row: (after.find(row, before), before.find(row, after)) for row in rows}
    comparable = {row: pair for row, pair in pairs.items() if min(pair) >= 0}
    costs_before = before.weigh_pairs({row: (int(before.rows[row]), new) for row, (_, new) in comparable.items()})
    costs_after = after.weigh_pairs({row: (old, int(after.rows[row])) for row, (old, _) in comparable.items()})
    return {row: _cause(costs_before[row], costs_after[row]) if row in comparable else (LEGALITY, ()) for row in rows}


def _cause(
    costs_before: tuple[Counter[str], Counter[str]], costs_after: tuple[Counter[str], Counter[str]]
) -> tuple[str, PreferenceShares]:
    """Return the cause from the costs of the old and the new move by both sides."""
    if _CONSTRAINT_KEY in costs_before[1] or _CONSTRAINT_KEY in costs_after[0]:
        return CONSTRAINT, ()
    shares: Counter[str] = Counter()
    for sign, (old, new) in ((-1, costs_before), (1, costs_after)):
        for name in old.keys() | new.keys():
            shares[name] += sign * (old[name] - new[name])
    largest = sorted(((name, share) for name, share in shares.items() if share), key=descending_size)
    return (PREFERENCES if largest else ORDER), tuple(largest)


def descending_size(pair: tuple[str, int]) -> tuple[int, str]:
    """Return a key that sorts names with numbers by falling size of the number."""
    return -abs(pair[1]), pair[0]
