"""The one interface of all games.

A *Game* is light: it knows its rule files. Its *Engine* is a knowledge base compiled into circuits, which lays the
*Tables* of ``tables.py``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.features import FeatureTable
from abl_cards.games.hidden import Estimate
from abl_cards.games.naming import PlayName
from abl_cards.games.tables import (
    Action,
    Decisions,
    Indices,
    Judge,
    Listener,
    Moment,
    MoveLists,
    Tables,
)
from abl_cards.logic import Circuit, KnowledgeBase, Term
from abl_cards.logic.sorts import Sorts


class GameError(ValueError):
    """Something asked of a game that it cannot do, said in one line."""


@dataclass(frozen=True)
class Traits:
    """What the plain heuristics need to know of the labels."""

    kind: NDArray[np.int16]  # [labels] labels of one type share a number
    cards: NDArray[np.int8]  # [labels] cards of the label's smallest form
    bomb: NDArray[np.bool_]  # [labels] beats other types
    pass_label: int


@dataclass(frozen=True)
class Disagreement:
    """A line of a record that the rules do not confirm."""

    line: int  # from 1
    text: str


@dataclass(frozen=True)
class Replay:
    """What came of playing records again."""

    episodes: int
    plays: int
    disagreements: tuple[Disagreement, ...]


class Recorder(Listener, Protocol):
    """A listener that writes matches down."""

    def records(self, table: int) -> list[dict[str, Any]]:
        """The finished episodes of the match at a table as JSON objects; forgets them."""


class Engine(Protocol):
    """A game's knowledge base, compiled."""

    @property
    def game(self) -> str:
        """The name of the game."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The pseudo-actions in the order of masks and policies."""

    @property
    def rules(self) -> Any:
        """What the knowledge base says, in the game's own type."""

    @property
    def traits(self) -> Traits:
        """The labels from the eyes of a plain heuristic."""

    @property
    def observation(self) -> FeatureTable:
        """What the numbers of an observation mean."""

    @property
    def symmetries(self) -> NDArray[np.int64]:
        """[k, cards] orders of the cards that change no rule, the natural one among them."""

    @property
    def teams(self) -> NDArray[np.int8]:
        """[seats] the team of each seat."""

    @property
    def seatings(self) -> NDArray[np.int8]:
        """[ways, seats] every way in which two agents, 0 and 1, share the seats in the games of a deal."""

    @property
    def roles(self) -> tuple[str, ...]:
        """The parts that seats have in the game; a single one where all are alike."""

    @property
    def choices(self) -> int:
        """How many options there are, whatever is asked."""

    @property
    def play_circuit(self) -> Circuit:
        """The circuit that is asked at every decision."""

    def tables(self, keys: NDArray[np.uint64], listener: Listener | None = None) -> Tables:
        """Begin a match a key."""

    def imagine(self, decisions: Any, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Tables like those of decisions rows [m], where the others hold hands [m, others, cards]: to try what follows.

        Nothing follows the end of their episode. Who is to decide may have another seat there. Raises GameError away
        from a table.
        """

    def openings(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[labels, n] which labels hands [n, cards] could lead, in contexts [n] of decisions."""

    def answers(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n, labels] whether somebody with hand [n, cards] could answer each label, in contexts [n] of decisions."""

    def plays_left(self, decisions: Any, lists: MoveLists) -> NDArray[np.uint8]:
        """[moves] the least number of plays that empties the hand after each move of some decisions.

        Raises GameError in a game that does not count them.
        """

    def plays_to_go(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n] the least number of plays that empties each of hands [n, cards], in contexts [n] of decisions."""

    def judge(self, without: Collection[str] = (), directory: Path | None = None) -> Judge:
        """The preferences, but for those of some groups; from another folder of rule files where one is given."""

    @property
    def sorts(self) -> Sorts:
        """What the arguments of the game's predicates stand for, by the names that ``spell`` knows."""

    def spell(self, sort: str, value: Term, language: str) -> str:
        """An argument of this sort in a word: a rank, a suit."""

    def label_of(self, form: int) -> str:
        """The label of a shape, which is an index of the game's own; see Moves."""

    def name(self, label: str) -> PlayName:
        """What Chinese players call a label; a card to be given and a bid have their stage as label."""

    def action(self, form: int, cards: NDArray[np.uint8]) -> Action:
        """A move in the words of the game."""

    def look(self, decisions: Any, row: int = 0) -> Moment:
        """One of some decisions or choices."""

    def show(self, moment: Moment, language: str = "en") -> str:
        """What the seat sees, as text."""

    def moment(self, value: Mapping[str, Any], move: int | None = None) -> Moment:
        """The decision of a state, or that of a record before a move (from 1), in JSON form; raises GameError."""

    def recorded(self, records: Sequence[Mapping[str, Any]], moves: Sequence[int]) -> Decisions:
        """The decisions of records before these moves, one a record; raises GameError."""

    def plays_of(self, records: Sequence[Mapping[str, Any]]) -> list[list[int]]:
        """The numbers of the moves of records where something is played, and nothing chosen; none of a wrong record."""

    def adopt(self, decisions: Any) -> tuple[NDArray[np.bool_], Any]:
        """Decisions or choices of other rules of the same game by these: which of them there are here, and those."""

    def recorder(self, tables: int, **extra: Any) -> Recorder:
        """A listener that writes down the matches at so many tables, with extra fields in every record."""

    def replay(
        self,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None = None,
        kept: dict[str, Any] | None = None,
    ) -> Replay:
        """Play records again, one a line, and compare; a line that could not be read is given as its error.

        A listener hears every episode at a table of its own, in the order of the lines that can be checked. A file may
        be given piece by piece, with one dictionary in which the game keeps what later pieces hang on.
        """

    def legal_moves(self, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
        """The complete lists of legal moves of states in the game's JSON form, or what is wrong with a state."""

    def legal_labels(self, states: Sequence[Mapping[str, Any]]) -> list[list[str] | GameError]:
        """The legal labels of states in the game's JSON form, or what is wrong with a state."""

    def rewards(self, tables: Any, which: Indices) -> NDArray[np.float32]:
        """[n, seats] what the episode is worth that has just ended at these tables (see Listener.episode_ended)."""

    def sample_facts(self, states: int, seed: int) -> NDArray[np.uint8]:
        """[every input of the knowledge base, states] random states that cover all the rules, for verification."""

    def sample_decisions(self, states: int, seed: int) -> Decisions:
        """Random plays to decide, for measuring."""

    def sample_estimate(self, decisions: Any, seed: int) -> Estimate:
        """Random beliefs about the other hands, for verification; some decisions have none and get zeros."""

    def sample_leads(self, states: int, seed: int) -> Decisions:
        """Full hands that lead, for measuring."""

    def draw(self, tables: Any, table: int) -> str:
        """A table as text, with the legal labels of the seat to decide."""


class Game(Protocol):
    """A game by its rule files."""

    @property
    def name(self) -> str:
        """The word for it in commands, and the name of its packages."""

    @property
    def title(self) -> str:
        """Its name in its own language."""

    @property
    def home(self) -> Path:
        """The rule files that come with the package."""

    def knowledge(self, directory: Path | None = None, profile: str | None = None, cache: bool = True) -> KnowledgeBase:
        """Load and check the rule files, the game's own by default; raises KBError."""

    def engine(self, directory: Path | None = None, profile: str | None = None) -> Engine:
        """Compile the rule files; raises KBError."""
