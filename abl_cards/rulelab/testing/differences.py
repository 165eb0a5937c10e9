"""Search for a difference between two folders of one game: a position or record that shows it, or a proof of none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, count, islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import GreedyAgent, RandomAgent
from abl_cards.asp import COST, VIOLATED, KBError, Signature, Term
from abl_cards.circuit import TRUE, Circuit, MiterResult, MiterStatus, find_difference
from abl_cards.core import GameError, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import QUERY_SPECS, Form, with_outputs
from abl_cards.games.notation import convert_decisions, match_states_after
from abl_cards.games.preferences import MAX_COMPARED
from abl_cards.games.sampling import sample_estimate, sample_reachable_decisions
from abl_cards.games.tables import is_play_decision
from abl_cards.games.types import HandEstimate
from abl_cards.matches import collect_situations, play_baseline_matches
from abl_cards.rulelab.testing.cases import RuleCase, check_case, list_legal_labels
from abl_cards.rulelab.testing.coverage_trace import TracedTables
from abl_cards.rulelab.testing.games import collect_records, step_tables
from abl_cards.rulelab.testing.positions import build_position
from abl_cards.rulelab.testing.reached import ReachedStates
from abl_cards.rulelab.testing.view_cases import (
    compute_hints,
    compute_known_cards,
    describe_observation,
    estimate_to_json,
)

if TYPE_CHECKING:
    from abl_cards.games.tables import Decisions

NUM_STATES, NUM_MATCHES, NUM_STEPS = 300, 12, 300
"""Sampled positions; matches that are played, and their decisions that are compared."""
MAX_CASES_PER_STEP, MAX_MOVES_PER_CASE = 3, 8
"""Cases per step of play; moves per case."""
SEED = 5
UNREACHED_TEXT = "states that were not reached in matches"


@dataclass(frozen=True)
class RuleDifference:
    """A difference between two folders."""

    description: str
    is_certain: bool  # False if the search was not decided in time
    case: dict[str, Any] | None = None  # a case that holds in the first folder and fails in the second


def find_rule_difference(first: Engine, second: Engine, seconds: float) -> RuleDifference | None:
    """Search for a difference of two engines of a game; None if it is proved that they do not differ."""
    for case, failure in _failing_cases(first, second):
        if failure:
            return RuleDifference(failure, True, dict(case.value))
    difference = _compare_descriptions(first, second) or _compare_circuits(first, second, seconds)
    return (
        difference
        if difference is None or difference.is_certain
        else _find_unreached_difference(first, second) or difference
    )


def _find_unreached_difference(first: Engine, second: Engine) -> RuleDifference | None:
    """Search for a difference in random states that may be unreachable in play."""
    for case in (
        _position_cases(first, second, first.sample_decisions(NUM_STATES, SEED))
        if _is_comparable(first, second)
        else ()
    ):
        if failure := _distinguish(case, first, second):
            return RuleDifference(f"{UNREACHED_TEXT}: {failure}", True)
    return None


def _distinguish(case: RuleCase, first: Engine, second: Engine) -> str:
    """Return the failure of a case that holds in the first engine and not in the second; otherwise empty."""
    return "" if _failure_message(case, first) else _failure_message(case, second)


def _failure_message(case: RuleCase, engine: Engine) -> str:
    try:
        return check_case(case, engine)
    except (GameError, KBError) as error:
        return str(error)


# --- cases ------------------------------------------------------------------------------------------------------------


def _failing_cases(first: Engine, second: Engine) -> Iterator[tuple[RuleCase, str]]:
    """Yield candidate cases with their failures; a failure is empty unless only the second engine fails."""
    if _is_comparable(first, second):
        for decisions in _reached_decisions(first):
            for case in islice(_position_cases(first, second, decisions), MAX_CASES_PER_STEP):
                yield case, _distinguish(case, first, second)
    for case in _holding_record_cases(first):
        yield case, _failure_message(case, second)
    for case in _name_cases(first, second):
        yield case, _distinguish(case, first, second)


def _holding_record_cases(engine: Engine) -> Iterator[RuleCase]:
    """Yield the cases about records that hold in an engine; made once for many edits of a folder."""
    known, remaining = engine.rules.kb.memo.setdefault(_holding_record_cases, ([], _make_record_cases(engine)))
    for index in count():
        if index == len(known):
            case = next(remaining, None)
            if case is None:
                return
            known.append(case)
        yield known[index]


def _make_record_cases(engine: Engine) -> Iterator[RuleCase]:
    records = list(collect_records(engine, RandomAgent(), NUM_MATCHES, SEED))
    after = (
        RuleCase(0, {"record": record, "after": match_state})
        for record, match_state in zip(records, match_states_after(engine.rules, records), strict=True)
    )
    yield from (case for case in chain(after, _memory_cases(engine, records)) if not _failure_message(case, engine))


def _is_comparable(first: Engine, second: Engine) -> bool:
    """Return whether two games have equal cards and seats, so that they have equal states."""
    ours, theirs = ((engine.rules.pack.kinds, engine.rules.seating.seats) for engine in (first, second))
    return ours == theirs


def _memory_cases(engine: Engine, records: Sequence[Mapping[str, Any]]) -> Iterator[RuleCase]:
    """Yield cases about the observation, fluents and beliefs of the acting seat at some places of a record."""
    for record in records[:MAX_CASES_PER_STEP]:
        for before in np.linspace(1, len(record["acts"]), MAX_MOVES_PER_CASE).astype(int).tolist():
            decision_point = engine.read_decision_point(record, before)
            state, hints = json.loads(json.dumps(decision_point.state)), compute_hints(engine, decision_point)
            case = {"record": record, "before": before, "sees": state}
            yield RuleCase(0, case | ({"hints": hints} if any(hints.values()) else {}))


def _name_cases(first: Engine, second: Engine) -> Iterator[RuleCase]:
    """Yield cases about names and order of labels, and about observations."""
    if describe_observation(first) != describe_observation(second):
        yield RuleCase(0, {"view": describe_observation(first)})
    renamed = [
        label for label in first.labels if label in second.labels and first.play_name(label) != second.play_name(label)
    ]
    if renamed:
        yield RuleCase(0, {"words": {label: str(first.play_name(label)) for label in renamed[:MAX_MOVES_PER_CASE]}})
    if len(first.labels) != len(second.labels):
        yield RuleCase(0, {"order": [], "number": len(first.labels)})
    index = {label: row for row, label in enumerate(second.labels)}
    for first_label, second_label in pairwise(first.labels):
        if index.get(first_label, 0) > index.get(second_label, len(index)):
            yield RuleCase(0, {"order": [first_label, second_label]})


def _reached_decisions(engine: Engine) -> Iterator[Any]:
    """Yield decisions and choices of random and greedy matches, then sampled ones."""
    for agent in (RandomAgent(), GreedyAgent(engine.label_traits)):
        tables = engine.start_matches(splitmix64_array(np.arange(NUM_MATCHES).astype(np.uint64), SEED))
        for _ in range(NUM_STEPS):
            to_play, to_choose = tables.rows_to_play(), tables.rows_to_choose()
            if to_play.size:
                yield tables.decisions(to_play)
            if to_choose.size:
                yield tables.choices(to_choose)
            if not step_tables(tables, agent):
                break
    memo = engine.rules.kb.memo
    if _reached_decisions not in memo:  # computed once for many edits of a folder
        memo[_reached_decisions] = sample_reachable_decisions(
            engine.rules, collect_situations(engine, 0), NUM_STATES, SEED
        )
    yield memo[_reached_decisions]


def _position_cases(first: Engine, second: Engine, ours: Any) -> Iterator[RuleCase]:
    """Yield cases about labels, moves and costs that differ in a position."""
    converted, adopted = convert_decisions(second.rules, ours)
    theirs: Any = adopted
    ours = ours.select(np.flatnonzero(converted))
    if first.labels == second.labels and is_play_decision(ours):
        for row in np.flatnonzero((ours.legal_mask != theirs.legal_mask).any(axis=0)).tolist():
            decision_point = first.decision_point_at(ours, row)
            yield RuleCase(0, {"state": dict(decision_point.state), "labels": list_legal_labels(first, decision_point)})
    for row in _differing_knowledge_rows(ours, theirs):
        decision_point = first.decision_point_at(ours, row)
        yield RuleCase(0, {"state": dict(decision_point.state), "known": compute_known_cards(first, decision_point)})
    if is_play_decision(ours):  # counts and costs of all moves belong to positions with few enough to list
        listed = np.flatnonzero(~ours.first_card_sets(MAX_COMPARED)[1] & ~theirs.first_card_sets(MAX_COMPARED)[1])
        ours, theirs = ours.select(listed), theirs.select(listed)
    moves, their_moves = ours.moves(), theirs.moves()
    num_moves = np.diff(moves.start), np.diff(their_moves.start)
    for row in np.flatnonzero(num_moves[0] != num_moves[1]).tolist():
        yield RuleCase(0, {"state": dict(first.decision_point_at(ours, row).state), "moves": int(num_moves[0][row])})
    if np.array_equal(moves.start, their_moves.start):
        for estimate in (None, *_sample_estimates(first, ours)):
            costs, their_costs = (
                first.preference_model().costs(ours, moves, estimate),
                second.preference_model().costs(theirs, their_moves, estimate),
            )
            differs = (costs[0] != their_costs[0]) | (costs[1] != their_costs[1])
            for row in dict.fromkeys(moves.decision_index[differs].tolist()):
                case = _cost_case(first, ours, row, slice(*moves.start[row : row + 2].tolist()), costs[0], differs)
                yield (
                    case
                    if estimate is None
                    else RuleCase(0, {**case.value, "estimate": estimate_to_json(first, estimate[row])})
                )


def _sample_estimates(engine: Engine, decisions: Decisions) -> list[HandEstimate]:
    """Sample an estimate of the other hands in whole cards, if any preference reads one."""
    preference_model = engine.preference_model()
    if preference_model.preferences(with_estimate=True) == preference_model.preferences():
        return []
    return [np.rint(sample_estimate(engine.rules, decisions, SEED))]


def _differing_knowledge_rows(ours: Any, theirs: Any) -> list[int]:
    """Return the rows whose known cards of other hands differ."""
    information, their_information = ours.information_set(), theirs.information_set()
    differs = (information.min_copies != their_information.min_copies) | (
        information.max_copies != their_information.max_copies
    )
    return np.flatnonzero(differs.any(axis=(1, 2))).tolist()


def _cost_case(engine: Engine, decisions: Decisions, row: int, moves: slice, costs: Any, differs: Any) -> RuleCase:
    """Make a case with the costs of some moves of a position, up to half of them with differing costs."""
    decision_point = engine.decision_point_at(decisions, row)
    priced_moves = [
        [action.to_json(), cost] for action, cost in zip(decision_point.actions, costs[moves].tolist(), strict=True)
    ]
    differing = np.flatnonzero(differs[moves])[: MAX_MOVES_PER_CASE // 2].tolist()
    equal = [index for index in range(len(priced_moves)) if index not in differing]
    chosen = sorted(
        [*differing, *equal[:: max(1, len(equal) // MAX_MOVES_PER_CASE)][: MAX_MOVES_PER_CASE - len(differing)]]
    )
    return RuleCase(0, {"state": dict(decision_point.state), "costs": [priced_moves[index] for index in chosen]})


# --- proofs -----------------------------------------------------------------------------------------------------------


def _compare_descriptions(first: Engine, second: Engine) -> RuleDifference | None:
    """Return a difference of the compiled descriptions, independent of the rule texts."""
    ours, theirs = _describe_engine(first), _describe_engine(second)
    for name, value in ours.items():
        if value != theirs[name]:
            return RuleDifference(f"{name} differ", True)
    return None


def _describe_engine(engine: Engine) -> dict[str, object]:
    """Return everything besides circuits that determines play, names and observations, as comparable values."""
    rules, traits = engine.rules, engine.label_traits
    names = rules.cells.names
    return {
        "cards": (rules.pack.kinds, rules.pack.deck.tobytes(), rules.card_codes.kind_texts),
        "seats": rules.seating,
        "labels": rules.labels,
        "forms": [_describe_form(form, names) for form in rules.forms.forms],
        "lists of moves": [array.tobytes() if isinstance(array, np.ndarray) else array for array in rules.move_tables],
        "orders of the plays": rules.label_ranking.tobytes(),
        "kinds of plays": (traits.kind.tobytes(), traits.is_bomb.tobytes()),
        "fluents": (rules.fluents, sorted(map(str, rules.kb.facts("init", 1)))),
        "names of plays": [str(engine.play_name(label)) for label in engine.labels],
        "words of preferences": (rules.kb.preference_texts, rules.kb.preference_groups),
        "choices": (rules.schema.options, rules.schema.stages, rules.secret_stages),
        "random numbers": (rules.schema.lots, rules.kb.facts("lots", 2)),
        "views": (str(engine.observation_features), rules.history_length, rules.has_open_hands),
    }


def _describe_form(form: Form, names: Sequence[Term]) -> tuple[object, ...]:
    """Describe a form without the name of its kind, which matters only in comparisons of kinds."""
    groups = tuple((names[group.cell], group.count, group.min_natural, group.only_kind) for group in form.groups)
    kickers = form.kickers and (form.kickers.num_groups, form.kickers.group_size)
    return (
        form.name,
        form.label,
        groups,
        form.wild_range,
        form.suit,
        form.has_mixed_suits,
        kickers,
        form.has_kickers_apart,
        form.excluded_forms,
    )


def _compare_circuits(first: Engine, second: Engine, seconds: float) -> RuleDifference | None:
    """Return a difference of a query's outputs in a possible state, preferably one reached in play."""
    undecided, unreached, reached = [], "", _collect_reached_states(first)
    for name, spec in QUERY_SPECS.items():
        ours, theirs = (
            _question_circuit(first.rules, spec.outputs),
            _question_circuit(second.rules, spec.outputs),
        )
        if ours is None and theirs is None:
            continue
        either = ours or theirs
        assert either is not None
        run = partial(find_difference, ours or _drop_outputs(either), theirs or _drop_outputs(either), seconds=seconds)
        result, is_reached = reached.search(name, run)
        if result.status is MiterStatus.FOUND and not is_reached:
            unreached = unreached or spec.purpose
        elif result.status is MiterStatus.FOUND:
            inputs = ", ".join(sorted(map(str, result.state))) or "nothing is true"
            return RuleDifference(
                f"{spec.purpose}: differs where {inputs}", True, _distinguishing_case(first, second, result)
            )
        if result.status is MiterStatus.UNKNOWN:
            undecided.append(name)
    if undecided:
        return RuleDifference(f"not decided in {seconds:g} s: {', '.join(undecided)}", False)
    return RuleDifference(f"{unreached}: differs, but only in {UNREACHED_TEXT}", True) if unreached else None


