"""Blocks of lessons in the form that a browser draws, and grades of quiz answers, computed by the engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from abl_cards.agents import make_preference_model
from abl_cards.asp import Diagnostic, KBError, Signature, did_you_mean, make_error
from abl_cards.core import LANGUAGES, ErrorCode, GameError, parse_seed
from abl_cards.games import Engine, Game
from abl_cards.games.notation import PASS, read_play
from abl_cards.games.tables import DecisionPoint, Decisions, is_play_decision
from abl_cards.matches import derive_match_keys
from abl_cards.reasoners.explain import Explanation, MoveAssessment, explain
from abl_cards.rulelab.editor import describe_preference
from abl_cards.web.hints import difference_json, verdict_json
from abl_cards.web.lab_positions import position_json
from abl_cards.web.lesson_text import Lesson, LessonBlock, find_lessons, misnamed_lessons, read_lesson, walk_nodes
from abl_cards.web.selection import CardSelection
from abl_cards.web.texts import deck_json, hand_texts

TASKS = ("beat", "legal", "best")
MAX_PLAYS = 12
_SIGNATURE = re.compile(r"\w+/\d+")
_QUIZ_FIELDS = {"task", "state", "plays", "answer", "question"}
_DEAL_FIELDS = {"seed", "profile"}


def lesson_json(engine: Engine, game: Game, lesson: Lesson) -> dict[str, Any]:
    """Return a lesson as a browser draws it.

    Args:
        engine: Engine of the game.
        game: The game, whose rules a lesson may show.
        lesson: Parsed lesson.

    Raises:
        KBError: Blocks have errors, each with its line.
    """
    blocks, errors = [], list[Diagnostic]()
    for block in lesson.blocks:
        try:
            blocks.append(block_json(engine, game, block))
        except GameError as error:
            errors.append(_block_error(lesson, block, error))
    if errors:
        raise KBError(errors)
    deck = deck_json(engine.rules)
    for node in walk_nodes(lesson.nodes):
        if node["kind"] == "code" and (words := node["text"].split()) and all(word in deck for word in words):
            node |= {"kind": "cards", "cards": words}
    are_decided = bool(engine.rules.kb.instances("side", 2))  # in the course of a deal
    sides = list(range(len(engine.teams))) if are_decided else engine.teams.tolist()
    return {"title": lesson.title, "nodes": lesson.nodes, "blocks": blocks, "deck": deck, "sides": sides}


def check_lessons(engine: Engine, game: Game, folder: str | Path) -> list[Diagnostic]:
    """Check all lessons of a rule folder: their blocks, and the quiz answers that they state.

    Args:
        engine: Engine of the folder.
        game: Its game.
        folder: Rule folder.

    Returns:
        Errors with file and line.
    """
    folder = Path(folder)
    errors = misnamed_lessons(folder)
    for lesson_file in find_lessons(folder):
        for path in lesson_file.paths.values():
            try:
                lesson = read_lesson(path)
                lesson_json(engine, game, lesson)
            except KBError as error:
                errors += error.diagnostics
                continue
            for block in lesson.blocks:
                if block.kind == "quiz" and "answer" in block.value and (problem := _check_claim(engine, block)):
                    remedy = "change the claim of the block (answer), or the position"
                    errors.append(make_error(lesson.locate(block), problem, remedy, ErrorCode.INVALID_LESSON))
    return errors


def _block_error(lesson: Lesson, block: LessonBlock, error: GameError) -> Diagnostic:
    remedy = f"see how to write a {block.kind} block: docs/how-to/write-a-lesson.md"
    return make_error(lesson.locate(block), f"{block.kind}: {error}", remedy, ErrorCode.INVALID_LESSON)


def block_json(engine: Engine, game: Game, block: LessonBlock) -> dict[str, Any]:
    """Return a block as a browser draws it.

    Args:
        engine: Engine of the game.
        game: The game.
        block: The block.

    Raises:
        GameError: The block is not valid.
    """
    fields = _BLOCK_READERS[block.kind](engine, game, block.value)
    return {"kind": block.kind, "line": block.line, "caption": block.caption, **fields}


def _position_fields(engine: Engine, game: Game, value: Mapping[str, Any]) -> dict[str, Any]:
    engine.read_decision_point(value)
    return _drawn_fields(engine, value)


def _drawn_fields(engine: Engine, state: Mapping[str, Any], with_own: bool = True) -> dict[str, Any]:
    """Return a position to draw, and the known numbers of cards by seat."""
    drawn = position_json(engine, state)
    assert drawn is not None  # the state was read before
    counts: dict[int, int] = {drawn["seat"]: len(drawn["hand"])} if with_own else {}
    others, seat = state.get("cards"), drawn["seat"]
    for number in others if isinstance(others, list) else ():
        seat = drawn["after"][seat]
        counts[seat] = number
    return {"drawn": drawn, "counts": counts}


def _deal_fields(engine: Engine, game: Game, value: Mapping[str, Any]) -> dict[str, Any]:
    _refuse_unknown(value, _DEAL_FIELDS)
    try:
        seed = parse_seed(value.get("seed", 0))
    except ValueError:
        raise GameError("seed: write a number", ErrorCode.INVALID_LESSON) from None
    profile = value.get("profile", "")
    if profile and profile not in game.folder.profiles:
        known = ", ".join(game.folder.profiles) or "none"
        raise GameError(f"unknown profile '{profile}'; there are: {known}", ErrorCode.UNKNOWN_PROFILE)
    dealt = game.engine(None, profile) if profile else engine
    tables = dealt.start_matches(derive_match_keys(seed, np.array([0]), 1))
    hand = hand_texts(dealt.rules, tables.state.hands[0, 0], int(tables.state.context[0]))
    return {"hand": hand, "options": {"seed": str(seed), **({"profile": profile} if profile else {})}}


def _rule_fields(engine: Engine, game: Game, value: str) -> dict[str, Any]:
    """Return the sentence of a preference, or the source lines of the rules for a predicate."""
    kb = engine.rules.kb
    if _SIGNATURE.fullmatch(value):
        signature = Signature.parse(value)
        uses = [use for use in game.folder.program(engine.rules.profile).heads if use.signature == signature]
        if not uses:
            raise GameError(f"no rule derives {value}", ErrorCode.INVALID_LESSON)
        places = dict.fromkeys((use.location.file, use.location.line) for use in uses)
        rules = [
            {"file": Path(file).name, "line": line, "code": _statement_at(Path(file), line)} for file, line in places
        ]
        return {"name": value, "text": None, "rules": rules}
    names = {name for name, _ in kb.preference_texts}
    if value not in names:
        near = did_you_mean(value, names) or f"there are: {', '.join(sorted(names)[:8])} …"
        raise GameError(f"no preference '{value[:60]}'; {near}", ErrorCode.INVALID_LESSON)
    return {"name": value, "text": [describe_preference(kb, value, code) for code in LANGUAGES], "rules": []}


def _statement_at(path: Path, line: int) -> str:
    """Return the lines of a rule that begins in a line."""
    lines = path.read_text(encoding="utf-8").splitlines()[line - 1 :]
    end = next((number for number, text in enumerate(lines) if text.partition(" %")[0].rstrip().endswith(".")), 0)
    return "\n".join(text.rstrip() for text in lines[: end + 1])


# --- quizzes ----------------------------------------------------------------------------------------------------------


def _quiz_fields(engine: Engine, game: Game, value: Mapping[str, Any]) -> dict[str, Any]:
    _refuse_unknown(value, _QUIZ_FIELDS)
    task, point = value.get("task"), _read_point(engine, value)
    if not isinstance(value.get("question", ""), str):
        raise GameError("question: write a text", ErrorCode.INVALID_LESSON)
    drawn = _drawn_fields(engine, _state_of(engine, value), with_own=task != "beat")
    fields = {"task": task, "question": value.get("question", ""), **drawn}
    if task == "beat":
        plays = [_play_json(engine, point, play) for play in _plays_of(value)]
        return fields | {"plays": plays}
    if not any(action.to_json() != PASS and point.labels[row] != "pass" for row, action in enumerate(point.actions)):
        raise GameError("there is nothing but a pass: no play to choose", ErrorCode.INVALID_LESSON)
    if task == "best":
        _explain(engine, value, "en")
    return fields


def _refuse_unknown(value: Mapping[str, Any], known: set[str]) -> None:
    unknown = sorted(set(value) - known)
    if unknown:
        raise GameError(
            f"unknown field '{unknown[0]}'; there are: {', '.join(sorted(known))}", ErrorCode.INVALID_LESSON
        )


def _plays_of(value: Mapping[str, Any]) -> Sequence[Any]:
    plays = value.get("plays")
    if not isinstance(plays, list) or not 2 <= len(plays) <= MAX_PLAYS:
        raise GameError(f"plays: write a list of 2 to {MAX_PLAYS} plays", ErrorCode.INVALID_LESSON)
    return plays


def _state_of(engine: Engine, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of a quiz; without a hand, the hand has the cards of all its plays."""
    state = value.get("state")
    if value.get("task") not in TASKS:
        raise GameError(f"task: write one of {', '.join(TASKS)}", ErrorCode.INVALID_LESSON)
    if not isinstance(state, dict):
        raise GameError("state: write a position, a JSON object", ErrorCode.INVALID_LESSON)
    if "hand" in state or value["task"] != "beat":
        return state
    rules = engine.rules
    counts = np.zeros(len(rules.pack), np.int64)
    for play in _plays_of(value):
        own = np.bincount(read_play(rules, play).cards, minlength=len(counts)).astype(np.int64)
        counts = np.maximum(counts, own)
    texts = rules.card_codes.kind_texts
    return {**state, "hand": [texts[kind] for kind in np.repeat(np.arange(len(counts)), counts).tolist()]}


