"""The questions and answers of one decision at the terminal: numbers, moves in words, hints and reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from abl_cards.agents.agent import LeftTable
from abl_cards.agents.human_words import COMMANDS, WORDS
from abl_cards.games import Engine, Judge, Moment
from abl_cards.games.naming import is_chinese, label_text, meant, move_text


@dataclass(frozen=True)
class Terminal:
    """Where the human reads and writes."""

    ask: Callable[[str], str]  # shows a prompt, returns a line; EOFError when there are no more
    say: Callable[[str], None]


@dataclass
class Conversation:
    """The questions and answers of one decision."""

    engine: Engine
    judge: Judge
    moment: Moment
    terminal: Terminal
    language: str
    shown: list[list[int]] = field(default_factory=list)  # what the numbers stand for: moves by label, or one each

    def run(self) -> int:
        """Ask until there is a move; raises LeftTable."""
        self._offer(_by_label(self.moment))
        while True:
            line = self._read()
            choice = self._answer(line) if line else None
            if choice is not None:
                return choice

    def _read(self) -> str:
        try:
            return self.terminal.ask(self._words["prompt"]).strip()
        except (EOFError, KeyboardInterrupt):
            self.terminal.say("")
            raise LeftTable(self._words["left"]) from None

    def _answer(self, line: str) -> int | None:
        """The move, or None where the line asked for something else."""
        first, rest = _command(line)
        command = COMMANDS.get(first)
        if command == "quit":
            raise LeftTable(self._words["left"])
        if command == "hint":
            self._hint()
        elif command == "help":
            self.terminal.say(self._words["help"])
        elif command == "why":
            self._why(rest)
        elif first.isdecimal() and not rest:
            return self._take(self._numbered(first))
        else:
            return self._take(self._named(line))
        return None

    def _take(self, rows: list[int] | None) -> int | None:
        """The only one of some moves; several are offered by number."""
        if rows is None:
            return None
        if len(rows) == 1:
            return rows[0]
        self._offer([[row] for row in rows])
        return None

    def _numbered(self, text: str) -> list[int] | None:
        number = int(text[:6])
        if 1 <= number <= len(self.shown):
            return self.shown[number - 1]
        self._say("no_number", number=text[:20], last=len(self.shown))
        return None

    def _named(self, line: str) -> list[int] | None:
        """The moves that a text form means: all its words, the cards in any order; or the label alone."""
        words, actions = line.upper().split(), self.moment.actions
        rows = [row for row, action in enumerate(actions) if _means(str(action).upper().split(), words)]
        if not rows and is_chinese(line):
            rows = meant(line, [self.engine.name(label) for label in self.moment.labels], actions)
        if not rows:
            self._say("no_move", line=line[:60])
        return rows or None

    def _offer(self, choices: list[list[int]]) -> None:
        """Show numbered choices; a single label is shown by its card sets."""
        if len(choices) == 1 and len(choices[0]) > 1:
            choices = [[row] for row in choices[0]]
        self.shown = choices
        texts = [self._text(rows) for rows in choices]
        width = max(map(len, texts)) + 8
        columns = max(1, 100 // width)
        cells = [f"{number:3} {text}".ljust(width) for number, text in enumerate(texts, 1)]
        lines = ["".join(cells[first : first + columns]).rstrip() for first in range(0, len(cells), columns)]
        self.terminal.say("\n".join(lines))

    def _text(self, rows: Sequence[int]) -> str:
        label, action = self.moment.labels[rows[0]], self.moment.actions[rows[0]]
        if len(rows) == 1:
            return move_text(self.engine, label, action, self.language)
        words = str(action).split()
        short = " ".join(words[:2]) if len(words) > 1 and self.language == "en" else None
        label = short or label_text(self.engine, label, self.language)
        return self._words["card_sets"].format(label=label, count=len(rows))

    @property
    def _words(self) -> Mapping[str, str]:
        return WORDS[self.language]

    def _say(self, key: str, **values: object) -> None:
        self.terminal.say(self._words[key].format(**values))

    def _hint(self) -> None:
        from reasoners.account import account
        from reasoners.explanation import explain

        self.terminal.say(account(explain(self.engine, self.judge, self.moment, self.language)))

    def _why(self, text: str) -> None:
        from reasoners.account import judgement
        from reasoners.explanation import explain

        rows = self._numbered(text) if text.isdecimal() else self._named(text) if text else None
        if rows is None:
            if not text:
                self._say("why_what")
            return
        explanation = explain(self.engine, self.judge, self.moment, self.language)
        self.terminal.say("\n".join(judgement(explanation, explanation.best_of(rows))))


def _by_label(moment: Moment) -> list[list[int]]:
    """The moves of each label, in wire order."""
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(moment.labels):
        rows.setdefault(label, []).append(row)
    return list(rows.values())


def _command(line: str) -> tuple[str, str]:
    """The word at the beginning of a line, in lower case, and the rest; Chinese needs no blank between them."""
    first, _, rest = line.lower().partition(" ")
    for word in COMMANDS:
        if is_chinese(word) and line.startswith(word):
            return word, line[len(word) :].strip()
    return first, rest


def _means(action: list[str], words: list[str]) -> bool:
    if len(action) == len(words) == 1:  # a game whose moves are written as one word, its cards
        return sorted(action[0]) == sorted(words[0])
    return action[:2] == words[:2] and (len(words) <= 2 or sorted(action[2:]) == sorted(words[2:]))
