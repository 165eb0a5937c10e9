"""A referee of one round that receives each step, checks that it is legal, and updates the state.

The steps are ``deal`` and ``show`` 100 times, ``undeclared`` where nobody declared, ``bury``, then ``play``. What is
not legal raises ``Illegal`` and changes nothing.

>>> one = Round(PROFILES["botzone"], "2")
>>> one.deal("S2"), one.turn
(None, 0)
>>> one.show(["S3"])
Traceback (most recent call last):
    ...
tests.brute_force.tractor.referee.Illegal: seat 0 may not show S3
>>> one.show(["S2"]); one.trump, one.banker, one.turn
('S', 0, 1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.brute_force.tractor.cards import PACK, Cards, Order, held, points, without
from tests.brute_force.tractor.deal import Shown, flipped, may_show, trump_of
from tests.brute_force.tractor.follow import legal_follow
from tests.brute_force.tractor.leads import Lead, Outcome, challenge, lead_of
from tests.brute_force.tractor.rules import PROFILES as PROFILES
from tests.brute_force.tractor.rules import Rules
from tests.brute_force.tractor.score import kitty_times, payoffs, team
from tests.brute_force.tractor.trick import winner

KITTY = 8
DEALT = len(PACK) - KITTY


class Illegal(ValueError):
    """A step is against the rules."""


def require(good: bool, text: str) -> None:
    if not good:
        raise Illegal(text)


class Act(NamedTuple):
    """One step: the method of ``Round``, whose it was, and its cards; of ``undeclared`` the trump suit, the kitty."""

    step: str
    seat: int  # for undeclared: the banker by chance, -1 if it was given
    cards: Cards


@dataclass
class Round:
    """The state of a round; ``banker`` is None if the declaration decides it, as in the first round."""

    rules: Rules
    level: str
    banker: int | None = None
    stage: str = "deal"  # "show", "undeclared", "bury", "play", "over", "redeal"
    turn: int = 0
    hands: list[list[str]] = field(default_factory=lambda: [[], [], [], []])
    kitty: list[str] = field(default_factory=list)  # as dealt, then as buried
    shown: list[Shown] = field(default_factory=list)
    trump: str = ""
    lead: Lead | None = None
    leader: int = 0
    trick: list[Cards] = field(default_factory=list)  # from the leader on
    tricks: list[tuple[int, list[Cards]]] = field(default_factory=list)  # complete tricks, with the leader
    outcome: Outcome | None = None  # of the last lead
    taken: list[int] = field(default_factory=lambda: [0, 0])  # points in tricks, by team
    penalties: int = 0  # added to the off-side's total
    kitty_won: int = 0
    acts: list[Act] = field(default_factory=list)  # all that was done, as it was sent

    def __post_init__(self) -> None:
        self.given = self.banker is not None
        self.turn = self.banker or 0

    @property
    def order(self) -> Order:
        return self.rules.order(self.level, self.trump)

    @property
    def total(self) -> int:
        """Return the points of the off-side."""
        assert self.banker is not None
        return self.taken[1 - team(self.banker)] + self.penalties + self.kitty_won

    @property
    def result(self) -> list[int] | None:
        """Return the result of each seat, once the round is over."""
        return payoffs(self.rules, self.banker or 0, self.total) if self.stage == "over" else None

    def _expect(self, *stages: str) -> None:
        require(self.stage in stages, f"this is the stage {self.stage}")

    # --- The deal ---

    def deal(self, card: str) -> None:
        """Deal the next card to the seat in turn, which may then show; the last eight cards are the kitty."""
        self._expect("deal")
        gone = [*self.hands[0], *self.hands[1], *self.hands[2], *self.hands[3]]
        require(held([*gone, card], PACK), f"there is no third {card}")
        self.acts.append(Act("deal", self.turn, (card,)))
        self.hands[self.turn].append(card)
        self.stage = "show"

    def show(self, cards: Sequence[str]) -> None:
        """The seat that got a card passes ([]), declares or overturns."""
        self._expect("show")
        seat, named = self.turn, " ".join(cards)
        good = may_show(self.rules, self.level, self.shown, self.hands[seat], cards)
        require(good, f"seat {seat} may not show {named}")
        self.acts.append(Act("show", seat, tuple(cards)))
        if cards:
            self.shown.append(Shown(seat, tuple(cards)))
            self.trump = trump_of(cards)
            self.banker = self.banker if self.given else seat
        self.turn, self.stage = (seat + 1) % 4, "deal"
        if sum(map(len, self.hands)) == DEALT:
            self._end_deal()

    def _end_deal(self) -> None:
        left = [card for hand in self.hands for card in hand]
        self.kitty = sorted(without(PACK, left))
        if self.shown:
            self._take_kitty()
        else:
            self.stage = "redeal" if self.rules.undeclared == "redeal" else "undeclared"

    def undeclared(self, trump: str, banker: int | None = None, kitty: Sequence[str] = ()) -> None:
        """Set the trump drawn by chance, the banker if none was given, and ``kitty`` as turned up."""
        self._expect("undeclared")
        if self.rules.undeclared == "flip":
            require(sorted(kitty) == self.kitty, "this is not the kitty")
            require(trump == flipped(self.level, kitty), "the kitty says another suit")
        else:
            require(trump in ("S", "H", "C", "D"), "one of the four suits is trump")
        require((banker is None) == self.given, "chance makes a banker where none is given")
        self.acts.append(Act("undeclared", -1 if banker is None else banker, (trump, *kitty)))
        self.trump, self.banker = trump, self.banker if self.given else banker
        self._take_kitty()

    # --- The kitty ---

    def _take_kitty(self) -> None:
        assert self.banker is not None
        self.hands[self.banker] += self.kitty
        self.kitty, self.turn, self.stage = [], self.banker, "bury"

    def bury(self, cards: Sequence[str]) -> None:
        """Bury eight of the 33 cards of the banker."""
        self._expect("bury")
        right_count = len(cards) == KITTY or self.rules.buries_any
        require(right_count and held(cards, self.hands[self.turn]), "bury eight cards of your own")
        self.acts.append(Act("bury", self.turn, tuple(cards)))
        self.hands[self.turn] = without(self.hands[self.turn], cards)
        self.kitty, self.stage, self.leader = sorted(cards), "play", self.turn

    # --- The play ---

    def play(self, cards: Sequence[str]) -> Cards:
        """Play cards of the seat in turn; return the cards on the table, fewer after a failed throw."""
        self._expect("play")
        require(held(cards, self.hands[self.turn]), f"seat {self.turn} does not hold {' '.join(cards)}")
        laid = self._play_lead(cards) if self.lead is None else self._play_answer(self.lead, cards)
        self.acts.append(Act("play", self.turn, tuple(cards)))
        self.hands[self.turn] = without(self.hands[self.turn], laid)
        self.trick.append(laid)
        self.turn = (self.turn + 1) % 4
        if len(self.trick) == 4:
            self._end_trick()
        return laid

    def _play_lead(self, cards: Sequence[str]) -> Cards:
        lead = lead_of(self.rules, self.order, cards)
        require(lead is not None, "a lead is cards of one suit")
        assert lead is not None
        others = [hand for seat, hand in enumerate(self.hands) if seat != self.turn]
        self.outcome = challenge(self.rules, self.order, lead, others)
        self.lead, self.leader = self.outcome.lead, self.turn
        on_bank = team(self.turn) == team(self.banker or 0)
        self.penalties += self.outcome.price if on_bank else -self.outcome.price
        return self.lead.cards

    def _play_answer(self, lead: Lead, cards: Sequence[str]) -> Cards:
        good = legal_follow(self.rules, self.order, lead, self.hands[self.turn], cards)
        require(good, f"seat {self.turn} may not follow with {' '.join(cards)}")
        return tuple(sorted(cards))

    def _end_trick(self) -> None:
        assert self.lead is not None
        taker = (self.leader + winner(self.order, self.lead, self.trick[1:])) % 4
        self.taken[team(taker)] += sum(points(cards) for cards in self.trick)
        self.tricks.append((self.leader, self.trick))
        if not all(self.hands):
            self.stage = "over"
            if team(taker) != team(self.banker or 0):
                self.kitty_won = points(self.kitty) * kitty_times(self.rules, self.lead)
        self.turn, self.trick, self.lead = taker, [], None


def replayed(rules: Rules, level: str, banker: int | None, acts: Sequence[Act]) -> Round:
    """The round in which all this was done."""
    one = Round(rules, level, banker)
    for step, seat, cards in acts:
        if step == "deal":
            one.deal(*cards)
        elif step == "show":
            one.show(cards)
        elif step == "undeclared":
            one.undeclared(cards[0], None if seat < 0 else seat, cards[1:])
        elif step == "bury":
            one.bury(cards)
        else:
            one.play(cards)
    return one
