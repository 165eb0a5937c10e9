"""All plays of a game with a number of cards, as sets of cards, and the plays that a recorded play stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, whole_hand_moves
from abl_cards.games.description import cards_from_counts, counts_from_cards
from abl_cards.games.moves import ALL_LABELS, enumerate_moves, lookup_moves, scratch_for
from abl_cards.games.notation import legal_labels, read_play
from abl_cards.games.tables import Decisions
from abl_cards.games.types import MAX_CARD_SETS, count_move_cards

MAX_PLAY_SETS = 1 << 20
"""Most card sets of plays with equal numbers of cards."""


@dataclass(frozen=True, eq=False)
class PlaySets:
    """Card sets of the plays with a number of cards, in one order context.

    Attributes:
        counts: uint8[m, kinds] Copies of each card; card sets with several readings have a row for each form.
        form: int16[m] Form of each row.
        label: int16[m] Label of each row.
    """

    counts: NDArray[np.uint8]
    form: NDArray[np.int16]
    label: NDArray[np.int16]

    @classmethod
    def enumerate(cls, rules: CompiledGame, num_cards: int, context: int) -> PlaySets:
        """List all plays with a number of cards that the pack allows.

        Args:
            rules: Compiled game.
            num_cards: Number of cards.
            context: Order context.

        Returns:
            The card sets.

        Raises:
            GameError: There are too many.
        """
        forms = rules.forms
        allowed = (forms.num_cards == num_cards) & ~rules.partial_forms
        allowed[forms.pass_form] = False
        labels = np.unique(forms.label_of[allowed]).astype(np.int16)
        pieces = [_list_label(rules, int(label), allowed, context) for label in labels]
        if sum(len(form) for form, _ in pieces) > MAX_PLAY_SETS:
            message = f"plays of {num_cards} cards: more than {MAX_PLAY_SETS:,} card sets"
            raise GameError(message, ErrorCode.TOO_LARGE)
        form = np.concatenate([np.empty(0, np.int16), *(form for form, _ in pieces)])
        cards = np.concatenate([np.empty((0, num_cards), np.uint8), *(cards[:, :num_cards] for _, cards in pieces)])
        counts = count_move_cards(cards, len(rules.pack))
        keys = np.column_stack([counts, form.view(np.uint8).reshape(len(form), 2)])
        first_rows = np.sort(np.unique(rows_as_keys(keys), return_index=True)[1])
        return cls(counts[first_rows], form[first_rows], forms.label_of[form[first_rows]].astype(np.int16))

    @cached_property
    def card_set(self) -> NDArray[np.int64]:
        """int64[m] Number of the card set of each row; readings of equal cards share it."""
        return np.unique(rows_as_keys(self.counts), return_inverse=True)[1].reshape(-1)

    @cached_property
    def cards(self) -> NDArray[np.int16]:
        """int16[sets, cards] Cards of each card set, sorted."""
        first = np.unique(self.card_set, return_index=True)[1]
        size = int(self.counts[:1].sum())
        kinds = np.broadcast_to(np.arange(self.counts.shape[1], dtype=np.int16), (len(first), self.counts.shape[1]))
        return np.repeat(kinds.ravel(), self.counts[first].ravel()).reshape(len(first), size)

    @cached_property
    def labels(self) -> list[tuple[int, ...]]:
        """Labels of each card set, in increasing order."""
        labels: list[set[int]] = [set() for _ in range(len(self.cards))]
        for card_set, label in zip(self.card_set.tolist(), self.label.tolist(), strict=True):
            labels[card_set].add(label)
        return [tuple(sorted(label_set)) for label_set in labels]

    @cached_property
    def _set_by_cards(self) -> dict[bytes, int]:
        return {cards.tobytes(): number for number, cards in enumerate(self.cards)}

    def find(self, cards: NDArray[np.int16]) -> int:
        """Return the number of a card set; -1 for cards that form no play.

        Args:
            cards: int16[cards] The cards, in any order.
        """
        return self._set_by_cards.get(np.sort(cards).tobytes(), -1)


def rows_as_keys(rows: NDArray[np.uint8]) -> NDArray[np.void]:
    """View the rows of an array as one value each, which sorts faster than a row.

    Args:
        rows: uint8[m, columns].

    Returns:
        void[m].
    """
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).reshape(-1)


def _list_label(
    rules: CompiledGame, label: int, allowed: NDArray[np.bool_], context: int
) -> tuple[NDArray[np.int16], NDArray[np.uint8]]:
    """Return forms and cards of all plays of a label."""
    forms, hands = rules.forms, np.ascontiguousarray(rules.pack.copies[None], np.uint8)
    start, contexts, capacity = np.zeros(2, np.int64), np.array([context], np.int16), 1 << 12
    legal, mask = np.zeros((len(rules.labels), 1), np.uint8), allowed[:, None].astype(np.uint8)
    legal[label] = 1
    while True:
        form, cards = np.empty(capacity, np.int16), np.empty((capacity, forms.max_cards), np.uint8)
        if rules.move_lookup is not None:
            rows = np.arange(len(forms), dtype=np.int32)
            all_labels = np.full(1, ALL_LABELS, np.int16)
            count = lookup_moves(
                rules.move_lookup, rows, hands, contexts, all_labels, legal, mask, 0, 1, start, form, cards
            )
        else:
            scratch = scratch_for(rules.move_tables, forms.max_cards)
            count = enumerate_moves(
                rules.move_tables, hands, contexts, np.zeros(1, np.int8), np.array([label], np.int16), legal, mask,
                0, 1, MAX_CARD_SETS, 0, start, form, cards, scratch,
            )  # fmt: skip
        if count > MAX_CARD_SETS:
            raise GameError(
                f"{rules.label_texts[label]} has more than {MAX_CARD_SETS:,} card sets", ErrorCode.TOO_LARGE
            )
        if count <= capacity:
            return form[:count], cards[:count]
        capacity = int(count)


@dataclass(frozen=True, eq=False)
class PlayFinder:
    """Reads plays of a game in one order context.

    Attributes:
        engine: Engine of the game.
        state: Fields of a state that all examples share, such as the level.
        context: Order context of the state.
    """

    engine: Engine
    state: Mapping[str, Any]
    context: int

    @classmethod
    def of(cls, engine: Engine, state: Mapping[str, Any]) -> PlayFinder:
        """Read the state that examples share.

        Args:
            engine: Engine of the game.
            state: Fields of a state in JSON form, without hand and play to beat.

        Returns:
            The finder.

        Raises:
            GameError: A field is missing or wrong.
        """
        if len(engine.rules.strength) == 1:  # cards have one order in all states
            return cls(engine, state, 0)
        codes = engine.rules.card_codes
        first = {"hand": codes.write([0]), **({} if engine.rules.trick_query else {"to_beat": None}), **state}
        point = engine.read_decision_point(first)
        if not point.labels:
            raise GameError("the decision of this state is no play", ErrorCode.INVALID_VALUE)
        return cls(engine, state, int(cast(Decisions, point.decision).context[0]))

    @cached_property
    def _sets(self) -> dict[int, PlaySets]:
        return {}

    def sets(self, num_cards: int) -> PlaySets:
        """Return the plays with a number of cards; they are listed once.

        Args:
            num_cards: Number of cards.
        """
        if num_cards not in self._sets:
            self._sets[num_cards] = PlaySets.enumerate(self.engine.rules, num_cards, self.context)
        return self._sets[num_cards]

    def rows_that_beat(self, play: Any, num_cards: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Find the plays that may follow another play.

        Args:
            play: The play to beat, in JSON form as in states.
            num_cards: Number of cards of the plays.

        Returns:
            bool[m] which of the card sets beat the play, and bool[m] which the pack allows beside its cards.

        Raises:
            GameError: The play is malformed, or the game has no plays to beat.
        """
        rules, sets = self.engine.rules, self.sets(num_cards)
        other = counts_from_cards(read_play(rules, play).cards, len(rules.pack))
        possible: NDArray[np.bool_] = np.all(sets.counts + other <= rules.pack.copies, axis=1)
        rows = np.flatnonzero(possible)
        forms, first = np.unique(sets.form[rows], return_index=True)
        codes, base = rules.card_codes, dict(self.state)
        hands = [codes.write(cards_from_counts(sets.counts[row])) for row in rows[first]]
        legal = legal_labels(rules, [{**base, "hand": hand, "to_beat": play} for hand in hands])
        for problem in legal:
            if isinstance(problem, GameError):
                raise problem
        texts = self.engine.labels
        beats = [
            form
            for form, labels in zip(forms, legal, strict=True)
            if not isinstance(labels, GameError) and texts[rules.forms.label_of[form]] in labels
        ]
        return possible & np.isin(sets.form, np.array(beats, np.int16)), possible


def labels_of_play(rules: CompiledGame, play: Any, context: int) -> frozenset[int]:
    """Return the labels that a play can have.

    Args:
        rules: Compiled game.
        play: Text of a label, or a play in JSON form or as text.
        context: Order context.

    Returns:
        Indices of labels.

    Raises:
        GameError: The value is not a play.
    """
    if isinstance(play, str) and play in rules.label_texts:
        return frozenset({rules.label_texts.index(play)})
    parsed, label_of = read_play(rules, play), rules.forms.label_of
    if parsed.form is not None:
        return frozenset({int(label_of[parsed.form])})
    if parsed.label is not None:
        return frozenset({parsed.label})
    if not parsed.cards:
        return frozenset({int(label_of[rules.forms.pass_form])})
    counts = counts_from_cards(parsed.cards, len(rules.pack))[None]
    labels, forms = (np.ones((size, 1), np.uint8) for size in (len(rules.labels), len(rules.forms)))
    contexts, leading = np.array([context], np.int16), np.zeros(1, np.bool_)
    lists = whole_hand_moves(rules, counts, contexts, leading, labels, forms)
    return frozenset(label_of[lists.form[~rules.partial_forms[lists.form]]].tolist())
