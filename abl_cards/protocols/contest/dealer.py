"""Hosted table of Guandan: writes the messages of the contest protocol for the events of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.games.notation import canonical_notation
from abl_cards.games.tables import Listener, ListenerList, Tables
from abl_cards.games.types import DRAW, NO_CARD, ONLY_TABLE, Indices, Moves
from abl_cards.protocols.common import CARD_NAMES, ChoiceRequest, Message, Notification
from abl_cards.protocols.contest import protocol
from abl_cards.protocols.contest.actions import to_action
from abl_cards.protocols.contest.codec import PASS_JSON, PLAY, ContestAction, hand_sort_order
from abl_cards.protocols.contest.match_state import card_options, check_game, current_stage, refusing_seats
from abl_cards.protocols.contest.protocol import SEATS, LatestActions, PlayersView
from abl_cards.protocols.contest.tribute import TributeTracker


class ContestDealer:
    """Hosted table of the contest protocol; implements HostSession and Listener."""

    def __init__(
        self, engine: Engine, num_games: int, dialect: str = protocol.PLAIN, listener: Listener | None = None
    ) -> None:
        """Make a table for a number of games; an additional listener is notified of its events."""
        check_game(engine.rules)
        self.tables = Tables(engine.rules, 1, ListenerList((self, listener)) if listener else self)
        self._engine, self._num_games, self._dialect = engine, num_games, dialect
        self._view, self._latest = PlayersView(self.tables), LatestActions()
        self._game = 0
        self._tributes, self._announced = TributeTracker(), set[str]()  # exchanged cards; stages already sent
        self._notifications: list[Notification] = []

    @property
    def seat(self) -> int:
        """Player to decide."""
        return self._view.player_seat(int(self.tables.seat[0]))

    @property
    def winner(self) -> int:
        """Index of the team of players that won the game; DRAW for a draw, -1 before the end."""
        winner = int(self.tables.winner[0])
        return winner if winner in (DRAW, -1) else winner ^ self._view.rotation

    def player_at(self, table_seat: int) -> int:
        """Return the player at a seat of the table in the current game."""
        return self._view.player_seat(table_seat)

    def start_game(self, key: np.uint64, is_rotated: bool) -> None:
        """Deal a game, with the cards rotated by one seat if wanted."""
        self._game += 1
        self._view = replace(self._view, rotation=int(is_rotated))
        self.tables.begin_match(ONLY_TABLE, np.array([key], np.uint64))

    def pop_notifications(self) -> list[Notification]:
        """Return the pending notifications in order, and clear them."""
        self._notify_tribute()
        notifications, self._notifications = self._notifications, []
        return notifications

    def final_notifications(self, wins: Sequence[int], draws: int) -> list[Notification]:
        """Return the notifications of the result of all games."""
        self._notify_all(protocol.game_result_message(wins, draws))
        return self.pop_notifications()

    # --- requests ----------------------------------------------------------------------------------------------------

    def next_request(self) -> ChoiceRequest:
        """Return the request to the player to decide."""
        return self._play_request() if current_stage(self.tables, 0) == PLAY else self._card_request()

    def _play_request(self) -> ChoiceRequest:
        lists = self.tables.decisions(ONLY_TABLE).moves()
        actions = [self._action_json(*move) for move in zip(lists.form.tolist(), lists.cards.tolist(), strict=True)]
        leads = self.tables.state.to_beat[0] < 0
        latest = replace(self._latest, current=None, to_beat=None) if leads else self._latest

        def choose(index: int) -> None:
            self.tables.play(ONLY_TABLE, Moves(lists.form[index : index + 1], lists.cards[index : index + 1]))

        return self._make_request(latest, actions, choose)

    def _card_request(self) -> ChoiceRequest:
        options, option_of_card = self.tables.choices(ONLY_TABLE).options[0], card_options(self._engine.rules)
        cards = [
            card
            for card in hand_sort_order(self._view.level)
            if option_of_card[card] >= 0 and options[option_of_card[card]]
        ]
        stage = current_stage(self.tables, 0)
        actions = [ContestAction(stage, stage, (card,)).to_json() for card in cards]

        def choose(index: int) -> None:
            self.tables.choose(ONLY_TABLE, option_of_card[[cards[index]]].astype(np.uint8))

        return self._make_request(LatestActions(), actions, choose)

    def _make_request(self, latest: LatestActions, actions: list[Any], choose: Any) -> ChoiceRequest:
        message = protocol.act_message(self._view, latest, current_stage(self.tables, 0), self.seat, actions)
        return ChoiceRequest(self.seat, message, len(actions), choose)

    @cached_property
    def _form_names(self) -> list[tuple[str, str]]:
        """Return type and rank of each form in the protocol."""
        rules = self._engine.rules
        notation = canonical_notation(rules)
        assert notation is not None
        return [notation.labels[label] for label in rules.forms.label_of.tolist()]

    def _action_json(self, form: int, cards: list[int]) -> list[Any]:
        """Return the JSON form of a move; faster than ``to_action`` for lists of thousands of moves."""
        names = [CARD_NAMES[card] for card in cards if card != NO_CARD]
        return [*self._form_names[form], names] if names else list(PASS_JSON)

    # --- events ------------------------------------------------------------------------------------------------------

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Send each player its cards."""
        self._latest, self._tributes, self._announced = LatestActions(), TributeTracker(), set()
        self._notifications += [
            Notification(seat, protocol.beginning_message(self._view, seat, self._dialect)) for seat in SEATS
        ]

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """Do nothing: all cards are dealt at once in Guandan."""

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Send nothing yet: the cards of all payers are shown together, and so are the returned ones."""
        kind = int(np.flatnonzero(card_options(tables.rules) == int(options[0]))[0])
        self._tributes.add(current_stage(tables, 0), int(tables.seat[0]), kind)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Send a play or a pass."""
        self._notify_tribute()
        self._latest = self._latest.after_action(self.seat, to_action(tables.rules, int(moves.form[0]), moves.cards[0]))
        self._notify_all(protocol.play_message(self._latest))

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Send the order of finish."""
        self._notify_all(protocol.episode_over_message(self._view))

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Send the end of the game."""
        self._notify_all(protocol.game_over_message(self._game, self._num_games))

    def _notify_all(self, message: Message) -> None:
        self._notifications += [Notification(seat, message) for seat in SEATS]

    def _notify_tribute(self) -> None:
        """Send the refused tribute, the paid cards when all are paid, and the returned cards when all are returned."""
        refused = refusing_seats(self.tables, 0) if not self._announced else []
        if refused:
            self._announced |= {"anti", "tribute", "back"}
            self._notify_all(protocol.anti_tribute_message(self._view, refused))
        for stage, settled in (("tribute", self._tributes.paid_tributes), ("back", self._tributes.returned_cards)):
            exchanged = None if stage in self._announced else settled(self.tables, 0)
            if exchanged:
                self._announced.add(stage)
                self._notify_all(protocol.tribute_message(self._view, stage, exchanged))