def _read_point(engine: Engine, value: Mapping[str, Any], for_explanation: bool = False) -> DecisionPoint:
    point = engine.read_decision_point(_state_of(engine, value), for_explanation=for_explanation)
    if not is_play_decision(point.decision):
        raise GameError("a quiz is about plays, not about choices", ErrorCode.INVALID_LESSON)
    return point


def _selection(engine: Engine, point: DecisionPoint) -> CardSelection:
    decision = point.decision
    assert isinstance(decision, Decisions)
    return CardSelection(engine, decision)


def _play_json(engine: Engine, point: DecisionPoint, play: Any) -> dict[str, Any]:
    """Return a play of a quiz: its cards, and its name if it is a legal one."""
    cards = _cards_of(engine, play)
    if not cards:
        raise GameError("plays: a pass is no play to choose", ErrorCode.INVALID_LESSON)
    _selection(engine, point).interpret(cards)  # the cards are in the hand
    return {"cards": cards}


def grade_answer(engine: Engine, block: LessonBlock, answer: Any, language: str) -> dict[str, Any]:
    """Grade the answer of a quiz by the engine.

    Args:
        engine: Engine of the game.
        block: Block of the quiz.
        answer: Indices of the chosen plays (task ``beat``); otherwise the cards of the play, none for a pass.
        language: Language of the reasons, "en" or "zh".

    Returns:
        ``right``, and what the engine found: for each play whether it is legal; the names of the play; the best play
        with reasons.

    Raises:
        GameError: The block is not a quiz, or the answer has the wrong form.
    """
    if block.kind != "quiz":
        raise GameError("this block asks nothing", ErrorCode.INVALID_REQUEST)
    graders: dict[str, Callable[[], dict[str, Any]]] = {
        "beat": lambda: _grade_beat(engine, block.value, answer),
        "legal": lambda: _grade_legal(engine, block.value, answer),
        "best": lambda: _grade_best(engine, block.value, answer, language),
    }
    return graders[str(block.value.get("task"))]()


