"""Test cases of a rule folder: positions with expected values, records that must replay, and names of plays.

``cases.jsonl`` has one JSON object per line: a subject, expected values, and ``why``, a comment for people. Its fields
are listed in docs/how-to/test-rules.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError, open_maybe_gzip, parse_json_line, read_line_batches
from abl_cards.games import Engine
from abl_cards.games.notation import labels_by_text
from abl_cards.games.tables import DecisionPoint, is_play_decision
from abl_cards.games.types import HandEstimate, ReplayMismatch
from abl_cards.rulelab.testing.view_cases import (
    check_fields,
    check_hints,
    check_known_cards,
    check_memory,
    check_view,
    read_estimate,
)

CASES_FILE = "cases.jsonl"
MAX_INVALID_LINES = 20
"""Maximum number of lines that an error names."""
CASE_SUBJECTS = ("state", "record", "words", "order", "view", "drops")
POSITION_FIELDS = ("labels", "moves", "best", "costs", "sees", "known", "hints", "error")
PREFERENCE_FIELDS = ("best", "costs")
FIELDS_BY_SUBJECT = {
    "state": (*POSITION_FIELDS, "estimate"),
    "record": (*POSITION_FIELDS, "estimate", "before", "after"),
    "words": (),
    "order": ("number",),
    "view": (),
    "drops": (),
}
"""Fields of a case besides ``why`` and ``profile``, by subject."""


@dataclass(frozen=True)
class RuleCase:
    """Test case of a rule folder.

    Attributes:
        line: Line in ``cases.jsonl``, from 1; 0 for a case that is not in a file.
        value: JSON object of the line.
        owner: Name of the parent that a variant inherits the case from; empty for a case of the folder itself.
    """

    line: int
    value: Mapping[str, Any]
    owner: str = ""

    @property
    def location(self) -> str:
        """File and line of the case."""
        if not self.line:
            return "a case found before"
        return f"{self.owner}/{CASES_FILE}:{self.line}" if self.owner else f"{CASES_FILE}:{self.line}"

    @property
    def profile(self) -> str | None:
        """Profile of the rules; None for the default profile."""
        state = self.value.get("state")
        return self.value.get("profile") or (state.get("profile") if isinstance(state, dict) else None)

    @property
    def subject(self) -> str:
        """Subject of the case, one of CASE_SUBJECTS."""
        return next(name for name in CASE_SUBJECTS if name in self.value)


@dataclass(frozen=True)
class CaseFailure:
    """Case that does not hold, with the reason."""

    case: RuleCase
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return line and message as JSON."""
        inherited = {"inherited": self.case.owner} if self.case.owner else {}
        return {"line": self.case.line, "message": self.message, **inherited}

    def __str__(self) -> str:
        why = self.case.value.get("why")
        return f"{self.case.location}: {self.message}" + (f" ({why})" if why else "")


def read_cases(folder: Path) -> list[RuleCase]:
    """Read the test cases of a folder.

    Args:
        folder: Rule folder.

    Returns:
        Cases in the order of the file; empty without a file.

    Raises:
        GameError: Lines are not cases; the message names each of them, at most MAX_INVALID_LINES.
    """
    path = folder / CASES_FILE
    if not path.is_file():
        return []
    cases, problems = [], []
    with open_maybe_gzip(path) as stream:
        for batch in read_line_batches(stream, f"{path}: "):
            for number, line in batch:
                try:
                    cases += [_parse_case(number, line)] if line.strip() else []
                except GameError as error:
                    problems.append(f"{path}:{number}: {error}")
    if problems:
        more = len(problems) - MAX_INVALID_LINES
        rest = [f"{more} more lines are not cases"] if more > 0 else []
        raise GameError("\n".join([*problems[:MAX_INVALID_LINES], *rest]), ErrorCode.INVALID_CASE)
    return cases


def _parse_case(number: int, line: bytes) -> RuleCase:
    value = parse_json_line(line)
    _validate_case(value)
    return RuleCase(number, value)


