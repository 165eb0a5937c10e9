"""Dialog of one decision at the terminal: numbers, moves as text, hints and reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from abl_cards.agents.base import PlayerLeftError
from abl_cards.agents.human_texts import COMMANDS, TEXTS
from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.games.description import has_chinese, label_text, match_play_names, move_text
from abl_cards.games.notation import include_play, join_words, split_label
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import DecisionPoint, is_play_decision
from abl_cards.games.types import NO_CARD


@dataclass(frozen=True)
class Terminal:
    """Functions that read and write lines.

    Attributes:
        read_line: Shows a prompt and returns a line; raises EOFError at the end of the input.
        write_line: Writes a line.
    """

    read_line: Callable[[str], str]
    write_line: Callable[[str], None]


@dataclass
class MoveDialog:
    """Dialog of one decision."""

    engine: Engine
    preference_model: PreferenceModel
    decision_point: DecisionPoint
    terminal: Terminal
    language: str
    numbered_moves: list[list[int]] = field(
        default_factory=list
    )  # moves of each number: those of a label, or a single one

    def run(self) -> int:
        """Read lines until one is a move; returns its row. Raises PlayerLeftError."""
        self._show_choices(_group_by_label(self.decision_point))
        while True:
            line = self._read_line()
            choice = self._handle_line(line) if line else None
            if choice is not None:
                return choice

    def _read_line(self) -> str:
        try:
            return self.terminal.read_line(self._texts["prompt"]).strip()
        except (EOFError, KeyboardInterrupt):
            self.terminal.write_line("")
            raise PlayerLeftError(self._texts["left"]) from None

    def _handle_line(self, line: str) -> int | None:
        """Return the row of a move; None where the line is a command or no move."""
        first, rest = _split_command(line)
        command = COMMANDS.get(first)
        if command == "quit":
            raise PlayerLeftError(self._texts["left"])
        if command == "hint":
            self._write_hint()
        elif command == "help":
            self._write_text("help", move=str(self.decision_point.actions[-1]))
        elif command == "why":
            self._write_reasons(rest)
        elif first.isdecimal() and not rest:
            return self._resolve_moves(self._moves_by_number(first))
        else:
            return self._resolve_moves(self._moves_by_text(line))
        return None

    def _resolve_moves(self, rows: list[int] | None) -> int | None:
        """Return the only row; several are listed by number."""
        if rows is None:
            return None
        if len(rows) == 1:
            return rows[0]
        self._show_choices([[row] for row in rows])
        return None

    def _moves_by_number(self, text: str) -> list[int] | None:
        number = int(text[:6])
        if 1 <= number <= len(self.numbered_moves):
            return self.numbered_moves[number - 1]
        self._write_text("no_number", number=text[:20], last=len(self.numbered_moves))
        return None

    def _moves_by_text(self, line: str) -> list[int] | None:
        """Return the rows that a text stands for: all its words, cards in any order, or the label alone."""
        with suppress(GameError):
            self.decision_point = include_play(self.engine.rules, self.decision_point, line)
        words, actions = line.upper().split(), self.decision_point.actions
        rows = [row for row, action in enumerate(actions) if _matches_move(str(action).upper().split(), words)]
        rows = rows or self._moves_of_label(line)
        if not rows and has_chinese(line):
            rows = [row for row in range(len(actions)) if self._choice_text([row]) == line.strip()]
        if not rows and has_chinese(line):
            rows = match_play_names(
                line, [self.engine.play_name(label) for label in self.decision_point.labels], actions
            )
        if not rows:
            self._write_text("no_move", line=line[:60])
        return rows or None

    def _moves_of_label(self, line: str) -> list[int]:
        """Return the rows of a label by any of its texts, ``run(10,3)`` for ``run T,3``, of some cards, or of both."""
        point, rules = self.decision_point, self.engine.rules
        if not is_play_decision(point.decision):
            return []
        label, words = split_label(rules, line) or (None, line.split())
        rows = [row for row, text in enumerate(point.labels) if label is None or text == rules.label_texts[label]]
        if label is not None and not words:
            return rows
        text, lists = join_words(rules, words), point.move_lists.cards
        for spelling in (text, text.upper()):
            with suppress(GameError):
                cards = sorted(rules.card_codes.read(spelling))
                return [row for row in rows if sorted(card for card in lists[row].tolist() if card != NO_CARD) == cards]
        return []

    def _show_choices(self, choices: list[list[int]]) -> None:
        """List numbered choices; a single label is listed by its card sets."""
        if len(choices) == 1 and len(choices[0]) > 1:
            choices = [[row] for row in choices[0]]
        self.numbered_moves = choices
        texts = [self._choice_text(rows) for rows in choices]
        width = max(map(len, texts)) + 8
        columns = max(1, 100 // width)
        cells = [f"{number:3} {text}".ljust(width) for number, text in enumerate(texts, 1)]
        lines = ["".join(cells[first : first + columns]).rstrip() for first in range(0, len(cells), columns)]
        self.terminal.write_line("\n".join(lines))

    def _choice_text(self, rows: Sequence[int]) -> str:
        label, action = self.decision_point.labels[rows[0]], self.decision_point.actions[rows[0]]
        if len(rows) == 1:
            return move_text(self.engine, label, action, self.language)
        words = str(action).split()
        short = " ".join(words[:2]) if len(words) > 1 and self.language == "en" else None
        label = short or label_text(self.engine, label, self.language)
        return self._texts["card_sets"].format(label=label, count=len(rows))

    @property
    def _texts(self) -> Mapping[str, str]:
        return TEXTS[self.language]

    def _write_text(self, key: str, **values: object) -> None:
        self.terminal.write_line(self._texts[key].format(**values))

    def _write_hint(self) -> None:
        from abl_cards.reasoners.explain import explain, render_explanation

        self.terminal.write_line(
            render_explanation(explain(self.engine, self.preference_model, self.decision_point, self.language))
        )

    def _write_reasons(self, text: str) -> None:
        from abl_cards.reasoners.explain import assessment_lines, explain

        rows = self._moves_by_number(text) if text.isdecimal() else self._moves_by_text(text) if text else None
        if rows is None:
            if not text:
                self._write_text("why_what")
            return
        explanation = explain(self.engine, self.preference_model, self.decision_point, self.language)
        self.terminal.write_line("\n".join(assessment_lines(explanation, explanation.best_of(rows))))


def _group_by_label(moment: DecisionPoint) -> list[list[int]]:
    """Group the rows of moves by label, in wire order."""
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(moment.labels):
        rows.setdefault(label, []).append(row)
    return list(rows.values())


def _split_command(line: str) -> tuple[str, str]:
    """Split a line into its command in lower case and the rest; Chinese needs no blank between them."""
    first, _, rest = line.lower().partition(" ")
    for word in COMMANDS:
        if has_chinese(word) and line.startswith(word):
            return word, line[len(word) :].strip()
    return first, rest


def _matches_move(action: list[str], words: list[str]) -> bool:
    if len(action) == len(words) == 1:  # a game whose moves are written as one word, its cards
        return sorted(action[0]) == sorted(words[0])
    return action[:2] == words[:2] and (len(words) <= 2 or sorted(action[2:]) == sorted(words[2:]))
