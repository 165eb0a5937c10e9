"""Lessons: Markdown files with fenced blocks of positions, deals, rules and quizzes, parsed to JSON.

Only headings, paragraphs, lists, quotes, emphasis and code are read; everything else stays text. So a lesson never
contains markup, links or pictures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abl_cards.asp import Diagnostic, KBError, Location, make_error
from abl_cards.core import LANGUAGES, ErrorCode, parse_json

if TYPE_CHECKING:
    from markdown_it.token import Token

LESSONS_FOLDER = "lessons"
MAX_LESSON_BYTES = 200_000
MAX_LESSONS = 100
BLOCK_KINDS = ("position", "deal", "rule", "quiz")
_FILE_NAME = re.compile(r"(?P<name>[A-Za-z0-9][\w-]*)\.(?P<language>en|zh)\.md")
_RULES = ("heading", "lheading", "list", "fence", "blockquote", "hr", "emphasis", "backticks", "escape", "newline")
_CONTAINERS = {"bullet_list": "list", "ordered_list": "steps", "list_item": "item", "blockquote": "quote"}


@dataclass(frozen=True)
class LessonBlock:
    """Fenced block of a lesson.

    Attributes:
        kind: One of BLOCK_KINDS.
        line: Line of the opening fence, from 1.
        caption: Text after the kind.
        value: Content: a JSON object; of a rule, its text.
    """

    kind: str
    line: int
    caption: str
    value: Any


@dataclass(frozen=True)
class Lesson:
    """Parsed lesson.

    Attributes:
        path: Path of the file, for messages.
        title: Text of the first heading.
        nodes: Text as JSON: nodes with ``kind`` and ``children``; a node ``block`` has the index of a block.
        blocks: The fenced blocks.
    """

    path: str
    title: str
    nodes: list[dict[str, Any]]
    blocks: tuple[LessonBlock, ...]

    def locate(self, block: LessonBlock) -> Location:
        """Return the location of a block, for messages."""
        return locate_line(self.path, block.line)


def locate_line(path: str, line: int) -> Location:
    """Return the location of a line of a file.

    Args:
        path: Path of the file.
        line: Line, from 1.
    """
    return Location(path, line, 1, line, 1)


@dataclass(frozen=True)
class LessonFile:
    """Lesson of a rule folder in all its languages.

    Attributes:
        name: Name of the file without language and suffix; lessons are sorted by it.
        paths: Path by language.
    """

    name: str
    paths: dict[str, Path] = field(default_factory=dict)

    def path_for(self, language: str) -> Path:
        """Return the path in a language, else in another."""
        return self.paths.get(language) or next(iter(self.paths.values()))


def find_lessons(folder: str | Path) -> list[LessonFile]:
    """Find the lessons of a rule folder, sorted by name.

    Args:
        folder: Rule folder.

    Returns:
        Lessons of ``lessons/NAME.en.md`` and ``lessons/NAME.zh.md``; files with other names are left out.
    """
    folder = Path(folder)
    lessons: dict[str, LessonFile] = {}
    for path in sorted((folder / LESSONS_FOLDER).glob("*.md"))[:MAX_LESSONS]:
        if (match := _FILE_NAME.fullmatch(path.name)) and path.resolve().is_relative_to(folder.resolve()):
            lessons.setdefault(match["name"], LessonFile(match["name"])).paths[match["language"]] = path
    return list(lessons.values())


def misnamed_lessons(folder: str | Path) -> list[Diagnostic]:
    """Return an error for each Markdown file among the lessons of a folder whose name is not that of a lesson.

    Args:
        folder: Rule folder.
    """
    folder = Path(folder)
    remedy = f"write NAME.LANGUAGE.md, such as 01-bombs.en.md; languages: {', '.join(LANGUAGES)}"
    return [
        make_error(locate_line(str(path), 1), f"{path.name} names no language", remedy, ErrorCode.INVALID_LESSON)
        for path in sorted((folder / LESSONS_FOLDER).glob("*.md"))
        if not _FILE_NAME.fullmatch(path.name)
    ]


def read_lesson(path: Path) -> Lesson:
    """Read a lesson.

    Args:
        path: Markdown file.

    Raises:
        KBError: The file cannot be read, or has an error, with its line.
    """
    try:
        content = path.read_bytes()[: MAX_LESSON_BYTES + 1]
        text = content.decode()
    except (OSError, UnicodeDecodeError) as error:
        message, remedy = f"{path.name} cannot be read: {error}"[:300], "save it as UTF-8"
        raise KBError([make_error(locate_line(str(path), 1), message, remedy, ErrorCode.FILE_NOT_READABLE)]) from None
    return parse_lesson(text, str(path))


def parse_lesson(text: str, path: str) -> Lesson:
    """Parse the text of a lesson.

    Args:
        text: Markdown.
        path: Path for messages.

    Raises:
        KBError: A block is of an unknown kind or no JSON object, or there is no heading, or the text is too long.
    """
    from markdown_it import MarkdownIt

    if len(text.encode()) > MAX_LESSON_BYTES:
        message = f"the lesson has more than {MAX_LESSON_BYTES // 1000} kB"
        raise KBError([make_error(locate_line(path, 1), message, "split it", ErrorCode.TOO_LARGE)])
    parser = MarkdownIt("zero", {"maxNesting": 20}).enable(list(_RULES))
    reader = _LessonReader(path)
    nodes = reader.read(parser.parse(text))
    if not reader.title:
        message, remedy = "the lesson has no title", "begin with a heading: # Title"
        reader.errors.insert(0, make_error(locate_line(path, 1), message, remedy, ErrorCode.INVALID_LESSON))
    if reader.errors:
        raise KBError(reader.errors)
    return Lesson(path, reader.title, nodes, tuple(reader.blocks))


class _LessonReader:
    """Turns the tokens of a lesson into nodes and blocks, and collects errors."""

    def __init__(self, path: str) -> None:
        self.path, self.title = path, ""
        self.blocks: list[LessonBlock] = []
        self.errors: list[Diagnostic] = []

    def read(self, tokens: Sequence[Token]) -> list[dict[str, Any]]:
        """Return the nodes of a lesson."""
        root: list[dict[str, Any]] = []
        open_nodes = [root]
        is_heading = False
        for token in tokens:
            name = token.type.removesuffix("_open").removesuffix("_close")
            is_heading = name == "heading" or (is_heading and token.type == "inline")
            if token.nesting < 0:
                open_nodes.pop()
            elif token.type == "inline":
                open_nodes[-1] += read_inline(token.children or [])
                if not self.title and is_heading:
                    self.title = token.content
            elif token.type == "fence":
                open_nodes[-1].append(self._read_fence(token))
            elif token.nesting == 0:
                open_nodes[-1].append({"kind": "line" if name == "hr" else "listing", "text": token.content})
            else:
                node: dict[str, Any] = {"kind": _CONTAINERS.get(name, name), "children": []}
                if name == "heading":
                    node["level"] = int(token.tag[1])
                open_nodes[-1].append(node)
                open_nodes.append(node["children"])
        return root

    def _read_fence(self, token: Token) -> dict[str, Any]:
        """Return the node of a fenced block, which is plain code without a kind."""
        kind, _, caption = token.info.strip().partition(" ")
        line = (token.map or [0])[0] + 1
        if not kind:
            return {"kind": "listing", "text": token.content}
        if kind not in BLOCK_KINDS:
            remedy = f"write one of {', '.join(BLOCK_KINDS)}, or nothing for code"
            self._add_error(line, f"unknown block '{kind[:40]}'", remedy)
            return {"kind": "listing", "text": token.content}
        self.blocks.append(LessonBlock(kind, line, caption.strip(), self._read_value(kind, token.content, line)))
        return {"kind": "block", "index": len(self.blocks) - 1}

    def _read_value(self, kind: str, content: str, line: int) -> Any:
        if kind == "rule":
            if not content.strip() or "\n" in content.strip():
                self._add_error(line, "a rule block has one line", "write the name of a preference, or NAME/ARITY")
            return content.strip()
        try:
            value = parse_json(content)
        except ValueError as error:
            row = getattr(error, "lineno", 1)
            self._add_error(line + row, f"the {kind} block is no JSON: {error}", "write a JSON object: {…}")
            return {}
        if not isinstance(value, dict):
            self._add_error(line, f"the {kind} block is no JSON object", "write a JSON object: {…}")
            return {}
        return value

    def _add_error(self, line: int, message: str, remedy: str) -> None:
        self.errors.append(make_error(locate_line(self.path, line), message, remedy, ErrorCode.INVALID_LESSON))


def read_inline(tokens: Sequence[Token]) -> list[dict[str, Any]]:
    """Return the nodes of a line of text: text, strong, em, code and breaks.

    Args:
        tokens: Tokens inside of a paragraph or heading.
    """
    root: list[dict[str, Any]] = []
    open_nodes = [root]
    for token in tokens:
        if token.nesting > 0:
            node: dict[str, Any] = {"kind": token.type.removesuffix("_open"), "children": []}
            open_nodes[-1].append(node)
            open_nodes.append(node["children"])
        elif token.nesting < 0:
            open_nodes.pop()
        elif token.type in ("softbreak", "hardbreak"):
            open_nodes[-1].append({"kind": "break" if token.type == "hardbreak" else "space"})
        elif token.content:
            open_nodes[-1].append({"kind": "code" if token.type == "code_inline" else "text", "text": token.content})
    return root


def walk_nodes(nodes: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield all nodes of a text."""
    for node in nodes:
        yield node
        yield from walk_nodes(node.get("children", ()))
