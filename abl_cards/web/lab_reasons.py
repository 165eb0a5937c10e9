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
from abl_cards.web.texts import label_text

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
    known = [{_node_key(node) for node in _side_nodes(side)} for side in sides]
    marks: dict[tuple[str, int], None] = {}
    for index, side in enumerate(sides):
        for node in _side_nodes(side):
            differs = _node_key(node) not in known[1 - index]
            places = [_place_json(draft, node["place"])] if node.get("place") else []
            if index == 1 and differs and node["kind"] == "fact":
                places = _find_new_lines(draft, node["atom"])
            node |= {"differs": differs and bool(places), "place": next(iter(places), None)}
            if index == 1 and differs:
                marks |= {(place["file"], place["line"]): None for place in places if place["own"]}
    before, now = ({"problem": str(side["error"])} if "error" in side else side for side in sides)
    return {"before": before, "now": now, "marks": [{"file": file, "line": line} for file, line in marks]}


def _explain(engine: Engine, state: Mapping[str, Any], play: str) -> dict[str, Any]:
    try:
        point = include_play(engine.rules, engine.read_decision_point(state), play)
        readings = derive_readings(engine.rules, point, play)
    except (GameError, KBError) as error:
        return {"error": error}
    return {
        "readings": [reading.to_json() | {"label": label_text(engine, reading.label)} for reading in readings],
    }


def _side_nodes(side: dict[str, Any]) -> Iterator[Node]:
    pending = [reading["why"] for reading in side.get("readings", ())]
    while pending:
        node = pending.pop()
        yield node
        pending += node.get("because", ())


def _node_key(node: Node) -> tuple[str, ...]:
    """Return the rule of a node, or its atom if it holds in every state; other nodes are equal."""
    return ("rule", node["rule"]) if "rule" in node else ("fact", node["atom"]) if node["kind"] == "fact" else ()


def _find_new_lines(draft: RuleDraft, atom: str) -> list[dict[str, Any]]:
    """Return the lines of the draft that define the predicate of an atom and are not in the original game."""
    predicate, places = split_term(atom), list[dict[str, Any]]()
    signature, original_files = Signature(predicate.name, len(predicate.args)), draft.read_original_files()
    for name, text in own_texts(draft).items():
        source, lines = SourceFile.from_text(Path(name), text), text.splitlines()
        old_lines = set(original_files.get(name, "").splitlines())
        for occurrence in source.occurrences:
            if occurrence.signature == signature and occurrence.role in DEFINING_ROLES:
                line, _ = source.text.line_and_column(occurrence.start)
                if lines[line] not in old_lines:
                    places.append({"file": name, "line": line + 1, "own": True})
    return places


def _place_json(draft: RuleDraft, place: dict[str, Any]) -> dict[str, Any]:
    """Return file and line of a rule as the laboratory names files."""
    path = Path(place["file"])
    if path.is_relative_to(draft.folder):
        return {"file": path.relative_to(draft.folder).as_posix(), "line": place["line"], "own": True}
    return {"file": "/".join(path.parts[-2:]), "line": place["line"], "own": False}
