"""Frames of a record: hands and trick before each act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import LEADING, ONLY_TABLE, Indices, Moves
from abl_cards.web.game_log import GameLog
from abl_cards.web.shown_facts import TableFacts
from abl_cards.web.texts import card_kinds, card_orders, hand_texts


@dataclass
class ReplayFrames(NullListener):
    """Listener that builds the frames of one replayed record."""

    engine: Engine
    frames: list[dict[str, Any]] = field(default_factory=list)
    episode_result: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        """Start without frames."""
        self._game_log = GameLog(self.engine)

    def resume(self, trick: Sequence[Mapping[str, Any]]) -> None:
        """Begin in the middle of an episode, after the plays of a trick."""
        self._game_log.trick = [dict(play) for play in trick]

    def make_tip(self, tables: Tables) -> dict[str, Any]:
        """Return the frame of a position in which no act was made yet."""
        plays = bool(tables.rows_to_play().size)
        trick = [] if not plays or is_trick_over(self.engine, tables) else list(self._game_log.trick)
        return self._make_frame(tables, plays) | {"act": None, "trick": trick}

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Discard the frames of a deal that is repeated."""
        self.frames.clear()
        self._game_log.on_episode_start(tables, rows)

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Append the frame before a choice."""
        self._game_log.trick = []
        before = self._make_frame(tables, plays=False)
        self._game_log.on_choice(tables, rows, options)
        self._append_frame(before)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Append the frame before a play."""
        before = self._make_frame(tables, plays=True, laid=moves)
        self._game_log.on_play(tables, rows, moves)
        self._append_frame(before)

    def on_retraction(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Correct the act of the last frame, from which the rules took cards back."""
        self._game_log.on_retraction(tables, rows, moves)

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Record the result of the episode."""
        self._game_log.on_episode_end(tables, rows)
        self.episode_result = self._game_log.episode_result

    def _append_frame(self, before: dict[str, Any]) -> None:
        act = self._game_log.log[-1]
        self.frames.append(before | {"act": act, "trick": [play for play in self._game_log.trick if play is not act]})

    def _make_frame(self, tables: Tables, plays: bool, laid: Moves | None = None) -> dict[str, Any]:
        state, rules = tables.state, self.engine.rules
        context, hands = int(state.context[0]), state.hands[0].copy()
        if laid is not None and rules.has_composed_plays:  # composed plays are notified when their cards are laid
            np.add.at(hands[int(tables.seat[0])], card_kinds(laid.cards[0]), 1)
        return {
            "seat": int(tables.seat[0]), "plays": plays,
            "hands": [hand_texts(rules, hand, context) for hand in hands],
            "shown": TableFacts.of(tables).to_json(self.engine, None),
            "wild": card_orders(rules, context)["wild"], "side": tables.sides(ONLY_TABLE)[0].tolist(),
        }  # fmt: skip


def is_trick_over(engine: Engine, tables: Tables) -> bool:
    """Return whether the next play at the only table starts a new trick."""
    if engine.rules.trick_query is not None:
        return not tables.state.trick_cards[0].any()
    return bool(tables.state.to_beat[0] == LEADING)


def build_replay_frames(engine: Engine, record: Mapping[str, Any]) -> tuple[ReplayFrames, list[int | None], str]:
    """Build the frames of a record.

    Returns:
        The frames, the number of the decision by frame, and the error of the record, if any.

    Raises:
        GameError: If the value is not a record.
    """
    replay_frames = ReplayFrames(engine)
    result = engine.replay([record], replay_frames)
    problem = result.mismatches[0].text if result.mismatches else ""
    if not replay_frames.frames:
        raise GameError(problem or "the record has no acts", ErrorCode.INVALID_RECORD)
    act_numbers = iter(engine.find_play_acts([record])[0])
    if problem:  # incomplete, or wrong after the last frame
        return replay_frames, [number + 1 for number in range(len(replay_frames.frames))], problem
    plays = [next(act_numbers, None) if frame["plays"] else None for frame in replay_frames.frames]
    has_own_numbers = all(number == index + 1 for index, number in enumerate(plays) if number is not None)
    return replay_frames, [index + 1 if has_own_numbers else number for index, number in enumerate(plays)], problem
