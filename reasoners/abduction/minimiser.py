"""The inconsistency minimiser (Chen et al. 2025, section 2.4): from label probabilities to concrete moves.

The card sets of the most probable label are listed, those that contradict the knowledge base are dropped, and the
cheapest one is played. If a label has very many card sets, the cheapest ones are found by search (``list_candidates``).
If none is left, the next most probable label is tried. Without a learner the minimisation runs over the card sets of
all labels. Preferences may read an estimate of the other hands, [n, others, cards].
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, check_list, check_path
from abl_cards.games import Engine, Game, resolve_game
from abl_cards.games.preferences import PreferenceModel, list_candidates
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import HandEstimate, MoveLists, Moves

_MAX_MOVES_PER_SORT = 1 << 21
"""Moves that are sorted at once, to bound memory: some 60 bytes each."""


class Minimiser:
    """Minimiser that chooses concrete moves by the preferences of a knowledge base; ties go to wire order.

    Attributes:
        preference_model: The compiled preferences.
    """

    preference_model: PreferenceModel

    def __init__(
        self,
        game: Game | Engine | str | Path | PreferenceModel,
        preferences: str | Path | None = None,
        *,
        profile: str | None = None,
        exclude: Collection[str] = (),
    ) -> None:
        """Compile the preferences of a game, or use compiled ones.

        Args:
            game: A game, its name, the path of a rule folder, an engine, or preferences that are compiled already.
            preferences: Rule folder with other preferences, such as one made by ``abl-cards kb copy``; or a ``.lp``
                file that replaces the game's ``preferences.lp``. None for the game's own.
            profile: Profile of the rules, if ``game`` is not an engine; None for the profile of the game.
            exclude: Names of preferences, or of groups of them, to leave out.

        Raises:
            GameError: There is no such folder, file, profile or preference.
            KBError: The rules have errors.
            TypeError: Another argument is given with preferences that are compiled already.
        """
        exclude = [str(name) for name in check_list("exclude", exclude, is_ordered=False)]
        preferences = None if preferences is None else check_path("preferences", preferences)
        engine: Any = game
        if not isinstance(game, Engine) and not hasattr(game, "costs"):
            loaded = resolve_game(game)  # raises GameError for what is no game
            engine = (loaded if profile is None else loaded.with_profile(profile)).engine()
        if isinstance(engine, Engine):
            if profile is not None and engine is game:
                raise TypeError("profile: an engine is compiled for one profile already; pass the game instead")
            self.preference_model = engine.preference_model(exclude, preferences)
        elif preferences is None and profile is None and not exclude:
            self.preference_model = engine
        else:
            raise TypeError("compiled preferences cannot be changed; pass the game or its engine instead")

    def __repr__(self) -> str:
        return f"Minimiser({self.preference_model!r})"

    def best(self, decisions: Decisions, estimate: HandEstimate | None = None) -> Moves:
        """Return the move with the lowest cost over all labels.

        Args:
            decisions: The plays to decide, n of them.
            estimate: [n, others, cards] expected number of copies in the other hands; None for no estimate.

        Returns:
            One move for each decision.

        Raises:
            GameError: The argument is not `Decisions`, or the estimate has a wrong shape.
        """
        _check_kind("decisions", decisions, Decisions)
        lists = list_candidates(self.preference_model, decisions, estimate=estimate, distinct_only=True, best_only=True)
        return lists.select(self._first_rows(decisions, lists, estimate=estimate))

    def realise_labels(
        self, decisions: Decisions, labels: NDArray[np.int16], estimate: HandEstimate | None = None
    ) -> Moves:
        """Return the cheapest card set of one legal label for each decision; consistent sets come first.

        Args:
            decisions: The plays to decide, n of them.
            labels: [n] index of a legal label.
            estimate: [n, others, cards] expected number of copies in the other hands; None for no estimate.

        Raises:
            GameError: The labels have a wrong shape, dtype or range, or one is not legal.
        """
        _check_kind("decisions", decisions, Decisions)
        labels, num_labels = np.asarray(labels), len(decisions.legal_mask)
        is_shaped = labels.dtype.kind in "iu" and labels.shape == (len(decisions.rows),)
        if not is_shaped or labels.min(initial=0) < 0 or labels.max(initial=0) >= num_labels:
            expected = f"whole numbers [{len(decisions.rows)}] from 0 to {num_labels - 1}"
            found = f"{labels.min()} to {labels.max()}" if is_shaped else f"{labels.dtype} {labels.shape}"
            raise GameError(f"labels: {expected}, not {found}", ErrorCode.INVALID_VALUE)
        lists = list_candidates(self.preference_model, decisions, labels, estimate, distinct_only=True)
        if (lists.start[1:] == lists.start[:-1]).any():
            decision = int((lists.start[1:] == lists.start[:-1]).argmax())
            raise GameError(f"labels: {labels[decision]} is not legal in decision {decision}", ErrorCode.ILLEGAL_MOVE)
        return lists.select(self._first_rows(decisions, lists, estimate=estimate))

    def realise(
        self,
        decisions: Decisions,
        label_probabilities: NDArray[np.floating],
        estimate: HandEstimate | None = None,
    ) -> Moves:
        """Return the cheapest consistent card set of the most probable legal label that has one.

        If every legal move contradicts the knowledge base, the cheapest card set of the most probable legal label is
        returned.

        Args:
            decisions: The plays to decide, n of them.
            label_probabilities: [n, labels] probability of each label, or any increasing function of it; values of
                illegal labels are ignored.
            estimate: [n, others, cards] expected number of copies in the other hands; None for no estimate.

        Returns:
            One move for each decision.

        Raises:
            GameError: The probabilities have another shape or dtype, or one is NaN.
        """
        _check_kind("decisions", decisions, Decisions)
        label_probabilities = np.asarray(label_probabilities)
        num_labels, num_decisions = decisions.legal_mask.shape
        if label_probabilities.shape != (num_decisions, num_labels):
            message = f"label_probabilities: shape {label_probabilities.shape}, expected {(num_decisions, num_labels)}"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        lists = list_candidates(self.preference_model, decisions, None, estimate, distinct_only=True)
        probabilities = label_probabilities[lists.decision_index, decisions.labels_of(lists.form)]
        return lists.select(self._first_rows(decisions, lists, probabilities, estimate))

    def choose(self, choices: Choices, estimate: HandEstimate | None = None) -> NDArray[np.uint8]:
        """Return the option with the lowest cost, such as a card to pay or a bid.

        Args:
            choices: The choices to decide, n of them.
            estimate: [n, others, cards] expected number of copies in the other hands; None for no estimate.

        Returns:
            [n] index of the option.

        Raises:
            GameError: The argument is not `Choices`, or the estimate has a wrong shape.
        """
        _check_kind("choices", choices, Choices)
        lists = choices.moves()
        return lists.cards[self._first_rows(choices, lists, estimate=estimate), 0]

    def order(
        self,
        decisions: Decisions | Choices,
        lists: MoveLists,
        probabilities: NDArray[np.floating] | None = None,
        estimate: HandEstimate | None = None,
    ) -> NDArray[np.int64]:
        """Sort the candidates decision by decision: consistent ones first, then probable, then cheap, then early.

        Args:
            decisions: The decisions or choices.
            lists: Their candidates.
            probabilities: [moves] probability of the label of each candidate; None to sort by cost alone.
            estimate: [n, others, cards] expected number of copies in the other hands; None for no estimate.

        Returns:
            [moves] rows of the candidates in that order.

        Raises:
            GameError: Probabilities or estimate have a wrong shape or dtype, or a number is NaN.
        """
        if probabilities is not None and np.shape(probabilities) != np.shape(lists.form):
            message = f"probabilities: shape {np.shape(probabilities)}, expected {np.shape(lists.form)}"
            raise GameError(message, ErrorCode.INVALID_VALUE)
        cost, consistent = self.preference_model.costs(decisions, lists, estimate)
        improbability = np.zeros(len(cost)) if probabilities is None else -_to_floats(np.asarray(probabilities))
        return np.lexsort((cost, improbability, ~consistent, lists.decision_index))

    def _first_rows(
        self,
        decisions: Decisions | Choices,
        lists: MoveLists,
        probabilities: NDArray[np.floating] | None = None,
        estimate: HandEstimate | None = None,
    ) -> NDArray[np.int64]:
        """[n] the first candidate of each decision; without an estimate in batches of decisions."""
        if len(lists.form) <= _MAX_MOVES_PER_SORT or estimate is not None:
            return self.order(decisions, lists, probabilities, estimate)[lists.start[:-1]]
        first_rows = []
        for rows in _batches(lists.start):
            moves = slice(int(lists.start[rows[0]]), int(lists.start[rows[-1] + 1]))
            start = lists.start[rows[0] : rows[-1] + 2] - moves.start
            batch = MoveLists(start, lists.form[moves], lists.cards[moves])
            order = self.order(decisions.select(rows), batch, None if probabilities is None else probabilities[moves])
            first_rows.append(order[start[:-1]] + moves.start)
        return np.concatenate(first_rows)


def _check_kind(name: str, value: object, kind: type[Decisions | Choices]) -> None:
    if not isinstance(value, kind):
        raise GameError(f"{name}: expected {kind.__name__}, not {type(value).__name__}", ErrorCode.INVALID_VALUE)


def _to_floats(probabilities: NDArray[Any]) -> NDArray[np.floating]:
    """Return probabilities in a type of floats; raises GameError for NaN and for what are no real numbers."""
    if probabilities.dtype.kind not in "fiub" or np.isnan(probabilities).any():
        message = f"probabilities: real numbers, not {probabilities.dtype} or NaN"
        raise GameError(message, ErrorCode.INVALID_VALUE)
    return probabilities if probabilities.dtype.kind == "f" else probabilities.astype(np.float64)


def _batches(start: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the rows of consecutive decisions with a bounded number of moves; start [n + 1] as in MoveLists."""
    first, n = 0, len(start) - 1
    while first < n:
        end = max(first + 1, int(np.searchsorted(start, start[first] + _MAX_MOVES_PER_SORT, "right")) - 1)
        yield np.arange(first, end)
        first = end