def _validate_case(value: Any) -> None:
    """Raise GameError for a value that is not a case, or a case that cannot fail."""
    if not isinstance(value, dict):
        raise GameError("a case is a JSON object", ErrorCode.INVALID_CASE)
    subjects = [name for name in CASE_SUBJECTS if name in value]
    if len(subjects) != 1:
        raise GameError(
            f"a case has one subject of {', '.join(CASE_SUBJECTS)}; this one has {', '.join(subjects) or 'none'}",
            ErrorCode.INVALID_CASE,
        )
    known = {subjects[0], *FIELDS_BY_SUBJECT[subjects[0]], "why", "profile"}
    for name in value:
        if name not in known:
            raise GameError(f"unknown field '{name}'; known: {', '.join(sorted(known))}", ErrorCode.INVALID_CASE)
    if subjects[0] == "state" and not set(value) & set(POSITION_FIELDS):
        raise GameError(f"no expected value; give one of {', '.join(POSITION_FIELDS)}", ErrorCode.INVALID_CASE)
    if subjects[0] == "record" and ("before" in value) != bool(set(value) & set(POSITION_FIELDS)):
        raise GameError(
            "a record is replayed whole, or gives a position by 'before': N, with expected values",
            ErrorCode.INVALID_CASE,
        )
    if "estimate" in value and not set(value) & set(PREFERENCE_FIELDS):
        raise GameError(
            f"an estimate of the other hands needs {' or '.join(PREFERENCE_FIELDS)}",
            ErrorCode.INVALID_CASE,
        )
    if not isinstance(value.get("drops", ""), str):
        raise GameError("drops: not the identifier of a case", ErrorCode.INVALID_CASE)
    if not isinstance(RuleCase(0, value).profile or "", str):
        raise GameError("profile: not the name of a profile", ErrorCode.INVALID_CASE)


def find_failures(cases: Sequence[RuleCase], load_engine: Callable[[str | None], Engine]) -> Iterator[CaseFailure]:
    """Check cases, each by the rules of its profile.

    Whole records come last, because they take longest; those of a profile are replayed in parallel.

    Args:
        cases: Cases to check.
        load_engine: Returns the engine of a profile; None is the default profile.

    Yields:
        Failures, first of positions, then of whole records.

    Raises:
        KBError: The default rules have errors.
        GameError: The profile of a case is unknown, or its rules have errors.
    """
    whole_records: dict[tuple[str | None, bool], list[RuleCase]] = {}
    load_once = cache(load_engine)  # loading compares the files of the rules each time
    for case in cases:
        if case.subject == "record" and "before" not in case.value:
            whole_records.setdefault((case.profile, "after" in case.value), []).append(case)
        elif failure := check_case(case, _load_case_engine(case, load_once)):
            yield CaseFailure(case, failure)
    for group in whole_records.values():
        yield from _check_records(group, _load_case_engine(group[0], load_once))


def _load_case_engine(case: RuleCase, engine_of: Callable[[str | None], Engine]) -> Engine:
    """Load the rules of a case; an unknown profile or rules with errors are reported with the line of the case."""
    try:
        return engine_of(case.profile)
    except KBError as error:
        if case.profile is None:
            raise
        text = str(error).removeprefix("error: ")  # without a place of its own
        raise GameError(f"{case.location}: {text}", ErrorCode.INVALID_CASE) from None


def _check_records(cases: Sequence[RuleCase], engine: Engine) -> Iterator[CaseFailure]:
    """Check records in parallel; either all or none have expected values after them."""
    records = [case.value["record"] for case in cases]
    try:
        if "after" in cases[0].value:
            failures = check_memory(engine, records, [case.value["after"] for case in cases])
        else:
            mismatches = engine.replay(records).mismatches
            failures = [_join_problems(mismatches, line) for line in range(1, len(cases) + 1)]
    except GameError:  # one record that cannot be read or gets stuck stops all of them
        failures = [check_case(case, engine) for case in cases]
    yield from (CaseFailure(case, text) for case, text in zip(cases, failures, strict=True) if text)


