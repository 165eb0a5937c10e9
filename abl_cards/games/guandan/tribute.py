"""The exchange of cards before an episode at the tables: who pays, who receives, who leads, and the cards that move.

Who does what is asked of tribute.lp; an answer that names nobody, or two where there must be one, is an error with
the table's state.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import BIG_JOKER, card_text, hand_text
from abl_cards.games.faults import blame, only_one, several, stop_where
from abl_cards.games.guandan.course import BACK, TRIBUTE, Play
from abl_cards.games.guandan.decisions import Exchanges
from abl_cards.games.guandan.deck import RANK_OF_CARD
from abl_cards.games.guandan.exchange import Exchange
from abl_cards.games.guandan.expansion import NO_CARD
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.questions import at_least, one_hot
from abl_cards.games.tables import Indices


@dataclass(frozen=True)
class Tribute:
    """What lies on the tables, and the rules of the exchange; changes it in place."""

    rules: Rules
    course: Play
    exchange: Exchange
    previous: NDArray[np.int8]  # [n, 4] order of finish of the episode before

    def check_options(self, asked: Exchanges) -> None:
        """Raise TableError where a seat has nothing to give, or would give what it does not hold."""
        kb, hand = self.rules.kb, asked.situation.hand

        def of(row: int) -> tuple[str, str]:
            name = "tribute/2" if asked.stage[row] == TRIBUTE else "back/2"
            seat, level = self.course.seat[asked.which[row]], asked.hands.level[row]
            return f"seat {seat}: `{name}`", f"{blame(kb, name)} (level {level}, hand {hand_text(hand[row])})"

        def nothing(row: int) -> str:
            predicate, place = of(row)
            return f"no card to give for {predicate} is empty{place}"

        def missing(row: int) -> str:
            predicate, place = of(row)
            card = int(np.flatnonzero((asked.options[row] > 0) & (hand[row] == 0))[0])
            return f"a card to give for {predicate} names {card_text(card)}, which is not in the hand{place}"

        stop_where(asked.options.max(axis=1) == 0, asked.which, nothing)
        stop_where((asked.options > hand).max(axis=1), asked.which, missing)

    def ask(self, which: Indices) -> None:
        """Who is to pay before an episode, or who leads where nobody does."""
        answer = self.rules.payers.ask(len(which), **self._result_facts(which))
        self._check_payers(which, answer["payer"])
        holders = answer["payer"].any(axis=0) & (self.course.hands[which, :, BIG_JOKER].T > 0)
        self.exchange.refused[which] = answer["refused"] * (holders << np.arange(4)[:, None]).sum(axis=0)
        paying = (answer["payer"].any(axis=1) & (answer["refused"] == 0)).T
        payer = np.where(paying, answer["payer"].argmax(axis=1).T, -1)
        self.exchange.payer[which] = payer
        self.course.stage[which], self.course.seat[which] = TRIBUTE, payer[:, 0]
        exempt = which[payer[:, 0] < 0]
        if exempt.size:
            self.exchange.leader[exempt] = self._leader(exempt, self._ask_exchange(exempt))

    def _check_payers(self, which: Indices, payer: NDArray[np.uint8]) -> None:
        """Raise TableError where payer [place, seat, n] does not name a first seat, or two, in an order."""
        count, kb = payer.sum(axis=1), self.rules.kb
        wrong = (count > 1).any(axis=0) | (count[1] > count[0]) | (payer.sum(axis=0) > 1).any(axis=0)

        def say(row: int) -> str:
            places = [several(np.flatnonzero(place).tolist()) for place in payer[:, :, row]]
            return (
                f"who pays is not clear: `payer/2` names seat {places[0]} in place 1 and {places[1]} in place 2"
                f"{blame(kb, 'payer/2')} ({self._finish(int(which[row]))})"
            )

        stop_where(wrong, which, say)

    def _finish(self, table: int) -> str:
        return f"the order of finish was {' '.join(map(str, self.previous[table]))}"

    def _leader(self, which: Indices, answer: dict[str, NDArray[np.uint8]]) -> NDArray[np.int64]:
        """[n] the one seat that leads."""
        return only_one(
            answer["leads"],
            which,
            lambda row, seats: (
                f"`leads/1` must name one seat, and names {several(seats)}{blame(self.rules.kb, 'leads/1')}"
                f" ({self._finish(int(which[row]))})"
            ),
        )

    def _result_facts(self, which: Indices) -> dict[str, NDArray[np.uint8]]:
        """How the episode before ended, and who holds big jokers now."""
        return {
            "finish": one_hot(self.previous[which].T, 4),
            "big_jokers": at_least(self.course.hands[which, :, BIG_JOKER].T, 2),
        }

    def _ask_exchange(self, which: Indices) -> dict[str, NDArray[np.uint8]]:
        paid = np.full((4, len(which)), -1)
        for payer, card in zip(self.exchange.payer[which].T, self.exchange.paid[which].T, strict=True):
            columns = np.flatnonzero(payer >= 0)
            paid[payer[columns], columns] = RANK_OF_CARD[card[columns]] - 2
        level = one_hot(self.course.level[which] - 2, 13)
        return self.rules.exchange.ask(len(which), **self._result_facts(which), paid=one_hot(paid, 15), level=level)

    def pay(self, which: Indices, cards: NDArray[np.uint8]) -> None:
        """Pay these cards; where all have, they go to their receivers."""
        settled = self._note(which, self.exchange.paid, cards, self.exchange.payer)
        if not settled.size:
            return
        answer = self._ask_exchange(settled)
        self.exchange.leader[settled] = self._leader(settled, answer)
        for place in range(2):
            payer = self.exchange.payer[settled, place]
            receiver = self._receiver(settled, payer, answer["gives"])
            self.exchange.receiver[settled, place] = receiver
            self._check_apart(settled)
            self._move_cards(settled, payer, receiver, self.exchange.paid[settled, place])
        self.course.stage[settled], self.course.seat[settled] = BACK, self.exchange.receiver[settled, 0]

    def _receiver(self, which: Indices, payer: NDArray[np.int8], gives: NDArray[np.uint8]) -> NDArray[np.int8]:
        """[n] the one seat that each payer [n] gives to, -1 where nobody pays; gives [payer, receiver, n]."""
        given = gives[payer, :, np.arange(len(which))].T
        given[payer, np.arange(len(which))] = 0  # to oneself is to nobody
        receiver = only_one(
            given,
            which,
            lambda row, seats: (
                f"`gives/2` must name one other seat for payer {payer[row]}, and names {several(seats)}"
                f"{blame(self.rules.kb, 'gives/2')} ({self._finish(int(which[row]))})"
            ),
            among=payer >= 0,
        )
        return np.where(payer >= 0, receiver, -1).astype(np.int8)

    def _check_apart(self, which: Indices) -> None:
        """Raise TableError where one seat would receive both cards: nothing is laid out for a hand of 29."""
        receiver = self.exchange.receiver[which]
        stop_where(
            (receiver[:, 0] >= 0) & (receiver[:, 0] == receiver[:, 1]),
            which,
            lambda row: (
                f"`gives/2` names seat {receiver[row, 0]} for both payers, and must name two"
                f"{blame(self.rules.kb, 'gives/2')} ({self._finish(int(which[row]))})"
            ),
        )

    def give_back(self, which: Indices, cards: NDArray[np.uint8]) -> Indices:
        """Return these cards; gives the tables where all have chosen."""
        settled = self._note(which, self.exchange.returned, cards, self.exchange.receiver)
        for place in range(2):
            payer, receiver = self.exchange.payer[settled, place], self.exchange.receiver[settled, place]
            self._move_cards(settled, receiver, payer, self.exchange.returned[settled, place])
        return settled

    def _note(
        self, which: Indices, chosen: NDArray[np.uint8], cards: NDArray[np.uint8], asked: NDArray[np.int8]
    ) -> Indices:
        """Write down the cards and ask the second seat where there is one; returns the tables where all have chosen."""
        second = chosen[which, 0] != NO_CARD
        chosen[which, second.astype(np.int64)] = cards
        waiting = ~second & (asked[which, 1] >= 0)
        self.course.seat[which[waiting]] = asked[which[waiting], 1]
        return which[~waiting]

    def _move_cards(
        self, which: Indices, giver: NDArray[np.int8], taker: NDArray[np.int8], cards: NDArray[np.uint8]
    ) -> None:
        moved = giver >= 0
        self.course.hands[which[moved], giver[moved], cards[moved]] -= 1
        self.course.hands[which[moved], taker[moved], cards[moved]] += 1
