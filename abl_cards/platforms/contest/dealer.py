"""A table of Guandan where others sit down: it hears what happens and says it in the words of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import CARD_NAMES
from abl_cards.games import Engine, Tables
from abl_cards.games.audience import Audience
from abl_cards.games.service import Message, News, Request
from abl_cards.games.tables import DRAW, NO_CARD, Indices, Listener, Moves
from abl_cards.games.words.written import written
from abl_cards.platforms.contest import protocol
from abl_cards.platforms.contest.actions import action_of
from abl_cards.platforms.contest.gifts import Ledger
from abl_cards.platforms.contest.protocol import SEATS, Scene, View
from abl_cards.platforms.contest.standings import check_game, options_of, refusing, stage_of
from abl_cards.platforms.contest.wire import PASS, PLAY, Action, hand_order

HERE = np.array([0])


class ContestDealer:
    """One table for a number of games; see Dealer."""

    def __init__(
        self, engine: Engine, games: int, dialect: str = protocol.PLAIN, listener: Listener | None = None
    ) -> None:
        """A table that speaks this dialect; somebody else may listen too."""
        check_game(engine.rules)
        self.tables = Tables(engine.rules, 1, Audience((self, listener)) if listener else self)
        self._engine, self._games, self._dialect = engine, games, dialect
        self._view, self._scene = View(self.tables), Scene()
        self._game = 0
        self._ledger, self._told = Ledger(), set[str]()  # what was given, and what of it has been told
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
        return self._ask_for_play() if stage_of(self.tables, 0) == PLAY else self._ask_for_card()

    def _ask_for_play(self) -> Request:
        lists = self.tables.decisions(HERE).moves()
        actions = [self._action_json(*move) for move in zip(lists.form.tolist(), lists.cards.tolist(), strict=True)]
        leads = self.tables.state.to_beat[0] < 0
        scene = replace(self._scene, current=None, greater=None) if leads else self._scene

        def choose(number: int) -> None:
            self.tables.play(HERE, Moves(lists.form[number : number + 1], lists.cards[number : number + 1]))

        return self._request(scene, actions, choose)

    def _ask_for_card(self) -> Request:
        options, numbers = self.tables.choices(HERE).options[0], options_of(self._engine.rules)
        cards = [card for card in hand_order(self._view.level) if numbers[card] >= 0 and options[numbers[card]]]
        stage = stage_of(self.tables, 0)
        actions = [Action(stage, stage, (card,)).to_json() for card in cards]

        def choose(number: int) -> None:
            self.tables.choose(HERE, numbers[[cards[number]]].astype(np.uint8))

        return self._request(Scene(), actions, choose)

    def _request(self, scene: Scene, actions: list[Any], choose: Any) -> Request:
        message = protocol.act(self._view, scene, stage_of(self.tables, 0), self.seat, actions)
        return Request(self.seat, message, len(actions), choose)

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """Type and rank of each form."""
        rules = self._engine.rules
        words = written(rules)
        assert words is not None
        return [words.labels[label] for label in rules.forms.label_of.tolist()]

    def _action_json(self, form: int, cards: list[int]) -> list[Any]:
        """``engine.action(form, cards).to_json()``, fast enough for lists of thousands."""
        names = [CARD_NAMES[card] for card in cards if card != NO_CARD]
        return [*self._names[form], names] if names else list(PASS)

    # --- what happens ------------------------------------------------------------------------------------------------

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Deal out the cards, and say who refuses the tribute."""
        self._scene, self._ledger, self._told = Scene(), Ledger(), set()
        self._news += [News(seat, protocol.beginning(self._view, seat, self._dialect)) for seat in SEATS]

    def drew(self, tables: Tables, which: Indices) -> None:
        """Cards are dealt at once here."""

    def chosen(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """Nothing is told yet: all payers' cards are shown at once, and so are the returned ones."""
        kind = int(np.flatnonzero(options_of(tables.rules) == int(card[0]))[0])
        self._ledger.note(stage_of(tables, 0), int(tables.seat[0]), kind)

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Tell a play or a pass."""
        self._tell_exchange()
        self._scene = self._scene.after(self.seat, action_of(tables.rules, int(moves.form[0]), moves.cards[0]))
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
        """Tell who refuses the tribute, who paid whom once it is settled, and what was returned once all is."""
        refused = refusing(self.tables, 0) if not self._told else []
        if refused:
            self._told |= {"anti", "tribute", "back"}
            self._tell(protocol.anti_tribute(self._view, refused))
        for stage, settled in (("tribute", self._ledger.paid), ("back", self._ledger.returned)):
            gifts = None if stage in self._told else settled(self.tables, 0)
            if gifts:
                self._told.add(stage)
                self._tell(protocol.gifts(self._view, stage, gifts))
