"""Test whether cards form a play, legal or not, by the labels that a hand of exactly these cards could lead."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation import compose_move
from abl_cards.games.tables import Decisions, PlayerView, Tables
from abl_cards.games.types import LEADING, ONLY_TABLE, Moves, copy_rows
from abl_cards.protocols.botzone.card_numbers import CardNumbering


def find_move(decisions: Decisions, numbering: CardNumbering, cards: Sequence[int]) -> Moves | None:
    """Return the legal move with card numbers, if there is one; composed moves are built card by card."""
    lists = decisions.moves()
    row = numbering.find_row(cards, lists.cards)
    if row is not None:
        return lists.select(np.array([row]))
    if decisions.rules.has_composed_plays and cards:
        return compose_move(decisions, 0, tuple(numbering.kind_of[card] for card in cards))
    return None


def is_combination(rules: CompiledGame, tables: Tables, numbering: CardNumbering, cards: Sequence[int]) -> bool:
    """Return whether a hand of exactly these card numbers could be led as one play at this table."""
    state, seat = rules.create_state(1), tables.seat[ONLY_TABLE]
    copy_rows(tables.state, ONLY_TABLE, state)
    state.hands[0, seat[0]] = numbering.count_kinds(cards, len(rules.pack))
    state.to_beat[0], state.owner[0] = LEADING, seat[0]
    lead = Decisions(PlayerView(rules, state, ONLY_TABLE, seat, has_hand_sizes=False))
    return bool(lead.legal_mask[:, 0].any()) and find_move(lead, numbering, cards) is not None
