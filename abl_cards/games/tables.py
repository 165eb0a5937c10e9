"""What lies on the tables of a game, and what is decided there: thousands of matches at once, in arrays.

*Tables* play; *Decisions* and *Choices* are what the seats to move at some of them can see and do, *Moves* what they
do; a *Judge* says what it costs. Each game's ``tables.py`` and ``decisions.py`` are such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.hidden import Constraints, Estimate
from abl_cards.logic import Atom, KnowledgeBase

Indices = NDArray[np.int64]
"""[n] numbers of tables."""


DRAW = -2
"""The winner of a drawn match; -1 while it runs, else a team."""


class Moves(NamedTuple):
    """One concrete move a decision."""

    form: NDArray[np.int16]  # [n] shape of the cards, an index of the game
    cards: NDArray[np.uint8]  # [n, most] the cards in wire order, 255 beyond the last


class MoveLists(NamedTuple):
    """All card sets of n decisions; decision i has the rows ``start[i] : start[i + 1]``."""

    start: NDArray[np.int64]  # [n + 1]
    form: NDArray[np.int16]  # [moves]
    cards: NDArray[np.uint8]  # [moves, most] as in Moves

    @property
    def decision(self) -> NDArray[np.int64]:
        """[moves] the decision each card set belongs to."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def rows(self, rows: NDArray[np.int64]) -> Moves:
        """Some of the card sets, one a decision."""
        return Moves(self.form[rows], self.cards[rows])


class Decisions(Protocol):
    """Plays to decide at n tables, from the eyes of the seats that decide."""

    @property
    def which(self) -> Indices:
        """[n] the tables."""

    @property
    def legal(self) -> NDArray[np.uint8]:
        """[labels, n] the mask of legal labels."""

    @property
    def label_to_beat(self) -> NDArray[np.int16]:
        """[n] the label of the play to beat, -1 when leading."""

    @property
    def ranking(self) -> NDArray[np.int32]:
        """[n, labels] the place of each label when they are sorted from weak to strong."""

    @property
    def context(self) -> NDArray[np.integer]:
        """[n] what the order of the labels depends on, as a number of the game's own; see ``Engine.answers``."""

    def labels_of(self, form: NDArray[np.int16]) -> NDArray[np.int16]:
        """The labels that forms belong to."""

    def realise_first(self, labels: NDArray[np.int16]) -> Moves:
        """The first card set in wire order of one legal label each."""

    def realise_random(self, labels: NDArray[np.int16], keys: NDArray[np.uint64]) -> Moves:
        """A card set of one legal label each, drawn uniformly."""

    def observe(self) -> NDArray[np.uint8]:
        """[n, features] what the seats see, as long as nobody has moved; see Engine.observation."""

    def hidden(self) -> Constraints:
        """What the seats know of the hands they do not see, as long as nobody has moved."""

    def hints(self) -> NDArray[np.float32]:
        """[n, others, cards] the logarithm of the factor by which what the others did changes the odds of a copy."""

    def moves(self, labels: NDArray[np.int16] | None = None) -> MoveLists:
        """All legal card sets in wire order, or those of one label each."""

    def at(self, rows: NDArray[np.int64]) -> Decisions:
        """Some of the decisions; what has been found out about them is kept."""


class Choices(Protocol):
    """One of a few things to choose at n tables, from the eyes of the seats that choose: a card to pay, a bid."""

    @property
    def which(self) -> Indices:
        """[n] the tables."""

    @property
    def options(self) -> NDArray[np.uint8]:
        """[n, Engine.choices] what may be chosen, by the numbers of the game's options."""

    def moves(self) -> MoveLists:
        """What may be chosen, as moves of one card: the number of the choice."""


def is_play(choice: Decisions | Choices) -> TypeGuard[Decisions]:
    """Whether plays are to be decided, and not something else to be chosen."""
    return not hasattr(choice, "options")


class Action(Protocol):
    """A move in the words of the game; ``str`` gives the text form."""

    def to_json(self) -> Any:
        """The move as other programs write it."""


@dataclass(frozen=True)
class Moment:
    """One decision with all that may be done, from the eyes of the seat that decides."""

    decision: Decisions | Choices  # at one table
    lists: MoveLists  # in wire order
    labels: tuple[str, ...]  # [moves] the label of each
    actions: tuple[Action, ...]  # [moves]
    state: Mapping[str, Any]  # what the seat sees, in the game's JSON form
    made: int | None = None  # the move that was made there, if that is known