def check_case(case: RuleCase, engine: Engine) -> str:
    """Check a case.

    Args:
        case: Case to check.
        engine: Engine of the profile of the case.

    Returns:
        Reason of the failure; empty if the case holds.
    """
    value = case.value
    expected = value.get("error")
    try:
        failure = _check_subject(case, engine)
    except GameError as error:
        if expected is not None and str(expected) in str(error):
            return ""
        return str(error) if expected is None else f"the error is '{error}', not '{expected}'"
    if expected is not None:
        if failure and str(expected) in failure:  # a record reports its error as a mismatch
            return ""
        return failure or f"no error, but '{expected}' is expected"
    return failure


def _check_subject(case: RuleCase, engine: Engine) -> str:
    value = case.value
    if case.subject == "drops":
        return ""
    if case.subject == "words":
        return _check_words(engine, value["words"])
    if case.subject == "order":
        return _check_order(engine, value)
    if case.subject == "view":
        return check_view(engine, value["view"])
    if case.subject == "record" and "before" not in value:
        if "after" in value:
            return check_memory(engine, [value["record"]], [value["after"]])[0]
        return _check_record(engine, value["record"])
    return _check_position(engine, value)


def _check_record(engine: Engine, record: Any) -> str:
    return _join_problems(engine.replay([record]).mismatches, 1)


def _join_problems(mismatches: Sequence[ReplayMismatch], line: int) -> str:
    """Join the mismatches of one of several records."""
    return "; ".join(mismatch.text for mismatch in mismatches if mismatch.line == line)


def list_named_terms(engine: Engine) -> set[str]:
    """Return the labels, stages and options of a game, which may have names among players."""
    schema = engine.rules.schema
    return {*engine.labels, *map(str, schema.stages), *map(str, schema.options)}


def _check_words(engine: Engine, words: Any) -> str:
    if not isinstance(words, Mapping):
        raise GameError("words: not an object of labels and their names", ErrorCode.INVALID_CASE)
    known = list_named_terms(engine)
    for label, expected in words.items():
        if label not in known:
            return f"there is no label {label}, and no stage or option of that name"
        if str(engine.play_name(label)) != expected:
            return f"{label} is called {engine.play_name(label)}, not {expected}"
    return ""


def _check_order(engine: Engine, value: Mapping[str, Any]) -> str:
    """Check the order of labels and their number."""
    if value.get("number", len(engine.labels)) != len(engine.labels):
        return f"there are {len(engine.labels)} labels, not {value['number']}"
    expected = _read_labels(engine, value, "order")
    for label in expected:
        if label not in engine.labels:
            return f"there is no label {label}"
    indices = [engine.labels.index(label) for label in expected]
    return (
        ""
        if indices == sorted(indices)
        else f"the labels are in another order: {', '.join(sorted(expected, key=engine.labels.index))}"
    )


def _read_labels(engine: Engine, value: Mapping[str, Any], key: str) -> list[str]:
    """Read labels by any of their texts; one that is no label stays as it is."""
    known = labels_by_text(engine.rules)
    texts = map(str, _read_list(value, key))
    return [engine.rules.label_texts[known[text]] if text in known else text for text in texts]


def list_legal_labels(engine: Engine, decision_point: DecisionPoint) -> list[str]:
    """Return the legal labels at a decision; for a choice, its stage."""
    decision = decision_point.decision
    if not is_play_decision(decision):
        return sorted(set(decision_point.labels))
    return sorted(label for label, legal in zip(engine.labels, decision.legal_mask[:, 0], strict=True) if legal)


