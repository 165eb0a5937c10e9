"""Positions of the laboratory as a browser draws them: the hand of the seat to act, and what lies on the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.notation import sort_hand
from abl_cards.games.types import LEADING
from abl_cards.web.fluent_texts import fluents_json
from abl_cards.web.game_log import play_text
from abl_cards.web.shown_facts import position_facts
from abl_cards.web.texts import card_kinds, card_orders, hand_texts


def position_json(engine: Engine, state: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a browser draws of a JSON state; None for a state that the rules do not accept."""
    try:
        view = engine.read_decision_point(state).decision.view
    except GameError:
        return None
    rules, tables = engine.rules, view.state
    row, seat, context = int(view.rows[0]), int(view.seats[0]), int(view.context[0])
    texts = rules.card_codes.kind_texts
    plays = []
    if rules.trick_query is not None:
        for other, counts in enumerate(tables.trick_cards[row]):
            if counts.any():
                cards = [texts[kind] for kind in sort_hand(rules, counts, context)]
                plays.append({"seat": other, "cards": cards, "text": ["", ""]})
    elif (form := int(view.to_beat[0])) != LEADING:
        owner = int(tables.owner[row])
        top = card_kinds(tables.top_cards[row])
        owner = owner if 0 <= owner < rules.seating.seats and owner != seat else _previous_seat(engine, seat)
        plays.append({"seat": owner, "cards": [texts[kind] for kind in top], "text": play_text(engine, form, len(top))})
    fluents = rules.fluents.mask_private(tables.fluents[[row]], np.array([seat]))[0]
    no_roles = np.full(rules.seating.seats, -1)
    return {
        "seat": seat, "after": list(rules.seating.next_seat),
        "hand": hand_texts(rules, view.hand[0], context),
        "plays": [play | {"number": number} for number, play in enumerate(plays)],
        "wild": card_orders(rules, context)["wild"],
        "shown": position_facts(engine, fluents, no_roles), "told": fluents_json(engine, fluents),
    }  # fmt: skip


def _previous_seat(engine: Engine, seat: int) -> int:
    return list(engine.rules.seating.next_seat).index(seat)
