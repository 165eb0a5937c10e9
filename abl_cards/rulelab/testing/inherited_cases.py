"""Test cases that a variant inherits from its parents, and changes of them that the variant accepts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from abl_cards.asp import did_you_mean
from abl_cards.core import ErrorCode, GameError, write_text
from abl_cards.games import Engine
from abl_cards.games.description import Folder
from abl_cards.games.notation import match_states_after
from abl_cards.games.tables import DecisionPoint
from abl_cards.rulelab.testing.cases import (
    CASES_FILE,
    POSITION_FIELDS,
    CaseFailure,
    RuleCase,
    check_case,
    compute_costs,
    find_best_plays,
    list_legal_labels,
    list_named_terms,
    read_cases,
)
from abl_cards.rulelab.testing.view_cases import compute_hints, compute_known_cards, describe_observation, read_estimate

DROPS = "drops"
"""Subject of a line that drops cases of a parent; the value is the identifier of one, or the name of the parent."""
_IDENTITY_FIELDS = ("before", "estimate", "profile")


def read_all_cases(folder: Folder) -> list[RuleCase]:
    """Read the test cases of a folder and those that it inherits from its parents.

    A case of the folder replaces a parent's case with the same position and the same kinds of expected values. A line
    ``{"drops": ID}`` drops the parent's case of this identifier, ``{"drops": PARENT}`` all cases of a parent.

    Args:
        folder: Rule folder.

    Returns:
        Inherited cases, those of the first parent first, then the folder's own. Records lack the name of the game.

    Raises:
        GameError: A line is not a case, or drops a case that does not exist; the message names file and line.
        KBError: A parent does not exist.
    """
    cases: dict[str, RuleCase] = {}
    for layer in folder.layers.folders:
        own, owner = read_cases(layer), "" if layer == folder.layers.folders[-1] else layer.resolve().name
        dropped = {case.value[DROPS] for case in own if case.subject == DROPS}
        parents = {case.owner for case in cases.values()}
        for case in own if not owner else ():
            if case.subject == DROPS and case.value[DROPS] not in {*cases, *parents}:
                raise GameError(_drops_nothing_text(folder, case, parents), ErrorCode.INVALID_CASE)
        cases = {
            identifier: case
            for identifier, case in cases.items()
            if identifier not in dropped and case.owner not in dropped
        }
        for case in own:
            if case.subject != DROPS:
                identifier = case_identifier(case)
                key = (
                    identifier
                    if identifier not in cases or cases[identifier].owner != owner
                    else f"{owner}:{case.line}"
                )
                cases.pop(key, None)
                cases[key] = replace(case, value=_without_game(case.value), owner=owner)
    return list(cases.values())


def _drops_nothing_text(folder: Folder, case: RuleCase, parents: Collection[str]) -> str:
    name = case.value[DROPS]
    known = did_you_mean(name, parents) or f"cases are inherited from: {', '.join(sorted(parents)) or 'nothing'}"
    return f"{folder.path / CASES_FILE}:{case.line}: drops: no inherited case has the identifier {name!r} ({known})"


def _without_game(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a case whose record fits a game of any name, because a variant has a name of its own."""
    record = value.get("record")
    if not isinstance(record, dict):
        return value
    return {**value, "record": {name: item for name, item in record.items() if name != "game"}}


