"""Positions of a review with a pending decision: tables, options, and the plays that selected cards form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from abl_cards.agents import Agent
from abl_cards.core import ErrorCode, GameError, derive_key, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.description import counts_from_cards
from abl_cards.games.notation import (
    find_options,
    find_plays,
    include_move,
    notate_moves,
)
from abl_cards.games.tables import (
    Choices,
    DecisionPoint,
    Decisions,
    Listener,
    NullListener,
    PlayerView,
    Tables,
    is_play_decision,
)
from abl_cards.games.types import ONLY_TABLE, Indices, Moves, copy_rows
from abl_cards.web.selection import CardSelection
from abl_cards.web.snapshot import options_json
from abl_cards.web.stage_choices import count_card_choices, find_stage_options
from abl_cards.web.texts import card_orders, hand_texts

_ANSWER_STREAM = 31
"""Stream of the random numbers of the agents that answer."""


@dataclass
class ReviewPosition:
    """Table of a review at which a seat is to decide."""

    engine: Engine
    tables: Tables

    @property
    def seat(self) -> int:
        """Seat to decide."""
        return int(self.tables.seat[0])

    @property
    def is_play(self) -> bool:
        """True if a play is to be made, not a choice."""
        return bool(self.tables.rows_to_play().size)

    @property
    def is_over(self) -> bool:
        """True if the episode has ended."""
        return not self.is_play and not self.tables.rows_to_choose().size

    @cached_property
    def num_card_choices(self) -> int | None:
        """Number of cards that are chosen in this stage; None where options are not cards."""
        return None if self.is_play else count_card_choices(self.tables)

    @cached_property
    def _selection(self) -> CardSelection:
        return CardSelection(self.engine, self.tables.decisions(ONLY_TABLE))

    def get_selection(self) -> CardSelection:
        """Return the plays of the seat to decide; raises GameError for a choice."""
        if not self.is_play:
            raise GameError("the current decision is a choice, not a play", ErrorCode.OUT_OF_TURN)
        return self._selection

    @property
    def decision(self) -> Decisions | Choices:
        """The decision of the seat."""
        return self.tables.decisions(ONLY_TABLE) if self.is_play else self.tables.choices(ONLY_TABLE)

    def to_json(self) -> dict[str, Any]:
        """Return the seat, its hand, the orders of cards and its options."""
        rules, state = self.engine.rules, self.tables.state
        context, seat = int(state.context[0]), self.seat
        return {
            "seat": seat, "hand": hand_texts(rules, state.hands[0, seat], context),
            "orders": card_orders(rules, context),
            "asked": None if self.is_over else options_json(self, int(state.stage[0])),
        }  # fmt: skip

    def set_hands(self, hands: Sequence[Sequence[str]]) -> None:
        """Set the hands of all seats."""
        rules = self.engine.rules
        for seat, hand in enumerate(hands):
            kinds = (rules.card_codes.kind_by_text[text] for text in hand)
            self.tables.state.hands[0, seat] = counts_from_cards(kinds, len(rules.pack))

    # --- acts ---------------------------------------------------------------------------------------------------------

    def play(self, value: Any) -> None:
        """Make a play in JSON form; raises GameError for an illegal one."""
        lists, (row,) = find_plays(self.tables.decisions(ONLY_TABLE), [value])
        if isinstance(row, GameError):
            raise row
        self.tables.play(ONLY_TABLE, lists.select(np.array([row])))

    def choose(self, values: Sequence[Any]) -> None:
        """Choose one option, or all cards of a stage; raises GameError for an illegal one."""
        if self.num_card_choices is None:
            if not values:
                raise GameError("values: choose one option", ErrorCode.INVALID_REQUEST)
            self._choose_one(values[0])
            return
        for option in find_stage_options(self.tables, values):
            self.tables.choose(ONLY_TABLE, np.array([option], np.uint8))

    def _choose_one(self, value: Any) -> None:
        (option,) = find_options(self.tables.choices(ONLY_TABLE), [value])
        if isinstance(option, GameError):
            raise option
        self.tables.choose(ONLY_TABLE, np.array([option], np.uint8))

    def repeat(self, value: Any) -> None:
        """Make an act of a record, a play or one choice; raises GameError for an illegal one."""
        if self.is_over:
            raise GameError("the episode is over", ErrorCode.INVALID_RECORD)
        if self.is_play:
            self.play(value)
        else:
            self._choose_one(value)

    def let_agent_act(self, agent: Agent, seed: int) -> None:
        """Let an agent make one decision; of a composed play, one part."""
        key = derive_key(seed, _ANSWER_STREAM)
        keys = splitmix64_array(np.full(1, key, np.uint64), self.tables.num_decisions[ONLY_TABLE])
        if self.is_play:
            self.tables.play(ONLY_TABLE, agent.play(self.tables.decisions(ONLY_TABLE), keys))
        else:
            self.tables.choose(ONLY_TABLE, agent.choose(self.tables.choices(ONLY_TABLE), keys).astype(np.uint8))


def position_of(engine: Engine, view: PlayerView, record: Mapping[str, Any], listener: Listener) -> ReviewPosition:
    """Set up the table of a decision of a record, with all hands.

    Args:
        engine: Engine of the game.
        view: View of the decision, at the table that the record was replayed at.
        record: The record; its number of the episode and its points so far are taken over.
        listener: Notified of the events from here on.
    """
    tables = Tables(engine.rules, 1, listener)
    tables.auto_next_episode = False
    copy_rows(view.state, view.rows[:1], tables.state)
    if view.history is not None and view.rows.tolist() == [0]:  # the table that the record was replayed at
        tables.history = view.history
    episode, total = record.get("episode"), record.get("total")
    if type(episode) is int:
        tables.num_episodes[:] = episode
    if isinstance(total, list) and len(total) == tables.total_points.shape[1]:
        tables.total_points[:] = total
    return ReviewPosition(engine, tables)


def include_chosen(engine: Engine, point: DecisionPoint, value: Any) -> DecisionPoint:
    """Return a decision about plays with the play that was made, given in JSON form; unchanged without one."""
    if value is None or not is_play_decision(point.decision):
        return point
    lists, (row,) = find_plays(point.decision, [value])
    if isinstance(row, GameError) or row >= lists.start[-1]:  # or a composed play
        return point
    point, chosen = include_move(engine.rules, point, lists.select(np.array([row])))
    return replace(point, chosen_move=chosen)


class ActRecorder(NullListener):
    """Listener that keeps acts as records hold them: [seat, play or choice]."""

    def __init__(self, engine: Engine) -> None:
        """Make a recorder without acts."""
        self._engine = engine
        self.acts: list[list[Any]] = []

    def on_choice(self, tables: Tables, rows: Indices, options: Any) -> None:
        """Keep a choice."""
        self._add(tables, self._engine.notate_move(-1, np.array([options[0]])).to_json())

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Keep a play."""
        (action,) = notate_moves(self._engine.rules, moves.form, moves.cards, tables.state.context[rows])
        self._add(tables, action.to_json())

    def _add(self, tables: Tables, value: Any) -> None:
        self.acts.append([int(tables.seat[0]), value])
