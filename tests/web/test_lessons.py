"""Tests of lessons: parsing with errors by place, blocks, grading by the engine, and the requests of the page."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.game import game_names, load
from abl_cards.web.lesson_tasks import check_lessons, grade_answer, lesson_json
from abl_cards.web.lesson_text import find_lessons, parse_lesson, read_lesson, walk_nodes
from tests.effort import long
from tests.web.test_words import is_foreign

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "write-a-lesson.md"
TAUGHT = [name for name in game_names() if find_lessons(load(name).folder.path)]
PAIR_QUIZ = """# Pairs

```quiz
{"task": "beat", "state": {"to_beat": ["C8", "D8"]},
 "plays": [["C9", "D9"], ["C7", "D7"], ["C9", "D9", "H9"]]%s}
```
"""


def guide_example() -> str:
    """Return the lesson that the guide shows."""
    (example,) = re.findall(r"^````markdown\n(.*?)^````$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return str(example)


def error_of(text: str) -> tuple[int, ErrorCode]:
    """Return line and code of the first error of a lesson."""
    with pytest.raises(KBError) as caught:
        lesson_json(load("president").engine(), load("president"), parse_lesson(text, "x.md"))
    first = caught.value.diagnostics[0]
    assert first.location is not None
    assert first.location.file == "x.md"
    assert first.remedy
    return first.location.line, first.code


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("no heading", 1),
        ("# T\n\n```picture\n{}\n```", 3),
        ('# T\n\n```position\n{"hand": [}\n```', 4),
        ("# T\n\n```position\n[1]\n```", 3),
        ("# T\n\n```rule\na\nb\n```", 3),
        ("# T\n\n```rule\nno_such_preference\n```", 3),
        ("# T\n\n```rule\nno_such/7\n```", 3),
        ('# T\n\ntext\n\n```position\n{"hand": ["ZZ"]}\n```', 5),
        ('# T\n\n```quiz\n{"task": "guess", "state": {"hand": ["C3"]}}\n```', 3),
        ('# T\n\n```quiz\n{"task": "legal"}\n```', 3),
        ('# T\n\n```quiz\n{"task": "legal", "state": {"hand": ["C3"]}, "tas": 1}\n```', 3),
        ('# T\n\n```quiz\n{"task": "legal", "state": {"hand": ["C3"], "to_beat": ["C8"]}}\n```', 3),
        ('# T\n\n```quiz\n{"task": "beat", "state": {"to_beat": ["C8"]}, "plays": [["C9"]]}\n```', 3),
        ('# T\n\n```deal\n{"seed": "x"}\n```', 3),
        ('# T\n\n```deal\n{"profile": "none"}\n```', 3),
    ],
)
def test_lesson_errors_have_line_and_remedy(text: str, line: int) -> None:
    assert error_of(text) == (line, ErrorCode.INVALID_LESSON)


def test_markup_in_lessons_stays_text() -> None:
    text = "# T\n\n<b>x</b> **strong** [a](http://x.y) `C3 H3` `code`\n\n1. one\n2. two\n\n> said\n\n---\n"
    engine, game = load("president").engine(), load("president")
    lesson = lesson_json(engine, game, parse_lesson(text, "x.md"))
    nodes = list(walk_nodes(lesson["nodes"]))
    kinds = {node["kind"] for node in nodes}
    assert kinds == {"heading", "paragraph", "text", "strong", "cards", "code", "steps", "item", "quote", "line"}
    texts = "".join(node.get("text", "") for node in nodes)
    assert "<b>x</b>" in texts
    assert "[a](http://x.y)" in texts
    assert [node["cards"] for node in nodes if node["kind"] == "cards"] == [["C3", "H3"]]


def test_example_lesson_of_the_guide_is_valid(tmp_path: Path) -> None:
    engine, game = load("president").engine(), load("president")
    lesson = parse_lesson(guide_example(), "guide.md")
    assert {block["kind"] for block in lesson_json(engine, game, lesson)["blocks"]} == {
        "position", "deal", "rule", "quiz",
    }  # fmt: skip
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "01-pairs.en.md").write_text(guide_example(), encoding="utf-8")
    assert check_lessons(engine, game, tmp_path) == []


def test_wrong_quiz_answers_and_invalid_lessons_are_reported(tmp_path: Path) -> None:
    engine, game = load("president").engine(), load("president")
    folder = tmp_path / "lessons"
    folder.mkdir()
    (folder / "a.en.md").write_text(PAIR_QUIZ % ', "answer": [["C9", "D9"]]', encoding="utf-8")
    (folder / "b.en.md").write_text(PAIR_QUIZ % ', "answer": [["C7", "D7"]]', encoding="utf-8")
    (folder / "c.md").write_text("# No language", encoding="utf-8")
    (folder / "d.en.md").write_text('# T\n\n```quiz\n{"level": NaN}\n```', encoding="utf-8")
    errors = check_lessons(engine, game, tmp_path)
    assert [(Path(error.location.file).name, error.location.line) for error in errors if error.location] == [
        ("c.md", 1), ("b.en.md", 3), ("d.en.md", 4),
    ]  # fmt: skip
    assert {error.code for error in errors} == {ErrorCode.INVALID_LESSON}


def grade(task: dict[str, Any], answer: Any) -> dict[str, Any]:
    lesson = parse_lesson(f"# T\n\n```quiz\n{json.dumps(task)}\n```", "x.md")
    return grade_answer(load("president").engine(), lesson.blocks[0], answer, "en")


def test_beat_quiz_is_graded_by_the_engine() -> None:
    task = json.loads(PAIR_QUIZ.split("```quiz")[1].split("```")[0] % "")
    assert grade(task, [0])["right"]
    for wrong in ([], [1], [0, 2]):
        assert not grade(task, wrong)["right"]
    assert [play["legal"] for play in grade(task, [])["plays"]] == [True, False, False]
    with pytest.raises(GameError):
        grade(task, [9])


def test_legal_and_best_quizzes_are_graded_by_the_engine() -> None:
    hand = ["C3", "C9", "D9", "C2"]
    legal = {"task": "legal", "state": {"hand": hand, "to_beat": ["C8", "D8"]}}
    assert grade(legal, ["C9", "D9"])["right"]
    wrong = grade(legal, ["C3", "C9"])
    assert not wrong["right"]
    assert wrong["problem"]
    fields = {"cards": [9, 9, 9], "gone": [[], [], [], []], "seat": 0, "top": "next"}
    best = {"task": "best", "state": {"hand": hand, "to_beat": ["C8"], **fields}}
    results = {card: grade(best, [card]) for card in ("C9", "C2", "C3")}
    chosen = results["C3"]["best"]["cards"]
    assert [card for card, result in results.items() if result["right"]] == [
        card for card in results if [card] == chosen
    ]
    assert results["C3"]["own"] is None


@pytest.mark.parametrize("name", [pytest.param(name, marks=long) for name in TAUGHT])
def test_shipped_lessons_are_valid(name: str) -> None:
    game = load(name)
    assert check_lessons(game.engine(), game, game.folder.path) == []


@pytest.mark.parametrize("name", TAUGHT)
def test_lessons_have_both_languages(name: str) -> None:
    for lesson_file in find_lessons(load(name).folder.path):
        assert set(lesson_file.paths) == {"en", "zh"}
        lessons = {language: read_lesson(path) for language, path in lesson_file.paths.items()}
        english, chinese = lessons["en"], lessons["zh"]
        assert [(block.kind, block.value) for block in english.blocks] == [
            (block.kind, block.value) for block in chinese.blocks
        ]
        texts = [node["text"] for node in walk_nodes(chinese.nodes) if node["kind"] == "text"]
        texts += [block.caption for block in chinese.blocks] + [chinese.title]
        assert not [text for text in texts if is_foreign(text)]


def test_lessons_do_not_change_the_rules() -> None:
    folder = load("guandan").folder
    assert find_lessons(folder.path)
    assert not [name for name, *_ in folder.fingerprint() if Path(name).suffix != ".lp"]


def test_lesson_requests_read_preview_and_grade(with_page: Any, tmp_path: Path) -> None:
    from abl_cards.web.config import WebConfig

    async def read(page: Any) -> None:
        facts = (await page.get("/api/how-to?name=president")).json()
        assert facts["title"][0] == "President"
        beats = (await page.get(f"/api/how-to/beats?name=president&label={facts['ladder']['first']}")).json()
        assert beats["found"]
        for path in ("how-to?name=mahjong", "how-to/beats?name=president&label=x", "lesson?name=president&lesson=none"):
            assert (await page.get(f"/api/{path}")).status == 400
        body = {"game": "president", "text": guide_example()}
        shown = (await page.post("/api/lesson/preview", body)).json()
        (quiz, *_) = [index for index, block in enumerate(shown["blocks"]) if block["kind"] == "quiz"]
        graded = (await page.post("/api/lesson/preview", {**body, "block": quiz, "answer": []})).json()
        assert graded["right"] is False
        broken = (await page.post("/api/lesson/preview", {"game": "president", "text": "x"})).json()
        assert broken["errors"][0]["line"] == 1
        assert (await page.post("/api/lesson/preview", body, **{"x-token": "-"})).status == 403

    with_page(read, WebConfig(game="president", state_folder=tmp_path))
