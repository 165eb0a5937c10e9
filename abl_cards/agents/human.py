"""A human at the terminal, with hints and explanations on request.

The human plays one seat; the knowledge base plays the partner's, unless the name says ``human:both``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys, LeftTable
from abl_cards.agents.names import AgentName
from abl_cards.agents.reasoning import Kb, judge_of
from abl_cards.games import Decisions, Engine, Exchanges, Indices, Judge, Moment, Moves
from reasoners.minimiser import Minimiser

HELP = """\
  a number             the label, then the card set, of that number
  Pair 4 H4 C4, pass   the move itself
  ? or hint            what the knowledge base would play, and why
  why N                what the knowledge base thinks of number N
  help                 this list
  quit                 leave the table"""

_REMEMBERED = 12
"""Plays shown; a seat plays once in four."""


@dataclass(frozen=True)
class Terminal:
    """Where the human reads and writes."""

    ask: Callable[[str], str]  # shows a prompt, returns a line; EOFError when there are no more
    say: Callable[[str], None]


class Human:
    """Asks a human for every move, and tells what the others do."""

    def __init__(
        self, engine: Engine, judge: Judge, terminal: Terminal, language: str = "en", both: bool = False
    ) -> None:
        """Decide as the human at this terminal says; the judge gives the hints, and plays the partner's seat."""
        self._engine, self._judge, self._terminal, self._language = engine, judge, terminal, language
        self._partner = None if both else Kb(Minimiser(judge))
        self._tables: Any = None
        self._log: list[str] = []

    # --- decisions ---------------------------------------------------------------------------------------------------

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The human's move each, and the knowledge base's at the partner's seat."""
        if self._partner is not None and not self._mine(decisions.which[0]):
            return self._partner.play(decisions, keys)
        chosen = [self._decide(decisions, row) for row in range(len(decisions.which))]
        forms, cards = zip(*((moves.form[0], moves.cards[0]) for moves in chosen), strict=True)
        return Moves(np.array(forms, np.int16), np.stack(cards))

    def give(self, exchanges: Exchanges, keys: Keys) -> NDArray[np.uint8]:
        """The human's card each."""
        if self._partner is not None and not self._mine(exchanges.which[0]):
            return self._partner.give(exchanges, keys)
        return np.array([self._decide(exchanges, row).cards[0, 0] for row in range(len(exchanges.which))], np.uint8)

    def _mine(self, table: int) -> bool:
        """Whether the seat to decide is the first of its team, where the human sits."""
        if self._tables is None:
            return True
        teams, seat = self._engine.teams, int(self._tables.seat[table])
        return bool(seat == np.flatnonzero(teams == teams[seat])[0])

    def _decide(self, decisions: Decisions | Exchanges, row: int) -> Moves:
        moment = self._engine.look(decisions, row)
        say = self._terminal.say
        say("\n".join(["", *self._log[-_REMEMBERED:], self._engine.show(moment, self._language)]))
        self._log.clear()
        choice = _Conversation(self._engine, self._judge, moment, self._terminal, self._language).run()
        return moment.lists.rows(np.array([choice]))

    # --- what happens at the table -----------------------------------------------------------------------------------

    def episode_began(self, tables: Any, which: Indices) -> None:
        """Forget the episode before."""
        self._tables = tables
        self._log = ["a new episode begins"]

    def card_given(self, tables: Any, which: Indices, card: NDArray[np.uint8]) -> None:
        """Nothing: whose card goes where is open until both payers have chosen; the hand shows what came."""

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Remember a play for the next time the human is asked."""
        for table, form, cards in zip(which, moves.form, moves.cards, strict=True):
            self._log.append(f"  seat {tables.seat[table]}: {self._engine.action(int(form), cards)}")

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Show the last plays."""
        self._terminal.say("\n".join([*self._log[-_REMEMBERED:], "the episode is over"]))

    def match_ended(self, tables: Any, which: Indices) -> None:
        """Say who has won."""
        for outcome in tables.outcome(which):
            seats = np.flatnonzero(outcome > 0).tolist()
            self._terminal.say(f"the match is over: seats {seats} win" if seats else "the match is a draw")


def human_agent(name: AgentName, engine: Engine) -> Human:
    """``human``, ``human:lang=zh``, ``human:both``; hints come from the preferences of the table's rules."""
    from reasoners.phrases import Phrasebook

    judge, language = judge_of(AgentName("kb"), engine), name.value("lang") or "en"
    Phrasebook.of(judge.kb, engine, language)
    return Human(engine, judge, console_terminal(), language, name.has("both"))


def console_terminal() -> Terminal:
    """The terminal of the process, red suits in red."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False)

    def say(text: str) -> None:
        shown = Text(text)
        shown.highlight_regex(r"\b[HD][2-9TJQKA]\b|\bHR\b", "red")
        console.print(shown, soft_wrap=True)

    return Terminal(console.input, say)


@dataclass
class _Conversation:
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
            return self.terminal.ask("your move (help: ?=hint, why N, help, quit) > ").strip()
        except (EOFError, KeyboardInterrupt):
            self.terminal.say("")
            raise LeftTable("you have left the table") from None

    def _answer(self, line: str) -> int | None:
        """The move, or None where the line asked for something else."""
        command, _, rest = line.lower().partition(" ")
        if command in ("quit", "q", "exit"):
            raise LeftTable("you have left the table")
        if command in ("?", "hint"):
            self._hint()
        elif command == "help":
            self.terminal.say(HELP)
        elif command == "why":
            self._why(rest)
        elif command.isdecimal() and not rest:
            return self._take(self._numbered(command))
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
        self.terminal.say(f"there is no number {text[:20]}: choose 1 to {len(self.shown)}")
        return None

    def _named(self, line: str) -> list[int] | None:
        """The moves that a text form means: all its words, the cards in any order; or the label alone."""
        words = line.upper().split()
        rows = [row for row, action in enumerate(self.moment.actions) if _means(str(action).upper().split(), words)]
        if not rows:
            self.terminal.say(f"{line[:60]!r} is no legal move here; 'help' says what can be written")
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
        text = str(self.moment.actions[rows[0]])
        if len(rows) == 1:
            return text
        words = text.split()
        return f"{' '.join(words[:2]) if len(words) > 1 else self.moment.labels[rows[0]]} ({len(rows)} card sets)"

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
                self.terminal.say("write why and a number, or a move")
            return
        explanation = explain(self.engine, self.judge, self.moment, self.language)
        self.terminal.say("\n".join(judgement(explanation, explanation.best_of(rows))))


def _by_label(moment: Moment) -> list[list[int]]:
    """The moves of each label, in wire order."""
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(moment.labels):
        rows.setdefault(label, []).append(row)
    return list(rows.values())


def _means(action: list[str], words: list[str]) -> bool:
    if len(action) == len(words) == 1:  # a game whose moves are written as one word, its cards
        return sorted(action[0]) == sorted(words[0])
    return action[:2] == words[:2] and (len(words) <= 2 or sorted(action[2:]) == sorted(words[2:]))
