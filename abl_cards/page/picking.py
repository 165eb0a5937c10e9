"""What the cards that somebody has picked can be, and which may be added: asked of the moves, for any game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games import Decisions, Engine, Moves
from abl_cards.games.tables import NO_CARD
from abl_cards.games.words.composing import composed
from abl_cards.games.words.letters import hand_of
from abl_cards.games.words.plays import PASS, actions
from abl_cards.games.words.whole import whole_plays
from abl_cards.page.course import play_pair
from abl_cards.page.words import cards_laid, label_pair

MOST_READINGS = 12
MOST_WHOLE = 3000
"""Whole plays that are listed where cards are laid one by one; of more each is looked for when it is picked."""


@dataclass
class Picking:
    """One play to be decided."""

    engine: Engine
    decisions: Decisions  # of one table

    @cached_property
    def moves(self) -> Moves | None:
        """Everything that may be laid down; None where there is too much of it."""
        if not self.engine.rules.composing:
            lists = self.decisions.moves()
            return Moves(lists.form, lists.cards)
        try:
            return whole_plays(self.decisions, 0, MOST_WHOLE)
        except GameError:
            return None

    @cached_property
    def _counts(self) -> NDArray[np.uint8]:
        """[moves, kinds] the cards of each."""
        assert self.moves is not None
        cards, kinds = self.moves.cards, len(self.engine.rules.pack)
        counts = np.zeros((len(cards), kinds + 1), np.uint8)
        rows = np.repeat(np.arange(len(cards)), cards.shape[1])
        np.add.at(counts, (rows, np.where(cards == NO_CARD, kinds, cards).ravel()), 1)
        return counts[:, :kinds]

    @property
    def passes(self) -> bool:
        """Whether the seat may pass."""
        rules = self.engine.rules
        return bool(self.decisions.legal[rules.forms.label_of[rules.forms.passing], 0])

    def picked(self, texts: Sequence[str]) -> dict[str, Any]:
        """What these cards can be, each with the value that plays it; and which others some play adds to them.

        Raises GameError for what are no cards of the hand.
        """
        rules = self.engine.rules
        cards = rules.letters.read(list(texts))
        wanted, hand = hand_of(cards, len(rules.pack)), self.decisions.view.hand[0]
        if (wanted > hand).any():
            raise GameError("not in the hand")
        if self.moves is None:
            return self._composed(cards, wanted, hand)
        counts = self._counts
        within = (counts >= wanted).all(axis=1)
        exact = np.flatnonzero(within & (counts.sum(axis=1) == len(cards))) if cards else np.zeros(0, np.int64)
        more = (counts[within] > wanted).any(axis=0)
        return {
            "readings": self._readings(exact),
            "more": [rules.letters.texts[kind] for kind in np.flatnonzero(more).tolist()],
            "plays": int(within.sum()), "passes": self.passes,
        }  # fmt: skip

    def _readings(self, rows: NDArray[np.int64]) -> list[dict[str, Any]]:
        assert self.moves is not None
        forms, cards = self.moves.form[rows], self.moves.cards[rows]
        said = actions(self.engine.rules, forms, cards, np.repeat(self.decisions.context, len(rows)))
        found: dict[str, dict[str, Any]] = {}
        for form, laid, action in zip(forms.tolist(), cards, said, strict=True):
            text = play_pair(self.engine, form, len(cards_laid(laid)))
            found.setdefault(str(action.to_json()), {"text": text, "value": action.to_json()})
        return list(found.values())[:MOST_READINGS]

    def _composed(
        self, cards: Sequence[int], wanted: NDArray[np.uint8], hand: NDArray[np.uint8]
    ) -> dict[str, Any]:  # fmt: skip
        """Whether they are a play, where there are too many to list."""
        rules = self.engine.rules
        whole = composed(self.decisions, 0, tuple(cards)) if cards else None
        readings = []
        if whole is not None:
            text = play_pair(self.engine, int(whole.form[0]), len(cards))
            readings = [{"text": text, "value": rules.letters.write(cards)}]
        rest = np.flatnonzero(hand > wanted).tolist()
        return {
            "readings": readings, "more": [rules.letters.texts[kind] for kind in rest], "plays": None,
            "passes": self.passes,
        }  # fmt: skip

    def listed(self, most: int) -> list[dict[str, Any]]:
        """The plays by label, the first so many: for those who choose from a list."""
        rules, decisions = self.engine.rules, self.decisions
        labels = np.flatnonzero(decisions.legal[:, 0])[:most].tolist()
        return [{"label": rules.label_texts[each], "text": label_pair(self.engine, rules.label_texts[each])}
                for each in labels]  # fmt: skip


def is_pass(value: Any) -> bool:
    """Whether a play as JSON is a pass."""
    return bool(value == PASS)
