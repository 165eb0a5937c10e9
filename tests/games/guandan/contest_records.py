"""Matches as the records of the contest have them, with the fields that tell one match from another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import card_text
from abl_cards.games import Engine
from abl_cards.games.audience import Quiet
from abl_cards.games.play.state import PLAY
from abl_cards.games.tables import Indices, Moves
from abl_cards.platforms.contest.actions import action_of
from abl_cards.platforms.contest.gifts import Ledger
from abl_cards.platforms.contest.standings import level_at, options_of, refusing, stage_of, standing
from abl_cards.platforms.contest.wire import RANK_TEXT, hand_texts


class ContestRecorder(Quiet):
    """Writes down what happens at some tables in the contest's form."""

    def __init__(self, engine: Engine, tables: int, **extra: Any) -> None:
        """Listen to so many tables; every record carries the extra fields."""
        self._rules, self._extra = engine.rules, extra
        self._kinds = np.argsort(options_of(engine.rules))
        self._open: list[dict[str, Any]] = [{} for _ in range(tables)]
        self._ledgers = [Ledger() for _ in range(tables)]
        self._done: list[list[dict[str, Any]]] = [[] for _ in range(tables)]

    def episode_began(self, tables: Any, which: Indices) -> None:
        for table in which.tolist():
            level, stands = level_at(tables, table), standing(self._rules, tables.state.fluents[[table]])[0]
            self._ledgers[table] = Ledger()
            self._open[table] = {
                "game": "guandan", "profile": self._rules.profile, **self._extra,
                "episode": int(tables.episode[table]), "level": RANK_TEXT[level],
                "ranks": [RANK_TEXT[rank] for rank in stands.tolist()],
                "hands": [hand_texts(hand, level) for hand in tables.state.hands[table]],
                "anti": [], "tribute": [], "back": [], "plays": [],
            }  # fmt: skip

    def chosen(self, tables: Any, which: Indices, card: NDArray[np.uint8]) -> None:
        for table, kind in zip(which.tolist(), self._kinds[card].tolist(), strict=True):
            self._ledgers[table].note(stage_of(tables, table), int(tables.seat[table]), kind)

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        for table, form, cards in zip(which.tolist(), moves.form, moves.cards, strict=True):
            page, ledger = self._open[table], self._ledgers[table]
            if not page["plays"] and tables.state.stage[table] == PLAY:
                page["anti"] = refusing(tables, table)
                for field, gifts in (("tribute", ledger.paid), ("back", ledger.returned)):
                    page[field] = [[giver, taker, card_text(card)] for giver, taker, card in gifts(tables, table) or []]
            page["plays"].append([int(tables.seat[table]), action_of(self._rules, int(form), cards).to_json()])

    def episode_ended(self, tables: Any, which: Indices) -> None:
        for table in which.tolist():
            self._done[table].append(self._open[table] | {"order": tables.state.order[table].tolist()})

    def records(self, table: int) -> list[dict[str, Any]]:
        """The finished episodes of the match at a table; forgets them."""
        done, self._done[table] = self._done[table], []
        return done