def _check_position(engine: Engine, value: Mapping[str, Any]) -> str:
    for_preferences = not value.keys().isdisjoint(PREFERENCE_FIELDS)
    decision_point = engine.read_decision_point(
        value.get("state", value.get("record")), value.get("before"), for_preferences
    )
    plays = [_canonical_json(action.to_json()) for action in decision_point.actions]
    if "labels" in value:
        labels, expected = list_legal_labels(engine, decision_point), sorted(_read_labels(engine, value, "labels"))
        if labels != expected:
            return _describe_difference("labels", labels, expected)
    if "moves" in value:
        expected_moves = value["moves"]
        is_number = isinstance(expected_moves, int) and not isinstance(expected_moves, bool)
        if is_number and len(plays) != expected_moves:
            return f"there are {len(plays)} moves, not {expected_moves}"
        if not is_number and sorted(plays) != sorted(map(_canonical_json, _read_list(value, "moves"))):
            return _describe_difference("moves", plays, list(map(_canonical_json, expected_moves)))
    if "sees" in value and (failure := check_fields(decision_point, value["sees"])):
        return failure
    if "known" in value and (failure := check_known_cards(engine, decision_point, value["known"])):
        return failure
    if "hints" in value and (failure := check_hints(engine, decision_point, value["hints"])):
        return failure
    return _check_costs(engine, decision_point, plays, value) if set(value) & set(PREFERENCE_FIELDS) else ""


def compute_costs(engine: Engine, decision_point: DecisionPoint, estimate: HandEstimate | None) -> Any:
    """Return the costs of the moves at a decision, int [moves], and which are consistent, bool [moves]."""
    return engine.preference_model().costs(decision_point.decision, decision_point.move_lists, estimate)


def find_best_plays(plays: Sequence[Any], costs: Any, consistent: Any) -> list[Any]:
    """Return the consistent moves of least cost; of all moves if none is consistent."""
    candidates = [row for row in range(len(plays)) if consistent[row]] or list(range(len(plays)))
    lowest = min(costs[candidates])
    return [plays[row] for row in candidates if costs[row] == lowest]


def _check_costs(engine: Engine, decision_point: DecisionPoint, plays: list[str], value: Mapping[str, Any]) -> str:
    estimate = read_estimate(engine, value["estimate"]) if "estimate" in value else None
    costs, consistent = compute_costs(engine, decision_point, estimate)
    if "costs" in value:
        cost_by_play = dict(zip(plays, costs.tolist(), strict=True))
        for pair in _read_list(value, "costs"):
            if not isinstance(pair, list) or len(pair) != 2:
                raise GameError("costs: not a list of plays and costs, [[play, 3], …]", ErrorCode.INVALID_CASE)
            play, cost = _canonical_json(pair[0]), pair[1]
            if cost_by_play.get(play) != cost:
                return (
                    f"{play} costs {cost_by_play[play]}, not {cost}" if play in cost_by_play else f"{play} is not legal"
                )
    if "best" in value:
        best = sorted(find_best_plays(plays, costs, consistent))
        expected = sorted(map(_canonical_json, _read_list(value, "best")))
        if best != expected:
            return _describe_difference("best moves", best, expected)
    return ""


def _read_list(value: Mapping[str, Any], name: str) -> list[Any]:
    if not isinstance(value[name], list):
        raise GameError(f"{name}: not a list", ErrorCode.INVALID_CASE)
    return list(value[name])


def _canonical_json(value: Any) -> str:
    """Return a play as JSON text in canonical form: its cards may come in any order.

    >>> _canonical_json(["S3", "D3"]), _canonical_json("pass"), _canonical_json(["Pair", "3", ["S3", "D3"]])
    ('["D3","S3"]', '"pass"', '["Pair","3",["D3","S3"]]')
    """
    if isinstance(value, list) and all(isinstance(card, str) for card in value):
        value = sorted(value)
    elif isinstance(value, list) and isinstance(value[-1], list):
        value = [*value[:-1], sorted(value[-1], key=str)]
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _describe_difference(name: str, items: Sequence[str], expected: Sequence[str]) -> str:
    """Describe unexpected and missing items.

    >>> _describe_difference("labels", ["a", "b"], ["b", "c"])
    'labels: a not expected; c missing'
    """
    unexpected = [item for item in items if item not in expected]
    missing = [item for item in expected if item not in items]
    parts = [f"{', '.join(unexpected[:5])}{' …' * (len(unexpected) > 5)} not expected"] if unexpected else []
    parts += [f"{', '.join(missing[:5])}{' …' * (len(missing) > 5)} missing"] if missing else []
    return f"{name}: {'; '.join(parts) or 'equal items, but another number of them'}"
