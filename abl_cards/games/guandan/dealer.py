"""A table of Guandan where others sit down: it hears what happens and says it in the words of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import CARD_NAMES
from abl_cards.games.audience import Audience
from abl_cards.games.guandan import protocol
from abl_cards.games.guandan.course import BACK, PLAY, TRIBUTE
from abl_cards.games.guandan.engine import GuandanEngine
from abl_cards.games.guandan.exchange import Gift
from abl_cards.games.guandan.expansion import NO_CARD
from abl_cards.games.guandan.protocol import SEATS, Scene, View
from abl_cards.games.guandan.tables import Tables
from abl_cards.games.guandan.wire import PASS, Action, hand_order, wire_rank, wire_type
from abl_cards.games.service import Message, News, Request
from abl_cards.games.tables import DRAW, Indices, Listener, Moves

HERE = np.array([0])
_STAGES = {PLAY: "play", TRIBUTE: "tribute", BACK: "back"}


class GuandanDealer:
    """One table for a number of games; see Dealer."""

    def __init__(
        self, engine: GuandanEngine, games: int, dialect: str = protocol.PLAIN, listener: Listener | None = None
    ) -> None:
        """A table that speaks this dialect; somebody else may listen too."""
        self.tables = Tables(engine.rules, 1, Audience((self, listener)) if listener else self)
        self._engine, self._games, self._dialect = engine, games, dialect
        self._view, self._scene = View(self.tables), Scene()
        self._game = 0
        self._paid = self._returned = False  # whether it has been told who paid, who returned
        self._news: list[News] = []

    @property
    def seat(self) -> int:
        """The player to decide."""
        return self._view.seat(int(self.tables.seat[0]))

    @property
    def winner(self) -> int:
        """The players' team that won, DRAW, or -1 while the game runs."""
        winner = int(self.tables.winner[0])
        return winner if winner in (DRAW, -1) else winner ^ self._view.turned

    def player(self, place: int) -> int:
        """Which player sits on a seat of the tables in this game."""
        return self._view.seat(place)

    def begin(self, key: np.uint64, turned: bool) -> None:
        """Deal a game."""
        self._game += 1
        self._view = replace(self._view, turned=int(turned))
        self.tables.begin_match(HERE, np.array([key], np.uint64))

    def news(self) -> list[News]:
        """What there is to tell, in order; forgets it."""
        self._tell_exchange()
        told, self._news = self._news, []
        return told

    def farewell(self, wins: Sequence[int], draws: int) -> list[News]:
        """The result of all games."""
        self._tell(protocol.game_result(wins, draws))
        return self.news()

    # --- what is asked -----------------------------------------------------------------------------------------------

    def request(self) -> Request:
        """What the player to decide is asked."""
        return self._ask_for_play() if self.tables.course.stage[0] == PLAY else self._ask_for_card()

    def _ask_for_play(self) -> Request:
        lists = self.tables.decisions(HERE).moves()
        actions = [self._action_json(*move) for move in zip(lists.form.tolist(), lists.cards.tolist(), strict=True)]
        leads = self.tables.course.to_beat[0] < 0
        scene = replace(self._scene, current=None, greater=None) if leads else self._scene

        def choose(number: int) -> None:
            self.tables.play(HERE, Moves(lists.form[number : number + 1], lists.cards[number : number + 1]))

        return self._request(scene, actions, choose)

    def _ask_for_card(self) -> Request:
        options = self.tables.exchanges(HERE).options[0]
        cards = [card for card in hand_order(self._view.level) if options[card]]
        stage = _STAGES[int(self.tables.course.stage[0])]
        actions = [Action(stage, stage, (card,)).to_json() for card in cards]
        return self._request(
            Scene(), actions, lambda number: self.tables.give(HERE, np.array([cards[number]], np.uint8))
        )

    def _request(self, scene: Scene, actions: list[Any], choose: Any) -> Request:
        stage = _STAGES[int(self.tables.course.stage[0])]
        message = protocol.act(self._view, scene, stage, self.seat, actions)
        return Request(self.seat, message, len(actions), choose)

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """Type and rank of each form."""
        shapes = self._engine.rules.shapes
        labels = [shapes.labels[form.label] for form in shapes.forms]
        return [(wire_type(label), wire_rank(label)) for label in labels]

    def _action_json(self, form: int, cards: list[int]) -> list[Any]:
        """``engine.action(form, cards).to_json()``, fast enough for lists of thousands."""
        names = [CARD_NAMES[card] for card in cards if card != NO_CARD]
        return [*self._names[form], names] if names else list(PASS)

    # --- what happens ------------------------------------------------------------------------------------------------

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Deal out the cards, and say who refuses the tribute."""
        self._scene, self._paid, self._returned = Scene(), False, False
        self._news += [News(seat, protocol.beginning(self._view, seat, self._dialect)) for seat in SEATS]
        refused = int(tables.exchange.refused[0])
        if refused:
            self._tell(protocol.anti_tribute(self._view, [place for place in SEATS if refused >> place & 1]))

    def card_given(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """Nothing yet: all payers' cards are shown at once, and so are the returned ones."""

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Tell a play or a pass."""
        self._tell_exchange()
        self._scene = self._scene.after(self.seat, self._engine.action(int(moves.form[0]), moves.cards[0]))
        self._tell(protocol.played(self._scene))

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """Tell the order."""
        self._tell(protocol.episode_over(self._view))

    def match_ended(self, tables: Tables, which: Indices) -> None:
        """Tell that the game is over."""
        self._tell(protocol.game_over(self._game, self._games))

    def _tell(self, message: Message) -> None:
        self._news += [News(seat, message) for seat in SEATS]

    def _tell_exchange(self) -> None:
        """Tell who paid whom once it is settled, and what was returned once all is."""
        stage = self.tables.course.stage[0]
        payers = [int(payer) for payer in self.tables.exchange.payer[0] if payer >= 0]
        if payers and not self._paid and stage in (BACK, PLAY):
            self._paid = True
            self._tell(protocol.gifts(self._view, "tribute", self._gifts()[0]))
        if payers and not self._returned and stage == PLAY:
            self._returned = True
            self._tell(protocol.gifts(self._view, "back", self._gifts()[1]))

    def _gifts(self) -> tuple[list[Gift], list[Gift]]:
        exchange = [field[0].tolist() for field in self.tables.exchange[:4]]
        settled = [row for row in zip(*exchange, strict=True) if row[0] >= 0]
        paid = [(payer, receiver, card) for payer, card, receiver, _ in settled]
        back = [(receiver, payer, card) for payer, _, receiver, card in settled]
        return paid, back
