"""Guandan behind the interface of all games."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations
from math import factorial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import CARDS, hand_of
from abl_cards.cards import SUITS as CARD_SUITS
from abl_cards.games.features import FeatureTable
from abl_cards.games.game import GameError, Recorder, Replay, Traits
from abl_cards.games.guandan import moments
from abl_cards.games.guandan.course import LEADING, NOTHING
from abl_cards.games.guandan.decisions import Decisions, Exchanges, card_options, decide, decide_exchange, read_hands
from abl_cards.games.guandan.drawing import draw_table, draw_view
from abl_cards.games.guandan.knowledge import load_kb
from abl_cards.games.guandan.observations import OBSERVATION
from abl_cards.games.guandan.plays import PlayCounter
from abl_cards.games.guandan.preferences import GuandanFacts
from abl_cards.games.guandan.readings import action_of, identify
from abl_cards.games.guandan.records import GuandanRecorder
from abl_cards.games.guandan.replay import replay
from abl_cards.games.guandan.rewards import episode_rewards
from abl_cards.games.guandan.rulebook import Rules, rules_of
from abl_cards.games.guandan.samples import sample_facts, sample_hands
from abl_cards.games.guandan.sequels import Standings
from abl_cards.games.guandan.shapes import SUITS
from abl_cards.games.guandan.tables import Tables
from abl_cards.games.guandan.wire import Action, State, hand_order, reading
from abl_cards.games.guandan.wording import SORTS, name, spell
from abl_cards.games.hidden import Estimate, share_out
from abl_cards.games.naming import PlayName
from abl_cards.games.preferences import Preferences, read_preferences
from abl_cards.games.shapes import functor
from abl_cards.games.tables import Indices, Listener, Moment, MoveLists
from abl_cards.logic import Circuit, Term
from abl_cards.logic.sorts import Sorts


class _Asked(NamedTuple):
    """States that were asked about, and the decisions among them."""

    states: list[State | GameError]
    playing: list[int]  # the numbers of the states that are decisions
    decisions: Decisions


@dataclass(frozen=True)
class GuandanEngine:
    """A knowledge base of Guandan, compiled."""

    rules: Rules
    game: str = "guandan"

    @property
    def labels(self) -> tuple[str, ...]:
        """The 168 pseudo-actions in the order of masks and policies."""
        return self.rules.labels

    @property
    def observation(self) -> FeatureTable:
        """The paper's table 1."""
        return OBSERVATION

    @cached_property
    def symmetries(self) -> NDArray[np.int64]:
        """[6, 54] orders of the cards that change no rule: suits swapped, but for the suit of the wild cards."""
        wild = CARD_SUITS.index(SUITS[self.rules.book.wild_suit].upper()) if self.rules.book.wild_suit >= 0 else -1
        free = [suit for suit in range(4) if suit != wild]
        orders = np.tile(np.arange(54), (factorial(len(free)), 1))
        for row, order in zip(orders, permutations(free), strict=True):
            for suit, other in zip(free, order, strict=True):
                row[suit:52:4] = np.arange(other, 52, 4)
        return orders

    @property
    def teams(self) -> NDArray[np.int8]:
        """[4] seats 0 and 2 play against 1 and 3."""
        return np.array([0, 1, 0, 1], dtype=np.int8)

    @property
    def seatings(self) -> NDArray[np.int8]:
        """[2, 4] each agent is one of the teams."""
        return np.stack([self.teams, 1 - self.teams])

    @property
    def roles(self) -> tuple[str, ...]:
        """All seats are alike."""
        return ("player",)

    @property
    def choices(self) -> int:
        """The cards of the 54-vector."""
        return CARDS

    @property
    def play_circuit(self) -> Circuit:
        """legal/1 of every label, then move/1 of every form."""
        return self.rules.play

    @cached_property
    def traits(self) -> Traits:
        """The labels from the eyes of a plain heuristic."""
        shapes = self.rules.shapes
        bombs = {form.label for form in shapes.forms if self.rules.tiers[form.kind] > 0}
        functors = [functor(label) for label in shapes.labels]
        kinds = {name: number for number, name in enumerate(dict.fromkeys(functors))}
        return Traits(
            kind=np.array([kinds[name] for name in functors], np.int16),
            cards=shapes.label_size,
            bomb=np.array([label in bombs for label in range(len(shapes.labels))]),
            pass_label=shapes.label_index["pass"],
        )

    def tables(self, keys: NDArray[np.uint64], listener: Listener | None = None) -> Tables:
        """Begin a match a key."""
        return Tables.begin(self.rules, keys, listener)

    def imagine(self, decisions: Decisions, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Tables like those of some decisions, where the others hold hands [m, 3, 54] instead."""
        return Tables.imagine(decisions, rows, hands)

    def openings(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[168, n] which labels hands [n, 54] could lead at levels [n]."""
        return decide(self.rules, hands, context.astype(np.int8), np.full(len(hands), LEADING, np.int16)).legal

    def answers(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n, 168] whether hands [n, 54] could answer each label, at levels [n]."""
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
        return self.rules.labels[self.rules.shapes.form_label[form]]

    def name(self, label: str) -> PlayName:
        """What Chinese players call a label."""
        return name(label)

    def plays_left(self, decisions: Decisions, lists: MoveLists) -> NDArray[np.uint8]:
        """[moves] the least number of plays that empties the hand after each move of some decisions."""
        return self._counter.plays_left_after(decisions, lists)

    def plays_to_go(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n] the least number of plays of hands [n, 54] at levels [n]."""
        return self._counter.plays_left(hands, context.astype(np.int8))

    @cached_property
    def _counter(self) -> PlayCounter:
        return PlayCounter.of(self.rules)

    def judge(self, without: Collection[str] = (), directory: Path | None = None) -> Preferences:
        """The preferences of the knowledge base, or of another folder; raises GameError, KBError."""
        kb = self.rules.kb if directory is None else load_kb(directory, self.rules.profile)
        return read_preferences(kb, GuandanFacts(self.rules), without)

    def look(self, decisions: Decisions | Exchanges, row: int = 0) -> Moment:
        """One of some decisions or exchanges."""
        return moments.look(self.rules, decisions, row)

    def show(self, moment: Moment, language: str = "en") -> str:
        """What the seat sees, as text."""
        return draw_view(moment.state, language)

    def moment(self, value: Mapping[str, Any], move: int | None = None) -> Moment:
        """The decision of a state, or that of a record before a move (from 1); raises GameError."""
        if isinstance(value, Mapping) and ("plays" in value or "hands" in value):
            return moments.of_record(self.rules, value, move)
        if move is not None:
            raise GameError("a state has no moves to choose from; --move goes with a record")
        return moments.of_state(self.rules, value)

    def recorded(self, records: Sequence[Mapping[str, Any]], moves: Sequence[int]) -> Decisions:
        """The decisions of records before these moves, one a record; raises GameError."""
        stories = [moments.read_told(record, move) for record, move in zip(records, moves, strict=True)]
        return moments.tell(self.rules, stories).decisions(np.arange(len(stories)))

    def adopt(
        self, decisions: Decisions | Exchanges
    ) -> tuple[NDArray[np.bool_], Decisions] | tuple[NDArray[np.bool_], Exchanges]:
        """Choices of other rules by these; what cannot come up here is left out.

        That is a play to beat that there is not, or a card to give where none may be given.
        """
        if isinstance(decisions, Exchanges):
            return self._adopt_exchanges(decisions)
        ours = self.rules.shapes.form_index
        names = [form.name for form in decisions.rules.shapes.forms]
        forms = np.array([*(ours.get(name, NOTHING) for name in names), LEADING], np.int16)
        to_beat = forms[decisions.to_beat]
        kept = to_beat != NOTHING
        situation = decisions.situation.at(kept)
        return kept, decide(self.rules, situation.hand, decisions.hands.level[kept], to_beat[kept], situation)

    def _adopt_exchanges(self, exchanges: Exchanges) -> tuple[NDArray[np.bool_], Exchanges]:
        which, level, situation, stage = exchanges.which, exchanges.hands.level, exchanges.situation, exchanges.stage
        options = decide_exchange(self.rules, which, level, situation, stage).options
        kept: NDArray[np.bool_] = np.any(options, axis=1)
        return kept, decide_exchange(self.rules, which[kept], level[kept], situation.at(kept), stage[kept])

    def recorder(self, tables: int, **extra: Any) -> Recorder:
        """A listener that writes down the matches at so many tables."""
        return GuandanRecorder(self.rules, tables, extra)

    def replay(
        self,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None = None,
        kept: dict[str, Any] | None = None,
    ) -> Replay:
        """Play records again, one a line, and compare; every episode has a table of its own."""
        standings = Standings() if kept is None else kept.setdefault("standings", Standings())
        return replay(self.rules, records, listener, standings)

    def legal_moves(self, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
        """The complete lists of legal moves of states in JSON form, or what is wrong with a state."""
        asked = self._ask(states)
        answers: list[list[Any] | GameError] = [self._card_moves(state) for state in asked.states]
        lists = asked.decisions.moves()
        for row, number in enumerate(asked.playing):
            rows = range(lists.start[row], lists.start[row + 1])
            answers[number] = [self.action(lists.form[move], lists.cards[move]).to_json() for move in rows]
        return answers

    def legal_labels(self, states: Sequence[Mapping[str, Any]]) -> list[list[str] | GameError]:
        """The legal labels of states in JSON form, none in a tribute, or what is wrong with a state."""
        asked = self._ask(states)
        answers: list[list[str] | GameError] = [[] if isinstance(state, State) else state for state in asked.states]
        for row, number in enumerate(asked.playing):
            answers[number] = [self.labels[label] for label in np.flatnonzero(asked.decisions.legal[:, row])]
        return answers

    def _ask(self, values: Sequence[Mapping[str, Any]]) -> _Asked:
        """Read states; those in the middle of a trick become decisions."""
        states: list[State | GameError] = []
        playing: list[int] = []
        to_beat: list[int] = []
        for number, value in enumerate(values):
            try:
                state = self._read(value)
                if state.stage == "play":
                    with reading("to_beat"):
                        form = LEADING if state.to_beat is None else self.identify(state.level, state.to_beat)
                    playing.append(number)
                    to_beat.append(form)
                states.append(state)
            except GameError as problem:
                states.append(problem)
        chosen = [state for state in (states[number] for number in playing) if isinstance(state, State)]
        hands = np.array([hand_of(state.hand) for state in chosen], np.uint8).reshape(-1, 54)
        levels = np.array([state.level for state in chosen], np.int8)
        return _Asked(states, playing, decide(self.rules, hands, levels, np.array(to_beat, np.int16)))

    def _read(self, value: Mapping[str, Any]) -> State:
        state = State.from_json(value)
        if state.profile not in (None, self.rules.profile):
            raise GameError(f"profile: the rules are loaded for '{self.rules.profile}' (choose with --profile)")
        return state

    def _card_moves(self, state: State | GameError) -> list[Any] | GameError:
        """The cards that may be paid or returned in a state of that kind."""
        if isinstance(state, GameError) or state.stage == "play":
            return [] if isinstance(state, State) else state
        hand = hand_of(state.hand)
        asked = self.rules.tribute if state.stage == "tribute" else self.rules.back
        options = card_options(self.rules, asked, read_hands(self.rules, hand[None], np.array([state.level], np.int8)))[
            0
        ]
        chosen = [card for card in hand_order(state.level) if options[card]]
        return [Action(state.stage, state.stage, (card,)).to_json() for card in chosen]

    def action(self, form: int, cards: NDArray[np.uint8]) -> Action:
        """A move in the words of the protocol."""
        return action_of(self.rules, form, cards)

    def identify(self, level: int, action: Action) -> int:
        """The form that somebody has laid down; raises GameError when no hand could have led it so."""
        return identify(self.rules, level, action)

    def rewards(self, tables: Tables, which: Indices) -> NDArray[np.float32]:
        """[n, 4] what the episode is worth that has just ended at these tables: the paper's table 3."""
        return episode_rewards(tables.course.order[which])

    def sample_facts(self, states: int, seed: int) -> NDArray[np.uint8]:
        """[every input of the knowledge base, states] random states of all stages."""
        return sample_facts(self.rules, states, seed)

    def sample_decisions(self, states: int, seed: int) -> Decisions:
        """Random hands of 1 to 27 cards that lead, or follow every type."""
        return sample_hands(self.rules, states, seed)

    def sample_estimate(self, decisions: Decisions | Exchanges, seed: int) -> Estimate:
        """[n, 3, 54] the unseen cards shared out at random, whole or in parts; zeros for one decision in four."""
        return share_out(decisions.situation.unseen, len(self.teams) - 1, seed)

    def sample_leads(self, states: int, seed: int) -> Decisions:
        """Hands of 27 random cards that lead."""
        return sample_hands(self.rules, states, seed, cards=27, leading=True)

    def draw(self, tables: Tables, table: int) -> str:
        """A table as text, with the legal labels of the seat to decide."""
        return draw_table(self.rules, tables, table)


@cache
def engine_of(directory: Path | None = None, profile: str = "standard") -> GuandanEngine:
    """The engine of a knowledge base, compiled once a process; raises KBError."""
    return GuandanEngine(rules_of(directory, profile))
