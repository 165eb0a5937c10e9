"""Tractor in Botzone's words: cards delivered one by one, cards covered, and tricks.

Cards are numbers, 54 to a pack: four to a rank from the ace on, spade heart club diamond, then the jokers. A response
is a list of cards: none, one or two that are shown after a delivery; those that are buried, or played. Every
request has ``stage`` and ``global``; a delivery and the cover have ``deliver``, the play has ``history``: the trick
before and this one, each a list of plays in order, and who led them. What is taken back from a throw that fails lies in
no history.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games import Choices, Decisions, Moves, Tables
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD
from abl_cards.platforms.botzone import faults, tractor_match
from abl_cards.platforms.botzone.card_numbers import Numbers
from abl_cards.platforms.botzone.combinations import move_of
from abl_cards.platforms.botzone.dialect import HERE, Cards, Dialect
from abl_cards.platforms.botzone.faults import Fault, shown
from abl_cards.platforms.botzone.tractor_match import BANKER, GIVEN, LEVEL, LEVELS, STANDING, TOTAL, TRUMP

DECLARE, BURY, NONE = "declare", "bury", "none"
"""What seats choose, by the folder: to show a card, ``declare(Suit)``, two, ``overturn(Suit)``, or nothing; a card."""
DEAL, COVER, PLAY = "deal", "cover", "play"
_SUITS = "shcd"
_JOKERS = ("small", "big")
NOBODY = -1


def _terms() -> list[str]:
    """The cards of a pack in the order of their numbers, as the folder names them."""
    plain = [f"card({rank},{suit})" for rank in LEVELS.values() for suit in _SUITS]
    return [*plain, *(f"card({joker},joker)" for joker in _JOKERS)]


def numbers_of(rules: Rules) -> Numbers:
    """The kinds of 0 to 107."""
    terms = _terms()
    return Numbers(tuple(rules.pack.number[term] for term in terms * (len(rules.pack.deck) // len(terms))))


def _fits(rules: Rules) -> bool:
    named = all(rules.fluents.named(name) for name in (LEVEL, TRUMP, BANKER, GIVEN, TOTAL, STANDING))
    return named and rules.pack.number.keys() == {*_terms()} and {DECLARE, BURY} <= {*rules.words.stages}


class TractorRound:
    """One round; see ``dialect.Round``."""

    def __init__(self, rules: Rules, tables: Tables, cards: Cards) -> None:
        """Nobody has drawn a card."""
        self._rules, self._tables, self._cards = rules, tables, cards
        self._numbers, self._terms = numbers_of(rules), _terms()
        seats = len(cards.allocation)
        self._delivered, self._held = [0] * seats, [list[int]() for _ in range(seats)]
        self._first_round = not self._remembered(GIVEN)
        self._shown_by = {"called": NOBODY, "snatched": NOBODY}
        self._tricks: tuple[list[list[int]], list[list[int]]] = [], []
        self._leaders = NOBODY, NOBODY
        self._sent: tuple[int, list[int], int] | None = None  # who has just played what, and the points before
        self._punished: int | None = None

    def _remembered(self, name: str) -> Any:
        return tractor_match.value_of(self._rules, self._tables.state.fluents[0], name)

    def _stage(self) -> str:
        """The stage of the decision at hand; cards are dealt as long as there is none."""
        state = self._tables.state
        if not self._tables.choosing().size:
            return PLAY if self._tables.playing().size else DEAL
        return COVER if self._rules.words.stages[int(state.choice[0])] == BURY else DEAL

    def opening(self) -> dict[str, Any]:
        """All the cards."""
        return self._cards.to_json()

    # --- requests ----------------------------------------------------------------------------------------------------

    def delivery(self, seat: int) -> dict[str, Any]:
        """A card; raises GameError where the folder deals in another order."""
        number, state = self._delivered[seat], self._tables.state
        card = self._cards.allocation[seat][number]
        if self._numbers.kind[card] != state.stock[0, state.drawn[0] - 1]:
            raise GameError(f"seat {seat} draws out of the order in which Botzone delivers")
        self._delivered[seat] += 1
        self._held[seat].append(card)
        opening = {} if number else {"playerpos": seat}
        return {"stage": DEAL, "deliver": [card], **opening, "global": self._global(dealing=True)}

    def awaits(self) -> bool:
        """Whether a seat is asked to show cards."""
        return bool(self._tables.choosing().size) and self._stage() == DEAL

    def request(self, seat: int) -> dict[str, Any]:
        """The cards that are to be covered, or a play."""
        if self._stage() == COVER:
            self._held[seat] += self._cards.publiccard
            return {"stage": COVER, "deliver": list(self._cards.publiccard), "global": self._global()}
        self._settle()
        now = self._tricks[1]
        if not now or len(now) == len(self._held):
            self._tricks, self._leaders = (now, []), (self._leaders[1], seat)
        history = [*([list(cards) for cards in trick] for trick in self._tricks), *self._leaders]
        return {"stage": PLAY, "history": history, "global": self._global() | {"total_score": self._remembered(TOTAL)}}

    def _global(self, dealing: bool = False) -> dict[str, Any]:
        trump, banker = self._remembered(TRUMP), self._remembered(BANKER)
        nothing_yet = dealing and self._shown_by["snatched"] < 0
        banking = {**self._shown_by, "major": trump or ("" if nothing_yet else "n"),
                   "banker": NOBODY if banker is None else banker}  # fmt: skip
        level = tractor_match.letter_of(self._remembered(LEVEL))
        return {"level": level, "first_round": self._first_round, "banking": banking}

    # --- responses that are read -------------------------------------------------------------------------------------

    def read_silence(self, seat: int, number: int, response: Any) -> None:
        """Raises Fault for cards."""
        delivered = self._cards.allocation[seat][: number + 1]
        if cards := self._numbers.read(response, delivered, seat):
            self._shown(cards)
            raise Fault(faults.NOT_ALLOWED, f"{shown(cards)} may not be shown by seat {seat} now")

    def read_choice(self, choices: Choices, response: Any) -> tuple[int, ...]:
        """Cards that are shown, or buried; raises Fault."""
        seat = int(self._tables.seat[0])
        cards = self._numbers.read(response, self._held[seat], seat)
        if self._stage() == COVER:
            options = [self._terms[card % len(self._terms)] for card in cards]
            if self._ends(choices):
                options.append(NONE)
            elif len(cards) != len(self._cards.publiccard):
                raise Fault(faults.NOT_ALLOWED, f"{shown(cards)} are not {len(self._cards.publiccard)} cards")
        else:
            options = [self._shown(cards) if cards else NONE]
        found = tuple(self._rules.words.options.index(option) for option in options)
        if not choices.options[0, found[0]]:
            raise Fault(faults.NOT_ALLOWED, f"{shown(cards)} may not be chosen by seat {seat} now")
        return found

    def _ends(self, choices: Choices) -> bool:
        """Whether a seat may have enough of burying: then any number of cards goes."""
        return bool(choices.options[0, self._rules.words.options.index(NONE)])

    def _shown(self, cards: Sequence[int]) -> str:
        """The option that shows these cards; raises Fault where nothing does."""
        kinds = {card % len(self._terms) for card in cards}
        rank, _, suit = self._terms[kinds.pop()].removeprefix("card(").removesuffix(")").partition(",")
        level = rank == str(self._remembered(LEVEL))
        if not kinds and len(cards) == 1 and level:
            return f"declare({suit})"
        if not kinds and len(cards) > 1 and (level or rank in _JOKERS):
            return f"overturn({suit if level else rank})"
        raise Fault(faults.NO_COMBINATION, f"{shown(cards)} are nothing that could be shown")

    def read_play(self, decisions: Decisions, response: Any) -> Moves:
        """Cards; raises Fault."""
        seat = int(self._tables.seat[0])
        cards = self._numbers.read(response, self._held[seat], seat)
        move = move_of(decisions, self._numbers, cards) if cards else None
        if move is not None:
            return move
        leads = self._leaders[1] == seat and not self._tricks[1]
        if cards and leads:
            raise Fault(faults.NO_COMBINATION, f"{shown(cards)} are no play of seat {seat}")
        raise Fault(faults.NOT_ALLOWED, f"{shown(cards)} is no legal move of seat {seat}")

    # --- responses that are written ----------------------------------------------------------------------------------

    def choice(self, options: Sequence[int]) -> list[int] | None:
        """Cards that are shown, or all that are buried."""
        seat, names = int(self._tables.seat[0]), [str(self._rules.words.options[option]) for option in options]
        if self._stage() == COVER:
            whole = NONE in names or (
                len(names) == len(self._cards.publiccard) and not self._ends(self._tables.choices(HERE))
            )
            buried = [self._rules.pack.number[name] for name in names if name != NONE]
            return self._numbers.find(buried, sorted(self._held[seat])) if whole else None
        (name,) = names
        if name == NONE:
            return []
        shows, _, what = name.removesuffix(")").partition("(")
        level = self._remembered(LEVEL)
        term = f"card({what},joker)" if what in _JOKERS else f"card({level},{what})"
        copies = [self._rules.pack.number[term]] * (1 if shows == "declare" else 2)
        return self._numbers.find(copies, sorted(self._held[seat]))

    def move(self, cards: NDArray[np.uint8]) -> list[int]:
        """Cards of the seat to decide, the low numbers first."""
        held = sorted(self._held[int(self._tables.seat[0])])
        return self._numbers.find(cards[cards != NO_CARD].tolist(), held)

    # --- what has happened -------------------------------------------------------------------------------------------

    def note(self, seat: int, response: Any) -> None:
        """Who has shown cards, and which ones leave a hand."""
        stage = self._stage() if response else DEAL
        self._punished = None
        if stage == PLAY:
            self._sent = seat, response, self._remembered(TOTAL)
        elif stage == COVER:
            self._leave(seat, response)
        elif response:
            self._shown_by["called" if len(response) == 1 else "snatched"] = seat

    def _leave(self, seat: int, cards: Sequence[int]) -> None:
        self._held[seat] = [card for card in self._held[seat] if card not in cards]

    def _settle(self) -> None:
        """The last play lies as the engine has it: cards of a throw may have gone back."""
        if self._sent is None:
            return
        (seat, sent, before), self._sent, state = self._sent, None, self._tables.state
        act = state.recent[0, (int(state.acts[0]) - 1) % state.recent.shape[1]]
        lies = act[act != NO_CARD].tolist()
        if len(lies) < len(sent):
            sent = self._numbers.find(lies, sorted(sent))
            self._punished = abs(self._remembered(TOTAL) - before)
        self._tricks[1].append(sent)
        self._leave(seat, sent)

    def display(self, seat: int, response: Any) -> dict[str, Any]:
        """Who has done what; in the play what the others of the banker have, and what a throw that failed has cost."""
        playing = self._sent is not None or self._leaders[1] != NOBODY
        self._settle()
        found: dict[str, Any] = {"event": {"player": seat, "action": response}}
        if playing:
            found["get_score"] = self._remembered(TOTAL)
        return found if self._punished is None else found | {"punished": self._punished}

    def scores(self) -> list[int]:
        """The points of the rules."""
        return [int(points) for points in self._tables.points[HERE][0]]


TRACTOR_GAME = Dialect(
    fits=_fits,
    numbers=numbers_of,
    begin=TractorRound,
    keys=tractor_match.KEYS,
    remember=tractor_match.remember,
    known=tractor_match.known,
    first=tractor_match.first_seat,
)
"""Tractor."""
