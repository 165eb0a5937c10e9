"""The engine of a folder of rule files, behind the interface of all games.

It holds no rule: what there is to know of a game is in ``Rules``, and the rooms beside this module do the work.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.counting import plays
from abl_cards.games.features import FeatureTable
from abl_cards.games.foreign import Archive, archive_of
from abl_cards.games.game import Game
from abl_cards.games.hidden import Estimate
from abl_cards.games.moment import Action, Moment
from abl_cards.games.naming import PlayName
from abl_cards.games.play.choices import Choices
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.flow import Flow
from abl_cards.games.play.tables import Given, Tables
from abl_cards.games.preferences import Preferences, read_preferences
from abl_cards.games.race import Racing
from abl_cards.games.reading import replies
from abl_cards.games.reading.folder import Folder
from abl_cards.games.reading.rules import Rules
from abl_cards.games.results import Recorder, Replay, Traits
from abl_cards.games.shapes import functor
from abl_cards.games.soundness import compiled_rules, sound_rules
from abl_cards.games.tables import Indices, Listener, MoveLists, Moves
from abl_cards.games.telling import samples
from abl_cards.games.telling.beginnings import Beginnings
from abl_cards.games.telling.judging import FolderFacts
from abl_cards.games.telling.observations import observation_of
from abl_cards.games.telling.planes import Planes, planes_of
from abl_cards.games.telling.situations import Situations
from abl_cards.games.telling.symmetries import symmetries
from abl_cards.games.words import drawing, moments, replay
from abl_cards.games.words.plays import action
from abl_cards.games.words.racing import race_of
from abl_cards.games.words.reasons import Reading, readings_of
from abl_cards.games.words.records import MatchRecorder
from abl_cards.games.words.whole import whole_plays
from abl_cards.logic import Circuit, KBError, Term
from abl_cards.logic.sorts import Sorts

MOST_SEATINGS = 64
SURE = 5.0
"""Seconds within which no limit on time can refuse a folder."""


def engine_of(folder: Folder, profile: str | None, name: str) -> Engine:
    """Compile and check a folder, once as long as its files stay as they are; raises KBError as `kb check` would."""
    found = _compiled(folder, profile, name, (folder.path.resolve(), folder.state(profile)))
    if isinstance(found, KBError):
        raise KBError(found.diagnostics)
    return found


def passing_engine(folder: Folder, profile: str | None, name: str) -> Engine:
    """Compile and check a folder that is edited again and again: no cache keeps the engine. Raises KBError."""
    return Engine(sound_rules(replace(folder), profile), name)


def unchecked_engine(folder: Folder, profile: str | None, name: str) -> Engine:
    """Compile a folder, to compare rules that `kb check` may refuse; raises KBError where they do not compile."""
    return Engine(compiled_rules(replace(folder), profile), name)


@lru_cache(maxsize=64)
def _compiled(folder: Folder, profile: str | None, name: str, state: object) -> Engine | KBError:
    """An engine, or why there is none: what took so long that it may have been out of time is tried again."""
    begun = perf_counter()
    try:
        return Engine(sound_rules(replace(folder), profile), name)  # a folder remembers what it has read
    except KBError as problem:
        if perf_counter() - begun > SURE:
            raise
        return KBError(problem.diagnostics)


@dataclass(frozen=True)
class Engine:
    """A folder of rule files, compiled."""

    rules: Rules
    game: str
    given: Given | None = None  # what is dealt, by the number of the match; None to shuffle

    @property
    def labels(self) -> tuple[str, ...]:
        """The pseudo-actions in the order of masks and policies."""
        return self.rules.label_texts

    @cached_property
    def traits(self) -> Traits:
        """The labels from the eyes of a plain heuristic: a kind is a type, and bombs of all sizes are one."""
        forms, tiers = self.rules.forms, self.rules.tiers
        kind = {form.label: form.kind for form in reversed(forms.forms)}
        kinds = [kind.get(label, "") for label in range(len(self.labels))]
        lowest = min((tiers[name] for name in kinds if name in tiers), default=0)
        bombs = [tiers.get(name, lowest) > lowest for name in kinds]
        types = [functor(str(name)) if bomb else name for name, bomb in zip(kinds, bombs, strict=True)]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(types))}
        return Traits(
            kind=np.array([numbers[name] for name in types], np.int16),
            cards=forms.label_cards.astype(np.int8),
            bomb=np.array(bombs, np.bool_),
            pass_label=int(forms.label_of[forms.passing]),
            tricks=self.rules.taking is not None,
        )

    @cached_property
    def observation(self) -> FeatureTable:
        """What the numbers of an observation mean."""
        return observation_of(self.rules)

    @cached_property
    def planes(self) -> Planes:
        """Its cards as pictures; raises GameError for a game that has none."""
        return planes_of(self.rules)

    @cached_property
    def symmetries(self) -> NDArray[np.int64]:
        """[k, kinds] orders of the cards that change no rule, the natural one among them."""
        return symmetries(self.rules)

    @property
    def teams(self) -> NDArray[np.int8]:
        """[seats] the team of each seat."""
        return np.array(self.rules.table.team, np.int8)

    @cached_property
    def seatings(self) -> NDArray[np.int8]:
        """[ways, seats] every way in which two agents, 0 and 1, share the teams in halves, the last half at will."""
        return _seatings(self.teams)

    @property
    def roles(self) -> tuple[str, ...]:
        """The parts that seats have in the game; a single one where all are alike."""
        return self._flow.roles

    @property
    def choices(self) -> int:
        """How many things there are to choose among."""
        return len(self.rules.words.options)

    @property
    def play_circuit(self) -> Circuit:
        """The circuit that is asked at every decision."""
        return self.rules.play.circuit

    @property
    def _flow(self) -> Flow:
        return Flow.of(self.rules)

    # --- playing
    # -------------------------------------------------------------------------------------------------------

    def tables(self, keys: NDArray[np.uint64], listener: Listener | None = None) -> Tables:
        """Begin a match a key."""
        return Tables.begin(self.rules, keys, listener, self.given)

    def with_deals(self, given: Given) -> Engine:
        """The same game, dealt so: the key of a match is the number of its deal."""
        return replace(self, given=given)

    def imagine(self, decisions: Decisions | Choices, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Tables like those of decisions rows [m], where the others hold hands [m, others, kinds]; raises GameError."""
        return Tables.imagine(decisions, rows, hands)

    @property
    def answerable(self) -> bool:
        """Whether a hand alone says what it could lead, and answer; in tricks the rest of the table does."""
        return self.rules.taking is None

    def openings(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[labels, n] which labels hands [n, kinds] could lead, in contexts [n]; raises GameError, see answerable."""
        return replies.openings(self.rules, context, hands)

    def answers(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n, labels] whether somebody with hand [n, kinds] could answer each label, in contexts [n] of decisions."""
        return replies.answers(self.rules, context, hands)

    def plays_left(self, decisions: Decisions, lists: MoveLists) -> NDArray[np.uint8]:
        """[moves] the least number of plays that empties the hand after each move; raises GameError."""
        return plays.plays_left(self.rules, decisions, lists)

    def plays_to_go(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n] the least number of plays that empties each of hands [n, kinds]; raises GameError."""
        return plays.plays_to_go(self.rules, context, hands)

    def rewards(self, tables: Tables, which: Indices) -> NDArray[np.float32]:
        """[n, seats] the points of the episode that has just ended at these tables."""
        points = tables.points[which].astype(np.float32)
        return points - points.mean(axis=1, keepdims=True)

    def as_race(self) -> Racing:
        """The race of two open hands that the game is; raises GameError, with what it is not."""
        return race_of(self.rules)

    def judge(self, without: Collection[str] = (), directory: Path | None = None) -> Preferences:
        """The preferences of the knowledge base, or of another folder; raises GameError, KBError."""
        kb = self.rules.kb if directory is None else Game(Folder(directory)).knowledge(None, self.rules.profile)
        return read_preferences(kb, FolderFacts(self.rules), without)

    # --- words
    # ---------------------------------------------------------------------------------------------------------

    @cached_property
    def sorts(self) -> Sorts:
        """What the arguments of the predicates stand for."""
        return drawing.sorts(self.rules)

    def spell(self, sort: str, value: Term, language: str) -> str:
        """An argument of this sort in a word."""
        return drawing.spell(self.rules, sort, value, language)

    def label_of(self, form: int) -> str:
        """The label of a form."""
        return self.labels[self.rules.forms.label_of[form]]

    def name(self, label: str) -> PlayName:
        """What Chinese players call a label."""
        return drawing.name(self.rules, label)

    def action(self, form: int, cards: NDArray[np.uint8]) -> Action:
        """A move in words."""
        return action(self.rules, form, cards)

    def look(self, decisions: Decisions | Choices, row: int = 0) -> Moment:
        """One of some decisions or choices."""
        return moments.look(self.rules, decisions, row)

    def show(self, moment: Moment, language: str = "en") -> str:
        """What the seat sees, as text."""
        return drawing.show(self.rules, moment, language)

    def draw(self, tables: Tables, table: int) -> str:
        """A table as text, with the legal labels of the seat to decide."""
        return drawing.draw(self.rules, tables, table)

    def moment(self, value: Mapping[str, Any], move: int | None = None, explained: bool = False) -> Moment:
        """The decision of a state, or that of a record before a move (from 1); raises GameError.

        A state gives what legality reads; where it is to be explained also what the preferences read.
        """
        foreign = self._archive_for([value])
        if foreign:
            return foreign.moment(self.rules, value, move)
        return moments.moment(self.rules, value, move, explained)

    def recorded(self, records: Sequence[Mapping[str, Any]], moves: Sequence[int]) -> Decisions:
        """The decisions of records before these moves, one a record; raises GameError."""
        foreign = self._archive_for(records)
        return foreign.recorded(self.rules, records, moves) if foreign else moments.recorded(self.rules, records, moves)

    def plays_of(self, records: Sequence[Mapping[str, Any]]) -> list[list[int]]:
        """The numbers of the acts of records where something is played, and nothing chosen; none of a wrong record."""
        foreign = self._archive_for(records)
        if foreign:
            return [list(range(1, 1 + foreign.acts(record))) for record in records]
        return moments.plays_of(self.rules, records)

    def readings(self, moment: Moment, play: str) -> list[Reading]:
        """What a play, as JSON or as text, can be at a moment, and why that is legal or is not; raises GameError."""
        return list(readings_of(self.rules, moment, play))

    def legal_moves(self, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
        """The complete lists of legal moves of states in JSON form, or what is wrong with a state."""
        return moments.legal_moves(self.rules, states)

    def whole_moves(self, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
        """The same, with plays that are laid card by card as a whole."""
        return moments.whole_moves(self.rules, states)

    def whole_plays(self, decisions: Decisions, row: int = 0) -> Moves:
        """All whole plays of a decision, each card set once; ``Tables.play`` takes any of them. Raises GameError."""
        return whole_plays(decisions, row)

    def legal_labels(self, states: Sequence[Mapping[str, Any]]) -> list[list[str] | GameError]:
        """The legal labels of states in JSON form, or what is wrong with a state."""
        return moments.legal_labels(self.rules, states)

    def adopt(self, decisions: Decisions | Choices) -> tuple[NDArray[np.bool_], Decisions | Choices]:
        """Decisions or choices of other rules of the same game by these: which of them there are here, and those."""
        return moments.adopt(self.rules, decisions)

    def recorder(self, tables: int, **extra: Any) -> Recorder:
        """A listener that writes down the matches at so many tables."""
        return MatchRecorder(self.rules, tables, extra)

    def replay(
        self,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None = None,
        kept: dict[str, Any] | None = None,
    ) -> Replay:
        """Play records again, one a line, and compare; a listener hears every episode at a table of its own."""
        kept = {} if kept is None else kept
        foreign = kept["archive"] = kept.get("archive") or self._archive_for(records)
        if foreign:
            found: Replay = foreign.replay(self.rules, records, listener, kept)
            return found
        return replay.replay(self.rules, records, listener, kept)

    def _archive_for(self, records: Sequence[Any]) -> Archive | None:
        """Who reads these records, where they are not in our own form: the first that can be read tells."""
        archive = archive_of(self.rules.folder)
        first = next((each for each in records if isinstance(each, Mapping)), None)
        return archive if archive and first is not None and archive.reads(first) else None

    # --- samples
    # -------------------------------------------------------------------------------------------------------

    def sample_facts(self, states: int, seed: int) -> NDArray[np.uint8]:
        """[every input of the knowledge base, states] random states that cover the rules."""
        return samples.sample_facts(self.rules, states, seed)

    def sample_decisions(self, states: int, seed: int) -> Decisions:
        """Random plays to decide."""
        return samples.sample_decisions(self.rules, states, seed)

    def sample_situations(self, met: Situations, states: int, seed: int) -> Decisions:
        """Random plays to decide, at most so many, in situations that were met in play."""
        return samples.sample_situations(self.rules, met, states, seed)

    def sample_deals(self, beginnings: Beginnings, states: int, seed: int) -> tuple[Tables, NDArray[np.uint8]]:
        """Tables that begin an episode as some match has, with hands rich in forms; and the cards of these forms."""
        return samples.sample_deals(self.rules, beginnings, states, seed)

    def sample_leads(self, states: int, seed: int) -> Decisions:
        """Full hands that lead."""
        return samples.sample_leads(self.rules, states, seed)

    def sample_estimate(self, decisions: Decisions | Choices, seed: int) -> Estimate:
        """[n, others, kinds] random beliefs about the other hands."""
        return samples.sample_estimate(self.rules, decisions, seed)


def _seatings(teams: NDArray[np.int8]) -> NDArray[np.int8]:
    """See Engine.seatings; of very many ways some, evenly.

    >>> _seatings(np.array([0, 1, 0, 1], np.int8)).tolist()
    [[0, 1, 0, 1], [1, 0, 1, 0]]
    >>> len(_seatings(np.arange(4, dtype=np.int8))), len(_seatings(np.arange(3, dtype=np.int8)))
    (6, 6)
    """
    several = int(teams.max()) + 1
    ways = [set(first) for first in combinations(range(several), several // 2)]
    if several % 2:
        ways += [set(range(several)) - first for first in ways]
    ways = [ways[place] for place in np.linspace(0, len(ways) - 1, min(len(ways), MOST_SEATINGS)).astype(int)]
    return np.array([[0 if team in first else 1 for team in teams.tolist()] for first in ways], np.int8)
