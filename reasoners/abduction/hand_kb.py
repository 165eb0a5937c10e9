"""Perceived cards as ABLkit's pseudo-labels: which play they are, by the rules of any game (``abl-cards[learning]``).

>>> kb = HandKB("guandan", state={"level": "8"})
>>> kb.logic_forward(["S3", "H3"])
'pair(3)'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from ablkit.reasoning import KBBase
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, check_integer
from abl_cards.games import Engine, Game, compile_engine
from abl_cards.reasoners.abduction.play_sets import PlayFinder, PlaySets, labels_of_play
from abl_cards.reasoners.abduction.probabilities import (
    check_batch,
    check_positions,
    check_pseudo_labels,
    log_probabilities,
    to_plain_result,
)

MAX_CARDS = 10
"""Most cards of a play: the orders of its cards are searched."""
MAX_CACHED_REQUESTS = 1 << 12
"""Most requested results whose card sets are remembered."""


class HandKB(KBBase):  # type: ignore[misc]  # ablkit has no types
    """Knowledge base of ABLkit over cards: an example is a picture, or a text, of each card of one play.

    Pseudo-labels are the cards of the pack. The result is the label of the play, such as ``"pair(3)"``; a tuple of
    labels where the cards can be several plays; None where they form no play. A requested result y may be

    - a label, or a recorded play in any suits and order, which stands for its label;
    - ``{"to_beat": play, "beats": True or False}``: the cards are a play that beats another one, or not;
    - ``{"points": n}``: the cards are a play and worth n points by ``worth/2`` of the rules;
    - None: the cards are any play, with which a seat may lead.

    All card sets of plays with the number of cards are listed once from the rules; candidates are found among them.

    Attributes:
        engine: Engine of the game.
        finder: Plays of the game in the given state.
    """

    def __init__(
        self, game: Game | Engine | str, *, profile: str | None = None, state: Mapping[str, Any] | None = None
    ):
        """Make a knowledge base.

        Args:
            game: A game, its name or folder, or its engine.
            profile: Profile of the rules; None for that of the game.
            state: Fields of a state that decide the order of cards, such as ``{"level": "8"}``, in JSON form.

        Raises:
            GameError: There is no such game or profile, or a field is missing.
            KBError: The rules have errors.
        """
        self.engine = compile_engine(game, profile)
        if state is not None and not isinstance(state, Mapping):
            raise GameError(f"state: fields by name, not {state!r:.60}", ErrorCode.INVALID_VALUE)
        self.finder = PlayFinder.of(self.engine, dict(state or {}))
        self._requests: dict[tuple[int, str], _Request] = {}
        self._results: dict[tuple[int, ...], str | tuple[str, ...]] = {}
        cards = list(self.engine.rules.card_codes.kind_texts)
        self._card_index = {card: index for index, card in enumerate(cards)}
        super().__init__(pseudo_label_list=cards, use_cache=False)

    def logic_forward(self, pseudo_label: Sequence[str], x: Any = None) -> Any:
        """Return the label of the play that cards are.

        Args:
            pseudo_label: Cards in any order.
            x: The example, which is not used.

        Returns:
            The label; a tuple of labels, if there are several; None where the cards form no play.

        Raises:
            GameError: A card is unknown, or there are too many.
        """
        cards = self._indices(pseudo_label)
        sets = self._sets(len(cards))
        card_set = sets.find(cards)
        return None if card_set < 0 else self._result(sets.labels[card_set])

    def _result(self, labels: tuple[int, ...]) -> str | tuple[str, ...]:
        result = self._results.get(labels)
        if result is None:
            texts = tuple(self.engine.labels[label] for label in labels)
            result = self._results[labels] = texts[0] if len(texts) == 1 else texts
        return result

    def is_consistent(self, pseudo_label: Sequence[str], y: Any) -> bool:
        """Return whether cards lead to a requested result.

        Args:
            pseudo_label: Cards in any order.
            y: Requested result.
        """
        cards = self._indices(pseudo_label)
        card_set = self._sets(len(cards)).find(cards)
        return card_set >= 0 and card_set in self._request(y, len(cards)).card_sets

    def abduce_candidates(
        self, pseudo_label: Sequence[str], y: Any, x: Any, max_revision_num: int, require_more_revision: int
    ) -> tuple[list[list[str]], list[Any]]:
        """Find the consistent revisions with the fewest changed cards.

        Args:
            pseudo_label: Cards to revise.
            y: Requested result.
            x: The example, which is not used.
            max_revision_num: Most cards to change.
            require_more_revision: Changes beyond the least number that gives a candidate.

        Returns:
            The distinct candidates of a search in ABLkit's order, and their results.
        """
        current = self._indices(pseudo_label)
        request = self._request(y, len(current))
        changes = request.least_changes(current)
        least = int(changes.min(initial=len(current) + 1))
        more = check_integer("require_more_revision", require_more_revision)
        most = min(least + more, check_integer("max_revision_num", max_revision_num), len(current))
        if least > most:
            return [], []
        orders, rows = request.arrange(changes, current, np.ones(len(current), np.bool_), most)
        return self._candidates(request, orders, rows, current)

    def revise_at_idx(
        self, pseudo_label: Sequence[str], y: Any, x: Any, revision_idx: Sequence[int] | NDArray[np.integer]
    ) -> tuple[list[list[str]], list[Any]]:
        """Find the consistent revisions at given positions.

        Args:
            pseudo_label: Cards to revise.
            y: Requested result.
            x: The example, which is not used.
            revision_idx: Positions that may change, in increasing order.

        Returns:
            The candidates in the order of ``KBBase.revise_at_idx``, and their results.

        Raises:
            GameError: A position is not a whole number, or lies beyond the example.
        """
        current = self._indices(pseudo_label)
        request = self._request(y, len(current))
        free = np.zeros(len(current), np.bool_)
        free[check_positions(revision_idx, len(current))] = True
        orders, rows = request.arrange(request.least_changes(current), current, free, int(free.sum()))
        return self._candidates(request, orders, rows, None)

    def abduce_batch(
        self,
        probabilities: Sequence[NDArray[np.floating]] | NDArray[np.floating],
        y: Sequence[Any] | None = None,
        *,
        k: int = 1,
        x: Sequence[Any] | None = None,
    ) -> NDArray[np.int16]:
        """Find the most probable consistent cards of many examples, under independent probabilities.

        Args:
            probabilities: float[cards, kinds] for each example, in the order of ``pseudo_label_list``; the numbers of
                cards may differ. Values below 1e-30 count as 1e-30.
            y: Requested result of each example; None for any play.
            k: Number of assignments of an example.
            x: The examples, which are not used.

        Returns:
            int16[examples, k, cards] Indices of cards, the most probable assignment first; -1 fills missing places.

        Raises:
            GameError: The number of results, the shape of probabilities or one of them is wrong.
        """
        from abl_cards.reasoners.abduction import play_kernels

        by_length = check_batch(probabilities, y, x, k, len(self.pseudo_label_list))
        out = np.full((len(probabilities), k, max(by_length, default=0)), -1, np.int16)
        for length, rows in by_length.items():
            for row, values in zip(rows, log_probabilities(probabilities, rows), strict=True):
                request = self._request(None if y is None else y[row], length)
                out[row, :, :length] = play_kernels.most_probable_orders(request.cards, values, k)
        return out

    def _check_equal(self, reasoning_result: Any, y: Any) -> bool:
        """Return whether a result fits a label or recorded play; other requests depend on the cards."""
        if reasoning_result is None or y is None or (isinstance(y, Mapping) and "cards" not in y):
            return False
        labels = (reasoning_result,) if isinstance(reasoning_result, str) else reasoning_result
        requested = {self.engine.labels[label] for label in labels_of_play(self.engine.rules, y, self.finder.context)}
        return not requested.isdisjoint(labels)

    def _candidates(
        self, request: _Request, orders: NDArray[np.int16], rows: NDArray[np.int32], current: NDArray[np.int16] | None
    ) -> tuple[list[list[str]], list[Any]]:
        """Sort assignments as ABLkit's search meets them: by changed positions if `current` is given, then by cards."""
        keys = list(orders.T[::-1])
        if current is not None:
            changed = orders != current
            keys += [~changed[:, position] for position in range(len(current) - 1, -1, -1)]
            keys.append(changed.sum(axis=1))
        order = np.lexsort(keys)
        cards = self.pseudo_label_list
        candidates = [[cards[kind] for kind in row] for row in orders[order].tolist()]
        labels = request.sets.labels
        return candidates, [self._result(labels[number]) for number in request.card_sets[rows[order]].tolist()]

    def _sets(self, num_cards: int) -> PlaySets:
        if not 0 < num_cards <= MAX_CARDS:
            raise GameError(f"{num_cards} cards: a play here has 1 to {MAX_CARDS}", ErrorCode.INVALID_VALUE)
        return self.finder.sets(num_cards)

    def _indices(self, pseudo_label: Sequence[str]) -> NDArray[np.int16]:
        cards = check_pseudo_labels(pseudo_label)
        try:
            return np.array([self._card_index[card] for card in cards], np.int16)
        except (KeyError, TypeError):
            message = f"pseudo-labels {cards!r}: one of them is no card of the pack"
            raise GameError(message, ErrorCode.INVALID_CARDS) from None

    def _request(self, y: Any, num_cards: int) -> _Request:
        if isinstance(y, Mapping):
            y = {name: to_plain_result(value) for name, value in y.items()}
        key = (num_cards, repr(y))
        if key not in self._requests:
            if len(self._requests) >= MAX_CACHED_REQUESTS:
                self._requests.clear()
            self._requests[key] = _Request(self._sets(num_cards), self._requested_rows(y, num_cards))
        return self._requests[key]

    def _requested_rows(self, y: Any, num_cards: int) -> NDArray[np.bool_]:
        """Return bool[rows] which card sets lead to a requested result."""
        sets = self._sets(num_cards)
        if y is None:
            return np.ones(len(sets.form), np.bool_)
        if isinstance(y, Mapping) and set(y) == {"to_beat", "beats"}:
            if not isinstance(y["beats"], (bool, np.bool_)):
                message = f"a requested result with 'to_beat': 'beats' is {y['beats']!r}, expected True or False"
                raise GameError(message, ErrorCode.INVALID_VALUE)
            beats, possible = self.finder.rows_that_beat(y["to_beat"], num_cards)
            return beats if y["beats"] else possible & ~np.isin(sets.card_set, sets.card_set[beats])
        if isinstance(y, Mapping) and set(y) == {"points"}:
            if isinstance(y["points"], bool) or not isinstance(y["points"], (int, float, np.number)):
                message = f"a requested result 'points': {y['points']!r}, expected a number"
                raise GameError(message, ErrorCode.INVALID_VALUE)
            return sets.counts.astype(np.int64) @ self.engine.rules.card_points == y["points"]
        return np.isin(sets.label, list(labels_of_play(self.engine.rules, y, self.finder.context)))


class _Request:
    """Card sets that lead to a requested result."""

    def __init__(self, sets: PlaySets, is_requested: NDArray[np.bool_]) -> None:
        """Select card sets by their rows, bool[m]."""
        self.sets = sets
        self.card_sets = np.unique(sets.card_set[is_requested])
        self.cards = sets.cards[self.card_sets]

    def least_changes(self, current: NDArray[np.int16]) -> NDArray[np.int64]:
        """Return int64[sets] how many cards must change for each card set."""
        from abl_cards.reasoners.abduction import play_kernels

        return play_kernels.least_changes(self.cards, np.bincount(current, minlength=self.sets.counts.shape[1]))

    def arrange(
        self, changes: NDArray[np.int64], current: NDArray[np.int16], free: NDArray[np.bool_], most: int
    ) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
        """Return the orders of card sets with at most so many changes at free positions, and their card sets."""
        from abl_cards.reasoners.abduction import play_kernels

        return play_kernels.arrange(self.cards, changes, current, free, most)
