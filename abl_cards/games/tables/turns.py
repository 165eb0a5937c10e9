"""Turns at tables after plays: the next seat where it depends on fluents, and errors where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from abl_cards.games.compiled import MAX_IDLE_DECISIONS, TableError, join_names, raise_where, source_hint, stall_text
from abl_cards.games.state import (
    CHOICE,
    EMPTY_PLAY_CODE,
    EPISODE_OVER,
    EPISODE_OVER_BIT,
    NO_NEXT_SEAT,
    advance_turns,
    close_episodes,
)
from abl_cards.games.types import LEADING, Indices

if TYPE_CHECKING:
    from abl_cards.games.tables.tables import Tables


def advance_table_turns(tables: Tables, rows: Indices) -> None:
    """Advance the turn at tables rows [n] where it depends on the updates of the acts."""
    entries, leftover = tables.event_rules.turn_entries(tables.state, rows), tables.rules.turn_table.leftover_order
    raise_stuck(tables, [advance_turns(tables.state, leftover, rows, entries, 0, len(rows))])


def close_after_trick(tables: Tables, rows: Indices) -> None:
    """Close episodes that the updates at the end of a trick have ended."""
    state = tables.state
    trick_rows = rows[(state.to_beat[rows] == LEADING) & (state.stage[rows] != EPISODE_OVER)]
    entries = tables.event_rules.turn_entries(state, trick_rows)
    is_over = (entries != NO_NEXT_SEAT) & (entries & EPISODE_OVER_BIT > 0)
    close_episodes(state, tables.rules.turn_table.leftover_order, trick_rows[is_over])


def raise_stuck(tables: Tables, stuck: Sequence[int]) -> None:
    """Raise TableError for a table without next seat or with an empty play; ``stuck`` has one per thread, or -1."""
    for table in stuck:
        if table >= 0:
            raise TableError(int(table), _no_turn_text(tables, int(table)))
        if table <= EMPTY_PLAY_CODE:
            raise TableError(EMPTY_PLAY_CODE - int(table), _empty_play_text(tables, EMPTY_PLAY_CODE - int(table)))


def _empty_play_text(tables: Tables, table: int) -> str:
    """Describe a play without cards."""
    label = tables.rules.label_texts[tables.rules.forms.label_of[tables.state.last_form[table]]]
    hint = source_hint(tables.rules.kb, "needs/4", "form/2")
    return f"seat {tables.state.last_actor[table]} plays {label} without cards, and only a pass has none{hint}"


def raise_idle(tables: Tables, rows: Indices) -> None:
    """Raise TableError where too many decisions in a row have played no card."""

    def describe(row: int) -> str:
        table = rows[row]
        is_choosing = tables.state.stage[table] == CHOICE
        stage = str(tables.rules.schema.stages[int(tables.state.choice[table])]) if is_choosing else None
        return stall_text(tables.rules.kb, "over", stage)

    if tables.state.idle_decisions.max(initial=0) > MAX_IDLE_DECISIONS:  # faster for all tables than for some
        raise_where(tables.state.idle_decisions[rows] > MAX_IDLE_DECISIONS, rows, describe)


def _no_turn_text(tables: Tables, table: int) -> str:
    """Describe a table without a unique next seat."""
    state = tables.state
    out_text, passed_text = (join_names(_bits(mask[table])) for mask in (state.seats_out, state.passed))
    return (
        f"`turn/1` names no seat, or several, after seat {state.last_actor[table]} has acted "
        f"(owner {state.owner[table]}, "
        f"passed {passed_text}, out {out_text}){source_hint(tables.rules.kb, 'turn/1')}"
    )


def _bits(mask: np.integer) -> list[int]:
    """Return the positions of the bits that are set."""
    return [position for position in range(int(mask).bit_length()) if int(mask) >> position & 1]
