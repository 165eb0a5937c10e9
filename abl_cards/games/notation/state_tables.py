"""Fill tables from positions that were read from states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation import seats
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.notation.trick_json import fill_tricks
from abl_cards.games.state import TableState
from abl_cards.games.tables import Tables


def build_tables(rules: CompiledGame, positions: Sequence[TablePosition]) -> Tables:
    """Build one table for each position."""
    tables = Tables(rules, len(positions))
    tables.auto_next_episode = False
    state = tables.state
    for row, position in enumerate(positions):
        state.hands[row], state.aside[row], state.played[row] = position.hands, position.aside, position.played
        state.stage[row], state.choice[row], state.seat[row] = position.stage, position.choice, position.seat
        state.to_beat[row], state.top_cards[row], state.owner[row] = (
            position.to_beat,
            position.top_cards,
            position.owner,
        )
        state.last_actor[row], state.num_acts[row], state.num_decisions[row] = (
            position.acted,
            position.acts,
            position.acts,
        )
        state.passed[row], state.passed_in_trick[row], state.seats_out[row] = (
            position.passed,
            position.has_passed,
            seats.mask_from_seats(position.finish),
        )
        state.finish_order[row, : len(position.finish)] = position.finish
        state.fluents[row], state.context[row] = position.fluents, position.context
        state.leader[row], state.trick_forms[row] = position.leader, position.trick_forms
        state.num_plays[row] = (
            position.plays if position.plays is not None else (position.trick_cards.any(axis=1) & (position.choice < 0))
        )
        state.lots[row] = position.lots or 0
        for name, numbers in position.numbers.items():
            getattr(state, name)[row] = numbers
        if rules.has_draws:
            _fill_stock(rules, state, row, position)
        if rules.keeps_trick_cards:
            state.trick_cards[row] = position.trick_cards
    if rules.trick_query is not None:
        fill_tricks(rules, state, positions)
    return tables


def _fill_stock(rules: CompiledGame, state: TableState, row: int, position: TablePosition) -> None:
    """Fill the stock with the cards set aside, in any order, after the card drawn last."""
    state.num_drawn[row] = rules.num_from_stock - position.stock
    state.last_drawer[row], state.is_just_drawn[row] = (
        position.drew,
        position.drawn_kind is not None and state.num_drawn[row] > 0,
    )
    remaining = np.repeat(np.arange(len(position.aside)), position.aside)[: state.stock.shape[1] - state.num_drawn[row]]
    state.stock[row, state.num_drawn[row] : state.num_drawn[row] + len(remaining)] = remaining
    if position.drawn_kind is not None and state.is_just_drawn[row]:
        state.stock[row, state.num_drawn[row] - 1] = position.drawn_kind
