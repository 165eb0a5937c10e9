"""Review the plays of records: compute how many points each lost against the best move found.

A review uses only the information of the seat. Some moves of a decision are evaluated on deals that are consistent with
it: the move is made, and an agent decides for every seat until the episode ends. One half of the deals selects the best
move. The other half estimates its gain over the move that was played, so that chance is not counted as a mistake. All
moves of a decision are evaluated on the same deals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, ExplainableAgent, check_own_agent, make_agent
from abl_cards.core import (
    ErrorCode,
    GameError,
    check_functions,
    check_integer,
    check_language,
    check_list,
    check_number,
    check_seed,
    derive_key,
    splitmix64_array,
)
from abl_cards.games import Engine, Game, compile_engine, load
from abl_cards.games.notation import find_plays, include_move
from abl_cards.games.tables import DecisionPoint, Decisions, is_play_decision
from abl_cards.games.types import Indices, MoveLists, Moves, join_lists
from abl_cards.matches.move_rollouts import ReviewConfig, evaluate_moves
from abl_cards.matches.records import find_profile, normalise_record, read_numbered_records
from abl_cards.matches.review_results import EvaluatedMove, RecordReview, ReviewedDecision, SeatSummary
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain import MoveScores, PreferenceTexts, compare_moves, merge_instances

_RNG_DEALS = 21  # stream of random numbers
MAX_DEALS = 1_000_000
"""Most deals that a move is evaluated on."""


def review(
    game: Game | Engine | str | None,
    records: Mapping[str, Any] | Iterable[Mapping[str, Any]] | Path | str,
    agent: Agent | str = "kb",
    rollout_agent: Agent | str = "kb",
    *,
    seats: Iterable[int] | None = None,
    n_deals: int = 100,
    max_moves: int = 6,
    min_loss: float = 0.0,
    seed: int = 0,
    language: str = "en",
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[RecordReview]:
    """Review records: find the best move of each decision, and the points that the played move lost.

    Args:
        game: Game, its name, the path of a rule folder, or a compiled game; None to read the name from the
            first record. The profile is that of the first record, except where a compiled game is given.
        records: One record, several records, or a file of records as ``match --record`` writes it.
        agent: Agent whose choices are compared with the moves that were played, or its name.
        rollout_agent: Agent that plays sampled deals to their end, or its name.
        seats: Seats to review; None for all.
        n_deals: Deals per move, from 4 to 1,000,000; one half selects the best move.
        max_moves: Most moves evaluated per decision, at least 2.
        min_loss: Least loss of points that counts as a mistake.
        seed: Seed of deals and rollouts.
        language: Language of the reasons, ``en`` or ``zh``.
        on_progress: Called with the number of evaluated moves and their total, record by record.

    Returns:
        One review per record, in their order.

    Raises:
        GameError: A record is invalid or names no game, an agent is unknown, or a number is out of range.
        KBError: The rules do not compile.
        OSError: The file cannot be read.
    """
    n_deals, max_moves = check_integer("n_deals", n_deals, 4, MAX_DEALS), check_integer("max_moves", max_moves, 2)
    check_functions(is_optional=False, on_progress=on_progress)
    min_loss = check_number("min_loss", min_loss)
    seed = check_seed(seed)
    check_language(language)
    given = _list_records(records)
    engine = _engine_of_record(game, next(iter(given.values())))
    compared, rollout = (
        make_agent(spec, engine) if isinstance(spec, str) else check_own_agent(spec, type(spec).__name__, engine)
        for spec in (agent, rollout_agent)
    )
    config = ReviewConfig(engine, compared, rollout, n_deals, max_moves, min_loss, seed, language)
    chosen = None if seats is None else _check_seats(engine, seats)
    reviews = []
    for place, record in given.items():
        try:
            normalised = normalise_record(engine, record)
            decisions = review_record(config, normalised, chosen, on_progress)
        except GameError as problem:
            raise GameError(f"{place}: {problem}", problem.code, problem.values) from problem
        summaries = summarise_seats(engine, normalised, decisions)
        reviews.append(RecordReview(tuple(decisions), tuple(summaries)))
    return reviews


def _list_records(records: Any) -> dict[str, Mapping[str, Any]]:
    """Return records passed in any form, by their places; raises GameError if there are none, or one is no record."""
    if isinstance(records, str | Path):
        lines, read = read_numbered_records(records)
        return {f"{records}:{line}": record for line, record in zip(lines, read, strict=True)}
    if not isinstance(records, Iterable):
        problem = f"records={records!r:.60}: give a record, a list of records or a file"
        raise GameError(problem, ErrorCode.INVALID_RECORD)
    given = [records] if isinstance(records, Mapping) else list(records)
    if not given:
        raise GameError("there are no records to review", ErrorCode.NO_RECORDS)
    for number, record in enumerate(given, 1):
        if not isinstance(record, Mapping):
            problem = f"record {number} is no record but {record!r:.60}; give a dictionary, as match --record writes it"
            raise GameError(problem, ErrorCode.INVALID_RECORD)
    return {f"record {number}": record for number, record in enumerate(given, 1)}


def _check_seats(engine: Engine, seats: Any) -> frozenset[int]:
    """Return the seats to review; raises GameError for one that the game does not have."""
    given = check_list("seats", seats, is_ordered=False)
    return frozenset(check_integer("seat", seat, 0, len(engine.teams) - 1) for seat in given)


def _engine_of_record(game: Game | Engine | str | None, record: Mapping[str, Any]) -> Engine:
    """Compile a game with the profile that a record names; raises GameError, KBError."""
    if isinstance(game, Engine):
        return game
    name = record.get("game") if game is None else game
    if not isinstance(name, str | Game):
        raise GameError("the record names no game: pass the name of one", ErrorCode.INVALID_RECORD)
    loaded_game = load(name) if isinstance(name, str) else name
    profiles = loaded_game.folder.profiles
    profile = find_profile(record, profiles)
    return loaded_game.engine(profile=profile) if profile in profiles else compile_engine(loaded_game)


def review_record(
    config: ReviewConfig,
    record: Mapping[str, Any],
    seats: frozenset[int] | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    last_act: int | None = None,
) -> list[ReviewedDecision]:
    """Review the plays of one record with more than one legal move.

    Args:
        config: Compiled game, agents and settings.
        record: Record in the form of this package.
        seats: Seats to review; None for all.
        on_progress: Called with the number of evaluated moves and their total.
        last_act: Number of the last act to review, where later ones are invalid; None for all.

    Returns:
        The reviewed decisions, in their order.

    Raises:
        GameError: The record cannot be replayed, or holds no plays.
    """
    engine = config.engine
    acts, decisions = _decisions_with_choice(engine, record, seats, last_act)
    if decisions is None:
        return []
    seat = decisions.view.seats
    keys = _act_keys(config, acts)
    moves = config.agent.play(decisions, keys)
    points_of_decision = [
        include_move(engine.rules, point, Moves(moves.form[row : row + 1], moves.cards[row : row + 1]))[0]
        for row, point in enumerate(engine.recorded_decision_points(record, acts, decisions))
    ]
    lists = join_lists([point.move_lists for point in points_of_decision])
    played = lists.start[:-1] + np.array([_played_row(point) for point in points_of_decision])
    chosen = lists.find(moves)
    model = config.agent.preference_model if isinstance(config.agent, ExplainableAgent) else engine.preference_model()
    cost, _ = model.costs(decisions, lists)
    order = Minimiser(model).order(decisions, lists)
    candidates = _candidate_rows(decisions, lists, order, played, chosen, config.max_moves)
    points = evaluate_moves(config, decisions, lists, candidates, keys, on_progress)
    reviewed, texts = [], PreferenceTexts.of(model.kb, engine, config.language)
    for row, (act, decision_point) in enumerate(zip(acts, points_of_decision, strict=True)):
        begin = int(lists.start[row])
        reviewed.append(_make_reviewed_decision(
            config, act, int(seat[row]), decision_point, {index: points[index] for index in candidates[row]}, begin,
            int(played[row]), int(chosen[row]), cost, MoveScores(model, decision_point, texts, None),
        ))  # fmt: skip
    return reviewed


def grade_move(config: ReviewConfig, record: Mapping[str, Any], act: int, value: Any) -> ReviewedDecision:
    """Compare any legal play at one act of a record with the best one found.

    The deals are those of ``review_record`` with the same settings, so the moves that both evaluate have equal points.

    Args:
        config: Compiled game, agents and settings.
        record: Record in the form of this package.
        act: Number of the act, from 1.
        value: A play in JSON form. If the game composes plays of several parts, the first part is graded.

    Returns:
        The decision, with the given play in the place of the one that was played.

    Raises:
        GameError: The record cannot be replayed, the act is not a play, or the given play is not legal.
    """
    engine = config.engine
    decisions, keys = engine.decisions_at_acts([record], [act]), _act_keys(config, [act])
    lists, (match,) = find_plays(decisions, [value])
    if isinstance(match, GameError):
        raise match
    moves = config.agent.play(decisions, keys)
    decision_point = include_move(engine.rules, engine.read_decision_point(record, act), moves)[0]
    if match >= lists.start[-1]:  # a composed play
        first_cards = decision_point.move_lists.cards[:, 0]
        graded = int(np.flatnonzero(np.isin(first_cards, lists.cards[match]))[0])
    else:
        decision_point, graded = include_move(engine.rules, decision_point, lists.select(np.array([match])))
    lists = decision_point.move_lists
    played, chosen = np.array([_played_row(decision_point)]), lists.find(moves)
    model = config.agent.preference_model if isinstance(config.agent, ExplainableAgent) else engine.preference_model()
    cost, _ = model.costs(decisions, lists)
    order = Minimiser(model).order(decisions, lists)
    candidates = _candidate_rows(decisions, lists, order, played, chosen, config.max_moves)
    candidates = [list(dict.fromkeys((*candidates[0], graded)))]
    points = evaluate_moves(config, decisions, lists, candidates, keys)
    texts = PreferenceTexts.of(model.kb, engine, config.language)
    return _make_reviewed_decision(
        config, act, int(decisions.view.seats[0]), decision_point, points, 0, graded, int(chosen[0]), cost,
        MoveScores(model, decision_point, texts, None),
    )  # fmt: skip


def summarise_seats(
    engine: Engine, record: Mapping[str, Any], reviewed: list[ReviewedDecision], last_act: int | None = None
) -> list[SeatSummary]:
    """Summarise the decisions of each seat.

    Args:
        engine: Compiled game.
        record: The record that was reviewed.
        reviewed: Result of ``review_record``.
        last_act: The same as in ``review_record``.

    Returns:
        One summary for each seat with a reviewed decision.
    """
    plays = _count_plays_by_seat(engine, record, last_act)
    return [_summarise_seat(seat, plays, [decision for decision in reviewed if decision.seat == seat])
            for seat in sorted({decision.seat for decision in reviewed})]  # fmt: skip


def _summarise_seat(seat: int, plays: Mapping[int, int], own: list[ReviewedDecision]) -> SeatSummary:
    agreed = sum(decision.played_move.row == decision.agent_move.row for decision in own)
    mistakes = [decision for decision in own if decision.is_mistake]
    loss = sum(decision.loss for decision in mistakes)
    return SeatSummary(seat, plays.get(seat, 0), len(own), agreed, len(mistakes), loss)


def _act_keys(config: ReviewConfig, acts: list[int]) -> NDArray[np.uint64]:
    """Derive the key of the deals of each act."""
    return splitmix64_array(np.full(len(acts), derive_key(config.seed, _RNG_DEALS), np.uint64), np.array(acts))


# --- which decisions --------------------------------------------------------------------------------------------------


def _decisions_with_choice(
    engine: Engine, record: Mapping[str, Any], seats: frozenset[int] | None, last_act: int | None
) -> tuple[list[int], Decisions | None]:
    """Return the acts with more than one legal move, and their decisions."""
    acts = _play_acts(engine, record, last_act)
    decisions = engine.decisions_at_acts([record] * len(acts), acts)
    _, several = decisions.first_card_sets(1)
    if seats is not None:
        several &= np.isin(decisions.view.seats, list(seats))
    rows = np.flatnonzero(several)
    return [acts[row] for row in rows], decisions.select(rows) if rows.size else None


def _play_acts(engine: Engine, record: Mapping[str, Any], last_act: int | None) -> list[int]:
    (acts,) = engine.find_play_acts([record])
    plays = acts or _unfinished_play_acts(engine, record, last_act)
    return plays if last_act is None else [act for act in plays if act <= last_act]


def _unfinished_play_acts(engine: Engine, record: Mapping[str, Any], last_act: int | None) -> list[int]:
    """List the plays of an unfinished record; raises GameError for an invalid one."""
    acts, act = [], 1
    while act - 1 != last_act:
        decision_point = engine.read_decision_point(record, act)
        if decision_point.chosen_move is None:
            break
        if is_play_decision(decision_point.decision):
            acts.append(act)
        act += 1
    if not acts:
        raise GameError("nothing is played in this record", ErrorCode.NO_RECORDS)
    return acts


def _count_plays_by_seat(engine: Engine, record: Mapping[str, Any], last_act: int | None) -> dict[int, int]:
    acts = _play_acts(engine, record, last_act)
    seats, counts = np.unique(engine.decisions_at_acts([record] * len(acts), acts).view.seats, return_counts=True)
    return dict(zip(seats.tolist(), counts.tolist(), strict=True))


def _played_row(decision_point: DecisionPoint) -> int:
    assert decision_point.chosen_move is not None
    return decision_point.chosen_move


def _candidate_rows(
    decisions: Decisions, lists: MoveLists, order: NDArray[np.int64], played: Indices, chosen: Indices, max_moves: int
) -> list[list[int]]:
    """Select the rows to evaluate: the played move, the agent's, and the cheapest of other labels, by decision."""
    labels, candidates = decisions.labels_of(lists.form), []
    for decision, (first, last) in enumerate(zip(lists.start[:-1], lists.start[1:], strict=True)):
        rows = list(dict.fromkeys((int(played[decision]), int(chosen[decision]))))
        seen = {int(labels[row]) for row in rows}
        for row in order[first:last].tolist():
            if len(rows) < max_moves and int(labels[row]) not in seen:
                rows.append(row)
                seen.add(int(labels[row]))
        candidates.append(rows)
    return candidates


