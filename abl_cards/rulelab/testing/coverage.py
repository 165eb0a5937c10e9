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
from abl_cards.games.preferences import GamePreferenceInputs
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import MoveLists
from abl_cards.rulelab.testing.coverage_trace import RuleTrace, TracedTables
from abl_cards.rulelab.testing.games import step_tables
from abl_cards.rulelab.testing.positions import build_position
from abl_cards.rulelab.testing.reached import MOVE_QUESTIONS, list_questions

if TYPE_CHECKING:
    from abl_cards.games.tables import Choices, Decisions

NUM_TABLES = 400
"""Tables that play side by side."""
MOVES_PER_DECISION = 4
"""Moves per decision for which the preferences are evaluated."""
POSSIBLE, UNREACHED, IMPOSSIBLE, UNKNOWN = "possible", "unmet", "impossible", "unknown"


@dataclass(frozen=True)
class UnfiredRule:
    """A rule that never fired."""

    rule: TracedRule
    verdict: str  # POSSIBLE: in this state; UNMET: not in those of play; IMPOSSIBLE: proved; UNKNOWN: time ran out
    question: str = ""
    state: tuple[str, ...] = ()
    position: Mapping[str, Any] | None = None  # the state as `abl-cards legal` takes it, as far as it can be said there

    @property
    def is_common(self) -> bool:
        """Whether the rule stands in a file shared by games."""
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
    num_rules: int  # that have a body
    unfired_rules: tuple[UnfiredRule, ...]
    unplayed_labels: tuple[str, ...]  # never laid
    unfired_preferences: tuple[str, ...]  # never fired
    unchosen_options: tuple[str, ...]  # never chosen

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return {
            "games": self.num_games, "rules": self.num_rules,
            "silent_rules": [each.to_json() for each in self.unfired_rules],
            "labels_never_laid": list(self.unplayed_labels), "preferences_never_fired": list(self.unfired_preferences),
            "options_never_chosen": list(self.unchosen_options),
        }  # fmt: skip


def measure_coverage(engine: Engine, num_games: int, seed: int, on_progress: Callable[[int], None]) -> RuleCoverage:
    """Play so many games by random, greedy and the preferences in turn; raises GameError, KBError."""
    watch = RuleTrace(engine.rules)
    watcher = _CoverageListener(engine, watch)
    players: tuple[Agent, ...] = (RandomAgent(), GreedyAgent(engine.label_traits), make_agent("kb", engine))
    for number, player in enumerate(players):
        goal = num_games * (number + 1) // len(players)
        keys = splitmix64_array(
            np.arange(min(NUM_TABLES, max(1, goal - watcher.num_episodes))).astype(np.uint64), seed64(seed) + number
        )
        watcher.play(player, keys, goal, on_progress)
    return watcher.compute_coverage(num_games)


class _CoverageListener(NullListener):
    """Plays, and notes what comes up."""

    def __init__(self, engine: Engine, watch: RuleTrace) -> None:
        self.engine, self.trace, self.rules = engine, watch, engine.rules
        self.played_labels = np.zeros(len(engine.labels), np.bool_)
        self.chosen_options = np.zeros(max(1, engine.num_options), np.bool_)
        self.num_episodes = 0
        self._preference_model = engine.preference_model()
        circuit = watch.circuits.get("preferences")
        self._facts = GamePreferenceInputs(engine.rules)
        self._circuit = circuit
        self._shared = self._facts.make_shared_writer(circuit) if circuit else None
        self._moves = self._facts.make_move_writer(circuit) if circuit else None

    def on_episode_end(self, tables: Tables, rows: NDArray[np.int64]) -> None:
        """So many more."""
        self.num_episodes += len(rows)

    def play(
        self, agent: Agent, keys: NDArray[np.uint64], target_episodes: int, on_progress: Callable[[int], None]
    ) -> None:
        """A match a key, and further ones, until so many episodes have ended in all."""
        tables = TracedTables(self.rules, len(keys), self.trace)
        tables.listener, tables.batch_rare_steps = self, True
        tables.begin_match(np.arange(len(keys)), keys)
        noting = _RecordingAgent(agent, self)
        while self.num_episodes < target_episodes:
            self._record_tables(tables)
            step_tables(tables, noting)
            over = np.flatnonzero(tables.winner != -1)
            if over.size:
                tables.begin_match(over, splitmix64_array(tables.keys[over], 1))
            on_progress(min(target_episodes, self.num_episodes))

    def _record_tables(self, tables: Tables) -> None:
        playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
        if playing.size:
            self._record_decisions(tables.decisions(playing))
        if choosing.size:
            self._record_decisions(tables.choices(choosing))

    def _record_decisions(self, decisions: Decisions | Choices) -> None:
        for question in list_questions(decisions):
            if question in MOVE_QUESTIONS:
                self.trace.reached.record_states(question, len(decisions.rows), decisions.column_writers)
            else:
                self.trace.record_states(question, len(decisions.rows), decisions.column_writers)
        self._record_preferences(decisions)

    def _record_preferences(self, decisions: Decisions | Choices) -> None:
        """Evaluate the preferences for some candidates of each decision."""
        if self._circuit is None or self._shared is None or self._moves is None:
            return
        lists = _thin_moves(decisions.moves(), MOVES_PER_DECISION)
        if not len(lists.form):
            return
        rows = self._shared(decisions)[:, lists.decision_index]
        rows |= self._moves(decisions, lists)(lists, slice(0, len(lists.form)))
        self.trace.record_answers(self._circuit, evaluate(self._circuit, rows))

    def compute_coverage(self, games: int) -> RuleCoverage:
        """Return the rules, labels, options and preferences that never occurred."""
        rules = self.rules
        silent = tuple(self._find_unfired_rules())
        functors = {name for name in rules.kb.preference_groups if not self._cost_fired(name)}
        stages = [
            str(option) for option, seen in zip(rules.schema.options, self.chosen_options, strict=False) if not seen
        ]
        labels = [label for label, seen in zip(self.engine.labels, self.played_labels, strict=True) if not seen]
        return RuleCoverage(
            games, len(self.trace.traced_rules), silent, tuple(labels), tuple(sorted(functors)), tuple(stages)
        )

    def _cost_fired(self, functor: str) -> bool:
        """Return whether a rule for the cost of this preference fired."""
        mark = f"cost({functor}"
        mine = [k for k, rule in enumerate(self.trace.traced_rules) if rule.text.startswith((mark + ",", mark + "("))]
        return bool(self.trace.fired[mine].any()) if mine else True  # a fact always does

    def _find_unfired_rules(self) -> Iterator[UnfiredRule]:
        for number, rule in enumerate(self.trace.traced_rules):
            if not self.trace.fired[number]:
                yield _find_witness(self.trace, number, rule)


