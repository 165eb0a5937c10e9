"""Reasons why a play is legal or not, by the original and the edited rules, with the rules in which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from abl_cards.asp import KBError, Signature, split_term
from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.notation import derive_readings, include_play
from abl_cards.rulelab.editor import DEFINING_ROLES, RuleDraft, SourceFile, own_texts
from abl_cards.web.texts import reading_text

Node = dict[str, Any]
"""Node of a proof as JSON."""


def compare_reasons(draft: RuleDraft, state: Mapping[str, Any], play: str) -> dict[str, Any]:
    """Explain a play before and after the edit.

    Args:
        draft: Rules that are being edited.
        state: JSON state.
        play: The play as JSON, a word, or cards separated by blanks.

    Returns:
        Readings or the problem of each side; nodes whose rule the other side lacks are marked ``differs``. ``marks``
        has the lines of the draft with such rules.

    Raises:
        GameError: The play is invalid by both rules.
    """
    engines = draft.original_engine, draft.last_valid_engine
    sides = [_explain(engine, state, play) for engine in engines]
    if all("error" in side for side in sides):
        raise sides[1]["error"]
    texts = _Texts(draft)
    marks: dict[tuple[str, int], None] = {}
    facts = [{node["atom"] for node in _side_nodes(side) if node["kind"] == "fact"} for side in sides]
    for index, side in enumerate(sides):
        for node in _side_nodes(side):
            places = [texts.place(node["place"])] if node.get("place") else []
            differs = any(texts.is_changed(place, index == 1) for place in places)
            if index == 1 and node["kind"] == "fact" and node["atom"] not in facts[0]:
                places = texts.find_new_lines(node["atom"])
                differs = bool(places)
            node |= {"differs": differs, "place": next(iter(places), None)}
            if index == 1 and differs:
                marks |= {(place["file"], place["line"]): None for place in places}
    before, now = ({"problem": str(side["error"])} if "error" in side else side for side in sides)
    return {"before": before, "now": now, "marks": [{"file": file, "line": line} for file, line in marks]}


def _explain(engine: Engine, state: Mapping[str, Any], play: str) -> dict[str, Any]:
    try:
        point = include_play(engine.rules, engine.read_decision_point(state), play)
        readings = derive_readings(engine.rules, point, play)
    except (GameError, KBError) as error:
        return {"error": error}
    return {
        "readings": [
            reading.to_json() | {"label": reading_text(engine, point.decision, reading.label)} for reading in readings
        ],
    }


def _side_nodes(side: dict[str, Any]) -> Iterator[Node]:
    pending = [reading["why"] for reading in side.get("readings", ())]
    while pending:
        node = pending.pop()
        yield node
        pending += node.get("because", ())


class _Texts:
    """Texts of the original and of the edited files, to find the rules that one of them lacks."""

    def __init__(self, draft: RuleDraft) -> None:
        self._draft, self._own = draft, own_texts(draft)
        self._original = draft.read_original_files()
        self._current = self._original | self._own
        self._old_statements, self._new_statements = (
            " ".join("\n".join(texts.values()).split()) for texts in (self._original, self._current)
        )

    def place(self, place: dict[str, Any]) -> dict[str, Any]:
        """Return file and line of a rule as the laboratory names files."""
        path = Path(place["file"])
        if path.is_relative_to(self._draft.folder):
            return {"file": path.relative_to(self._draft.folder).as_posix(), "line": place["line"], "own": True}
        return {"file": "/".join(path.parts[-2:]), "line": place["line"], "own": False}

    def is_changed(self, place: dict[str, Any], is_current: bool) -> bool:
        """Return whether the texts of the other side lack the statement at a place."""
        if is_current and not place["own"]:
            return False
        texts, others = (self._own, self._old_statements) if is_current else (self._original, self._new_statements)
        text = texts.get(place["file"], texts.get(Path(place["file"]).name))
        return text is not None and _statement_at(text.splitlines(), place["line"]) not in others

    def find_new_lines(self, atom: str) -> list[dict[str, Any]]:
        """Return the lines of the draft that define the predicate of an atom and are not in the original game."""
        predicate, places = split_term(atom), list[dict[str, Any]]()
        signature = Signature(predicate.name, len(predicate.args))
        for name, text in self._own.items():
            source = SourceFile.from_text(Path(name), text)
            for occurrence in source.occurrences:
                if occurrence.signature == signature and occurrence.role in DEFINING_ROLES:
                    place = {"file": name, "line": source.text.line_and_column(occurrence.start)[0] + 1, "own": True}
                    places += [place] if self.is_changed(place, True) else []
        return places


def _statement_at(lines: list[str], number: int) -> str:
    """Return the lines from a number, from 1, to the end of a statement, with single blanks."""
    statement = list[str]()
    for line in lines[number - 1 :]:
        statement += line.split()
        if line.partition("%")[0].rstrip().endswith("."):
            break
    return " ".join(statement)
