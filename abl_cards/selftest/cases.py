"""The cases of a folder: positions and what is true there, records that must play again, plays and their names.

``cases.jsonl`` has a JSON object a line: what it is about, what is expected, and ``why`` it is there, which nobody
reads but people. See docs/knowledge-bases.md for its fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.errors import GameError
from abl_cards.games import Engine, Moment
from abl_cards.games.moment import is_play
from abl_cards.games.results import Disagreement
from abl_cards.lines import batches, parse_line, reading
from abl_cards.logic import KBError
from abl_cards.selftest.sights import (
    estimate_of,
    wrong_fields,
    wrong_hints,
    wrong_knowledge,
    wrong_memory,
    wrong_view,
)

FILE = "cases.jsonl"
ABOUT = ("state", "record", "words", "order", "view")
POSITION = ("labels", "moves", "best", "costs", "sees", "known", "hints", "error")
JUDGED = ("best", "costs")
FIELDS = {
    "state": (*POSITION, "estimate"),
    "record": (*POSITION, "estimate", "before", "after"),
    "words": (),
    "order": ("number",),
    "view": (),
}
"""What a case may say beside ``why`` and ``profile``, by what it is about."""


@dataclass(frozen=True)
class Case:
    """One line."""

    line: int  # 0 for one that stands in no file yet
    value: Mapping[str, Any]

    @property
    def profile(self) -> str | None:
        """The rules that it is about; None for the usual ones."""
        state = self.value.get("state")
        return self.value.get("profile") or (state.get("profile") if isinstance(state, dict) else None)

    @property
    def about(self) -> str:
        """A key of FIELDS."""
        return next(name for name in ABOUT if name in self.value)


@dataclass(frozen=True)
class Failure:
    """A case that does not hold."""

    case: Case
    said: str

    def __str__(self) -> str:
        why = self.case.value.get("why")
        place = f"{FILE}:{self.case.line}" if self.case.line else "a case found before"
        return f"{place}: {self.said}" + (f" ({why})" if why else "")


def read_cases(folder: Path) -> list[Case]:
    """The cases of a folder, none where there is no file; raises GameError with the line of what is no case."""
    path = folder / FILE
    if not path.is_file():
        return []
    found = []
    with reading(path) as stream:
        for batch in batches(stream, f"{path}: "):
            found += [_case(path, number, line) for number, line in batch if line.strip()]
    return found


def _case(path: Path, number: int, line: bytes) -> Case:
    try:
        value = parse_line(line)
        _check(value)
    except GameError as problem:
        raise GameError(f"{path}:{number}: {problem}") from None
    return Case(number, value)


def _check(value: Any) -> None:
    """Raises GameError where it is no case, or one that cannot fail."""
    if not isinstance(value, dict):
        raise GameError("a case is a JSON object")
    about = [name for name in ABOUT if name in value]
    if len(about) != 1:
        raise GameError(f"a case is about one of {', '.join(ABOUT)}; this one has {', '.join(about) or 'none of them'}")
    known = {about[0], *FIELDS[about[0]], "why", "profile"}
    for name in value:
        if name not in known:
            raise GameError(f"'{name}' is no field of such a case; it may have {', '.join(sorted(known))}")
    if about[0] == "state" and not set(value) & set(POSITION):
        raise GameError(f"nothing is expected; say one of {', '.join(POSITION)}")
    if about[0] == "record" and ("before" in value) != bool(set(value) & set(POSITION)):
        raise GameError("a record plays again; with 'before': N it is a position, of which something is expected")
    if "estimate" in value and not set(value) & set(JUDGED):
        raise GameError(f"an estimate of the other hands is for who judges moves; say {' or '.join(JUDGED)}")
    if not isinstance(Case(0, value).profile or "", str):
        raise GameError("profile: the name of a profile")


def failures(cases: Sequence[Case], engine_of: Callable[[str | None], Engine]) -> Iterator[Failure]:
    """The cases that do not hold by the rules of each case's profile; raises KBError, GameError where there are none.

    Whole records come last: they take longest, those of a profile play side by side.
    """
    whole: dict[tuple[str | None, bool], list[Case]] = {}
    for case in cases:
        if case.about == "record" and "before" not in case.value:
            whole.setdefault((case.profile, "after" in case.value), []).append(case)
        elif said := failure_of(case, _engine(case, engine_of)):
            yield Failure(case, said)
    for some in whole.values():
        yield from _wrong_records(some, _engine(some[0], engine_of))


def _engine(case: Case, engine_of: Callable[[str | None], Engine]) -> Engine:
    """The rules of a case; the line that names a profile is said where they do not compile, or there is none."""
    try:
        return engine_of(case.profile)
    except KBError as problem:
        if case.profile is None:
            raise
        raise GameError(f"{FILE}:{case.line}: {problem}") from None


def _wrong_records(cases: Sequence[Case], engine: Engine) -> Iterator[Failure]:
    """Records that play side by side; all of them say what is remembered after them, or none does."""
    records = [case.value["record"] for case in cases]
    try:
        if "after" in cases[0].value:
            said = wrong_memory(engine, records, [case.value["after"] for case in cases])
        else:
            found = engine.replay(records).disagreements
            said = [_joined(found, line) for line in range(1, len(cases) + 1)]
    except GameError:  # one that cannot be read, or that leads nowhere, keeps the others from their ends
        said = [failure_of(case, engine) for case in cases]
    yield from (Failure(case, text) for case, text in zip(cases, said, strict=True) if text)


def failure_of(case: Case, engine: Engine) -> str:
    """What is wrong with a case, empty where it holds."""
    value = case.value
    expected = value.get("error")
    try:
        said = _said(case, engine)
    except GameError as problem:
        if expected is not None and str(expected) in str(problem):
            return ""
        return str(problem) if expected is None else f"the error is '{problem}', not '{expected}'"
    if expected is not None:
        if said and str(expected) in said:  # of a record, by the line
            return ""
        return said or f"there is no error, where '{expected}' is expected"
    return said


def _said(case: Case, engine: Engine) -> str:
    value = case.value
    if case.about == "words":
        return _wrong_words(engine, value["words"])
    if case.about == "order":
        return _wrong_order(engine, value)
    if case.about == "view":
        return wrong_view(engine, value["view"])
    if case.about == "record" and "before" not in value:
        if "after" in value:
            return wrong_memory(engine, [value["record"]], [value["after"]])[0]
        return _wrong_record(engine, value["record"])
    return _wrong_position(engine, value)


def _wrong_record(engine: Engine, record: Any) -> str:
    return _joined(engine.replay([record]).disagreements, 1)


def _joined(found: Sequence[Disagreement], line: int) -> str:
    """What is said of one of several records."""
    return "; ".join(problem.text for problem in found if problem.line == line)


def _wrong_words(engine: Engine, words: Any) -> str:
    if not isinstance(words, Mapping):
        raise GameError("words: an object of labels with the names that players give them")
    for label, expected in words.items():
        if label not in engine.labels:
            return f"there is no label {label}"
        if str(engine.name(label)) != expected:
            return f"{label} is called {engine.name(label)}, not {expected}"
    return ""


def _wrong_order(engine: Engine, value: Mapping[str, Any]) -> str:
    """Labels follow each other in masks, and there are so many."""
    if value.get("number", len(engine.labels)) != len(engine.labels):
        return f"there are {len(engine.labels)} labels, not {value['number']}"
    expected = list(map(str, _list(value, "order")))
    for label in expected:
        if label not in engine.labels:
            return f"there is no label {label}"
    places = [engine.labels.index(label) for label in expected]
    return (
        ""
        if places == sorted(places)
        else f"the labels come in another order: {', '.join(sorted(expected, key=engine.labels.index))}"
    )


def legal_labels(engine: Engine, moment: Moment) -> list[str]:
    """The labels that are legal at one decision; the stage where something else is chosen."""
    decision = moment.decision
    if not is_play(decision):
        return sorted(set(moment.labels))
    return sorted(label for label, legal in zip(engine.labels, decision.legal[:, 0], strict=True) if legal)


def _wrong_position(engine: Engine, value: Mapping[str, Any]) -> str:
    judged = not value.keys().isdisjoint(JUDGED)
    moment = engine.moment(value.get("state", value.get("record")), value.get("before"), judged)
    plays = [_text(action.to_json()) for action in moment.actions]
    if "labels" in value:
        labels, expected = legal_labels(engine, moment), sorted(set(map(str, _list(value, "labels"))))
        if labels != expected:
            return _unlike("labels", labels, expected)
    if "moves" in value:
        wanted = value["moves"]
        if isinstance(wanted, int) and len(plays) != wanted:
            return f"there are {len(plays)} moves, not {wanted}"
        if not isinstance(wanted, int) and sorted(plays) != sorted(map(_text, _list(value, "moves"))):
            return _unlike("moves", plays, list(map(_text, wanted)))
    if "sees" in value and (said := wrong_fields(moment, value["sees"])):
        return said
    if "known" in value and (said := wrong_knowledge(engine, moment, value["known"])):
        return said
    if "hints" in value and (said := wrong_hints(engine, moment, value["hints"])):
        return said
    return _wrong_costs(engine, moment, plays, value) if set(value) & set(JUDGED) else ""


def _wrong_costs(engine: Engine, moment: Moment, plays: list[str], value: Mapping[str, Any]) -> str:
    estimate = estimate_of(engine, value["estimate"]) if "estimate" in value else None
    costs, sound = engine.judge().costs(moment.decision, moment.lists, estimate)
    if "costs" in value:
        found = dict(zip(plays, costs.tolist(), strict=True))
        for pair in _list(value, "costs"):
            if not isinstance(pair, list) or len(pair) != 2:
                raise GameError("costs: pairs of a play and its cost, [[play, 3], …]")
            play, cost = _text(pair[0]), pair[1]
            if found.get(play) != cost:
                return f"{play} costs {found[play]}, not {cost}" if play in found else f"{play} is no legal move"
    if "best" in value:
        among = [row for row in range(len(plays)) if sound[row]] or list(range(len(plays)))
        least = min(costs[among])
        best = sorted(plays[row] for row in among if costs[row] == least)
        expected = sorted(map(_text, _list(value, "best")))
        if best != expected:
            return _unlike("best moves", best, expected)
    return ""


def _list(value: Mapping[str, Any], name: str) -> list[Any]:
    if not isinstance(value[name], list):
        raise GameError(f"{name}: a list")
    return list(value[name])


def _text(value: Any) -> str:
    """A play as JSON, the same for all ways of writing it.

    >>> _text(["S3", "D3"]), _text("pass")
    ('["S3","D3"]', '"pass"')
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _unlike(what: str, found: Sequence[str], expected: Sequence[str]) -> str:
    """What there is too much, and what is missing.

    >>> _unlike("labels", ["a", "b"], ["b", "c"])
    'labels: a not expected; c missing'
    """
    more = [each for each in found if each not in expected]
    less = [each for each in expected if each not in found]
    parts = [f"{', '.join(more[:5])}{' …' * (len(more) > 5)} not expected"] if more else []
    parts += [f"{', '.join(less[:5])}{' …' * (len(less) > 5)} missing"] if less else []
    return f"{what}: {'; '.join(parts) or 'the same ones, of another number'}"