def _find_witness(watch: RuleTrace, number: int, rule: TracedRule, seconds: float = 10) -> UnfiredRule:
    """A state in which a rule fires, if there is one, that play comes to as far as is known."""
    unmet, verdict = "", IMPOSSIBLE
    for name, circuit in watch.circuits.items():
        for atom in circuit.outputs:
            if atom[1] != (number,):
                continue
            alone = _restrict_inputs(with_outputs(circuit, [atom]), watch, name)
            run = partial(find_state_with, alone, atom, seconds=seconds)
            found, met = watch.reached.search(name, run)
            if found.status is MiterStatus.FOUND and not met:
                unmet = unmet or name
            elif found.status is MiterStatus.FOUND:
                where = build_position(watch.rules, found.state) if name in ("play", "preferences") else None
                return UnfiredRule(
                    rule, POSSIBLE, QUERY_SPECS[name].purpose, tuple(sorted(map(str, found.state))), where
                )
            if found.status is MiterStatus.UNKNOWN:
                verdict = UNKNOWN
    if unmet and verdict != UNKNOWN:
        return UnfiredRule(rule, UNREACHED, QUERY_SPECS[unmet].purpose)
    return UnfiredRule(rule, verdict)


def _restrict_inputs(circuit: Circuit, watch: RuleTrace, question: str) -> Circuit:
    """Fix the inputs that the query never supplies to false."""
    known = watch.queries[question]
    told = set(known.groups)
    words = watch.rules.schema
    untold = {atom: False for atom in circuit.inputs if (test := find_test(words, atom)) and test.group not in told}
    return circuit.specialise(untold) if untold else circuit


class _RecordingAgent:
    """A player whose moves are noted."""

    def __init__(self, player: Agent, watcher: _CoverageListener) -> None:
        self._agent, self._listener = player, watcher

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Any:
        """Play as the wrapped agent."""
        moves = self._agent.play(decisions, keys)
        self._listener.played_labels[decisions.labels_of(moves.form)] = True
        return moves

    def choose(self, choices: Any, keys: NDArray[np.uint64]) -> Any:
        """Choose as the wrapped agent."""
        given = self._agent.choose(choices, keys)
        # Plain players take the first option: where that is to refuse, somebody has to do something else.
        anything = RandomAgent().choose(choices, splitmix64_array(keys, 1))
        given = np.where(keys & np.uint64(1 << 20), given, anything).astype(given.dtype)
        self._listener.chosen_options[given] = True
        return given


def _thin_moves(lists: MoveLists, most: int) -> MoveLists:
    """At most so many moves of each decision, evenly chosen."""
    sizes = np.diff(lists.start)
    kept = np.minimum(sizes, most)
    start = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    decision = np.repeat(np.arange(len(sizes)), kept)
    place = np.arange(start[-1]) - start[decision]
    rows = lists.start[decision] + place * sizes[decision] // np.maximum(1, kept[decision])
    return MoveLists(start, lists.form[rows], lists.cards[rows])
