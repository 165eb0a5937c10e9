"""Proofs of why a play is legal or not, down to the inputs of the seat."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from abl_cards.circuit import Proof, ProofFinder, true_atoms
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import cards_from_counts, counts_from_cards
from abl_cards.games.notation.plays import ParsedPlay, find_forms, matches_form, read_play
from abl_cards.games.tables import DecisionPoint, is_play_decision
from abl_cards.games.types import NO_CARD

LEGAL = "legal"
MAX_READINGS = 4
"""Of cards that can be several plays."""


@dataclass(frozen=True)
class PlayDerivation:
    """A reading of cards as a play, with the proof of its legality or illegality."""

    label: str
    move_row: int | None  # of the moves of the moment; None for what is not legal
    proof: Proof

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"label": self.label, "legal": self.move_row is not None, "why": self.proof.to_json()}


def _parse_play(rules: CompiledGame, text: str) -> ParsedPlay:
    """A play as JSON, or as a word or cards with blanks between them; raises GameError."""
    values: list[Any] = [text, text.split()]
    with suppress(ValueError):
        values.insert(0, json.loads(text))
    problems = []
    for value in values:
        try:
            return read_play(rules, value)
        except GameError as problem:
            problems.append(problem)
    raise problems[0]


def derive_readings(rules: CompiledGame, decision_point: DecisionPoint, text: str) -> Iterator[PlayDerivation]:
    """Yield the readings of a play, legal ones first; raises GameError for cards that form no play of the game."""
    decision = decision_point.decision
    if not is_play_decision(decision):
        raise GameError("here nothing is played, something is chosen: its rule is option/1", ErrorCode.INVALID_STATE)
    wanted = _parse_play(rules, text)
    hand, cards = decision.view.hand[0], counts_from_cards(wanted.cards, len(rules.pack))
    lacking = cards_from_counts(np.maximum(cards.astype(int) - hand, 0).astype(np.uint8))
    if lacking:
        raise GameError(f"not in the hand: {rules.card_codes.to_text(lacking)}", ErrorCode.INVALID_CARDS)
    forms = find_forms(rules, wanted.cards, int(decision.context[0])) if wanted.cards else (rules.forms.pass_form,)
    meant = [form for form in forms if matches_form(rules, wanted, form)]
    if not meant:
        raise GameError(
            f"{rules.card_codes.to_text(wanted.cards)}: no play of the game is made of these cards",
            ErrorCode.INVALID_CARDS,
        )
    rows = {form: _find_row(decision_point, form, wanted) for form in meant}
    labels: dict[int, int] = {}
    for form in sorted(meant, key=lambda form: rows[form] is None):
        labels.setdefault(int(rules.forms.label_of[form]), form)
    told = rules.play_query
    reasons = ProofFinder(rules.kb, true_atoms(told.build_rows(1, decision.column_writers), told.circuit.inputs, 0))
    for label, form in list(labels.items())[:MAX_READINGS]:
        yield PlayDerivation(rules.label_texts[label], rows[form], reasons.explain(f"{LEGAL}({rules.labels[label]})"))


def _find_row(decision_point: DecisionPoint, form: int, play: ParsedPlay) -> int | None:
    """Among the moves of a moment, these cards as this form."""
    cards = sorted(play.cards)
    for row in np.flatnonzero(decision_point.move_lists.form == form).tolist():
        if sorted(card for card in decision_point.move_lists.cards[row].tolist() if card != NO_CARD) == cards:
            return row
    return None
