"""The cases of a folder: positions and what is true there, records that must play again, plays and their names.

``cases.jsonl`` has a JSON object a line: what it is about, what is expected, and ``why`` it is there, which nobody
reads but people. See docs/how-to/test-rules.md for its fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError, open_maybe_gzip, parse_json_line, read_line_batches
from abl_cards.games import Engine
from abl_cards.games.tables import DecisionPoint, is_play_decision
from abl_cards.games.types import ReplayMismatch
from abl_cards.rulelab.testing.view_cases import (
    check_fields,
    check_hints,
    check_known_cards,
    check_memory,
    check_view,
    read_estimate,
)

CASES_FILE = "cases.jsonl"
CASE_SUBJECTS = ("state", "record", "words", "order", "view")
POSITION_FIELDS = ("labels", "moves", "best", "costs", "sees", "known", "hints", "error")
PREFERENCE_FIELDS = ("best", "costs")
FIELDS_BY_SUBJECT = {
    "state": (*POSITION_FIELDS, "estimate"),
    "record": (*POSITION_FIELDS, "estimate", "before", "after"),
    "words": (),
    "order": ("number",),
    "view": (),
}
"""Fields of a case beside ``why`` and ``profile``, by its subject."""


@dataclass(frozen=True)
class RuleCase:
    """One line."""

    line: int  # 0 for one that stands in no file yet
    value: Mapping[str, Any]

    @property
    def profile(self) -> str | None:
        """The rules that it is about; None for the usual ones."""
        state = self.value.get("state")
        return self.value.get("profile") or (state.get("profile") if isinstance(state, dict) else None)

    @property
    def subject(self) -> str:
        """A key of FIELDS."""
        return next(name for name in CASE_SUBJECTS if name in self.value)


@dataclass(frozen=True)
class CaseFailure:
    """A case that does not hold."""

    case: RuleCase
    message: str

    def __str__(self) -> str:
        why = self.case.value.get("why")
        place = f"{CASES_FILE}:{self.case.line}" if self.case.line else "a case found before"
        return f"{place}: {self.message}" + (f" ({why})" if why else "")


def read_cases(folder: Path) -> list[RuleCase]:
    """The cases of a folder, none where there is no file; raises GameError with the line of what is no case."""
    path = folder / CASES_FILE
    if not path.is_file():
        return []
    found = []
    with open_maybe_gzip(path) as stream:
        for batch in read_line_batches(stream, f"{path}: "):
            found += [_parse_case(path, number, line) for number, line in batch if line.strip()]
    return found


def _parse_case(path: Path, number: int, line: bytes) -> RuleCase:
    try:
        value = parse_json_line(line)
        _validate_case(value)
    except GameError as problem:
        raise GameError(f"{path}:{number}: {problem}", ErrorCode.INVALID_CASE) from None
    return RuleCase(number, value)


def _validate_case(value: Any) -> None:
    """Raises GameError where it is no case, or one that cannot fail."""
    if not isinstance(value, dict):
        raise GameError("a case is a JSON object", ErrorCode.INVALID_CASE)
    about = [name for name in CASE_SUBJECTS if name in value]
    if len(about) != 1:
        raise GameError(
            f"a case is about one of {', '.join(CASE_SUBJECTS)}; this one has {', '.join(about) or 'none of them'}",
            ErrorCode.INVALID_CASE,
        )
    known = {about[0], *FIELDS_BY_SUBJECT[about[0]], "why", "profile"}
    for name in value:
        if name not in known:
            raise GameError(
                f"'{name}' is no field of such a case; it may have {', '.join(sorted(known))}", ErrorCode.INVALID_CASE
            )
    if about[0] == "state" and not set(value) & set(POSITION_FIELDS):
        raise GameError(f"nothing is expected; say one of {', '.join(POSITION_FIELDS)}", ErrorCode.INVALID_CASE)
    if about[0] == "record" and ("before" in value) != bool(set(value) & set(POSITION_FIELDS)):
        raise GameError(
            "a record plays again; with 'before': N it is a position, of which something is expected",
            ErrorCode.INVALID_CASE,
        )
    if "estimate" in value and not set(value) & set(PREFERENCE_FIELDS):
        raise GameError(
            f"an estimate of the other hands is for who judges moves; say {' or '.join(PREFERENCE_FIELDS)}",
            ErrorCode.INVALID_CASE,
        )
    if not isinstance(RuleCase(0, value).profile or "", str):
        raise GameError("profile: the name of a profile", ErrorCode.INVALID_CASE)


def find_failures(cases: Sequence[RuleCase], load_engine: Callable[[str | None], Engine]) -> Iterator[CaseFailure]:
    """The cases that do not hold by the rules of each case's profile; raises KBError, GameError where there are none.

    Whole records come last: they take longest, those of a profile play side by side.
    """
    whole: dict[tuple[str | None, bool], list[RuleCase]] = {}
    for case in cases:
        if case.subject == "record" and "before" not in case.value:
            whole.setdefault((case.profile, "after" in case.value), []).append(case)
        elif said := check_case(case, _load_case_engine(case, load_engine)):
            yield CaseFailure(case, said)
    for some in whole.values():
        yield from _check_records(some, _load_case_engine(some[0], load_engine))


def _load_case_engine(case: RuleCase, engine_of: Callable[[str | None], Engine]) -> Engine:
    """Load the rules of a case; an unknown profile or rules with errors are reported with the line of the case."""
    try:
        return engine_of(case.profile)
    except KBError as problem:
        if case.profile is None:
            raise
        raise GameError(f"{CASES_FILE}:{case.line}: {problem}", ErrorCode.INVALID_CASE) from None


def _check_records(cases: Sequence[RuleCase], engine: Engine) -> Iterator[CaseFailure]:
    """Records that play side by side; all of them say what is remembered after them, or none does."""
    records = [case.value["record"] for case in cases]
    try:
        if "after" in cases[0].value:
            said = check_memory(engine, records, [case.value["after"] for case in cases])
        else:
            found = engine.replay(records).mismatches
            said = [_join_problems(found, line) for line in range(1, len(cases) + 1)]
    except GameError:  # one that cannot be read, or that leads nowhere, keeps the others from their ends
        said = [check_case(case, engine) for case in cases]
    yield from (CaseFailure(case, text) for case, text in zip(cases, said, strict=True) if text)


def check_case(case: RuleCase, engine: Engine) -> str:
    """Return the failure of a case; empty if it holds."""
    value = case.value
    expected = value.get("error")
    try:
        said = _check_subject(case, engine)
    except GameError as problem:
        if expected is not None and str(expected) in str(problem):
            return ""
        return str(problem) if expected is None else f"the error is '{problem}', not '{expected}'"
    if expected is not None:
        if said and str(expected) in said:  # of a record, by the line
            return ""
        return said or f"there is no error, where '{expected}' is expected"
    return said


def _check_subject(case: RuleCase, engine: Engine) -> str:
    value = case.value
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


def _join_problems(found: Sequence[ReplayMismatch], line: int) -> str:
    """Join the mismatches of one of several records."""
    return "; ".join(problem.text for problem in found if problem.line == line)


def _check_words(engine: Engine, words: Any) -> str:
    if not isinstance(words, Mapping):
        raise GameError("words: an object of labels with the names that players give them", ErrorCode.INVALID_CASE)
    for label, expected in words.items():
        if label not in engine.labels:
            return f"there is no label {label}"
        if str(engine.play_name(label)) != expected:
            return f"{label} is called {engine.play_name(label)}, not {expected}"
    return ""


def _check_order(engine: Engine, value: Mapping[str, Any]) -> str:
    """Labels follow each other in masks, and there are so many."""
    if value.get("number", len(engine.labels)) != len(engine.labels):
        return f"there are {len(engine.labels)} labels, not {value['number']}"
    expected = list(map(str, _read_list(value, "order")))
    for label in expected:
        if label not in engine.labels:
            return f"there is no label {label}"
    places = [engine.labels.index(label) for label in expected]
    return (
        ""
        if places == sorted(places)
        else f"the labels come in another order: {', '.join(sorted(expected, key=engine.labels.index))}"
    )


def list_legal_labels(engine: Engine, decision_point: DecisionPoint) -> list[str]:
    """The labels that are legal at one decision; the stage where something else is chosen."""
    decision = decision_point.decision
    if not is_play_decision(decision):
        return sorted(set(decision_point.labels))
    return sorted(label for label, legal in zip(engine.labels, decision.legal_mask[:, 0], strict=True) if legal)


def _check_position(engine: Engine, value: Mapping[str, Any]) -> str:
    judged = not value.keys().isdisjoint(PREFERENCE_FIELDS)
    moment = engine.read_decision_point(value.get("state", value.get("record")), value.get("before"), judged)
    plays = [_canonical_json(action.to_json()) for action in moment.actions]
    if "labels" in value:
        labels, expected = list_legal_labels(engine, moment), sorted(set(map(str, _read_list(value, "labels"))))
        if labels != expected:
            return _describe_difference("labels", labels, expected)
    if "moves" in value:
        wanted = value["moves"]
        if isinstance(wanted, int) and len(plays) != wanted:
            return f"there are {len(plays)} moves, not {wanted}"
        if not isinstance(wanted, int) and sorted(plays) != sorted(map(_canonical_json, _read_list(value, "moves"))):
            return _describe_difference("moves", plays, list(map(_canonical_json, wanted)))
    if "sees" in value and (said := check_fields(moment, value["sees"])):
        return said
    if "known" in value and (said := check_known_cards(engine, moment, value["known"])):
        return said
    if "hints" in value and (said := check_hints(engine, moment, value["hints"])):
        return said
    return _check_costs(engine, moment, plays, value) if set(value) & set(PREFERENCE_FIELDS) else ""


def _check_costs(engine: Engine, moment: DecisionPoint, plays: list[str], value: Mapping[str, Any]) -> str:
    estimate = read_estimate(engine, value["estimate"]) if "estimate" in value else None
    costs, sound = engine.preference_model().costs(moment.decision, moment.move_lists, estimate)
    if "costs" in value:
        found = dict(zip(plays, costs.tolist(), strict=True))
        for pair in _read_list(value, "costs"):
            if not isinstance(pair, list) or len(pair) != 2:
                raise GameError("costs: pairs of a play and its cost, [[play, 3], …]", ErrorCode.INVALID_CASE)
            play, cost = _canonical_json(pair[0]), pair[1]
            if found.get(play) != cost:
                return f"{play} costs {found[play]}, not {cost}" if play in found else f"{play} is no legal move"
    if "best" in value:
        among = [row for row in range(len(plays)) if sound[row]] or list(range(len(plays)))
        least = min(costs[among])
        best = sorted(plays[row] for row in among if costs[row] == least)
        expected = sorted(map(_canonical_json, _read_list(value, "best")))
        if best != expected:
            return _describe_difference("best moves", best, expected)
    return ""


def _read_list(value: Mapping[str, Any], name: str) -> list[Any]:
    if not isinstance(value[name], list):
        raise GameError(f"{name}: a list", ErrorCode.INVALID_CASE)
    return list(value[name])


def _canonical_json(value: Any) -> str:
    """A play as JSON, the same for all ways of writing it.

    >>> _canonical_json(["S3", "D3"]), _canonical_json("pass")
    ('["S3","D3"]', '"pass"')
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _describe_difference(what: str, found: Sequence[str], expected: Sequence[str]) -> str:
    """Describe unexpected and missing items.

    >>> _describe_difference("labels", ["a", "b"], ["b", "c"])
    'labels: a not expected; c missing'
    """
    more = [each for each in found if each not in expected]
    less = [each for each in expected if each not in found]
    parts = [f"{', '.join(more[:5])}{' …' * (len(more) > 5)} not expected"] if more else []
    parts += [f"{', '.join(less[:5])}{' …' * (len(less) > 5)} missing"] if less else []
    return f"{what}: {'; '.join(parts) or 'the same ones, of another number'}"