class Judge(Protocol):
    """The preferences of a knowledge base; an estimate of the other hands, where there is one, is told to it."""

    @property
    def kb(self) -> KnowledgeBase:
        """Where the preferences, their words and the constraints are written down."""

    @property
    def outputs(self) -> tuple[Atom, ...]:
        """``cost(Name, Weight)`` of every preference, and ``violated(K)`` of every constraint."""

    def groups(self, estimated: bool = False) -> Counter[str]:
        """How many preferences of each group can fire at all, with an estimate of the other hands or without one."""

    def fired(
        self, decisions: Any, lists: MoveLists, estimate: Estimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """Which of the outputs hold for the candidates, in portions: which moves, and [outputs, moves]."""

    def costs(
        self, decisions: Any, lists: MoveLists, estimate: Estimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """[moves] the cost of each candidate, and whether it is consistent with the knowledge base."""

    def facts(self, decisions: Any, lists: MoveLists, estimate: Estimate | None = None) -> NDArray[np.uint8]:
        """[every input of the knowledge base, moves] what it is told of the candidates; see ``kb.input_atoms``."""


@runtime_checkable
class Listener(Protocol):
    """Somebody who is told what happens at the tables, in order: a recorder, a server, a display."""

    def episode_began(self, tables: Any, which: Indices) -> None:
        """Cards are dealt; nothing has been paid yet."""

    def chosen(self, tables: Any, which: Indices, option: NDArray[np.uint8]) -> None:
        """The seats to decide are about to choose these options: a card to pay, a bid."""

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """The seats to decide are about to make these moves."""

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """The order of finish is complete; levels are still those of the episode."""

    def match_ended(self, tables: Any, which: Indices) -> None:
        """The winner is known."""


class Tables(Protocol):
    """Matches in progress."""

    listener: Listener | None

    def __len__(self) -> int: ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that tells these tables from others, by name, in place: to save it, and to write it back."""

    @property
    def winner(self) -> NDArray[np.int8]:
        """[n] a team, DRAW, or -1 while the match runs."""

    @property
    def episode(self) -> NDArray[np.int32]:
        """[n] episodes finished in the match."""

    def outcome(self, which: Indices) -> NDArray[np.float64]:
        """[n, seats] what finished matches were worth to each seat; they add up to nothing."""

    def roles(self, which: Indices) -> NDArray[np.int8]:
        """[n, seats] the part of each seat in the match, a number of Engine.roles."""

    def rate(self, which: Indices, theirs: NDArray[np.int8], mine: NDArray[np.int8]) -> NDArray[np.float32]:
        """[n] what a point that seats theirs [n] win is worth to seats mine [n]."""

    @property
    def seat(self) -> NDArray[np.int8]:
        """[n] the seat to decide."""

    @property
    def clock(self) -> NDArray[np.int32]:
        """[n] decisions so far in the match."""

    @property
    def keys(self) -> NDArray[np.uint64]:
        """[n] what the cards of each match are dealt from."""

    def playing(self) -> Indices:
        """The tables where a seat is to play."""

    def choosing(self) -> Indices:
        """The tables where a seat is to choose something."""

    def decisions(self, which: Indices) -> Decisions:
        """The plays to decide at tables that are playing."""

    def choices(self, which: Indices) -> Choices:
        """What there is to choose at tables that are choosing."""

    def observe(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, features] what seats [n] see at these tables, by default those to decide; see Engine.observation."""

    def hidden(self, which: Indices, seats: NDArray[np.int8] | None = None) -> Constraints:
        """What seats [n] know of the hands they do not see at these tables, by default the seats to decide."""

    def hints(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.float32]:
        """[n, others, cards] how what the others did changes the odds of a copy for seats [n], see Decisions.hints."""

    def open_hands(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, seats, cards] every hand in the order of play, that of seats [n] first, by default of those to decide."""

    def others(self, which: Indices, seats: NDArray[np.int8] | None = None) -> NDArray[np.uint8]:
        """[n, others, cards] the hands that seats [n] do not see, likewise."""

    def laid_by_others(self, which: Indices, seats: NDArray[np.int8]) -> NDArray[np.uint8]:
        """[n, others, cards] what these others have laid down in the episode."""

    def play(self, which: Indices, moves: Moves) -> None:
        """Make one legal move at each of these tables."""

    def choose(self, which: Indices, options: NDArray[np.uint8]) -> None:
        """Choose one option at each of these tables."""

    def begin_match(self, which: Indices, keys: NDArray[np.uint64]) -> None:
        """Start a new match at each of these tables."""
