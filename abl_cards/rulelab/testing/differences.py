"""Search for a difference between two folders of one game: a position or record that shows it, or a proof of none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
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
from abl_cards.games.notation import match_states_after
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
"""Positions that cover the rules; matches that are played, and decisions of them that are looked at."""
MAX_CASES_PER_STEP, MAX_MOVES_PER_CASE = 3, 8
"""Cases of a step of play; moves in a case."""
SEED = 5
UNREACHED_TEXT = "states that play does not come to, as far as matches show"


@dataclass(frozen=True)
class RuleDifference:
    """A difference between two folders."""

    description: str
    is_certain: bool  # else it could not be decided
    case: dict[str, Any] | None = None  # one that tells them apart, and holds in the first


def find_rule_difference(first: Engine, second: Engine, seconds: float) -> RuleDifference | None:
    """Of two engines of a game; None where it is proved that they do not differ. Raises GameError, KBError."""
    for case in _candidate_cases(first, second):
        if said := _distinguish(case, first, second):
            return RuleDifference(said, True, dict(case.value))
    found = _compare_descriptions(first, second) or _compare_circuits(first, second, seconds)
    return found if found is None or found.is_certain else _find_unreached_difference(first, second) or found


def _find_unreached_difference(first: Engine, second: Engine) -> RuleDifference | None:
    """A difference in random states, whatever they remember: where play comes to one, it has not been seen."""
    for case in (
        _position_cases(first, second, first.sample_decisions(NUM_STATES, SEED))
        if _is_comparable(first, second)
        else ()
    ):
        if said := _distinguish(case, first, second):
            return RuleDifference(f"{UNREACHED_TEXT}: {said}", True)
    return None


def _distinguish(case: RuleCase, first: Engine, second: Engine) -> str:
    """Return the failure of a case that holds in the first engine and not in the second; otherwise empty."""
    return "" if _failure_message(case, first) else _failure_message(case, second)


def _failure_message(case: RuleCase, engine: Engine) -> str:
    try:
        return check_case(case, engine)
    except (GameError, KBError) as problem:
        return str(problem)


# --- cases ------------------------------------------------------------------------------------------------------------


def _candidate_cases(first: Engine, second: Engine) -> Iterator[RuleCase]:
    """Cases that hold in the first, as far as they are chosen because the second differs."""
    if _is_comparable(first, second):
        for decisions in _reached_decisions(first):
            yield from islice(_position_cases(first, second, decisions), MAX_CASES_PER_STEP)
    records = list(collect_records(first, RandomAgent(), NUM_MATCHES, SEED))
    left = match_states_after(first.rules, records)
    yield from (RuleCase(0, {"record": each, "after": memory}) for each, memory in zip(records, left, strict=True))
    yield from _memory_cases(first, records)
    yield from _name_cases(first, second)


def _is_comparable(first: Engine, second: Engine) -> bool:
    """Return whether two games have equal cards and seats, so that they have equal states."""
    ours, theirs = ((engine.rules.pack.kinds, engine.rules.seating.seats) for engine in (first, second))
    return ours == theirs


def _memory_cases(engine: Engine, records: Sequence[Mapping[str, Any]]) -> Iterator[RuleCase]:
    """Yield cases about the observation, fluents and beliefs of the acting seat at some places of a record."""
    for record in records[:MAX_CASES_PER_STEP]:
        for before in np.linspace(1, len(record["acts"]), MAX_MOVES_PER_CASE).astype(int).tolist():
            moment = engine.read_decision_point(record, before)
            seen, hints = json.loads(json.dumps(moment.state)), compute_hints(engine, moment)
            case = {"record": record, "before": before, "sees": seen}
            yield RuleCase(0, case | ({"hints": hints} if any(hints.values()) else {}))


def _name_cases(first: Engine, second: Engine) -> Iterator[RuleCase]:
    """Yield cases about names and order of labels, and about observations."""
    if describe_observation(first) != describe_observation(second):
        yield RuleCase(0, {"view": describe_observation(first)})
    unlike = [
        label for label in first.labels if label in second.labels and first.play_name(label) != second.play_name(label)
    ]
    if unlike:
        yield RuleCase(0, {"words": {label: str(first.play_name(label)) for label in unlike[:MAX_MOVES_PER_CASE]}})
    if len(first.labels) != len(second.labels):
        yield RuleCase(0, {"order": [], "number": len(first.labels)})
    place = {label: number for number, label in enumerate(second.labels)}
    for one, two in pairwise(first.labels):
        if place.get(one, 0) > place.get(two, len(place)):
            yield RuleCase(0, {"order": [one, two]})


def _reached_decisions(engine: Engine) -> Iterator[Any]:
    """Decisions and choices of matches of random and of greedy play, then random ones that play may come to."""
    for player in (RandomAgent(), GreedyAgent(engine.label_traits)):
        tables = engine.start_matches(splitmix64_array(np.arange(NUM_MATCHES).astype(np.uint64), SEED))
        for _ in range(NUM_STEPS):
            playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
            if playing.size:
                yield tables.decisions(playing)
            if choosing.size:
                yield tables.choices(choosing)
            if not step_tables(tables, player):
                break
    kept = engine.rules.kb.memo
    if _reached_decisions not in kept:  # once for many edits of a folder
        kept[_reached_decisions] = engine.sample_situations(collect_situations(engine, 0), NUM_STATES, SEED)
    yield kept[_reached_decisions]


def _position_cases(first: Engine, second: Engine, ours: Any) -> Iterator[RuleCase]:
    """Yield cases about labels, moves and costs that differ in a position."""
    kept, adopted = second.convert_decisions(ours)
    theirs: Any = adopted
    ours = ours.select(np.flatnonzero(kept))
    if first.labels == second.labels and is_play_decision(ours):
        for row in np.flatnonzero((ours.legal_mask != theirs.legal_mask).any(axis=0)).tolist():
            moment = first.decision_point_at(ours, row)
            yield RuleCase(0, {"state": dict(moment.state), "labels": list_legal_labels(first, moment)})
    for row in _differing_knowledge_rows(ours, theirs):
        moment = first.decision_point_at(ours, row)
        yield RuleCase(0, {"state": dict(moment.state), "known": compute_known_cards(first, moment)})
    mine, other = ours.moves(), theirs.moves()
    ends = np.diff(mine.start), np.diff(other.start)
    for row in np.flatnonzero(ends[0] != ends[1]).tolist():
        yield RuleCase(0, {"state": dict(first.decision_point_at(ours, row).state), "moves": int(ends[0][row])})
    if np.array_equal(mine.start, other.start):
        for estimate in (None, *_sample_estimates(first, ours)):
            costs, others = (
                first.preference_model().costs(ours, mine, estimate),
                second.preference_model().costs(theirs, other, estimate),
            )
            unlike = (costs[0] != others[0]) | (costs[1] != others[1])
            for row in dict.fromkeys(mine.decision_index[unlike].tolist()):
                case = _cost_case(first, ours, row, slice(*mine.start[row : row + 2].tolist()), costs[0], unlike)
                yield (
                    case
                    if estimate is None
                    else RuleCase(0, {**case.value, "estimate": estimate_to_json(first, estimate[row])})
                )


def _sample_estimates(engine: Engine, decisions: Decisions) -> list[HandEstimate]:
    """Whole cards that the other hands are taken to hold, where any preference asks for such."""
    judge = engine.preference_model()
    if judge.preferences(with_estimate=True) == judge.preferences():
        return []
    return [np.rint(engine.sample_estimate(decisions, SEED))]


def _differing_knowledge_rows(ours: Any, theirs: Any) -> list[int]:
    """The rows where other cards are known of other hands."""
    mine, other = ours.information_set(), theirs.information_set()
    unlike = (mine.min_copies != other.min_copies) | (mine.max_copies != other.max_copies)
    return np.flatnonzero(unlike.any(axis=(1, 2))).tolist()


def _cost_case(engine: Engine, decisions: Decisions, row: int, moves: slice, costs: Any, unlike: Any) -> RuleCase:
    """A position with what some moves cost: half of them judged otherwise by the other rules, as far as there are."""
    moment = engine.decision_point_at(decisions, row)
    told = [[action.to_json(), cost] for action, cost in zip(moment.actions, costs[moves].tolist(), strict=True)]
    telling = np.flatnonzero(unlike[moves])[: MAX_MOVES_PER_CASE // 2].tolist()
    others = [number for number in range(len(told)) if number not in telling]
    chosen = sorted(
        [*telling, *others[:: max(1, len(others) // MAX_MOVES_PER_CASE)][: MAX_MOVES_PER_CASE - len(telling)]]
    )
    return RuleCase(0, {"state": dict(moment.state), "costs": [told[number] for number in chosen]})


# --- proofs -----------------------------------------------------------------------------------------------------------


def _compare_descriptions(first: Engine, second: Engine) -> RuleDifference | None:
    """Return a difference of the compiled descriptions, whatever the texts are."""
    ours, theirs = _describe_engine(first), _describe_engine(second)
    for what, value in ours.items():
        if value != theirs[what]:
            return RuleDifference(f"{what} differ", True)
    return None


def _describe_engine(engine: Engine) -> dict[str, object]:
    """All that play, words and views go by beside circuits, in values that can be compared."""
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
    """A form but for the name of its kind, which counts where kinds are compared alone."""
    groups = tuple((names[group.cell], group.count, group.min_natural, group.only_kind) for group in form.groups)
    kickers = form.kickers and (form.kickers.num_groups, form.kickers.group_size)
    return (
        form.name,
        form.label,
        groups,
        form.max_wilds,
        form.suit,
        form.has_mixed_suits,
        kickers,
        form.has_kickers_apart,
    )


def _compare_circuits(first: Engine, second: Engine, seconds: float) -> RuleDifference | None:
    """Return a difference of a query's outputs in a possible state, preferably one reached in play."""
    open_questions, unmet, reached = [], "", _collect_reached_states(first)
    for name, question in QUERY_SPECS.items():
        ours, theirs = (
            _question_circuit(first.rules, question.outputs),
            _question_circuit(second.rules, question.outputs),
        )
        if ours is None and theirs is None:
            continue
        nothing = ours or theirs
        assert nothing is not None
        run = partial(
            find_difference, ours or _drop_outputs(nothing), theirs or _drop_outputs(nothing), seconds=seconds
        )
        found, met = reached.search(name, run)
        if found.status is MiterStatus.FOUND and not met:
            unmet = unmet or question.purpose
        elif found.status is MiterStatus.FOUND:
            where = ", ".join(sorted(map(str, found.state))) or "nothing is true"
            return RuleDifference(
                f"{question.purpose}: differs where {where}", True, _distinguishing_case(first, second, found)
            )
        if found.status is MiterStatus.UNKNOWN:
            open_questions.append(name)
    if open_questions:
        return RuleDifference(f"not decided in {seconds:g} s: {', '.join(open_questions)}", False)
    return RuleDifference(f"{unmet}: differs, but only in {UNREACHED_TEXT}", True) if unmet else None


