"""A record as pictures: what every seat held before each act, and what lay on the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.notation import sort_hand
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices, Moves
from abl_cards.web.game_log import GameLog
from abl_cards.web.texts import card_orders, fluents_json

ONLY_TABLE = np.array([0])


@dataclass
class ReplayFrames(NullListener):
    """Hears one record being played again."""

    engine: Engine
    frames: list[dict[str, Any]] = field(default_factory=list)
    episode_result: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        """Nothing is seen yet."""
        self._game_log = GameLog(self.engine)

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Cards that are dealt again begin anew."""
        self.frames.clear()
        self._game_log.on_episode_start(tables, rows)

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """A picture before a choice."""
        self._game_log.trick = []
        before = self._make_frame(tables, plays=False)
        self._game_log.on_choice(tables, rows, options)
        self._append_frame(before)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """A picture before a play."""
        before = self._make_frame(tables, plays=True)
        self._game_log.on_play(tables, rows, moves)
        self._append_frame(before)

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Record the result of the episode."""
        self._game_log.on_episode_end(tables, rows)
        self.episode_result = self._game_log.episode_result

    def _append_frame(self, before: dict[str, Any]) -> None:
        act = self._game_log.log[-1]
        self.frames.append(before | {"act": act, "trick": [each for each in self._game_log.trick if each is not act]})

    def _make_frame(self, tables: Tables, plays: bool) -> dict[str, Any]:
        state, rules = tables.state, self.engine.rules
        context, texts = int(state.context[0]), rules.card_codes.kind_texts
        return {
            "seat": int(tables.seat[0]), "plays": plays, "told": fluents_json(self.engine, state.fluents[0]),
            "hands": [[texts[kind] for kind in sort_hand(rules, hand, context)] for hand in state.hands[0]],
            "wild": card_orders(rules, context)["wild"], "side": tables.sides(ONLY_TABLE)[0].tolist(),
        }  # fmt: skip


def build_replay_frames(engine: Engine, record: Mapping[str, Any]) -> tuple[ReplayFrames, list[int | None], str]:
    """Build the frames of a record.

    Returns:
        The frames, the number of the decision by frame, and the error of the record, if any.

    Raises:
        GameError: If the value is not a record.
    """
    seen = ReplayFrames(engine)
    told = engine.replay([record], seen)
    problem = told.mismatches[0].text if told.mismatches else ""
    if not seen.frames:
        raise GameError(problem or "nothing happens in this record", ErrorCode.INVALID_RECORD)
    numbers = iter(engine.find_play_acts([record])[0])
    if problem:  # the record only comes so far, or is wrong from there on
        return seen, [number + 1 for number in range(len(seen.frames))], problem
    plays = [next(numbers, None) if each["plays"] else None for each in seen.frames]
    ours = all(number == place + 1 for place, number in enumerate(plays) if number is not None)
    return seen, [place + 1 if ours else number for place, number in enumerate(plays)], problem
