"""A human at the terminal, with hints and explanations on request.

The human plays one seat, the first that is asked; the knowledge base plays the partner's, unless the name says
``human:both``. Chinese is understood in any language.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.agents.conversation import Conversation, Terminal
from abl_cards.agents.human_words import WORDS
from abl_cards.agents.names import AgentName
from abl_cards.agents.reasoning import Kb, judge_of
from abl_cards.games import Choices, Decisions, Engine, Indices, Judge, Moves
from abl_cards.games.audience import Quiet
from abl_cards.games.naming import move_text
from reasoners.minimiser import Minimiser

_REMEMBERED = 12
"""Plays shown; a seat plays once in four."""


class Human(Quiet):
    """Asks a human for every move, and tells what the others do."""

    def __init__(
        self, engine: Engine, judge: Judge, terminal: Terminal, language: str = "en", both: bool = False
    ) -> None:
        """Decide as the human at this terminal says; the judge gives the hints, and plays the partner's seat."""
        self.language, self._words = language, WORDS[language]
        self._engine, self._judge, self._terminal = engine, judge, terminal
        self._partner = None if both else Kb(Minimiser(judge))
        self._tables: Any = None
        self._seat: int | None = None
        self._log: list[str] = []

    # --- decisions ---------------------------------------------------------------------------------------------------

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The human's move each, and the knowledge base's at the partner's seat."""
        if self._partner is not None and not self._mine(decisions.which[0]):
            return self._partner.play(decisions, keys)
        chosen = [self._decide(decisions, row) for row in range(len(decisions.which))]
        forms, cards = zip(*((moves.form[0], moves.cards[0]) for moves in chosen), strict=True)
        return Moves(np.array(forms, np.int16), np.stack(cards))

    def choose(self, choices: Choices, keys: Keys) -> NDArray[np.uint8]:
        """The human's card each."""
        if self._partner is not None and not self._mine(choices.which[0]):
            return self._partner.choose(choices, keys)
        return np.array([self._decide(choices, row).cards[0, 0] for row in range(len(choices.which))], np.uint8)

    def _mine(self, table: int) -> bool:
        """Whether the seat to decide is the human's: the first that is asked in a match."""
        if self._tables is None:
            return True
        seat = int(self._tables.seat[table])
        self._seat = seat if self._seat is None else self._seat
        return seat == self._seat

    def _decide(self, decisions: Decisions | Choices, row: int) -> Moves:
        moment = self._engine.look(decisions, row)
        say = self._terminal.say
        seen = [*self._log[-_REMEMBERED:], *self._place(decisions.which[row]), self._engine.show(moment, self.language)]
        say("\n".join(["", *seen]))
        self._log.clear()
        choice = Conversation(self._engine, self._judge, moment, self._terminal, self.language).run()
        return moment.lists.rows(np.array([choice]))

    def _place(self, table: int) -> list[str]:
        """Which seat is the human's, and who has the partner's."""
        if self._tables is None:
            return []
        teams, seat = self._engine.teams, int(self._tables.seat[table])
        fixed = self._partner is not None and len(self._engine.roles) == 1  # where roles differ, so may the partner
        partners = [each for each in np.flatnonzero(teams == teams[seat]).tolist() if fixed and each != seat]
        key = "seat_and_partner" if partners else "seat"
        return [self._words[key].format(seat=seat, partners=_listed(partners, self.language))]

    # --- what happens at the table -----------------------------------------------------------------------------------

    def episode_began(self, tables: Any, which: Indices) -> None:
        """Forget the episode before."""
        self._tables = tables
        self._log = [self._words["episode_began"]]

    def chosen(self, tables: Any, which: Indices, card: NDArray[np.uint8]) -> None:
        """Nothing: whose card goes where is open until both payers have chosen; the hand shows what came."""

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Remember a play for the next time the human is asked."""
        for table, form, cards in zip(which, moves.form, moves.cards, strict=True):
            label, action = self._engine.label_of(int(form)), self._engine.action(int(form), cards)
            move = move_text(self._engine, label, action, self.language)
            self._log.append(self._words["played"].format(seat=tables.seat[table], move=move))

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """Show the last plays."""
        self._terminal.say("\n".join([*self._log[-_REMEMBERED:], self._words["episode_ended"]]))

    def match_ended(self, tables: Any, which: Indices) -> None:
        """Say who has won, and stand up: the next match may have another seat for us."""
        self._seat = None
        for outcome in tables.outcome(which):
            seats = np.flatnonzero(outcome > 0).tolist()
            won = self._words["match_won" if seats else "match_drawn"]
            self._terminal.say(won.format(seats=_listed(seats, self.language)))


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


def _listed(seats: Sequence[int], language: str) -> str:
    return ("、" if language == "zh" else ", ").join(map(str, seats))