def _grade_beat(engine: Engine, value: Mapping[str, Any], answer: Any) -> dict[str, Any]:
    plays = _plays_of(value)
    if not isinstance(answer, list) or not all(type(item) is int and 0 <= item < len(plays) for item in answer):
        raise GameError("answer: write the numbers of plays, from 0", ErrorCode.INVALID_REQUEST)
    point = _read_point(engine, value)
    results = []
    for play in plays:
        interpretation = _selection(engine, point).interpret(_cards_of(engine, play))
        legal = bool(interpretation["readings"])
        results.append({"legal": legal, "names": [reading["text"] for reading in interpretation["readings"]],
                        "problem": None if legal else interpretation["problem"]})  # fmt: skip
    legal_rows = {row for row, result in enumerate(results) if result["legal"]}
    return {"right": legal_rows == set(answer), "plays": results}


def _cards_of(engine: Engine, play: Any) -> list[str]:
    return [engine.rules.card_codes.kind_texts[kind] for kind in read_play(engine.rules, play).cards]


def _answer_cards(answer: Any) -> list[str]:
    if not isinstance(answer, list) or len(answer) > 256 or not all(isinstance(card, str) for card in answer):
        raise GameError("answer: write a list of cards", ErrorCode.INVALID_REQUEST)
    return answer


