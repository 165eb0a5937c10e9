"""Matches in the record format of the contest, with the fields that identify a match."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.engine import Engine
from abl_cards.games.state.state import PLAY
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.types.moves import Indices, Moves
from abl_cards.protocols.common.cards import format_card
from abl_cards.protocols.contest.actions import to_action
from abl_cards.protocols.contest.codec import RANK_TEXT, hand_texts
from abl_cards.protocols.contest.match_state import (
    card_options,
    current_stage,
    read_team_levels,
    refusing_seats,
    table_level,
)
from abl_cards.protocols.contest.tribute import TributeTracker


class ContestRecorder(NullListener):
    """Listener that records episodes in the format of the contest."""

    def __init__(self, engine: Engine, tables: int, **extra: Any) -> None:
        """Listen to a number of tables; every record contains the extra fields."""
        self._rules, self._extra = engine.rules, extra
        self._kinds = np.argsort(card_options(engine.rules))
        self._open: list[dict[str, Any]] = [{} for _ in range(tables)]
        self._ledgers = [TributeTracker() for _ in range(tables)]
        self._done: list[list[dict[str, Any]]] = [[] for _ in range(tables)]

    def on_episode_start(self, tables: Any, rows: Indices) -> None:
        for table in rows.tolist():
            level, stands = table_level(tables, table), read_team_levels(self._rules, tables.state.fluents[[table]])[0]
            self._ledgers[table] = TributeTracker()
            self._open[table] = {
                "game": "guandan", "profile": self._rules.profile, **self._extra,
                "episode": int(tables.num_episodes[table]), "level": RANK_TEXT[level],
                "ranks": [RANK_TEXT[rank] for rank in stands.tolist()],
                "hands": [hand_texts(hand, level) for hand in tables.state.hands[table]],
                "anti": [], "tribute": [], "back": [], "plays": [],
            }  # fmt: skip

    def on_choice(self, tables: Any, rows: Indices, options: NDArray[np.uint8]) -> None:
        for table, kind in zip(rows.tolist(), self._kinds[options].tolist(), strict=True):
            self._ledgers[table].add(current_stage(tables, table), int(tables.seat[table]), kind)

    def on_play(self, tables: Any, rows: Indices, moves: Moves) -> None:
        for table, form, cards in zip(rows.tolist(), moves.form, moves.cards, strict=True):
            record_fields, tributes = self._open[table], self._ledgers[table]
            if not record_fields["plays"] and tables.state.stage[table] == PLAY:
                record_fields["anti"] = refusing_seats(tables, table)
                for field, gifts in (("tribute", tributes.paid_tributes), ("back", tributes.returned_cards)):
                    record_fields[field] = [
                        [giver, taker, format_card(card)] for giver, taker, card in gifts(tables, table) or []
                    ]
            record_fields["plays"].append([int(tables.seat[table]), to_action(self._rules, int(form), cards).to_json()])

    def on_episode_end(self, tables: Any, rows: Indices) -> None:
        for table in rows.tolist():
            self._done[table].append(self._open[table] | {"order": tables.state.finish_order[table].tolist()})

    def pop_records(self, table: int) -> list[dict[str, Any]]:
        """Return and remove the finished episodes of a table."""
        done, self._done[table] = self._done[table], []
        return done
