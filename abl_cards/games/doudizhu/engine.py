"""Dou dizhu behind the interface of all games."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.doudizhu import moments
from abl_cards.games.doudizhu.botzone import BotzoneScript, bot_source
from abl_cards.games.doudizhu.course import LEADING, NOTHING, counts_of, keys_of
from abl_cards.games.doudizhu.deals import Dealer, Hands
from abl_cards.games.doudizhu.decisions import CHOICES, Decisions, Exchanges, decide
from abl_cards.games.doudizhu.drawing import draw_table, draw_view
from abl_cards.games.doudizhu.hidden import OTHERS
from abl_cards.games.doudizhu.knowledge import MOST_CARDS, RULE_FILES
from abl_cards.games.doudizhu.observations import OBSERVATION
from abl_cards.games.doudizhu.plays import counter_of, keys_laid
from abl_cards.games.doudizhu.preferences import DoudizhuFacts
from abl_cards.games.doudizhu.records import DoudizhuRecorder
from abl_cards.games.doudizhu.replay import replay
from abl_cards.games.doudizhu.rulebook import NOT_YET, Rules, rules_of
from abl_cards.games.doudizhu.samples import sample_facts, sample_hands
from abl_cards.games.doudizhu.shapes import COUNT
from abl_cards.games.doudizhu.strength import HandScorer
from abl_cards.games.doudizhu.tables import Deal, Tables
from abl_cards.games.doudizhu.wire import Action, State
from abl_cards.games.doudizhu.wording import SORTS, name, spell
from abl_cards.games.features import FeatureTable
from abl_cards.games.game import GameError, Recorder, Replay, Traits
from abl_cards.games.hidden import Estimate, share_out
from abl_cards.games.naming import PlayName
from abl_cards.games.preferences import Preferences, read_preferences
from abl_cards.games.shapes import functor
from abl_cards.games.tables import Indices, Judge, Listener, Moment, MoveLists
from abl_cards.logic import Circuit, Term
from abl_cards.logic.sorts import Sorts
from abl_cards.logic.terms import text_of

_GIVEN = ((0, 1, 1), (1, 0, 0))
_BID_FOR = ((0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))


@dataclass(frozen=True)
class DoudizhuEngine:
    """A knowledge base of Dou dizhu, compiled."""

    rules: Rules
    game: str = "doudizhu"
    deck: Deal | None = None  # what is played, by the number of the match; None to shuffle

    @property
    def labels(self) -> tuple[str, ...]:
        """The pseudo-actions in the order of masks and policies."""
        return self.rules.labels

    @property
    def observation(self) -> FeatureTable:
        """What a seat sees."""
        return OBSERVATION

    @property
    def symmetries(self) -> NDArray[np.int64]:
        """[1, 15] no two ranks can be swapped; suits are nowhere told apart."""
        return np.arange(COUNT)[None]

    @property
    def teams(self) -> NDArray[np.int8]:
        """[3] the landlord against the peasants, where he is not bid for."""
        return np.array([0, 1, 1], np.int8)

    @property
    def seatings(self) -> NDArray[np.int8]:
        """[2, 3] each agent is the landlord once; or [6, 3], where anybody may become the landlord."""
        return np.array(_BID_FOR if self.rules.bid_for else _GIVEN, np.int8)

    @property
    def roles(self) -> tuple[str, ...]:
        """The landlord, and the peasants together."""
        return ("landlord", "peasants")

    @property
    def choices(self) -> int:
        """The bids."""
        return len(CHOICES)

    @property
    def play_circuit(self) -> Circuit:
        """legal/1 of every label."""
        return self.rules.play

    @cached_property
    def traits(self) -> Traits:
        """The labels from the eyes of a plain heuristic."""
        kinds = [shape.kind or functor(shape.label) for shape in self.rules.shapes.shapes]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(kinds))}
        return Traits(
            kind=np.array([numbers[name] for name in kinds], np.int16),
            cards=np.array([shape.cards for shape in self.rules.shapes.shapes], np.int8),
            bomb=self.rules.tiers > 0,
            pass_label=self.rules.passing,
        )

    def tables(self, keys: NDArray[np.uint64], listener: Listener | None = None) -> Tables:
        """Begin a match a key."""
        return Tables.begin(self.rules, keys, listener, self.deck)

    @cached_property
    def dealer(self) -> Dealer:
        """Whole deals by the rules."""
        return Dealer.of(self.rules.kb)

    @cached_property
    def scorer(self) -> HandScorer:
        """What hands are worth by the rules."""
        return HandScorer.of(self.rules.kb)

    def difficulty(self, language: str = "en") -> tuple[str, ...]:
        """A word for each class of deals, from 0."""
        words = {int(number): text_of(word) for number, tongue, word in self.rules.kb.facts("difficulty", 3)
                 if str(tongue) == language}  # fmt: skip
        return tuple(words.get(number, str(number)) for number in range(max(words, default=-1) + 1))

    def read_deals(self, values: Sequence[Mapping[str, Any] | GameError]) -> Hands:
        """Deals from their JSON forms, one a line; raises GameError that names the line."""
        found = []
        for line, value in enumerate(values, start=1):
            try:
                if isinstance(value, GameError):
                    raise value
                found.append(self.dealer.read(value))
            except GameError as problem:
                raise GameError(f"line {line}: {problem}") from None
        if not found:
            raise GameError("no deals")
        return Hands.joined(found)

    def with_deals(self, deals: Hands) -> DoudizhuEngine:
        """The same game, dealt so; raises GameError where the landlord is bid for, since a deal says who he is."""
        if self.rules.bid_for:
            raise GameError(f"given deals say who the landlord is; profile {self.rules.profile} bids for him")
        return replace(self, deck=deals.on_tables())

    def split_rules(self) -> Rules:
        """The rules of splits are among the others."""
        return self.rules

    def imagine(self, decisions: Decisions, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Tables like those of some decisions, where the others hold hands [m, 2, 15] instead."""
        return Tables.imagine(decisions, rows, hands)

    def openings(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[309, n] which labels hands [n, 15] could lead."""
        return decide(self.rules, keys_of(hands), np.full(len(hands), LEADING, np.int16)).legal

    def answers(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n, 309] whether hands [n, 15] could answer each label."""
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
        laid = keys_laid(lists.cards)
        return counter_of(self.rules).plays_left_after(decisions.situation.hand, lists.start, laid)

    def plays_to_go(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n] about how many plays hands [n, 15] take."""
        return counter_of(self.rules).plays_left(keys_of(hands))

    def judge(self, without: Collection[str] = (), directory: Path | None = None) -> Preferences:
        """The preferences of the knowledge base, or of another folder; raises GameError, KBError."""
        kb = self.rules.kb if directory is None else RULE_FILES.load(directory, self.rules.profile)
        return read_preferences(kb, DoudizhuFacts(self.rules), without)

    def look(self, decisions: Decisions | Exchanges, row: int = 0) -> Moment:
        """One of some decisions or bids."""
        return moments.look(self.rules, decisions, row)

    def show(self, moment: Moment, language: str = "en") -> str:
        """What the seat sees, as text."""
        return draw_view(moment.state, language)

    def moment(self, value: Mapping[str, Any], move: int | None = None) -> Moment:
        """The decision of a state, or that of a record before a move (from 1); raises GameError."""
        if isinstance(value, Mapping) and ("hands" in value or "init_hand_cards" in value):
            return moments.of_record(self.rules, value, move)
        if move is not None:
            raise GameError("a state has no moves to choose from; --move goes with a record")
        return moments.of_state(self.rules, value)

    def recorded(self, records: Sequence[Mapping[str, Any]], moves: Sequence[int]) -> Decisions:
        """The decisions of records before these moves, one a record; raises GameError."""
        stories = [moments.read_told(self.rules, record, move) for record, move in zip(records, moves, strict=True)]
        return moments.tell(self.rules, stories).decisions(np.arange(len(stories)))

    def adopt(
        self, decisions: Decisions | Exchanges
    ) -> tuple[NDArray[np.bool_], Decisions] | tuple[NDArray[np.bool_], Exchanges]:
        """Choices of other rules by these; what cannot come up here is left out.

        That is a play to beat that there is not, or a bid where nobody may bid.
        """
        if isinstance(decisions, Exchanges):
            return self._adopt_bids(decisions)
        names = decisions.rules.labels
        ours = {label: index for label, index in self.rules.shapes.index.items() if self.rules.tiers[index] >= 0}
        labels = np.array([*(ours.get(name, NOTHING) for name in names), LEADING], np.int16)
        to_beat = labels[decisions.to_beat]
        kept = to_beat != NOTHING
        situation = decisions.situation.at(kept)
        return kept, decide(self.rules, situation.hand, to_beat[kept], situation)

    def _adopt_bids(self, exchanges: Exchanges) -> tuple[NDArray[np.bool_], Exchanges]:
        kept: NDArray[np.bool_] = self.rules.auction.landlord[tuple(exchanges.bids.T)] == NOT_YET
        ours = Exchanges(self.rules, exchanges.which, exchanges.situation, exchanges.bids)
        kept &= ours.options.any(axis=1)
        return kept, ours.at(kept)

    def recorder(self, tables: int, **extra: Any) -> Recorder:
        """A listener that writes down the matches at so many tables."""
        return DoudizhuRecorder(self.rules, tables, extra)

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
        answers, playing, decisions = self._ask(states)
        lists = decisions.moves()
        for row, number in enumerate(playing):
            rows = slice(lists.start[row], lists.start[row + 1])
            answers[number] = [self.action(1, cards).to_json() for cards in lists.cards[rows]]
        return answers

    def legal_labels(self, states: Sequence[Mapping[str, Any]]) -> list[list[str] | GameError]:
        """The legal labels of states in JSON form, none while bidding, or what is wrong with a state."""
        asked, playing, decisions = self._ask(states)
        answers: list[list[str] | GameError] = [answer if isinstance(answer, GameError) else [] for answer in asked]
        for row, number in enumerate(playing):
            answers[number] = [self.labels[label] for label in np.flatnonzero(decisions.legal[:, row])]
        return answers

    def _ask(self, values: Sequence[Mapping[str, Any]]) -> tuple[list[list[Any] | GameError], list[int], Decisions]:
        """Answers to states that are no decision, the numbers of those that are, and the decisions."""
        answers: list[list[Any] | GameError] = [[] for _ in values]
        playing: list[int] = []
        hands: list[int] = []
        to_beat: list[int] = []
        for number, value in enumerate(values):
            try:
                state = State.from_json(value)
                moments.check_profile(self.rules, state)
                if state.stage == "bid":
                    moment = moments.look(self.rules, moments.decide_state_bid(self.rules, state))
                    answers[number] = [action.to_json() for action in moment.actions]
                    continue
                to_beat.append(moments.label_to_beat(self.rules, state))
                hands.append(state.hand)
                playing.append(number)
            except GameError as problem:
                answers[number] = problem
        return answers, playing, decide(self.rules, np.array(hands, np.uint64), np.array(to_beat, np.int16))

    def action(self, form: int, cards: NDArray[np.uint8]) -> Action:
        """A move in words."""
        return moments.action_of(form, cards)

    def rewards(self, tables: Tables, which: Indices) -> NDArray[np.float32]:
        """[n, 3] the points of the game that has just ended at these tables."""
        return tables.outcome(which).astype(np.float32)

    def sample_facts(self, states: int, seed: int) -> NDArray[np.uint8]:
        """[every input of the knowledge base, states] random states of all stages."""
        return sample_facts(self.rules, states, seed)

    def sample_decisions(self, states: int, seed: int) -> Decisions:
        """Random hands of 1 to 20 cards that lead, or follow every type."""
        return sample_hands(self.rules, states, seed)

    def sample_estimate(self, decisions: Decisions | Exchanges, seed: int) -> Estimate:
        """[n, 2, 15] the unseen cards shared out at random, whole or in parts; zeros for one decision in four."""
        return share_out(counts_of(decisions.situation.unseen), OTHERS, seed)

    def sample_leads(self, states: int, seed: int) -> Decisions:
        """Hands of 20 random cards that lead."""
        return sample_hands(self.rules, states, seed, cards=MOST_CARDS, leading=True)

    def script(self) -> BotzoneScript:
        """Somebody to tell programs of others what happens, in the words of Botzone."""
        return BotzoneScript(self.rules)

    def bot_source(self, judge: Judge) -> str:
        """The agent kb as a program in one file for Botzone."""
        return bot_source(self.rules, judge)

    def draw(self, tables: Tables, table: int) -> str:
        """A table as text, with the legal labels of the seat to decide."""
        return draw_table(self.rules, tables, table)


@cache
def engine_of(directory: Path | None = None, profile: str = RULE_FILES.default_profile) -> DoudizhuEngine:
    """The engine of a knowledge base, compiled once a process; raises KBError."""
    return DoudizhuEngine(rules_of(directory, profile))