def _grade_legal(engine: Engine, value: Mapping[str, Any], answer: Any) -> dict[str, Any]:
    interpretation = _selection(engine, _read_point(engine, value)).interpret(_answer_cards(answer))
    readings = interpretation["readings"] if answer else []
    return {"right": bool(readings), "names": [reading["text"] for reading in readings],
            "problem": None if readings else interpretation.get("problem")}  # fmt: skip


def _explain(engine: Engine, value: Mapping[str, Any], language: str) -> Explanation:
    point = _read_point(engine, value, for_explanation=True)
    return explain(engine, make_preference_model("kb", engine), point, language)


def _grade_best(engine: Engine, value: Mapping[str, Any], answer: Any, language: str) -> dict[str, Any]:
    explanation = _explain(engine, value, language)
    chosen, own = explanation.chosen, _assess(engine, explanation, _answer_cards(answer))
    result = {"right": own is not None and own.cost == chosen.cost, "best": verdict_json(explanation, chosen)}
    if own is None:
        interpretation = _selection(engine, _read_point(engine, value)).interpret(answer)
        return result | {"own": None, "problem": interpretation.get("problem")}
    return result | {"own": verdict_json(explanation, own), "difference": difference_json(explanation, own)}


def _assess(engine: Engine, explanation: Explanation, cards: Sequence[str]) -> MoveAssessment | None:
    """Return the cheapest move with these cards; None if none is legal."""
    kinds = sorted(engine.rules.card_codes.read(list(cards)))
    rows = [
        row
        for row, move in enumerate(explanation.decision_point.move_lists.cards.tolist())
        if sorted(card for card in move if card < len(engine.rules.pack)) == kinds
    ]
    return explanation.best_of(rows) if rows else None


def _check_claim(engine: Engine, block: LessonBlock) -> str:
    """Return how the claimed answer of a quiz differs from the engine's; empty if it does not."""
    claimed, value = block.value["answer"], block.value
    try:
        if value["task"] == "beat":
            plays = _plays_of(value)
            known = [play for play in (claimed if isinstance(claimed, list) else []) if play not in plays]
            if not isinstance(claimed, list) or known:
                return f"answer: {known[0] if known else claimed} is none of the plays"
            results = _grade_beat(engine, value, [])["plays"]
            legal = [play for play, result in zip(plays, results, strict=True) if result["legal"]]
            wrong = [play for play in plays if (play in legal) != (play in claimed)]
            return f"answer: {wrong[0]} is {'legal' if wrong[0] in legal else 'not legal'}" if wrong else ""
        cards = [] if claimed == PASS else _cards_of(engine, claimed)
        graded = grade_answer(engine, block, cards, "en")
        best = graded.get("best", {}).get("value")
        return "" if graded["right"] else f"answer: {claimed} is not {'legal' if best is None else f'the best: {best}'}"
    except GameError as error:
        return f"answer: {error}"


_BLOCK_READERS: Mapping[str, Callable[[Engine, Game, Any], dict[str, Any]]] = {
    "position": _position_fields, "deal": _deal_fields, "rule": _rule_fields, "quiz": _quiz_fields,
}  # fmt: skip
