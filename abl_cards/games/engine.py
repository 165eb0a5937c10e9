"""The engine of a folder of rule files, behind the interface of all games.

It holds no rule: what there is to know of a game is in ``CompiledGame``, and the rooms beside this module do the work.
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

from abl_cards.asp import ArgumentTypes, KBError, Term
from abl_cards.circuit import Circuit, KnowledgeBase
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import Folder, PlayName, functor
from abl_cards.games.endgame import OpenHandRace, build_race
from abl_cards.games.game import Game
from abl_cards.games.importers import RecordImporter, find_importer
from abl_cards.games.min_plays import min_plays
from abl_cards.games.min_plays import plays_left as count_plays_left
from abl_cards.games.notation import (
    MatchRecorder,
    PlayDerivation,
    argument_sorts,
    convert_decisions,
    decision_point_at,
    decisions_at_acts,
    derive_readings,
    find_play_acts,
    legal_composed_moves,
    list_composed_plays,
    notate_move,
    play_name,
    read_decision_point,
    render_table,
    render_view,
    replay_records,
)
from abl_cards.games.notation import legal_labels as list_legal_labels
from abl_cards.games.notation import legal_moves as list_legal_moves
from abl_cards.games.notation import spell as render_argument
from abl_cards.games.preferences import CompiledPreferences, GamePreferenceInputs, compile_preferences
from abl_cards.games.sampling import (
    EpisodeStartRecorder,
    SituationSet,
    find_symmetries,
    sample_input_rows,
    sample_lead_decisions,
    sample_reachable_decisions,
    sample_stacked_tables,
)
from abl_cards.games.sampling import sample_decisions as draw_decisions
from abl_cards.games.sampling import sample_estimate as draw_estimate
from abl_cards.games.tables import (
    Action,
    CardPlanes,
    Choices,
    DecisionPoint,
    Decisions,
    EventRules,
    FixedDeals,
    Listener,
    Recorder,
    Tables,
    build_feature_table,
    build_planes,
    compute_lead_mask,
    compute_response_mask,
)
from abl_cards.games.types import FeatureTable, HandEstimate, Indices, LabelTraits, MoveLists, Moves, ReplayResult
from abl_cards.games.validation import compile_rules, validated_rules

MAX_AGENT_SEATINGS = 64
MIN_TIMEOUT_SECONDS = 5.0
"""Seconds within which no limit on time can refuse a folder."""


def cached_engine(folder: Folder, profile: str | None, name: str) -> Engine:
    """Compile and check a folder, once as long as its files stay as they are; raises KBError as `kb check` would."""
    found = _cached_engine_or_error(folder, profile, name, (folder.path.resolve(), folder.fingerprint(profile)))
    if isinstance(found, KBError):
        raise KBError(found.diagnostics)
    return found


def uncached_engine(folder: Folder, profile: str | None, name: str) -> Engine:
    """Compile and check a folder that is edited again and again: no cache keeps the engine. Raises KBError."""
    return Engine(validated_rules(replace(folder), profile), name)


def unchecked_engine(folder: Folder, profile: str | None, name: str) -> Engine:
    """Compile a folder, to compare rules that `kb check` may refuse; raises KBError where they do not compile."""
    return Engine(compile_rules(replace(folder), profile), name)


@lru_cache(maxsize=64)
def _cached_engine_or_error(folder: Folder, profile: str | None, name: str, state: object) -> Engine | KBError:
    """An engine, or why there is none: what took so long that it may have been out of time is tried again."""
    begun = perf_counter()
    try:
        return Engine(validated_rules(replace(folder), profile), name)  # a folder remembers what it has read
    except KBError as problem:
        if perf_counter() - begun > MIN_TIMEOUT_SECONDS:
            raise
        return KBError(problem.diagnostics)


@dataclass(frozen=True)
class Engine:
    """A folder of rule files, compiled."""

    rules: CompiledGame
    game: str
    fixed_deals: FixedDeals | None = None  # what is dealt, by the number of the match; None to shuffle

    @property
    def labels(self) -> tuple[str, ...]:
        """The pseudo-actions in the order of masks and policies."""
        return self.rules.label_texts

    @cached_property
    def label_traits(self) -> LabelTraits:
        """The labels from the eyes of a plain heuristic: a kind is a type, and bombs of all sizes are one."""
        forms, tiers = self.rules.forms, self.rules.tiers
        kind = {form.label: form.kind for form in reversed(forms.forms)}
        kinds = [kind.get(label, "") for label in range(len(self.labels))]
        lowest = min((tiers[name] for name in kinds if name in tiers), default=0)
        bombs = [tiers.get(name, lowest) > lowest for name in kinds]
        types = [functor(str(name)) if bomb else name for name, bomb in zip(kinds, bombs, strict=True)]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(types))}
        return LabelTraits(
            kind=np.array([numbers[name] for name in types], np.int16),
            min_cards=forms.label_min_cards.astype(np.int8),
            is_bomb=np.array(bombs, np.bool_),
            pass_label=int(forms.label_of[forms.pass_form]),
            has_tricks=self.rules.trick_query is not None,
        )

    @cached_property
    def observation_features(self) -> FeatureTable:
        """What the numbers of an observation mean."""
        return build_feature_table(self.rules)

    @cached_property
    def planes(self) -> CardPlanes:
        """Its cards as pictures; raises GameError for a game that has none."""
        return build_planes(self.rules)

    @cached_property
    def symmetries(self) -> NDArray[np.int64]:
        """[k, kinds] orders of the cards that change no rule, the natural one among them."""
        return find_symmetries(self.rules)

    @property
    def teams(self) -> NDArray[np.int8]:
        """[seats] the team of each seat."""
        return np.array(self.rules.seating.teams, np.int8)

    @cached_property
    def agent_seatings(self) -> NDArray[np.int8]:
        """[ways, seats] every way in which two agents, 0 and 1, share the teams in halves, the last half at will."""
        return _agent_seatings(self.teams)

    @property
    def roles(self) -> tuple[str, ...]:
        """The parts that seats have in the game; a single one where all are alike."""
        return self._event_rules.roles

    @property
    def num_options(self) -> int:
        """How many things there are to choose among."""
        return len(self.rules.schema.options)

    @property
    def play_circuit(self) -> Circuit:
        """The circuit that is asked at every decision."""
        return self.rules.play_query.circuit

    @property
    def _event_rules(self) -> EventRules:
        return EventRules.from_rules(self.rules)

    # --- playing
    # -------------------------------------------------------------------------------------------------------

    def start_matches(self, keys: NDArray[np.uint64], listener: Listener | None = None) -> Tables:
        """Begin a match a key."""
        return Tables.begin(self.rules, keys, listener, self.fixed_deals)

    def with_deals(self, fixed_deals: FixedDeals) -> Engine:
        """The same game, dealt so: the key of a match is the number of its deal."""
        return replace(self, fixed_deals=fixed_deals)

    def determinize(self, decisions: Decisions | Choices, rows: Indices, hands: NDArray[np.uint8]) -> Tables:
        """Tables like those of decisions rows [m], where the others hold hands [m, others, kinds]; raises GameError."""
        return Tables.determinize(decisions, rows, hands)

    @property
    def has_response_masks(self) -> bool:
        """Whether a hand alone says what it could lead, and answer; in tricks the rest of the table does."""
        return self.rules.trick_query is None

    def lead_mask(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[labels, n] which labels hands [n, kinds] could lead, in contexts [n]; raises GameError, see answerable."""
        return compute_lead_mask(self.rules, context, hands)

    def response_mask(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n, labels] whether somebody with hand [n, kinds] could answer each label, in contexts [n] of decisions."""
        return compute_response_mask(self.rules, context, hands)

    def plays_left(self, decisions: Decisions, lists: MoveLists) -> NDArray[np.uint8]:
        """[moves] the least number of plays that empties the hand after each move; raises GameError."""
        return count_plays_left(self.rules, decisions, lists)

    def min_plays(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """[n] the least number of plays that empties each of hands [n, kinds]; raises GameError."""
        return min_plays(self.rules, context, hands)

    def rewards(self, tables: Tables, rows: Indices) -> NDArray[np.float32]:
        """[n, seats] the points of the episode that has just ended at these tables."""
        points = tables.points[rows].astype(np.float32)
        return points - points.mean(axis=1, keepdims=True)

    def as_open_hand_race(self) -> OpenHandRace:
        """The race of two open hands that the game is; raises GameError, with what it is not."""
        return build_race(self.rules)

    def preference_model(self, exclude: Collection[str] = (), directory: Path | None = None) -> CompiledPreferences:
        """Compile preferences for decisions of this game.

        Args:
            exclude: Names of preferences, or of groups of them, to leave out.
            directory: Rule folder to take the preferences from, or a file to read in place of ``preferences.lp``;
                None for the game's own.

        Raises:
            GameError: A name to exclude is unknown, or there is no such folder or file.
            KBError: The rules there have errors.
        """
        kb = self.rules.kb if directory is None else self._load_preferences(directory)
        return compile_preferences(kb, GamePreferenceInputs(self.rules), exclude)

    def _load_preferences(self, path: Path) -> KnowledgeBase:
        """Load the rules of a folder, or those of this game with another file of preferences."""
        if path.is_dir():
            folder = Folder(path)
        elif path.suffix == ".lp" and path.is_file():
            folder = replace(self.rules.folder, preference_file=path)
        else:
            message = f"preferences: {path} is no folder of rule files, and no .lp file; name one of these"
            raise GameError(message, ErrorCode.FILE_NOT_READABLE)
        return Game(folder).knowledge_base(None, self.rules.profile)

    # --- words
    # ---------------------------------------------------------------------------------------------------------

    @cached_property
    def argument_types(self) -> ArgumentTypes:
        """What the arguments of the predicates stand for."""
        return argument_sorts(self.rules)

    def term_text(self, argument_type: str, value: Term, language: str) -> str:
        """An argument of this sort in a word."""
        return render_argument(self.rules, argument_type, value, language)

    def label_of(self, form: int) -> str:
        """The label of a form."""
        return self.labels[self.rules.forms.label_of[form]]

    def play_name(self, label: str) -> PlayName:
        """What Chinese players call a label."""
        return play_name(self.rules, label)

    def notate_move(self, form: int, cards: NDArray[np.uint8]) -> Action:
        """A move in words."""
        return notate_move(self.rules, form, cards)

    def decision_point_at(self, decisions: Decisions | Choices, row: int = 0) -> DecisionPoint:
        """One of some decisions or choices."""
        return decision_point_at(self.rules, decisions, row)

    def render_view(self, decision_point: DecisionPoint, language: str = "en") -> str:
        """What the seat sees, as text."""
        return render_view(self.rules, decision_point, language)

    def render_table(self, tables: Tables, table: int) -> str:
        """A table as text, with the legal labels of the seat to decide."""
        return render_table(self.rules, tables, table)

    def read_decision_point(
        self, value: Mapping[str, Any], move: int | None = None, for_explanation: bool = False
    ) -> DecisionPoint:
        """The decision of a state, or that of a record before a move (from 1); raises GameError.

        A state gives what legality reads; where it is to be explained also what the preferences read.
        """
        foreign = self._importer_for([value])
        if foreign:
            return foreign.read_decision_point(self.rules, value, move)
        return read_decision_point(self.rules, value, move, for_explanation)

    def decisions_at_acts(self, records: Sequence[Mapping[str, Any]], moves: Sequence[int]) -> Decisions:
        """The decisions of records before these moves, one a record; raises GameError."""
        foreign = self._importer_for(records)
        return (
            foreign.decisions_at_acts(self.rules, records, moves)
            if foreign
            else decisions_at_acts(self.rules, records, moves)
        )

    def find_play_acts(self, records: Sequence[Mapping[str, Any]]) -> list[list[int]]:
        """The numbers of the acts of records where something is played, and nothing chosen; none of a wrong record."""
        foreign = self._importer_for(records)
        if foreign:
            return [list(range(1, 1 + foreign.count_plays(record))) for record in records]
        return find_play_acts(self.rules, records)

    def derive_readings(self, decision_point: DecisionPoint, play: str) -> list[PlayDerivation]:
        """What a play, as JSON or as text, can be at a moment, and why that is legal or is not; raises GameError."""
        return list(derive_readings(self.rules, decision_point, play))

    def legal_moves(self, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
        """The complete lists of legal moves of states in JSON form, or what is wrong with a state."""
        return list_legal_moves(self.rules, states)

    def legal_composed_moves(self, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
        """The same, with plays that are laid card by card as a whole."""
        return legal_composed_moves(self.rules, states)

    def list_composed_plays(self, decisions: Decisions, row: int = 0) -> Moves:
        """All whole plays of a decision, each card set once; ``Tables.play`` takes any of them. Raises GameError."""
        return list_composed_plays(decisions, row)

    def legal_labels(self, states: Sequence[Mapping[str, Any]]) -> list[list[str] | GameError]:
        """The legal labels of states in JSON form, or what is wrong with a state."""
        return list_legal_labels(self.rules, states)

    def convert_decisions(self, decisions: Decisions | Choices) -> tuple[NDArray[np.bool_], Decisions | Choices]:
        """Decisions or choices of other rules of the same game by these: which of them there are here, and those."""
        return convert_decisions(self.rules, decisions)

    def new_recorder(self, num_tables: int, **extra: Any) -> Recorder:
        """A listener that writes down the matches at so many tables."""
        return MatchRecorder(self.rules, num_tables, extra)

    def replay(
        self,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None = None,
        carry_over: dict[str, Any] | None = None,
    ) -> ReplayResult:
        """Play records again, one a line, and compare; a listener hears every episode at a table of its own."""
        carry_over = {} if carry_over is None else carry_over
        foreign = carry_over["archive"] = carry_over.get("archive") or self._importer_for(records)
        if foreign:
            found: ReplayResult = foreign.replay(self.rules, records, listener, carry_over)
            return found
        return replay_records(self.rules, records, listener, carry_over)

    def _importer_for(self, records: Sequence[Any]) -> RecordImporter | None:
        """Who reads these records, where they are not in our own form: the first that can be read tells."""
        archive = find_importer(self.rules.folder)
        first = next((each for each in records if isinstance(each, Mapping)), None)
        return archive if archive and first is not None and archive.can_read(first) else None

    # --- samples
    # -------------------------------------------------------------------------------------------------------

    def sample_facts(self, num_states: int, seed: int) -> NDArray[np.uint8]:
        """[every input of the knowledge base, states] random states that cover the rules."""
        return sample_input_rows(self.rules, num_states, seed)

    def sample_decisions(self, num_states: int, seed: int) -> Decisions:
        """Random plays to decide."""
        return draw_decisions(self.rules, num_states, seed)

    def sample_situations(self, situations: SituationSet, num_states: int, seed: int) -> Decisions:
        """Random plays to decide, at most so many, in situations that were met in play."""
        return sample_reachable_decisions(self.rules, situations, num_states, seed)

    def sample_deals(
        self, episode_starts: EpisodeStartRecorder, num_states: int, seed: int
    ) -> tuple[Tables, NDArray[np.uint8]]:
        """Tables that begin an episode as some match has, with hands rich in forms; and the cards of these forms."""
        return sample_stacked_tables(self.rules, episode_starts, num_states, seed)

    def sample_leads(self, num_states: int, seed: int) -> Decisions:
        """Full hands that lead."""
        return sample_lead_decisions(self.rules, num_states, seed)

    def sample_estimate(self, decisions: Decisions | Choices, seed: int) -> HandEstimate:
        """[n, others, kinds] random beliefs about the other hands."""
        return draw_estimate(self.rules, decisions, seed)


def _agent_seatings(teams: NDArray[np.int8]) -> NDArray[np.int8]:
    """See Engine.agent_seatings; of very many ways some, evenly.

    >>> _agent_seatings(np.array([0, 1, 0, 1], np.int8)).tolist()
    [[0, 1, 0, 1], [1, 0, 1, 0]]
    >>> len(_agent_seatings(np.arange(4, dtype=np.int8))), len(_agent_seatings(np.arange(3, dtype=np.int8)))
    (6, 6)
    """
    several = int(teams.max()) + 1
    ways = [set(first) for first in combinations(range(several), several // 2)]
    if several % 2:
        ways += [set(range(several)) - first for first in ways]
    ways = [ways[place] for place in np.linspace(0, len(ways) - 1, min(len(ways), MAX_AGENT_SEATINGS)).astype(int)]
    return np.array([[0 if team in first else 1 for team in teams.tolist()] for first in ways], np.int8)
