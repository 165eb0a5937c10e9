"""Why a play is legal, or why not: the rules behind it, down to what the seat is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from abl_cards.errors import GameError
from abl_cards.games.moment import Moment, is_play
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD
from abl_cards.games.words.letters import cards_of, hand_of
from abl_cards.games.words.plays import Wanted, fits, identify, read_play
from abl_cards.logic.oracle import true_atoms
from abl_cards.logic.why import Reasons, Why

LEGAL = "legal"
MOST_READINGS = 4
"""Of cards that can be several plays."""


@dataclass(frozen=True)
class Reading:
    """What some cards can be, and why that is legal or is not."""

    label: str
    row: int | None  # of the moves of the moment; None for what is not legal
    why: Why

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"label": self.label, "legal": self.row is not None, "why": self.why.to_json()}


def _read(rules: Rules, text: str) -> Wanted:
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


def readings_of(rules: Rules, moment: Moment, text: str) -> Iterator[Reading]:
    """What a play can be, first what is legal; raises GameError for cards that are none of the game's plays."""
    decision = moment.decision
    if not is_play(decision):
        raise GameError("here nothing is played, something is chosen: its rule is option/1")
    wanted = _read(rules, text)
    hand, cards = decision.view.hand[0], hand_of(wanted.cards, len(rules.pack))
    lacking = cards_of(np.maximum(cards.astype(int) - hand, 0).astype(np.uint8))
    if lacking:
        raise GameError(f"not in the hand: {rules.letters.spoken(lacking)}")
    forms = identify(rules, wanted.cards, int(decision.context[0])) if wanted.cards else (rules.forms.passing,)
    meant = [form for form in forms if fits(rules, wanted, form)]
    if not meant:
        raise GameError(f"{rules.letters.spoken(wanted.cards)}: no play of the game is made of these cards")
    rows = {form: _row(moment, form, wanted) for form in meant}
    labels: dict[int, int] = {}
    for form in sorted(meant, key=lambda form: rows[form] is None):
        labels.setdefault(int(rules.forms.label_of[form]), form)
    told = rules.play
    reasons = Reasons(rules.kb, true_atoms(told.rows(1, decision.fills), told.circuit.inputs, 0))
    for label, form in list(labels.items())[:MOST_READINGS]:
        yield Reading(rules.label_texts[label], rows[form], reasons.why(f"{LEGAL}({rules.labels[label]})"))


def _row(moment: Moment, form: int, wanted: Wanted) -> int | None:
    """Among the moves of a moment, these cards as this form."""
    cards = sorted(wanted.cards)
    for row in np.flatnonzero(moment.lists.form == form).tolist():
        if sorted(card for card in moment.lists.cards[row].tolist() if card != NO_CARD) == cards:
            return row
    return None
