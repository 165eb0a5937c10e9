"""Agent ``human``: a person at the terminal, with hints and explanations on request.

The person plays one seat, the first that has to decide; the knowledge base plays the partner's seat, except with
``human:both``. Chinese input is accepted in any language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import RandomKeys
from abl_cards.agents.human_texts import TEXTS
from abl_cards.agents.names import AgentName
from abl_cards.agents.preference_agent import PreferenceAgent, preference_model_from_name
from abl_cards.agents.terminal_ui import MoveDialog, Terminal
from abl_cards.core import join_texts
from abl_cards.games import Engine
from abl_cards.games.description import move_text
from abl_cards.games.notation import render_view
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import NO_FORM, Choices, Decisions, NullListener
from abl_cards.games.types import Indices, Moves
from abl_cards.reasoners.abduction import Minimiser

if TYPE_CHECKING:
    from abl_cards.games.tables import Tables

_MAX_SHOWN_PLAYS = 12
"""Most plays shown; a seat plays once in four."""


class HumanAgent(NullListener):
    """Agent ``human``: reads every move at the terminal, and prints the plays and choices of the others."""

    def __init__(
        self,
        engine: Engine,
        preference_model: PreferenceModel,
        terminal: Terminal,
        language: str = "en",
        plays_both_seats: bool = False,
    ) -> None:
        """Make an agent.

        Args:
            engine: Compiled game.
            preference_model: Preferences of the hints, and of the partner's seat.
            terminal: Terminal of the person.
            language: Language of the texts, ``en`` or ``zh``.
            plays_both_seats: The person decides for the partner's seat too.
        """
        self.language, self._texts = language, TEXTS[language]
        self.rules = engine.rules
        self._engine, self._preference_model, self._terminal = engine, preference_model, terminal
        self._partner = None if plays_both_seats else PreferenceAgent(Minimiser(preference_model))
        self._tables: Any = None
        self._seat: int | None = None
        self._log: list[str] = []

    # --- decisions ---------------------------------------------------------------------------------------------------

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return the moves of the person, and of the knowledge base at the partner's seat."""
        if self._partner is not None and not self._is_own_seat(decisions.rows[0]):
            return self._partner.play(decisions, keys)
        chosen = [self._read_move(decisions, row) for row in range(len(decisions.rows))]
        forms, cards = zip(*((moves.form[0], moves.cards[0]) for moves in chosen), strict=True)
        return Moves(np.array(forms, np.int16), np.stack(cards))

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return the options that the person chooses: uint8 [n]."""
        if self._partner is not None and not self._is_own_seat(choices.rows[0]):
            return self._partner.choose(choices, keys)
        return np.array([self._read_move(choices, row).cards[0, 0] for row in range(len(choices.rows))], np.uint8)

    def _is_own_seat(self, table: int) -> bool:
        """Return whether the seat to decide is the person's: the first to decide in a match."""
        if self._tables is None:
            return True
        seat = int(self._tables.seat[table])
        self._seat = seat if self._seat is None else self._seat
        return seat == self._seat

    def _read_move(self, decisions: Decisions | Choices, row: int) -> Moves:
        moment = self._engine.decision_point_at(decisions, row)
        say = self._terminal.write_line
        seen = [
            *self._log[-_MAX_SHOWN_PLAYS:],
            *self._seat_lines(decisions.rows[row]),
            render_view(self._engine.rules, moment, self.language),
        ]
        say("\n".join(["", *seen]))
        self._log.clear()
        dialog = MoveDialog(self._engine, self._preference_model, moment, self._terminal, self.language)
        row = dialog.run()
        return dialog.decision_point.move_lists.select(np.array([row]))

    def _seat_lines(self, table: int) -> list[str]:
        """Return a line that names the person's seat, and the partner's where it is fixed."""
        if self._tables is None:
            return []
        teams, seat = self._engine.teams, int(self._tables.seat[table])
        fixed = self._partner is not None and len(self._engine.roles) == 1  # where roles differ, so may the partner
        partners = [other for other in np.flatnonzero(teams == teams[seat]).tolist() if fixed and other != seat]
        key = "seat_and_partner" if partners else "seat"
        return [self._texts[key].format(seat=seat, partners=join_texts(partners, self.language))]

    # --- events at the table -----------------------------------------------------------------------------------------

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Clear the log of the previous episode."""
        self._tables = tables
        self._log = [self._texts["episode_began"]]

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Log choices that all seats may see, until the person decides next."""
        rules = self._engine.rules
        for table, option in zip(rows, options, strict=True):
            stage = rules.schema.stages[int(tables.state.choice[table])]
            if stage not in rules.secret_stages:
                action = self._engine.notate_move(NO_FORM, np.array([option], np.uint8))
                move = move_text(self._engine, str(stage), action, self.language)
                self._log.append(self._texts["chosen"].format(seat=tables.seat[table], stage=stage, move=move))

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Log plays until the person decides next."""
        for table, form, cards in zip(rows, moves.form, moves.cards, strict=True):
            label, action = self._engine.label_of(int(form)), self._engine.notate_move(int(form), cards)
            move = move_text(self._engine, label, action, self.language)
            self._log.append(self._texts["played"].format(seat=tables.seat[table], move=move))

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Show the last plays and the points of each seat."""
        for table in rows:
            scores = enumerate(tables.points[table].tolist())
            texts = [self._texts["seat_points"].format(seat=seat, points=points) for seat, points in scores]
            ended = self._texts["episode_ended"].format(points=join_texts(texts, self.language))
            self._terminal.write_line("\n".join([*self._log[-_MAX_SHOWN_PLAYS:], ended]))

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Print the winners; the next match may assign another seat to the user."""
        self._seat = None
        for outcome in tables.match_returns(rows):
            seats = np.flatnonzero(outcome > 0).tolist()
            won = self._texts["match_won" if seats else "match_drawn"]
            self._terminal.write_line(won.format(seats=join_texts(seats, self.language)))


def make_human_agent(name: AgentName, engine: Engine) -> HumanAgent:
    """Make ``human``, ``human:lang=zh`` or ``human:both``; hints come from the preferences of the table's rules."""
    from abl_cards.reasoners.explain import PreferenceTexts

    judge, language = preference_model_from_name(AgentName("kb"), engine), name.value("lang") or "en"
    PreferenceTexts.of(judge.kb, engine, language)
    return HumanAgent(engine, judge, make_console_terminal(), language, name.has_flag("both"))


def make_console_terminal() -> Terminal:
    """Make a terminal of the standard streams, with red suits in red."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False)

    def say(text: str) -> None:
        shown = Text(text)
        shown.highlight_regex(r"\b[HD][2-9TJQKA]\b|\bHR\b", "red")
        console.print(shown, soft_wrap=True)

    return Terminal(console.input, say)