def _collect_reached_states(engine: Engine) -> ReachedStates:
    """Collect the states reached in play by an engine's rules; played once per knowledge base.

    If rules differ in play at all, play by one of them reaches a state in which they differ.
    """
    kept = engine.rules.kb.memo
    if _collect_reached_states not in kept:
        found = ReachedStates(engine.rules)

        def begin(keys: NDArray[np.uint64]) -> TracedTables:
            tables = TracedTables(engine.rules, len(keys), found)
            tables.begin_match(np.arange(len(keys)), keys)
            return tables

        play_baseline_matches(engine, begin, 0, found.record_decisions)
        kept[_collect_reached_states] = found
    known: ReachedStates = kept[_collect_reached_states]
    return known


def _distinguishing_case(first: Engine, second: Engine, found: MiterResult) -> dict[str, Any] | None:
    """Return a case for a state like the one found, if it distinguishes the engines."""
    state = build_position(first.rules, found.state)
    if state is None:
        return None
    try:
        moment = first.read_decision_point(state)
        costs = first.preference_model().costs(moment.decision, moment.move_lists)[0].tolist()
    except GameError:
        return None
    told = [[action.to_json(), cost] for action, cost in zip(moment.actions, costs, strict=True)]
    for expected in ({"labels": list_legal_labels(first, moment)}, {"moves": len(told)}, {"costs": told}):
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
    """A circuit without the outputs of some names, or without any."""
    return with_outputs(circuit, [atom for atom in circuit.outputs if names and atom[0] not in names])