def case_identifier(case: RuleCase) -> str:
    """Return an identifier of the position of a case and of its kinds of expected values.

    Args:
        case: Test case of any folder.

    Returns:
        12 hexadecimal digits; equal if only expected values, ``why`` or the name of the game differ.
    """
    value = _without_game(case.value)
    subject = value[case.subject] if case.subject in ("state", "record") else None
    identity = {name: value.get(name) for name in _IDENTITY_FIELDS}
    names = sorted(name for name in value if name not in (*_IDENTITY_FIELDS, "why"))
    if case.subject in ("words", "order"):
        subject = sorted(value[case.subject])
    text = json.dumps([case.subject, subject, identity, names], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def accept_changes(
    folder: Path, failures: Iterable[CaseFailure], load_engine: Callable[[str | None], Engine]
) -> tuple[int, int]:
    """Append the changes of inherited cases to the cases of a variant.

    A case whose position the variant still accepts is stored with the values by its rules; any other case is dropped.

    Args:
        folder: Directory of the variant.
        failures: Failures; those of the folder's own cases are ignored.
        load_engine: Returns the engine of a profile; None is the default profile.

    Returns:
        Numbers of cases with new values and of dropped cases.
    """
    renewed = dropped = 0
    lines: list[Mapping[str, Any]] = []
    for failure in failures:
        case = failure.case
        if not case.owner:
            continue
        value = _renew(case, load_engine)
        renewed, dropped = renewed + (value is not None), dropped + (value is None)
        if value is None or case_identifier(replace(case, value=value)) != case_identifier(case):  # a label is gone
            lines.append({DROPS: case_identifier(case), "why": _drop_reason(failure)})
        lines += [] if value is None else [value]
    if lines:
        path = folder / CASES_FILE
        text = path.read_text("utf-8") if path.is_file() else ""
        added = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        write_text(path, text + ("\n" if text and not text.endswith("\n") else "") + added)
    return renewed, dropped


def _drop_reason(failure: CaseFailure) -> str:
    """Return the comment of a dropped case: its place, its own comment, and the failure without its details."""
    why = failure.case.value.get("why")
    return f"{failure.case.location}: {f'{why}: ' if why else ''}{failure.message[:120]}"


def _renew(case: RuleCase, load_engine: Callable[[str | None], Engine]) -> dict[str, Any] | None:
    """Return the case with the values by other rules; None if it has none there."""
    try:
        engine = load_engine(case.profile)
        value = json.loads(json.dumps({**case.value, **_compute_values(case, engine)}))
        return value if not check_case(replace(case, value=value), engine) else None
    except GameError:
        return None


def _compute_values(case: RuleCase, engine: Engine) -> dict[str, Any]:
    """Compute the expected values of a case; raises GameError where the rules refuse its position."""
    value = case.value
    if case.subject == "words":
        named = list_named_terms(engine)
        return {"words": {term: str(engine.play_name(term)) for term in value["words"] if term in named}}
    if case.subject == "order":
        known = sorted((label for label in value["order"] if label in engine.labels), key=engine.labels.index)
        return {"order": known, **({"number": len(engine.labels)} if "number" in value else {})}
    if case.subject == "view":
        return {"view": describe_observation(engine)}
    if case.subject == "record" and "before" not in value:
        if "after" not in value:
            return {}
        (after,) = match_states_after(engine.rules, [value["record"]])
        if isinstance(after, GameError):
            raise after
        return {"after": {name: after.get(name) for name in value["after"]}}
    return _compute_position_values(value, engine)


def _compute_position_values(value: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    decision_point = engine.read_decision_point(value.get("state", value.get("record")), value.get("before"), True)
    compute: dict[str, Callable[[], Any]] = {
        "labels": lambda: list_legal_labels(engine, decision_point),
        "moves": lambda: _compute_moves(value["moves"], decision_point),
        "best": lambda: find_best_plays(*_costs(value, engine, decision_point)),
        "costs": lambda: _compute_move_costs(value, engine, decision_point),
        "sees": lambda: {name: decision_point.state.get(name) for name in value["sees"]},
        "known": lambda: _compute_known(value["known"], engine, decision_point),
        "hints": lambda: _select(compute_hints(engine, decision_point), value["hints"]),
    }
    return {name: compute[name]() for name in POSITION_FIELDS if name in value and name in compute}


def _compute_moves(expected: Any, decision_point: DecisionPoint) -> Any:
    plays = [action.to_json() for action in decision_point.actions]
    return len(plays) if isinstance(expected, int) else plays


def _costs(value: Mapping[str, Any], engine: Engine, decision_point: DecisionPoint) -> Any:
    estimate = read_estimate(engine, value["estimate"]) if "estimate" in value else None
    plays = [action.to_json() for action in decision_point.actions]
    return plays, *compute_costs(engine, decision_point, estimate)


def _compute_move_costs(value: Mapping[str, Any], engine: Engine, decision_point: DecisionPoint) -> list[list[Any]]:
    plays, costs, _ = _costs(value, engine, decision_point)
    expected = [play for play, _ in value["costs"]]
    return [[play, cost] for play, cost in zip(plays, costs.tolist(), strict=True) if play in expected]


def _compute_known(expected: Mapping[str, Any], engine: Engine, decision_point: DecisionPoint) -> dict[str, Any]:
    known = compute_known_cards(engine, decision_point)
    return {seat: {name: known[seat][name] for name in sides} for seat, sides in expected.items() if seat in known}


def _select(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}
