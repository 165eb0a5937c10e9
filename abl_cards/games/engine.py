"""Engine of a rule folder: one interface to everything that is compiled from its rules.

The engine holds no rule. `CompiledGame` holds the data of a game, and the packages beside this module do the work.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import ArgumentTypes
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode, GameError, check_integer, check_list, check_path, check_seed
from abl_cards.games.compiled import CompiledGame, argument_sorts, build_label_traits
from abl_cards.games.description import Folder, PlayName
from abl_cards.games.game import Game
from abl_cards.games.importers import RecordImporter, find_importer
from abl_cards.games.min_plays import min_plays
from abl_cards.games.min_plays import plays_left as count_plays_left
from abl_cards.games.notation import (
    MatchRecorder,
    decision_point_at,
    decisions_at_acts,
    find_play_acts,
    notate_move,
    play_name,
    read_decision_point,
    recorded_decision_points,
    replay_records,
)
from abl_cards.games.notation import legal_moves as list_legal_moves
from abl_cards.games.pickling import register_rules
from abl_cards.games.preferences import (
    CompiledPreferences,
    GamePreferenceInputs,
    check_compatible_preferences,
    compile_preferences,
)
from abl_cards.games.sampling import find_symmetries
from abl_cards.games.sampling import sample_decisions as draw_decisions
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
)
from abl_cards.games.types import (
    NO_CARD,
    FeatureTable,
    Indices,
    LabelTraits,
    MoveLists,
    ReplayResult,
    check_integers,
    check_keys,
    check_rows,
)

register_rules()


MAX_BATCH_SIZE = 1 << 20
"""Most tables that are recorded, or decisions that are sampled, at once."""
MAX_AGENT_SEATINGS = 64
"""Most seatings of two agents that a deal is played in."""


@dataclass(frozen=True)
class Engine:
    """A compiled rule folder: deals cards, lists moves, plays many matches at once, and reads and writes records.

    Functions that `games.notation`, `games.sampling`, `games.tables` and `games.endgame` export take its `rules`.

    Attributes:
        rules: The compiled rules.
        game: Name of the game, as `load` takes it.
        fixed_deals: Deals by the index of the match; None to shuffle.
    """

    rules: CompiledGame
    game: str
    fixed_deals: FixedDeals | None = None

    def __repr__(self) -> str:
        return f"Engine({self.game!r}, profile={self.rules.profile!r})"

    def __reduce__(self) -> tuple[type[Engine], tuple[CompiledGame, str, FixedDeals | None]]:
        """Pickle without values derived from the rules; see ``pickling``."""
        return Engine, (self.rules, self.game, self.fixed_deals)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels (pseudo-actions) in the order of masks and policies."""
        return self.rules.label_texts

    @cached_property
    def label_traits(self) -> LabelTraits:
        """Kind and size of each label, for simple heuristics; bombs of all sizes are one kind."""
        return build_label_traits(self.rules)

    @cached_property
    def observation_features(self) -> FeatureTable:
        """Names and positions of the features of an observation."""
        return build_feature_table(self.rules)

    @cached_property
    def planes(self) -> CardPlanes:
        """Layout of the cards as image planes; raises GameError for a game without one."""
        return build_planes(self.rules)

    @cached_property
    def symmetries(self) -> NDArray[np.int64]:
        """[k, kinds] permutations of the cards that change no rule, the identity among them."""
        return find_symmetries(self.rules)

    @property
    def teams(self) -> NDArray[np.int8]:
        """[seats] team of each seat."""
        return np.array(self.rules.seating.teams, np.int8)

    @cached_property
    def agent_seatings(self) -> NDArray[np.int8]:
        """[seatings, seats] index of the agent, 0 or 1, at each seat: at most 64 splits of the teams into halves."""
        return _agent_seatings(self.teams)

    @property
    def roles(self) -> tuple[str, ...]:
        """Roles of the seats, such as landlord and peasant; one role where all seats are alike."""
        return EventRules.from_rules(self.rules).roles

    @property
    def num_options(self) -> int:
        """Number of options of all choices, such as bids and cards to give."""
        return len(self.rules.schema.options)

    # --- play ---------------------------------------------------------------------------------------------------------

    def start_matches(self, keys: NDArray[np.uint64], listener: Listener | None = None) -> Tables:
        """Begin one match for each key.

        Args:
            keys: [n] random keys, whole numbers from 0 on; equal keys give equal deals.
            listener: Called at every event of the tables; None for none.

        Returns:
            The tables, with cards dealt.

        Raises:
            GameError: The keys are not a one-dimensional array of whole numbers from 0 on.
        """
        return Tables.begin(self.rules, check_keys(keys), listener, self.fixed_deals)

    def with_deals(self, fixed_deals: FixedDeals) -> Engine:
        """Return the engine with fixed deals; the key of a match is then the index of its deal.

        Args:
            fixed_deals: The deals; GameError if they do not fit the game.
        """
        _check_deals(self.rules, fixed_deals)
        return replace(self, fixed_deals=fixed_deals)

    def plays_left(self, decisions: Decisions, lists: MoveLists) -> NDArray[np.uint8]:
        """Compute the least number of plays that empties the hand after each move.

        Args:
            decisions: The plays to decide.
            lists: Their candidate moves.

        Returns:
            [moves] number of plays. In games whose plays cannot be counted, number of cards left, an upper bound.

        Raises:
            GameError: The lists do not belong to the decisions.
        """
        return count_plays_left(self.rules, decisions, lists)

    def min_plays(self, context: NDArray[np.integer], hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Compute the least number of plays that empties each hand.

        Args:
            context: [n] index of the strength context of each hand, as in decisions.
            hands: [n, kinds] copies of each card.

        Returns:
            [n] number of plays.

        Raises:
            GameError: A context does not exist, a shape is wrong, or a hand exceeds the cards of a rank in the pack.
        """
        return min_plays(self.rules, context, hands)

    def rewards(self, tables: Tables, rows: Indices) -> NDArray[np.float32]:
        """Return the rewards of the episodes that have just ended at some tables.

        Args:
            tables: The tables.
            rows: [n] indices of the tables whose episodes have ended; GameError if one is out of range.

        Returns:
            [n, seats] points of each seat, less the mean of all seats.
        """
        points = tables.points[check_rows(rows, len(tables))].astype(np.float32)
        return points - points.mean(axis=1, keepdims=True)

    def preference_model(
        self, exclude: Collection[str] = (), directory: str | Path | None = None
    ) -> CompiledPreferences:
        """Compile preferences for decisions of this game.

        Args:
            exclude: Names of preferences, or of groups of them, to leave out.
            directory: Rule folder to take the preferences from, or a file to read in place of ``preferences.lp``;
                None for the game's own.

        Raises:
            GameError: A name to exclude is unknown, there is no such folder or file, or it is of another game.
            KBError: The rules there have errors.
        """
        exclude = check_list("exclude", exclude, is_ordered=False)
        kb = self.rules.kb if directory is None else _load_preferences(self.rules, check_path("directory", directory))
        return check_compatible_preferences(compile_preferences(kb, GamePreferenceInputs(self.rules), exclude))

    # --- notation -----------------------------------------------------------------------------------------------------

    @cached_property
    def argument_types(self) -> ArgumentTypes:
        """Types of the arguments of the predicates."""
        return argument_sorts(self.rules)

    def label_of(self, form: int) -> str:
        """Return the label of a form, given by its index; raises GameError where there is no such form."""
        return self.labels[self.rules.forms.label_of[check_integer("form", form, 0, len(self.rules.forms.forms) - 1)]]

    def play_name(self, label: str) -> PlayName:
        """Return the names that Chinese players use for a label."""
        return play_name(self.rules, label)

    def notate_move(self, form: int, cards: NDArray[np.uint8]) -> Action:
        """Return a move in the notation of the game.

        Args:
            form: Index of the form.
            cards: [width] indices of its cards, padded as in moves.
        """
        return notate_move(self.rules, form, cards)

    def decision_point_at(self, decisions: Decisions | Choices, row: int = 0) -> DecisionPoint:
        """Return one decision with all its moves, labels and the state in JSON form.

        Args:
            decisions: Decisions or choices.
            row: Index of the decision; GameError if it is out of range.
        """
        return decision_point_at(self.rules, decisions, check_integer("row", row, 0, len(decisions.view) - 1))

    def read_decision_point(
        self, value: Mapping[str, Any], move: int | None = None, for_explanation: bool = False
    ) -> DecisionPoint:
        """Read a decision from a state, or from a record before one of its moves.

        Args:
            value: A state or a record in JSON form; records of other platforms are recognised.
            move: Number of the move of a record, from 1; None for a state, or for the move that a record ends before.
            for_explanation: Whether the state must also hold the fields that preferences read.

        Raises:
            GameError: A field is missing or wrong, or the record has no such move.
        """
        if importer := _importer_for(self.rules, [value]):
            return importer.read_decision_point(self.rules, value, move)
        return read_decision_point(self.rules, value, move, for_explanation)

    def recorded_decision_points(
        self, record: Mapping[str, Any], acts: Sequence[int], decisions: Decisions
    ) -> list[DecisionPoint]:
        """Return decisions of a record, each with the move that was made.

        Args:
            record: The record.
            acts: Numbers of acts of the record, from 1, each a play.
            decisions: Decisions before these acts, as ``decisions_at_acts`` returns them.

        Raises:
            GameError: An act is illegal, or not of the seat whose turn it is.
        """
        if importer := _importer_for(self.rules, [record]):
            return [importer.read_decision_point(self.rules, record, act) for act in acts]
        return recorded_decision_points(self.rules, record, acts, decisions)

    def decisions_at_acts(self, records: Sequence[Mapping[str, Any]], moves: Sequence[int]) -> Decisions:
        """Read one decision of each record.

        Args:
            records: The records.
            moves: Number of the move of each record whose decision is read, from 1.

        Raises:
            GameError: A record is wrong, or has no such move.
        """
        if importer := _importer_for(self.rules, records):
            return importer.decisions_at_acts(self.rules, records, moves)
        return decisions_at_acts(self.rules, records, moves)

    def find_play_acts(self, records: Sequence[Mapping[str, Any]]) -> list[list[int]]:
        """Return the numbers of the plays among the acts of each record; an empty list for an invalid record.

        Args:
            records: The records.
        """
        if importer := _importer_for(self.rules, records):
            return [list(range(1, 1 + importer.count_plays(record))) for record in records]
        return find_play_acts(self.rules, records)

    def legal_moves(self, states: Sequence[Mapping[str, Any]]) -> list[list[Any] | GameError]:
        """List all legal moves of states.

        Args:
            states: States in JSON form; GameError if the argument is not a list, for example a single state.

        Returns:
            For each state its moves in JSON form, or a GameError if the state is invalid.
        """
        return list_legal_moves(self.rules, check_list("states", states))

    def new_recorder(self, num_tables: int, **extra: Any) -> Recorder:
        """Return a listener that records matches.

        Args:
            num_tables: Number of tables, from 0 to `MAX_BATCH_SIZE`.
            extra: Further fields of every record.
        """
        return MatchRecorder(self.rules, check_integer("num_tables", num_tables, 0, MAX_BATCH_SIZE), extra)

    def replay(
        self,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None = None,
        carry_over: dict[str, Any] | None = None,
    ) -> ReplayResult:
        """Replay records and compare them with the rules.

        Args:
            records: Records; a GameError stands for a line that could not be read.
            listener: Called at every event, None for none; each episode is replayed at its own table.
            carry_over: State between calls for parts of one file, changed in place; None for a single call.

        Returns:
            Counts of what was replayed, and the differences.
        """
        carry_over = {} if carry_over is None else carry_over
        importer = carry_over["importer"] = carry_over.get("importer") or _importer_for(self.rules, records)
        if importer:
            result: ReplayResult = importer.replay(self.rules, records, listener, carry_over)
            return result
        return replay_records(self.rules, records, listener, carry_over)

    # --- samples ------------------------------------------------------------------------------------------------------

    def sample_decisions(self, num_states: int, seed: int) -> Decisions:
        """Sample random decisions about plays.

        Args:
            num_states: Number of decisions, from 0 to `MAX_BATCH_SIZE`.
            seed: Seed of the decisions.
        """
        return draw_decisions(self.rules, check_integer("num_states", num_states, 0, MAX_BATCH_SIZE), check_seed(seed))


def _check_deals(rules: CompiledGame, deals: FixedDeals) -> None:
    """Raise GameError where these are no deals of the game."""
    given: object = deals
    if not isinstance(given, FixedDeals) or not len(given.hands):
        raise GameError(f"fixed_deals={given!r:.60}: give one deal or more, as FixedDeals", ErrorCode.INVALID_VALUE)
    size, kinds = len(deals.hands), len(rules.pack)
    check_integers("fixed_deals.hands", deals.hands, (size, rules.seating.seats, kinds), NO_CARD + 1)
    check_integers("fixed_deals.aside", deals.aside, (size, kinds), NO_CARD + 1)


def _importer_for(rules: CompiledGame, records: Sequence[Any]) -> RecordImporter | None:
    """Return the importer of records, judged by the first readable one; None for records of our own form.

    Raises:
        GameError: This is not a list of records, such as a single one.
    """
    check_list("records", records)
    importer = find_importer(rules.folder)
    first = next((record for record in records if isinstance(record, Mapping)), None)
    return importer if importer and first is not None and importer.can_read(first) else None


def _load_preferences(rules: CompiledGame, path: Path) -> KnowledgeBase:
    """Load the rules of a folder, or those of a game with another file of preferences."""
    if path.is_dir():
        folder = Folder(path)
    elif path.suffix == ".lp" and path.is_file():
        folder = replace(rules.folder, preference_file=path)
    else:
        message = f"preferences: {path} is no folder of rule files, and no .lp file; name one of these"
        raise GameError(message, ErrorCode.FILE_NOT_READABLE)
    return Game(folder).knowledge_base(None, rules.profile)


def _agent_seatings(teams: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the seatings of two agents; evenly spaced ones where there are more than `MAX_AGENT_SEATINGS`.

    >>> _agent_seatings(np.array([0, 1, 0, 1], np.int8)).tolist()
    [[0, 1, 0, 1], [1, 0, 1, 0]]
    >>> len(_agent_seatings(np.arange(4, dtype=np.int8))), len(_agent_seatings(np.arange(3, dtype=np.int8)))
    (6, 6)
    """
    num_teams = int(teams.max()) + 1
    splits = [set(first) for first in combinations(range(num_teams), num_teams // 2)]  # teams of agent 0
    if num_teams % 2:
        splits += [set(range(num_teams)) - first for first in splits]
    rows = np.linspace(0, len(splits) - 1, min(len(splits), MAX_AGENT_SEATINGS)).astype(int)
    return np.array([[0 if team in splits[row] else 1 for team in teams.tolist()] for row in rows], np.int8)