def _collect_reached_states(engine: Engine) -> ReachedStates:
    """Collect the states reached in play by an engine's rules; played once per knowledge base.

    If rules differ in play at all, play by one of them reaches a state in which they differ.
    """
    memo = engine.rules.kb.memo
    if _collect_reached_states not in memo:
        states = ReachedStates(engine.rules)

        def begin(keys: NDArray[np.uint64]) -> TracedTables:
            tables = TracedTables(engine.rules, len(keys), states)
            tables.begin_match(np.arange(len(keys)), keys)
            return tables

        play_baseline_matches(engine, begin, 0, states.record_decisions)
        memo[_collect_reached_states] = states
    reached: ReachedStates = memo[_collect_reached_states]
    return reached


def _distinguishing_case(first: Engine, second: Engine, result: MiterResult) -> dict[str, Any] | None:
    """Return a case for a state like the one found, if it distinguishes the engines."""
    state = build_position(first.rules, result.state)
    if state is None:
        return None
    try:
        decision_point = first.read_decision_point(state)
        costs = first.preference_model().costs(decision_point.decision, decision_point.move_lists)[0].tolist()
    except GameError:
        return None
    priced_moves = [[action.to_json(), cost] for action, cost in zip(decision_point.actions, costs, strict=True)]
    for expected in (
        {"labels": list_legal_labels(first, decision_point)},
        {"moves": len(priced_moves)},
        {"costs": priced_moves},
    ):
        if _distinguish(RuleCase(0, {"state": state, **expected}), first, second):
            return {"state": state, **expected}
    return None


def _question_circuit(rules: CompiledGame, outputs: tuple[str, ...]) -> Circuit | None:
    derived = rules.derived_outputs | {COST, VIOLATED}
    known = [name for name in outputs if Signature.parse(name) in derived]
    if not known:
        return None
    circuit = rules.kb.circuit(*known)
    return circuit if _may_continue_match(circuit) else _drop_outputs(circuit, "match_over")


def _may_continue_match(circuit: Circuit) -> bool:
    """Return whether a match may continue; without a rule about its end it is one episode."""
    ends = [
        (name, literal)
        for (name, _), literal in zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
        if name in ("match_over", "won", "drawn")
    ]
    return any((name, literal) != ("match_over", TRUE) for name, literal in ends)


def _drop_outputs(circuit: Circuit, *names: str) -> Circuit:
    """Return a circuit without the outputs of these names; without names, with no outputs."""
    return with_outputs(circuit, [atom for atom in circuit.outputs if names and atom[0] not in names])