def _make_reviewed_decision(
    config: ReviewConfig, act: int, seat: int, decision_point: DecisionPoint,
    points: Mapping[int, NDArray[np.float64]], begin: int, played: int, chosen: int, cost: NDArray[np.int32],
    scores: MoveScores,
) -> ReviewedDecision:  # fmt: skip
    """Select the best move on one half of the deals, and estimate its gain on the other."""
    half = config.n_deals // 2
    ordered = sorted(points, key=lambda row: (-points[row][:half].mean(), cost[row]))
    evaluated = {
        row: EvaluatedMove(row - begin, int(cost[row]), float(points[row].mean()), _standard_error(points[row]))
        for row in ordered
    }
    gain = points[ordered[0]][half:] - points[played][half:]
    loss, error = float(gain.mean()), _standard_error(gain)
    is_mistake = loss > 2 * error and loss >= config.min_loss and ordered[0] != played
    reasons = compare_moves(scores.assess(ordered[0] - begin), scores.assess(played - begin))
    return ReviewedDecision(
        act, seat, decision_point, tuple(evaluated.values()), evaluated[played], evaluated[chosen], loss, error,
        is_mistake, reasons, tuple(merge_instances(reasons, scores.texts)),
    )  # fmt: skip


def _standard_error(values: NDArray[np.float64]) -> float:
    """Return the standard error of a mean; 0 for a single value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
