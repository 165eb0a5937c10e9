"""Big2 behind the interface of all games, and of races."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.big2 import moments
from abl_cards.games.big2.decisions import Decisions, decide
from abl_cards.games.big2.drawing import SORTS, draw_table, draw_view, name, spell
from abl_cards.games.big2.knowledge import MOST_CARDS, RANK_COUNT, RULE_FILES
from abl_cards.games.big2.observations import OBSERVATION
from abl_cards.games.big2.plays import counter_of, keys_laid, keys_of
from abl_cards.games.big2.preferences import Big2Facts
from abl_cards.games.big2.records import Big2Recorder, read_record, replay
from abl_cards.games.big2.rulebook import LEADING, NOTHING, Rules, rules_of
from abl_cards.games.big2.samples import sample_facts, sample_hands
from abl_cards.games.big2.tables import Tables
from abl_cards.games.big2.wire import Action, check_pack, hand_text, read_some, reading, row_of, row_text
from abl_cards.games.features import FeatureTable
from abl_cards.games.game import GameError, Recorder, Replay, Traits
from abl_cards.games.hidden import Estimate
from abl_cards.games.naming import PlayName
from abl_cards.games.plays import PlayCounter
from abl_cards.games.preferences import Preferences, read_preferences
from abl_cards.games.race import Combinations, Race
from abl_cards.games.tables import Indices, Listener, Moment, MoveLists
from abl_cards.logic import Circuit, Term
from abl_cards.logic.sorts import Sorts


@dataclass(frozen=True)
class Big2Engine:
    """A knowledge base of Big2, compiled."""

    rules: Rules
    game: str = "big2"

    @property
    def labels(self) -> tuple[str, ...]:
        """The paper's quadruples and the pass, in the order of masks and policies."""
        return self.rules.labels

    @property
    def observation(self) -> FeatureTable:
        """What a seat sees."""
        return OBSERVATION

    @property
    def symmetries(self) -> NDArray[np.int64]:
        """[1, 13] no two ranks can be swapped."""
        return np.arange(RANK_COUNT)[None]

    @property
    def teams(self) -> NDArray[np.int8]:
        """[2] everybody for himself."""
        return np.array([0, 1], np.int8)

    @property
    def seatings(self) -> NDArray[np.int8]:
        """[2, 2] each agent leads once."""
        return np.array([[0, 1], [1, 0]], np.int8)

    @property
    def roles(self) -> tuple[str, ...]:
        """Both seats are alike."""
        return ("player",)

    @property
    def choices(self) -> int:
        """Nothing is exchanged."""
        return 0

    @property
    def play_circuit(self) -> Circuit:
        """legal/1 of every label."""
        return self.rules.play

    @cached_property
    def traits(self) -> Traits:
        """The labels from the eyes of a plain heuristic."""
        numbers = {kind: number for number, kind in enumerate(dict.fromkeys(self.rules.kinds))}
        return Traits(
            kind=np.array([numbers[kind] for kind in self.rules.kinds], np.int16),
            cards=self.rules.cards,
            bomb=self.rules.bombs,
            pass_label=self.rules.passing,
        )

    def tables(self, keys: NDArray[np.uint64], listener: Listener | None = None) -> Tables:
        """Begin a match a key."""
        return Tables.begin(self.rules, keys, listener)

    def resume(self, hands: NDArray[np.uint8], listener: Listener | None = None) -> Tables:
        """Matches with these cards, [n, 2, 13] copies of each rank by seat."""
        return Tables.resume(self.rules, hands, listener)

    def imagine(self, decisions: Decisions, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Tables like those of some decisions, where the others hold hands [m, 1, 13] instead."""
        return Tables.imagine(decisions, rows, hands)

    def openings(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[labels, n] which labels hands [n, 13] could lead."""
        return decide(self.rules, hands, np.full(len(hands), LEADING, np.int16)).legal

    def answers(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n, labels] whether hands [n, 13] could answer each label."""
        return self.rules.answers.within(self.openings(context, hands), context)

    @property
    def sorts(self) -> Sorts:
        """What the arguments of the vocabulary stand for."""
        return SORTS

    def spell(self, sort: str, value: Term, language: str) -> str:
        """An argument of this sort in a word."""
        return spell(sort, value, language)

    def label_of(self, form: int) -> str:
        """The label of a shape."""
        return self.rules.labels[form]

    def name(self, label: str) -> PlayName:
        """What Chinese players call a label."""
        return name(label)

    def plays_left(self, decisions: Decisions, lists: MoveLists) -> NDArray[np.uint8]:
        """[moves] the least number of plays that empties the hand after each move of some decisions."""
        return self._counter.plays_left_after(keys_of(decisions.hand), lists.start, keys_laid(lists.cards))

    def plays_to_go(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n] about how many plays hands [n, 13] take."""
        return self._counter.plays_left(keys_of(hands))

    @cached_property
    def _counter(self) -> PlayCounter:
        return counter_of(self.rules)

    def judge(self, without: Collection[str] = (), directory: Path | None = None) -> Preferences:
        """The preferences of the knowledge base, or of another folder; raises GameError, KBError."""
        kb = self.rules.kb if directory is None else RULE_FILES.load(directory, self.rules.profile)
        return read_preferences(kb, Big2Facts(self.rules), without)

    def look(self, decisions: Decisions, row: int = 0) -> Moment:
        """One of some decisions."""
        return moments.look(self.rules, decisions, row)

    def show(self, moment: Moment, language: str = "en") -> str:
        """What the seat sees, as text."""
        return draw_view(moment.state, language)

    def moment(self, value: Mapping[str, Any], move: int | None = None) -> Moment:
        """The decision of a state, or that of a record before a move (from 1); raises GameError."""
        if isinstance(value, Mapping) and "hands" in value:
            return moments.of_record(self.rules, value, move)
        if move is not None:
            raise GameError("a state has no moves to choose from; --move goes with a record")
        return moments.of_state(self.rules, value)

    def recorded(self, records: Sequence[Mapping[str, Any]], moves: Sequence[int]) -> Decisions:
        """The decisions of records before these moves, one a record; raises GameError."""
        read = [read_record(record, self.rules.profile) for record in records]
        return moments.tell(self.rules, list(zip(read, moves, strict=True))).decisions(np.arange(len(read)))

    def adopt(self, decisions: Decisions) -> tuple[NDArray[np.bool_], Decisions]:
        """Decisions of other rules by these; those with a play to beat that there is not here are left out."""
        ours = [self.rules.index.get(label, NOTHING) for label in decisions.rules.labels]
        to_beat = np.array([*ours, LEADING], np.int16)[decisions.to_beat]
        kept = to_beat != NOTHING
        return kept, decide(self.rules, decisions.hand[kept], to_beat[kept], decisions.other[kept])

    def recorder(self, tables: int, **extra: Any) -> Recorder:
        """A listener that writes down the matches at so many tables."""
        return Big2Recorder(self.rules, tables, extra)

    def replay(
        self,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None = None,
        kept: dict[str, Any] | None = None,
    ) -> Replay:
        """Play records again, one a line, and compare; a listener hears every game at a table of its own."""
        return replay(self.rules, records, listener)

    def legal_moves(self, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
        """The complete lists of legal moves of states in JSON form, or what is wrong with a state."""
        answers, asked, decisions = self._ask(states)
        lists = decisions.moves()
        for row, number in enumerate(asked):
            rows = slice(lists.start[row], lists.start[row + 1])
            answers[number] = [row_text(cards) for cards in lists.cards[rows]]
        return answers

    def legal_labels(self, states: Sequence[Mapping[str, Any]]) -> list[list[str] | GameError]:
        """The legal labels of states in JSON form, or what is wrong with a state."""
        answers, asked, decisions = self._ask(states)
        for row, number in enumerate(asked):
            answers[number] = [self.labels[label] for label in np.flatnonzero(decisions.legal[:, row])]
        return answers

    def _ask(self, values: Sequence[Mapping[str, Any]]) -> tuple[list[list[Any] | GameError], list[int], Decisions]:
        """Room for the answers with what is wrong filled in, the numbers of the other states, their decisions."""
        answers: list[list[Any] | GameError] = [[] for _ in values]
        asked: list[int] = []
        hands, to_beat = [], []
        for number, value in enumerate(values):
            try:
                state, label = moments.read_state(self.rules, value)
            except GameError as problem:
                answers[number] = problem
                continue
            asked.append(number)
            hands.append(state.hand)
            to_beat.append(label)
        hand = np.array(hands, np.uint8).reshape(-1, RANK_COUNT)
        return answers, asked, decide(self.rules, hand, np.array(to_beat, np.int16))

    def action(self, form: int, cards: NDArray[np.uint8]) -> Action:
        """A move in words."""
        return Action(row_text(cards))

    def rewards(self, tables: Tables, which: Indices) -> NDArray[np.float32]:
        """[n, 2] the points of the game that has just ended at these tables."""
        return tables.outcome(which).astype(np.float32)

    def sample_facts(self, states: int, seed: int) -> NDArray[np.uint8]:
        """[every input of the knowledge base, states] random states."""
        return sample_facts(self.rules, states, seed)

    def sample_decisions(self, states: int, seed: int) -> Decisions:
        """Random hands of 1 to 26 cards that lead, or follow every type."""
        return sample_hands(self.rules, states, seed)

    def sample_leads(self, states: int, seed: int) -> Decisions:
        """Hands of 26 random cards that lead."""
        return sample_hands(self.rules, states, seed, cards=MOST_CARDS, leading=True)

    def sample_estimate(self, decisions: Decisions, seed: int) -> Estimate:
        """[n, 1, 13] the other hand, which lies open."""
        return decisions.other[:, None].astype(np.float32)

    def draw(self, tables: Tables, table: int) -> str:
        """A table as text, with the legal labels of the seat to decide."""
        return draw_table(self.rules, tables, table)

    def as_race(self) -> Big2Engine:
        """The engine itself."""
        return self

    # --- as a race ---------------------------------------------------------------------------------------------------

    @property
    def combinations(self) -> Combinations:
        """What can be laid down, and what beats what."""
        return self.rules.combinations

    def race(self, own: str, other: str, to_beat: str | None = None) -> Race:
        """A position in texts of cards; raises GameError."""
        with reading("the first hand"):
            mine = read_some(own)
        with reading("the second hand"):
            theirs = read_some(other)
        laid = None
        if to_beat is not None:
            with reading("to beat"):
                laid = read_some(to_beat)
        check_pack(mine, theirs, laid)
        label = LEADING if laid is None else moments.identify(self.rules, laid)
        return Race(tuple(mine.tolist()), tuple(theirs.tolist()), label)

    def races(self, decisions: Decisions) -> list[Race]:
        """The positions of decisions."""
        rows = zip(decisions.hand.tolist(), decisions.other.tolist(), decisions.to_beat.tolist(), strict=True)
        return [Race(tuple(own), tuple(other), to_beat) for own, other, to_beat in rows]

    def cards_text(self, cards: NDArray[np.integer]) -> str:
        """The copies of each rank [13] as text; a pass is empty."""
        return hand_text(cards)

    def play_cards(self, label: int, cards: NDArray[np.integer]) -> tuple[int, NDArray[np.uint8]]:
        """The form and the row of cards of cards that are laid down; LEADING stands for a pass."""
        return (self.rules.passing if label == LEADING else label), row_of(cards)


@cache
def engine_of(directory: Path | None = None, profile: str = RULE_FILES.default_profile) -> Big2Engine:
    """The engine of a knowledge base, compiled once a process; raises KBError."""
    return Big2Engine(rules_of(directory, profile))
