"""Coverage of rules in thousands of games: rules that never fire, labels never played, preferences never used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, GreedyAgent, RandomAgent, make_agent
from abl_cards.asp import is_inside
from abl_cards.circuit import Circuit, MiterStatus, TracedRule, evaluate, find_state_with
from abl_cards.core import seed64, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.description import COMMON_DIR, QUERY_SPECS, find_test, with_outputs
from abl_cards.games.preferences import GamePreferenceInputs, list_candidates
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import MoveLists
from abl_cards.rulelab.testing.coverage_trace import RuleTrace, TracedTables
from abl_cards.rulelab.testing.games import step_tables
from abl_cards.rulelab.testing.positions import build_position
from abl_cards.rulelab.testing.reached import MOVE_QUESTIONS, list_questions

if TYPE_CHECKING:
    from abl_cards.games.tables import Choices, Decisions

NUM_TABLES = 400
"""Tables that play in parallel, at most."""
EPISODES_PER_TABLE = 16
"""Episodes that each table plays, so that matches of several deals end."""
MOVES_PER_DECISION = 4
"""Moves per decision for which the preferences are evaluated."""
_WITNESS_SECONDS = 10.0  # time limit of the search for a state in which a rule fires
POSSIBLE, UNREACHED, IMPOSSIBLE, UNREAD, UNKNOWN = "possible", "unmet", "impossible", "unread", "unknown"


@dataclass(frozen=True)
class UnfiredRule:
    """A rule that never fired."""

    rule: TracedRule
    verdict: (
        str  # POSSIBLE: in `state`; UNREACHED: not in play; IMPOSSIBLE: proved; UNREAD: of no query; UNKNOWN: timeout
    )
    question: str = ""
    state: tuple[str, ...] = ()
    position: Mapping[str, Any] | None = None  # JSON state for `abl-cards legal`, if the inputs can be written as one

    @property
    def is_common(self) -> bool:
        """True if the rule is in a file shared by games."""
        return is_inside(self.rule.location.file, [COMMON_DIR])

    def to_json(self) -> dict[str, Any]:
        """Return the rule and its verdict as a JSON object."""
        return {
            "location": str(self.rule.location), "rule": self.rule.text, "verdict": self.verdict,
            "question": self.question, "state": list(self.state), "position": self.position,
        }  # fmt: skip


@dataclass(frozen=True)
class RuleCoverage:
    """Result of a coverage run."""

    num_games: int
    num_rules: int  # rules with a body
    unfired_rules: tuple[UnfiredRule, ...]
    unplayed_labels: tuple[str, ...]
    unfired_preferences: tuple[str, ...]
    unchosen_options: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return {
            "games": self.num_games, "rules": self.num_rules,
            "silent_rules": [rule.to_json() for rule in self.unfired_rules],
            "labels_never_laid": list(self.unplayed_labels), "preferences_never_fired": list(self.unfired_preferences),
            "options_never_chosen": list(self.unchosen_options),
        }  # fmt: skip


def measure_coverage(engine: Engine, num_games: int, seed: int, on_progress: Callable[[int], None]) -> RuleCoverage:
    """Measure which rules, labels, options and preferences occur in self-play.

    Args:
        engine: Engine of the game.
        num_games: Number of episodes; a third each by random, greedy and preference agents.
        seed: Seed of the matches.
        on_progress: Called with the number of episodes so far.

    Returns:
        Items that never occurred; for rules, a state in which they fire, or a proof that there is none.

    Raises:
        GameError: An agent cannot play the game.
        KBError: The rules have errors.
    """
    trace = RuleTrace(engine.rules)
    listener = _CoverageListener(engine, trace)
    players: tuple[Agent, ...] = (RandomAgent(), GreedyAgent(engine.label_traits), make_agent("kb", engine))
    for index, agent in enumerate(players):
        goal = num_games * (index + 1) // len(players)
        num_tables = min(NUM_TABLES, max(1, (goal - listener.num_episodes) // EPISODES_PER_TABLE))
        keys = splitmix64_array(np.arange(num_tables).astype(np.uint64), seed64(seed) + index)
        listener.play(agent, keys, goal, on_progress)
    return listener.compute_coverage(num_games)


class _CoverageListener(NullListener):
    """Listener that plays matches and records rules, labels and options."""

    def __init__(self, engine: Engine, trace: RuleTrace) -> None:
        self.engine, self.trace, self.rules = engine, trace, engine.rules
        self.played_labels = np.zeros(len(engine.labels), np.bool_)
        self.chosen_options = np.zeros(max(1, engine.num_options), np.bool_)
        self.num_episodes = 0
        self._preference_model = engine.preference_model()
        circuit = trace.circuits.get("preferences")
        self._facts = GamePreferenceInputs(engine.rules)
        self._circuit = circuit
        self._shared = self._facts.make_shared_writer(circuit) if circuit else None
        self._moves = self._facts.make_move_writer(circuit) if circuit else None

    def on_episode_end(self, tables: Tables, rows: NDArray[np.int64]) -> None:
        """Count the ended episodes."""
        self.num_episodes += len(rows)

    def play(
        self, agent: Agent, keys: NDArray[np.uint64], target_episodes: int, on_progress: Callable[[int], None]
    ) -> None:
        """Play one match per key, and further ones, until enough episodes have ended."""
        tables = TracedTables(self.rules, len(keys), self.trace)
        tables.listener, tables.batch_rare_steps = self, True
        tables.begin_match(np.arange(len(keys)), keys)
        recording_agent = _RecordingAgent(agent, self)
        while self.num_episodes < target_episodes:
            self._record_tables(tables)
            step_tables(tables, recording_agent)
            finished = np.flatnonzero(tables.winner != -1)
            if finished.size:
                tables.begin_match(finished, splitmix64_array(tables.keys[finished], 1))
            on_progress(min(target_episodes, self.num_episodes))

    def _record_tables(self, tables: Tables) -> None:
        to_play, to_choose = tables.rows_to_play(), tables.rows_to_choose()
        if to_play.size:
            self._record_decisions(tables.decisions(to_play))
        if to_choose.size:
            self._record_decisions(tables.choices(to_choose))

    def _record_decisions(self, decisions: Decisions | Choices) -> None:
        writers = decisions.column_writers
        for question in list_questions(decisions):
            record = self.trace.reached if question in MOVE_QUESTIONS else self.trace
            record.record_states(question, len(decisions.rows), writers)
        self._record_preferences(decisions)

    def _record_preferences(self, decisions: Decisions | Choices) -> None:
        """Evaluate the preferences for some candidates of each decision."""
        if self._circuit is None or self._shared is None or self._moves is None:
            return
        lists = _thin_moves(list_candidates(None, decisions), MOVES_PER_DECISION)
        if not len(lists.form):
            return
        rows = self._shared(decisions)[:, lists.decision_index]
        rows |= self._moves(decisions, lists)(lists, slice(0, len(lists.form)))
        self.trace.record_answers("preferences", evaluate(self._circuit, rows))

    def compute_coverage(self, games: int) -> RuleCoverage:
        """Return the rules, labels, options and preferences that never occurred."""
        rules = self.rules
        unfired_rules = tuple(self._find_unfired_rules())
        preferences = {name for name in rules.kb.preference_groups if not self._cost_fired(name)}
        options = [
            str(option)
            for option, occurred in zip(rules.schema.options, self.chosen_options, strict=False)
            if not occurred
        ]
        labels = [label for label, occurred in zip(self.engine.labels, self.played_labels, strict=True) if not occurred]
        return RuleCoverage(
            games,
            len(self.trace.traced_rules),
            unfired_rules,
            tuple(labels),
            tuple(sorted(preferences)),
            tuple(options),
        )

    def _cost_fired(self, functor: str) -> bool:
        """Return whether a rule for the cost of this preference fired."""
        prefix = f"cost({functor}"
        indices = [
            index
            for index, rule in enumerate(self.trace.traced_rules)
            if rule.text.startswith((prefix + ",", prefix + "("))
        ]
        return bool(self.trace.fired[indices].any()) if indices else True  # a fact always fires

    def _find_unfired_rules(self) -> Iterator[UnfiredRule]:
        for index, rule in enumerate(self.trace.traced_rules):
            if not self.trace.fired[index]:
                yield _find_witness(self.trace, index, rule)


def _find_witness(trace: RuleTrace, index: int, rule: TracedRule) -> UnfiredRule:
    """Search for a state in which a rule fires, preferably one reached in play."""
    unreached_query, verdict = "", UNREAD if index in trace.unread_rules else IMPOSSIBLE
    for name, circuit in trace.circuits.items():
        for atom in circuit.outputs:
            if atom[1] != (index,):
                continue
            restricted = _restrict_inputs(with_outputs(circuit, [atom]), trace, name)
            run = partial(find_state_with, restricted, atom, seconds=_WITNESS_SECONDS)
            result, is_reached = trace.reached.search(name, run)
            if result.status is MiterStatus.FOUND and not is_reached:
                unreached_query = unreached_query or name
            elif result.status is MiterStatus.FOUND:
                position = build_position(trace.rules, result.state) if name in ("play", "preferences") else None
                return UnfiredRule(
                    rule, POSSIBLE, QUERY_SPECS[name].purpose, tuple(sorted(map(str, result.state))), position
                )
            if result.status is MiterStatus.UNKNOWN:
                verdict = UNKNOWN
    if unreached_query and verdict != UNKNOWN:
        return UnfiredRule(rule, UNREACHED, QUERY_SPECS[unreached_query].purpose)
    return UnfiredRule(rule, verdict)


def _restrict_inputs(circuit: Circuit, trace: RuleTrace, question: str) -> Circuit:
    """Fix the inputs that the query never supplies to false."""
    query = trace.queries[question]
    supplied_groups = set(query.groups)
    schema = trace.rules.schema
    unsupplied = {
        atom: False
        for atom in circuit.inputs
        if (test := find_test(schema, atom)) and test.group not in supplied_groups
    }
    return circuit.specialise(unsupplied) if unsupplied else circuit


class _RecordingAgent:
    """Agent that records the labels and options of another agent."""

    def __init__(self, player: Agent, watcher: _CoverageListener) -> None:
        self._agent, self._listener = player, watcher

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Any:
        """Play as the wrapped agent."""
        moves = self._agent.play(decisions, keys)
        self._listener.played_labels[decisions.labels_of(moves.form)] = True
        return moves

    def choose(self, choices: Any, keys: NDArray[np.uint64]) -> Any:
        """Choose as the wrapped agent."""
        options = self._agent.choose(choices, keys)
        # Baseline agents take the first option, often a refusal; half of the choices are made at random instead.
        random_options = RandomAgent().choose(choices, splitmix64_array(keys, 1))
        options = np.where(keys & np.uint64(1 << 20), options, random_options).astype(options.dtype)
        self._listener.chosen_options[options] = True
        return options


def _thin_moves(lists: MoveLists, max_moves: int) -> MoveLists:
    """Return at most max_moves moves of each decision, evenly spaced."""
    sizes = np.diff(lists.start)
    counts = np.minimum(sizes, max_moves)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    decision = np.repeat(np.arange(len(sizes)), counts)
    offsets = np.arange(start[-1]) - start[decision]
    rows = lists.start[decision] + offsets * sizes[decision] // np.maximum(1, counts[decision])
    return MoveLists(start, lists.form[rows], lists.cards[rows])
