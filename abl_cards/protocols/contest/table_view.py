"""Table with the information that one seat has from messages.

It is an ordinary table, so that agents of the project can play at it. The cards that the seat has not seen are
distributed arbitrarily over the other hands; agents must not depend on the distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.state import CHOICE, NO_SEAT, PLAY, next_turn
from abl_cards.games.tables import Choices, Decisions, Tables, record_acts
from abl_cards.games.types import LEADING, NO_CARD, ONLY_TABLE
from abl_cards.protocols.common import Hand, hand_from_cards, hand_to_cards
from abl_cards.protocols.contest.actions import find_form
from abl_cards.protocols.contest.codec import ContestAction
from abl_cards.protocols.contest.match_state import card_options, fluents_at_level, stage_number
from abl_cards.protocols.contest.tribute import TributeExchange, write_exchange


@dataclass(frozen=True)
class PublicTrick:
    """Current trick, tracked by public information alone."""

    to_beat: int = LEADING
    owner: int = 0
    passed: int = 0  # seats as bits

    def after_play(self, rules: CompiledGame, seat: int, form: int, out: int) -> PublicTrick:
        """Return the trick after a play or pass of a seat; ``out`` has the seats without cards as bits."""
        passing = form == rules.forms.pass_form
        trick = replace(self, passed=self.passed | 1 << seat) if passing else PublicTrick(form, seat)
        gone_by = trick.passed  # remote tables send no other information on passes
        turn = next_turn(rules.turn_table, seat, trick.owner, trick.passed, gone_by, out, form)
        return PublicTrick(owner=turn.seat) if turn.is_trick_over else trick


class ContestTableView:
    """Episode with the information of one seat."""

    def __init__(self, rules: CompiledGame) -> None:
        """Make an empty view; raises GameError for rules whose turns depend on hidden fluents."""
        if rules.turn_query is not None:
            raise GameError(
                "turns depend on fluents (turn/1), which the contest protocol does not send",
                ErrorCode.UNSUPPORTED_GAME,
            )
        self.seat = 0
        self.exchange = TributeExchange()  # exchange according to messages
        self._trick, self._pending_actions = PublicTrick(), list[tuple[int, ContestAction, int]]()
        self._tables = Tables(rules, 1)
        self.begin_episode(0)

    def begin_episode(self, seat: int) -> None:
        """Begin an episode at a seat."""
        state = self._tables.state
        self.seat, self.exchange = seat, TributeExchange()
        self._trick, self._pending_actions = PublicTrick(), []
        state.played[0], state.num_acts[0], state.recent_cards[0], state.recent_seat[0] = 0, 0, NO_CARD, NO_SEAT
        state.play_stats[0] = 0

    def add_action(self, seat: int, action: ContestAction) -> None:
        """Add a play or a pass of a seat."""
        state, cards = self._tables.state, action.cards
        slot, max_cards = int(state.num_acts[0]) % state.recent_cards.shape[1], state.recent_cards.shape[2]
        state.num_acts[0] += 1
        state.played[0, seat] += hand_from_cards(cards)
        state.recent_seat[0, slot], state.recent_cards[0, slot] = seat, NO_CARD
        state.recent_cards[0, slot, : min(len(cards), max_cards)] = cards[:max_cards]
        out = sum(1 << player for player in range(4) if state.played[0, player].sum() >= self._hand_size)
        self._pending_actions.append((seat, action, out))

    def decisions(
        self, hand: Hand, level: int, to_beat: int, owner: int, cards_left: Sequence[int] | None
    ) -> Decisions:
        """Return the decision on a play, one row.

        Args:
            hand: uint8 [54], hand of the seat.
            level: Level of the episode, 2..14.
            to_beat: Form to beat, or LEADING.
            owner: Seat of the play to beat.
            cards_left: Number of cards of each seat, if known.
        """
        self._set_hands(hand, level, cards_left)
        self._update_play_stats(level)
        state = self._tables.state
        state.seat[0], state.stage[0], state.to_beat[0], state.owner[0] = self.seat, PLAY, to_beat, owner
        state.last_actor[0] = owner
        return self._tables.decisions(ONLY_TABLE)

    def choices(
        self, hand: Hand, level: int, stage: str, options: NDArray[np.uint8], cards_left: Sequence[int] | None
    ) -> Choices:
        """Return the choice of a card to pay or to return, one row.

        Args:
            hand: uint8 [54], hand of the seat.
            level: Level of the episode, 2..14.
            stage: ``"tribute"`` or ``"back"``.
            options: uint8 [54], 1 for cards that may be chosen.
            cards_left: Number of cards of each seat, if known.
        """
        self._set_hands(hand, level, cards_left)
        state, rules = self._tables.state, self._tables.rules
        state.stage[0], state.choice[0], state.to_beat[0] = CHOICE, stage_number(rules, stage), LEADING
        state.seat[0] = self.seat
        choices, option_of_card = self._tables.choices(ONLY_TABLE), card_options(rules)
        offered = np.zeros((1, len(rules.schema.options)), np.uint8)
        if (option_of_card[options > 0] < 0).any():
            raise GameError(f"{stage}: a card is offered that is no option of the rules", ErrorCode.UNSUPPORTED_GAME)
        offered[0, option_of_card[options > 0]] = 1
        choices.__dict__["options"] = offered  # as the remote table offers them
        return choices

    def _update_play_stats(self, level: int) -> None:
        """Update play statistics by the actions since the last decision; forms depend on the level, known only now."""
        rules, state = self._tables.rules, self._tables.state
        pending_actions, self._pending_actions = self._pending_actions, []
        try:
            forms = [
                find_form(rules, level, action) if action.cards else rules.forms.pass_form
                for _, action, _ in pending_actions
            ]
        except GameError:  # played by other rules, so statistics do not apply
            return
        for (seat, _, out), form in zip(pending_actions, forms, strict=True):
            state.seat[0], state.to_beat[0], state.owner[0] = seat, self._trick.to_beat, self._trick.owner
            record_acts(rules, state, ONLY_TABLE, np.array([form], np.int16))
            self._trick = self._trick.after_play(rules, seat, form, out)

    @property
    def _hand_size(self) -> int:
        return max(self._tables.rules.seating.num_dealt)

    def _set_hands(self, hand: Hand, level: int, cards_left: Sequence[int] | None) -> None:
        state, rules = self._tables.state, self._tables.rules
        played = state.played[0].astype(np.int64)
        unseen = hand_to_cards(np.maximum(rules.pack.copies - played.sum(axis=0) - hand, 0).astype(np.uint8))
        counts = cards_left or (self._hand_size - played.sum(axis=1)).clip(0).tolist()
        state.fluents[0] = fluents_at_level(rules, level)
        write_exchange(rules, state.fluents[0], self.exchange)
        state.context[ONLY_TABLE] = rules.contexts.compute_index(state.fluents[ONLY_TABLE])
        state.seat[0], state.passed[0], state.passed_in_trick[0], state.seats_out[0] = self.seat, 0, 0, 0
        state.finish_order[0] = NO_SEAT
        for step in (1, 2, 3):
            other = (self.seat + step) % 4
            state.hands[0, other] = hand_from_cards(unseen[: counts[other]])
            state.seats_out[0] |= np.uint16((counts[other] == 0) << other)
            del unseen[: counts[other]]
        state.hands[0, self.seat] = hand
