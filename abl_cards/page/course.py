"""What has happened at a table, as browsers are told it: the trick, the one before, the end of an episode, a log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine, Indices, Moves, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.play.state import NOBODY
from abl_cards.games.tables import DRAW, LEADING
from abl_cards.games.words.order import hand_orders
from abl_cards.page.words import cards_laid, label_pair, option_pair, pair, stage_pair

LONGEST_LOG = 400
PASSES = [["pass", "不要"]]


@dataclass
class Course(Quiet):
    """Hears one table; nothing of it is used to decide anything."""

    engine: Engine
    events: int = 0  # that were told so far; what browsers know apart

    def __post_init__(self) -> None:
        """Nothing has happened."""
        self.trick: list[dict[str, Any]] = []
        self.last: list[dict[str, Any]] = []
        self.log: list[dict[str, Any]] = []
        self.said: dict[int, dict[str, Any]] = {}  # by seat, what it did last in this episode
        self.ended: dict[str, Any] | None = None  # the episode that ended last

    def _note(self, event: dict[str, Any]) -> None:
        self.events += 1
        self.log.append(event | {"number": self.events})
        del self.log[:-LONGEST_LOG]

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Forget the episode before, but for its result."""
        self.trick, self.last, self.said = [], [], {}
        self._note({"kind": "deal", "episode": int(tables.episode[0])})

    def chosen(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """Note a choice; what the rules hide is for that seat alone."""
        rules, seat = self.engine.rules, int(tables.seat[0])
        stage = rules.words.stages[int(tables.state.choice[0])]
        lists = tables.choices(which).moves()
        (row,) = np.flatnonzero(lists.cards[:, 0] == card[0])
        value = self.engine.action(-1, lists.cards[row]).to_json()
        text = option_pair(self.engine, int(lists.cards[row, 0]))
        event = {
            "kind": "choice", "seat": seat, "stage": stage_pair(self.engine, str(stage)), "text": text,
            "cards": [value] if value in rules.letters.kinds else [], "secret": stage in rules.secret,
        }  # fmt: skip
        self.said[seat] = event
        self._note(event)

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Note a play or a pass; the first of a trick begins it."""
        rules, state, seat = self.engine.rules, tables.state, int(tables.seat[0])
        others = np.arange(rules.table.seats) != seat
        leads = not state.lies[0, others].any() if rules.taking is not None else state.to_beat[0] == LEADING
        if leads and self.trick:
            self.last, self.trick = self.trick, []
        cards, order = cards_laid(moves.cards[0]), hand_orders(rules)[int(state.context[0])].tolist()
        form = int(moves.form[0])
        event = {
            "kind": "play", "seat": seat,
            "cards": [rules.letters.texts[card] for card in sorted(cards, key=order.index)],
            "text": play_pair(self.engine, form, len(cards)), "passed": form == rules.forms.passing and not cards,
        }  # fmt: skip
        self.said[seat] = event
        self.trick.append(event)
        self._note(event)

    def episode_ended(self, tables: Tables, which: Indices) -> None:
        """Note the result, and what everybody still holds."""
        state, letters = tables.state, self.engine.rules.letters
        self.ended = {
            "kind": "end", "episode": int(tables.episode[0]), "points": tables.points[0].tolist(),
            "total": tables.total[0].tolist(), "finish": [seat for seat in state.order[0].tolist() if seat != NOBODY],
            "hands": [listed(letters.hand(hand)) for hand in state.hands[0]], "over": False, "winners": [],
            "trick": list(self.trick),
        }  # fmt: skip
        self._note(self.ended)

    def match_ended(self, tables: Tables, which: Indices) -> None:
        """Note who has won."""
        assert self.ended is not None
        outcome = tables.outcome(np.array([0]))[0]
        self.ended |= {"over": True, "draw": int(tables.winner[0]) == DRAW}
        self.ended["winners"] = np.flatnonzero(outcome > 0).tolist()


def listed(cards: str | list[str]) -> list[str]:
    """Cards one by one, also where they are written as one word."""
    return list(cards)


def play_pair(engine: Engine, form: int, cards: int) -> list[str]:
    """What a play is called; more cards than its form has were laid one after the other."""
    rules = engine.rules
    if form == rules.forms.passing and not cards:
        return list(PASSES[0])
    if form < 0:
        return pair("")
    if rules.composing and cards != int(rules.forms.cards_of[form]):
        return [f"{cards} cards", f"{cards}张"]
    return label_pair(engine, engine.label_of(form))
