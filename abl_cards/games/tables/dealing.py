"""Deals of tables: shuffled or given cards, draws from the stock, and the first decisions of an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, splitmix64_array
from abl_cards.games.compiled import MAX_IDLE_DECISIONS, check_hand_limit, empty_stock_text, raise_where, source_hint
from abl_cards.games.state import CHOICE, DRAWING, PLAY, count_cards, deal_cards, reset_episodes
from abl_cards.games.tables import stock
from abl_cards.games.tables.events import NextStep
from abl_cards.games.types import LEADING, Indices

if TYPE_CHECKING:
    from abl_cards.games.tables.tables import Tables

_DEAL_STREAM = 1  # random stream of an episode's deal
_DRAW_SHARE = 8  # with batch_rare_steps, draw when at least 1 in 8 tables is to draw, or no other can act
_NO_ROWS: Indices = np.zeros(0, np.int64)


def deal(tables: Tables, rows: Indices) -> None:
    """Shuffle, deal, and advance to the next decisions."""
    _deal_out(tables, rows)
    advance(tables, rows)


def _deal_out(tables: Tables, rows: Indices) -> None:
    """Shuffle and deal at tables rows [n]."""
    state, rules = tables.state, tables.rules
    state.fluents[rows[:, None], rules.fluents.episode_slots] = rules.fluents.defaults[rules.fluents.episode_slots]
    if tables.fixed_deals is None:
        keys = splitmix64_array(splitmix64_array(tables.keys[rows], tables.num_deals[rows]), _DEAL_STREAM)
        if rules.has_draws:
            stock.shuffle_stock(keys, rows, rules.pack.deck, state)
        else:
            sizes = np.array(rules.seating.num_dealt, np.int64)
            deal_cards(keys, rows, rules.pack.deck, sizes, state.hands, state.aside)
            if rules.deal_query is not None:
                _deal_more(tables, keys, rows)
    else:
        index = (tables.keys[rows] % np.uint64(len(tables.fixed_deals.hands))).astype(np.int64)
        state.hands[rows], state.aside[rows] = tables.fixed_deals.hands[index], tables.fixed_deals.aside[index]
        set_stock(tables, rows, None if tables.fixed_deals.stock is None else tables.fixed_deals.stock[index])
    tables.num_deals[rows] += 1
    begin_episode(tables, rows)


def _deal_more(tables: Tables, keys: NDArray[np.uint64], rows: Indices) -> None:
    """Deal the cards that fluents and random numbers give seats besides those of every deal, at tables rows [n]."""
    rules, state, n = tables.rules, tables.state, len(rows)
    assert rules.deal_query is not None
    size = np.tile(np.array(rules.seating.num_dealt, np.int64), (n, 1))
    outputs = rules.deal_query.evaluate(n, tables.event_rules.column_writers(state, rows, "deal"))
    for (_, (seat, count)), holds in zip(rules.deal_query.circuit.outputs, outputs, strict=True):
        size[holds == 1, int(seat)] = np.maximum(size[holds == 1, int(seat)], int(count))
    more = size - np.array(rules.seating.num_dealt)
    is_short = more.sum(axis=1) > state.aside[rows].sum(axis=1, dtype=np.int64)
    raise_where(is_short, rows, lambda row: f"`deals/2` deals {size[row].sum()} cards, more than there are"
                f"{source_hint(rules.kb, 'deals/2')}")  # fmt: skip
    for row in np.flatnonzero(more.any(axis=1)).tolist():
        table = rows[row]
        rest = np.repeat(np.arange(state.aside.shape[1]), state.aside[table])
        rest = rest[np.argsort(splitmix64_array(keys[row], np.arange(len(rest)) + len(rules.pack.deck)))]
        for seat in range(rules.seating.seats):
            dealt, rest = rest[: more[row, seat]], rest[more[row, seat] :]
            counts = np.bincount(dealt, minlength=state.aside.shape[1]).astype(np.uint8)
            state.hands[table, seat] += counts
            state.aside[table] -= counts


def set_stock(tables: Tables, rows: Indices, cards: NDArray[np.uint8] | None) -> None:
    """Set the stock of games with draws to cards [n, cards]; raise GameError if these are not given."""
    if not tables.rules.has_draws:
        return
    if cards is None:
        raise GameError(
            "cards are drawn one by one here: the deal must give the order of the stock", ErrorCode.INCOMPLETE_STATE
        )
    tables.state.stock[rows] = cards


def begin_episode(tables: Tables, rows: Indices) -> None:
    """Reset the state of the previous episode at tables rows [n] with new cards, and apply the event ``deal``."""
    state = tables.state
    reset_episodes(state, rows)
    if tables.rules.has_pile:
        stock.deal_from_stock(state, rows, np.array(tables.rules.seating.num_dealt, np.int64))
    if tables.listener:  # before the event, as a record has the cards as dealt
        tables.listener.on_episode_start(tables, rows)
    tables.event_rules.apply_event("deal", state, rows)


def advance(tables: Tables, rows: Indices) -> None:
    """Advance tables rows [n] to the next decision, through draws and deals."""
    _start_turns(tables, rows)
    draw_all(tables)


def advance_after_tricks(tables: Tables, rows: Indices) -> None:
    """Advance the tables rows [n] where an act has ended a trick through draws and choices, if there is a pile.

    Args:
        tables: The tables.
        rows: int64 [n], tables where a seat has acted.
    """
    if tables.rules.has_pile:
        state = tables.state
        state.is_just_drawn[rows] = False
        advance(tables, rows[(state.to_beat[rows] == LEADING) & (state.stage[rows] == PLAY)])


def draw_all(tables: Tables) -> None:
    """Draw cards at all tables that are due until none is left."""
    while (drawing := _rows_to_draw(tables)).size:
        _draw_cards(tables, drawing)
        _start_turns(tables, drawing)


def _start_turns(tables: Tables, rows: Indices) -> None:
    """Set stage and seat of the next step at tables rows [n], with new deals where the rules require them."""
    while rows.size:
        step = tables.event_rules.next_step(tables.state, rows)
        is_drawing = step.drawer >= 0
        tables.state.stage[rows[is_drawing]], tables.state.seat[rows[is_drawing]] = DRAWING, step.drawer[is_drawing]
        rows = _start_decisions(tables, rows[~is_drawing], step.select(~is_drawing))
        if rows.size:
            _deal_out(tables, rows)


def _rows_to_draw(tables: Tables) -> Indices:
    """Return the tables where a card is to be drawn now; ``batch_rare_steps`` delays draws at few tables."""
    if not tables.rules.has_draws:
        return _NO_ROWS
    stage = tables.state.stage
    drawing = np.flatnonzero(stage == DRAWING)
    are_few = tables.batch_rare_steps and len(drawing) * _DRAW_SHARE < len(stage)
    return _NO_ROWS if are_few and ((stage == PLAY) | (stage == CHOICE)).any() else drawing


def _draw_cards(tables: Tables, rows: Indices) -> None:
    """Draw a card for the seat to act at tables rows [n]; raise TableError where the stock is empty."""
    state, rules = tables.state, tables.rules
    raise_where(stock.cards_in_stock(rules, state, rows) < 1, rows, lambda _: empty_stock_text(rules.kb))
    state.choice[rows], state.chosen[rows] = -1, -1
    stock.draw_cards(state, rows, state.seat[rows])
    if rules.has_pile:
        sizes = count_cards(state.hands[rows, state.seat[rows]])
        check_hand_limit(rules.kb, rules.usual_hand_size, rows, sizes)
    if tables.listener:
        tables.listener.on_draw(tables, rows)
    tables.event_rules.apply_event("draw", state, rows)


def _start_decisions(tables: Tables, rows: Indices, step: NextStep) -> Indices:
    """Start choices and plays at tables rows [n]; return the tables to deal again instead."""
    state = tables.state
    redeal, stage, seat, leader, _ = step
    is_choosing = stage >= 0
    state.choice[rows], state.stage[rows] = stage, np.where(is_choosing, CHOICE, PLAY)
    state.seat[rows] = np.where(is_choosing, seat, leader)
    fresh = rows[state.num_acts[rows] == 0]  # between tricks the owner leads on
    state.owner[fresh] = state.last_actor[fresh] = state.leader[fresh] = state.seat[fresh]
    state.context[rows] = tables.rules.contexts.compute_index_at(state.fluents, rows)
    if redeal.any():
        kb, is_endless = tables.rules.kb, tables.num_deals[rows] - tables.num_episodes[rows] > MAX_IDLE_DECISIONS
        raise_where(
            is_endless,
            rows,
            lambda _: (
                f"dealt {MAX_IDLE_DECISIONS:,} times in a row: `deal_again/0`{source_hint(kb, 'deal_again/0')} "
                "(let preferences, cost/2 with chooses/1, decide what kb chooses, or leave the last seat no pass)"
            ),
        )
    return rows[redeal]
