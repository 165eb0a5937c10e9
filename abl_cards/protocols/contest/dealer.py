"""Host tables of Guandan: listens to a table and writes the messages of the contest protocol."""

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
from abl_cards.games.types import DRAW, NO_CARD, Indices, Moves
from abl_cards.protocols.common import CARD_NAMES, ChoiceRequest, Message, Notification
from abl_cards.protocols.contest import protocol
from abl_cards.protocols.contest.actions import to_action
from abl_cards.protocols.contest.codec import PASS_JSON, PLAY, ContestAction, hand_sort_order
from abl_cards.protocols.contest.match_state import card_options, check_game, current_stage, refusing_seats
from abl_cards.protocols.contest.protocol import SEATS, LatestActions, PlayersView
from abl_cards.protocols.contest.tribute import TributeTracker

ONLY_TABLE = np.array([0])


class ContestDealer:
    """One table for a number of games; see HostSession."""

    def __init__(
        self, engine: Engine, games: int, dialect: str = protocol.PLAIN, listener: Listener | None = None
    ) -> None:
        """A table that speaks this dialect; somebody else may listen too."""
        check_game(engine.rules)
        self.tables = Tables(engine.rules, 1, ListenerList((self, listener)) if listener else self)
        self._engine, self._games, self._dialect = engine, games, dialect
        self._view, self._latest = PlayersView(self.tables), LatestActions()
        self._game = 0
        self._tributes, self._announced = TributeTracker(), set[str]()  # what was given, and what of it has been told
        self._notifications: list[Notification] = []

    @property
    def seat(self) -> int:
        """The player to decide."""
        return self._view.player_seat(int(self.tables.seat[0]))

    @property
    def winner(self) -> int:
        """The players' team that won, DRAW, or -1 while the game runs."""
        winner = int(self.tables.winner[0])
        return winner if winner in (DRAW, -1) else winner ^ self._view.rotation

    def player_at(self, place: int) -> int:
        """Which player sits on a seat of the tables in this game."""
        return self._view.player_seat(place)

    def start_game(self, key: np.uint64, turned: bool) -> None:
        """Deal a game."""
        self._game += 1
        self._view = replace(self._view, rotation=int(turned))
        self.tables.begin_match(ONLY_TABLE, np.array([key], np.uint64))

    def pop_notifications(self) -> list[Notification]:
        """Return the pending notifications in order, and clear them."""
        self._notify_tribute()
        told, self._notifications = self._notifications, []
        return told

    def final_notifications(self, wins: Sequence[int], draws: int) -> list[Notification]:
        """The result of all games."""
        self._notify_all(protocol.game_result_message(wins, draws))
        return self.pop_notifications()

    # --- what is asked -----------------------------------------------------------------------------------------------

    def next_request(self) -> ChoiceRequest:
        """Return the request to the player to decide."""
        return self._play_request() if current_stage(self.tables, 0) == PLAY else self._card_request()

    def _play_request(self) -> ChoiceRequest:
        lists = self.tables.decisions(ONLY_TABLE).moves()
        actions = [self._action_json(*move) for move in zip(lists.form.tolist(), lists.cards.tolist(), strict=True)]
        leads = self.tables.state.to_beat[0] < 0
        scene = replace(self._latest, current=None, to_beat=None) if leads else self._latest

        def choose(number: int) -> None:
            self.tables.play(ONLY_TABLE, Moves(lists.form[number : number + 1], lists.cards[number : number + 1]))

        return self._make_request(scene, actions, choose)

    def _card_request(self) -> ChoiceRequest:
        options, numbers = self.tables.choices(ONLY_TABLE).options[0], card_options(self._engine.rules)
        cards = [card for card in hand_sort_order(self._view.level) if numbers[card] >= 0 and options[numbers[card]]]
        stage = current_stage(self.tables, 0)
        actions = [ContestAction(stage, stage, (card,)).to_json() for card in cards]

        def choose(number: int) -> None:
            self.tables.choose(ONLY_TABLE, numbers[[cards[number]]].astype(np.uint8))

        return self._make_request(LatestActions(), actions, choose)

    def _make_request(self, scene: LatestActions, actions: list[Any], choose: Any) -> ChoiceRequest:
        message = protocol.act_message(self._view, scene, current_stage(self.tables, 0), self.seat, actions)
        return ChoiceRequest(self.seat, message, len(actions), choose)

    @cached_property
    def _form_names(self) -> list[tuple[str, str]]:
        """Type and rank of each form."""
        rules = self._engine.rules
        words = canonical_notation(rules)
        assert words is not None
        return [words.labels[label] for label in rules.forms.label_of.tolist()]

    def _action_json(self, form: int, cards: list[int]) -> list[Any]:
        """``engine.action(form, cards).to_json()``, fast enough for lists of thousands."""
        names = [CARD_NAMES[card] for card in cards if card != NO_CARD]
        return [*self._form_names[form], names] if names else list(PASS_JSON)

    # --- what happens ------------------------------------------------------------------------------------------------

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Deal out the cards, and say who refuses the tribute."""
        self._latest, self._tributes, self._announced = LatestActions(), TributeTracker(), set()
        self._notifications += [
            Notification(seat, protocol.beginning_message(self._view, seat, self._dialect)) for seat in SEATS
        ]

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """Cards are dealt at once here."""

    def on_choice(self, tables: Tables, rows: Indices, card: NDArray[np.uint8]) -> None:
        """Send nothing yet: the cards of all payers are shown together, and so are the returned ones."""
        kind = int(np.flatnonzero(card_options(tables.rules) == int(card[0]))[0])
        self._tributes.add(current_stage(tables, 0), int(tables.seat[0]), kind)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Tell a play or a pass."""
        self._notify_tribute()
        self._latest = self._latest.after_action(self.seat, to_action(tables.rules, int(moves.form[0]), moves.cards[0]))
        self._notify_all(protocol.play_message(self._latest))

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Tell the order."""
        self._notify_all(protocol.episode_over_message(self._view))

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Tell that the game is over."""
        self._notify_all(protocol.game_over_message(self._game, self._games))

    def _notify_all(self, message: Message) -> None:
        self._notifications += [Notification(seat, message) for seat in SEATS]

    def _notify_tribute(self) -> None:
        """Tell who refuses the tribute, who paid whom once it is settled, and what was returned once all is."""
        refused = refusing_seats(self.tables, 0) if not self._announced else []
        if refused:
            self._announced |= {"anti", "tribute", "back"}
            self._notify_all(protocol.anti_tribute_message(self._view, refused))
        for stage, settled in (("tribute", self._tributes.paid_tributes), ("back", self._tributes.returned_cards)):
            gifts = None if stage in self._announced else settled(self.tables, 0)
            if gifts:
                self._announced.add(stage)
                self._notify_all(protocol.tribute_message(self._view, stage, gifts))
