"""Interpretation of selected cards: the plays they form, and cards that can be added; for any game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import counts_from_cards
from abl_cards.games.notation import (
    PASS,
    ParsedPlay,
    compose_move,
    list_composed_plays,
    match_plays,
    notate_moves,
)
from abl_cards.games.preferences import MAX_COMPARED
from abl_cards.games.tables import Decisions
from abl_cards.games.types import Moves, count_move_cards
from abl_cards.web.game_log import play_text
from abl_cards.web.play_kinds import labels_of_cards
from abl_cards.web.texts import card_kinds, deck_json, label_text

MAX_READINGS = 12
MAX_COMPOSED_PLAYS = 3000
"""Largest number of whole plays that are listed; beyond it, each selection of cards is searched by itself."""


@dataclass
class CardSelection:
    """Selection of cards for one play decision."""

    engine: Engine
    decisions: Decisions  # of one table

    @cached_property
    def moves(self) -> Moves | None:
        """All legal plays; None if there are too many."""
        if not self.engine.rules.has_composed_plays:
            lists, is_cut = self.decisions.first_card_sets(MAX_COMPARED)
            return None if is_cut[0] else Moves(lists.form, lists.cards)
        try:
            return list_composed_plays(self.decisions, 0, MAX_COMPOSED_PLAYS)
        except GameError:
            return None

    @cached_property
    def _counts(self) -> NDArray[np.uint8]:
        """Copies of each card in each move, [moves, kinds]."""
        assert self.moves is not None
        return count_move_cards(self.moves.cards, len(self.engine.rules.pack))

    @property
    def can_pass(self) -> bool:
        """Return whether the seat may pass."""
        rules = self.engine.rules
        return bool(self.decisions.legal_mask[rules.forms.label_of[rules.forms.pass_form], 0])

    def interpret(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return the plays that the cards form, and the other cards that some play adds to them.

        Raises:
            GameError: The texts are not cards of the hand.
        """
        rules = self.engine.rules
        cards = rules.card_codes.read(list(texts))
        selected, hand = counts_from_cards(cards, len(rules.pack)), self.decisions.view.hand[0]
        if (selected > hand).any():
            raise GameError("not in the hand", ErrorCode.ILLEGAL_MOVE)
        if self.moves is None:
            return self._interpret_unlisted(cards, selected, hand)
        counts = self._counts
        contains = (counts >= selected).all(axis=1)
        exact = np.flatnonzero(contains & (counts.sum(axis=1) == len(cards))) if cards else np.zeros(0, np.int64)
        more = (counts[contains] > selected).any(axis=0)
        is_illegal = bool(cards) and not contains.any()
        return {
            "readings": self._readings_json(Moves(self.moves.form[exact], self.moves.cards[exact])),
            "more": [rules.card_codes.kind_texts[kind] for kind in np.flatnonzero(more).tolist()],
            "plays": int(contains.sum()), "passes": self.can_pass,
            "within": self._play_within(selected) if len(cards) > 1 and not len(exact) else None,
            "problem": self._problem_json(cards, selected) if is_illegal else None,
        }  # fmt: skip

    def _play_within(self, selected: NDArray[np.uint8]) -> list[str] | None:
        """Return the cards of the largest play of these cards that has each of their ranks; None without one."""
        texts, counts = self.engine.rules.card_codes.kind_texts, self._counts
        inside = np.flatnonzero((counts <= selected).all(axis=1) & counts.any(axis=1))
        ranks = _ranks_of_kinds(self.engine)
        selected_ranks = np.unique(ranks[selected > 0])
        inside = inside[[np.array_equal(np.unique(ranks[counts[row] > 0]), selected_ranks) for row in inside.tolist()]]
        if not len(inside):
            return None
        best = counts[inside[counts[inside].sum(axis=1).argmax()]]
        return [texts[kind] for kind in np.repeat(np.arange(len(best)), best).tolist()]

    def _problem_json(self, cards: Sequence[int], selected: NDArray[np.uint8]) -> dict[str, Any]:
        """Return why cards are no legal play, with texts, and the legal play with the fewest other cards."""
        rules, to_beat = self.engine.rules, int(self.decisions.view.to_beat[0])
        labels = self._labels_of(cards)
        problem: dict[str, Any] = {"code": "none", "values": []}
        if labels and to_beat >= 0:
            beaten = label_text(self.engine, self.engine.label_of(to_beat))
            problem = {"code": "low", "values": [labels[0], beaten]}
        elif labels:
            problem = {"code": "barred", "values": [labels[0]]}
        changes = np.abs(self._counts.astype(np.int16) - selected).sum(axis=1) + 64 * ~self._counts.any(axis=1)
        if self.moves is not None and len(changes) and int(changes.min()) < len(cards) + 2:
            row = int(changes.argmin())
            nearest = card_kinds(self.moves.cards[row])
            text = play_text(self.engine, int(self.moves.form[row]), len(nearest))
            problem["nearest"] = {"text": text, "cards": [rules.card_codes.kind_texts[card] for card in nearest]}
        return problem

    def _labels_of(self, cards: Sequence[int]) -> list[list[str]]:
        """Return the names of the plays that the cards are, legal or not."""
        labels = labels_of_cards(self.engine, cards, self.decisions)
        return [label_text(self.engine, self.engine.labels[label]) for label in labels]

    def _readings_json(self, moves: Moves) -> list[dict[str, Any]]:
        """Return plays of the same cards by their names, the strongest first."""
        is_bomb = self.engine.label_traits.is_bomb[self.engine.rules.forms.label_of[moves.form]]
        strength = self.engine.rules.strength[int(self.decisions.context[0]), moves.form]
        order = np.lexsort((-strength, ~is_bomb))
        forms, cards = moves.form[order], moves.cards[order]
        notations = notate_moves(self.engine.rules, forms, cards, np.repeat(self.decisions.context, len(forms)))
        readings: dict[str, dict[str, Any]] = {}
        for form, row, action in zip(forms.tolist(), cards, notations, strict=True):
            text = play_text(self.engine, form, len(card_kinds(row)))
            readings.setdefault(str(action.to_json()), {"text": text, "value": action.to_json()})
        return list(readings.values())[:MAX_READINGS]

    def _interpret_unlisted(
        self, cards: Sequence[int], selected: NDArray[np.uint8], hand: NDArray[np.uint8]
    ) -> dict[str, Any]:  # fmt: skip
        """Return whether the cards form a play, for hands with too many plays to list."""
        rules = self.engine.rules
        if not rules.has_composed_plays:
            lists, (rows,) = match_plays(self.decisions, [ParsedPlay(tuple(cards))])
            readings = self._readings_json(Moves(lists.form[rows], lists.cards[rows])) if cards else []
            addable = np.flatnonzero(self.decisions.addable_cards(selected[None])[0]).tolist()
            return {
                "readings": readings,
                "more": [rules.card_codes.kind_texts[kind] for kind in addable],
                "plays": None,
                "passes": self.can_pass,
            }
        composed_play = compose_move(self.decisions, 0, tuple(cards)) if cards else None
        readings = []
        if composed_play is not None:
            text = play_text(self.engine, int(composed_play.form[0]), len(cards))
            readings = [{"text": text, "value": rules.card_codes.write(cards)}]
        addable = np.flatnonzero(hand > selected).tolist()
        return {
            "readings": readings, "more": [rules.card_codes.kind_texts[kind] for kind in addable], "plays": None,
            "passes": self.can_pass,
        }  # fmt: skip


@cache_per_game
def _kind_ranks(rules: CompiledGame) -> NDArray[np.int64]:
    numbers: dict[str, int] = {}
    deck = deck_json(rules)
    return np.array([numbers.setdefault(deck[text]["rank"], len(numbers)) for text in rules.card_codes.kind_texts])


def _ranks_of_kinds(engine: Engine) -> NDArray[np.int64]:
    """Return a number for the rank of each card kind, [kinds]."""
    ranks: NDArray[np.int64] = _kind_ranks(engine.rules)
    return ranks


def is_pass(value: Any) -> bool:
    """Return whether a play in JSON is a pass."""
    return bool(value == PASS)
