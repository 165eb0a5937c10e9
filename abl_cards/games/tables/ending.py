"""Ends of episodes and matches at tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import raise_endless
from abl_cards.games.state import CHOICE, EPISODE_OVER, MATCH_OVER, PLAY, best_sides
from abl_cards.games.tables import dealing
from abl_cards.games.tables.results import check_roles
from abl_cards.games.types import DRAW, Indices

if TYPE_CHECKING:
    from abl_cards.games.tables.tables import Tables

_END_SHARE = 24  # with batch_rare_steps, end episodes when at least 1 in 24 is over, or no table can act
_NO_ROWS: Indices = np.zeros(0, np.int64)


def rows_to_end(tables: Tables, rows: Indices) -> Indices:
    """Return the tables where an episode is to be ended now; rows [n] are those of the last acts.

    Ending episodes at many tables costs little more than at one, so ``batch_rare_steps`` delays it.
    """
    stage = tables.state.stage
    if not tables.batch_rare_steps or tables.listener or not tables.auto_next_episode:
        return rows[stage[rows] == EPISODE_OVER]
    is_over = stage == EPISODE_OVER
    are_few = np.count_nonzero(is_over) * _END_SHARE < len(stage)
    return _NO_ROWS if are_few and ((stage == PLAY) | (stage == CHOICE)).any() else np.flatnonzero(is_over)


def end_episodes(tables: Tables, rows: Indices) -> None:
    """Score finished episodes; the winner of a match is set before the listener is notified.

    Raises:
        TableError: If the rules give a match several winners, or a seat several roles or sides.
    """
    points, is_over, winner = tables.event_rules.score_episodes(tables.state, rows)
    check_roles(tables.event_rules, tables.state, rows)
    tables.points[rows] = points
    tables.total_points[rows] += points
    ended = rows[is_over]
    tables.decided_by_points[ended] = winner[is_over] == -1
    tables.winner[ended] = np.where(winner[is_over] == -1, find_best_sides(tables, ended), winner[is_over])
    if tables.listener:
        tables.listener.on_episode_end(tables, rows)
    tables.event_rules.apply_event("end", tables.state, rows)
    tables.num_episodes[rows] += 1
    raise_endless(tables.rules.kb, rows, tables.num_episodes[rows], ~is_over, ("match_over/0", "won/1", "drawn/0"))
    tables.state.stage[ended] = MATCH_OVER
    if tables.listener and ended.size:
        tables.listener.on_match_end(tables, ended)
    if tables.auto_next_episode and not is_over.all():
        dealing.deal(tables, rows[~is_over])
    dealing.draw_all(tables)


def find_best_sides(tables: Tables, rows: Indices) -> NDArray[np.int8]:
    """Return the side with the most points [n], or ``DRAW``; teams after several episodes, as sides may change."""
    team = np.array(tables.rules.seating.teams, np.int8)
    sides = np.where(tables.num_episodes[rows][:, None] == 0, tables.sides(rows), team)
    return best_sides(np.ascontiguousarray(sides), tables.total_points[rows], np.int8(DRAW))
