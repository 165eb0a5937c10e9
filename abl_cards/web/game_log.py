"""Events of a table for browsers: the current and the last trick, the end of an episode, a log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.games.notation import hand_orders
from abl_cards.games.state import NO_SEAT
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import DRAW, LEADING, Indices, Moves
from abl_cards.web.shown_facts import TableFacts, episode_facts
from abl_cards.web.texts import (
    card_kinds,
    hand_texts,
    label_kind_text,
    label_text,
    option_text,
    stage_text,
    untranslated,
)

MAX_LOG_LENGTH = 400
PASS_TEXTS = [["pass", "不要"]]


@dataclass
class GameLog(NullListener):
    """Listener that records the events of one table for browsers.

    Attributes:
        engine: Engine of the game.
        num_events: Number of events so far; browsers identify events by it.
    """

    engine: Engine
    num_events: int = 0

    def __post_init__(self) -> None:
        """Start with empty records."""
        self._decision: int | None = None  # index of the first decision of the current act, if it is known
        self.trick: list[dict[str, Any]] = []
        self.previous_trick: list[dict[str, Any]] = []
        self.log: list[dict[str, Any]] = []
        self.last_actions: dict[int, dict[str, Any]] = {}  # last action of each seat in this episode
        self.episode_result: dict[str, Any] | None = None  # result of the last episode
        self.end_facts: TableFacts | None = None  # facts of the table when it was over
        self.episode_results: list[dict[str, Any]] = []
        self._dealt_hands: list[list[str]] = []

    def begin_decision(self, index: int) -> None:
        """Record the index of the next decision; events have that of the first decision of their play."""
        if self._decision is None:
            self._decision = index

    def _append_act(self, event: dict[str, Any]) -> None:
        if self._decision is not None:
            event["act"], self._decision = self._decision, None
        self._append_event(event)

    def _append_event(self, event: dict[str, Any]) -> None:
        self.num_events += 1
        event["number"] = self.num_events
        self.log.append(event)
        del self.log[:-MAX_LOG_LENGTH]

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Clear the previous episode except its result."""
        self.trick, self.previous_trick, self.last_actions = [], [], {}
        self._dealt_hands = self._hands(tables)
        self._append_event({"kind": "deal", "episode": int(tables.num_episodes[0])})

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Record a choice; choices in secret stages are marked as secret."""
        rules, seat = self.engine.rules, int(tables.seat[0])
        stage = rules.schema.stages[int(tables.state.choice[0])]
        lists = tables.choices(rows).moves()
        (row,) = np.flatnonzero(lists.cards[:, 0] == options[0])
        value = self.engine.notate_move(-1, lists.cards[row]).to_json()
        text = option_text(self.engine, int(lists.cards[row, 0]))
        event = {
            "kind": "choice", "seat": seat, "stage": stage_text(self.engine, str(stage)), "text": text,
            "cards": [value] if value in rules.card_codes.kind_by_text else [], "secret": stage in rules.secret_stages,
        }  # fmt: skip
        self.last_actions[seat] = event
        self._append_act(event)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Record a play or a pass; a lead begins a new trick."""
        rules, state, seat = self.engine.rules, tables.state, int(tables.seat[0])
        others = np.arange(rules.seating.seats) != seat
        is_lead = (
            not state.trick_cards[0, others].any() if rules.trick_query is not None else state.to_beat[0] == LEADING
        )
        if is_lead and self.trick:
            self.previous_trick, self.trick = self.trick, []
        cards, order = card_kinds(moves.cards[0]), hand_orders(rules)[int(state.context[0])].tolist()
        form = int(moves.form[0])
        event = {
            "kind": "play", "seat": seat,
            "cards": [rules.card_codes.kind_texts[card] for card in sorted(cards, key=order.index)],
            "text": play_text(self.engine, form, len(cards)), "passed": form == rules.forms.pass_form and not cards,
            "strong": form >= 0 and bool(self.engine.label_traits.is_bomb[rules.forms.label_of[form]]),
        }  # fmt: skip
        self.last_actions[seat] = event
        self.trick.append(event)
        self._append_act(event)

    def on_retraction(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Correct the last play, from which the rules took cards back, and note what it was meant to be."""
        codes = self.engine.rules.card_codes
        kept = [codes.kind_texts[card] for card in card_kinds(moves.cards[0])]
        event = self.trick[-1]  # also the last of the log
        back = _remove_cards(event["cards"], kept)
        failed = {"text": event["text"], "cards": event["cards"], "back": back}
        text = play_text(self.engine, int(moves.form[0]), len(kept))
        event |= {"cards": _remove_cards(event["cards"], back), "text": text, "failed": failed}

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Record the result and the remaining hands."""
        state = tables.state
        self.end_facts = TableFacts.after_episode(tables)
        self.episode_result = {
            "kind": "end", "episode": int(tables.num_episodes[0]), "points": tables.points[0].tolist(),
            "total": tables.total_points[0].tolist(),
            "finish": [seat for seat in state.finish_order[0].tolist() if seat != NO_SEAT],
            "hands": self._hands(tables), "over": False, "winners": [],
            "trick": list(self.trick), "shown": episode_facts(self.engine, tables, self.end_facts),
        }  # fmt: skip
        self.episode_results.append(self.episode_result | {"dealt": self._dealt_hands})
        self._append_event(self.episode_result)

    def _hands(self, tables: Tables) -> list[list[str]]:
        state = tables.state
        return [hand_texts(self.engine.rules, hand, int(state.context[0])) for hand in state.hands[0]]

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Record the winners."""
        assert self.episode_result is not None
        outcome = tables.match_returns(np.array([0]))[0]
        self.episode_result |= {"over": True, "draw": int(tables.winner[0]) == DRAW}
        self.episode_result["winners"] = np.flatnonzero(outcome > 0).tolist()


def _remove_cards(cards: list[str], removed: list[str]) -> list[str]:
    """Return the cards without the removed ones, in their order."""
    left = list(cards)
    for card in removed:
        left.remove(card)
    return left


def play_text(engine: Engine, form: int, num_cards: int) -> list[str]:
    """Return the name of a play.

    Composed plays have more cards than their last form. They are named by its kind, if it is only a part of longer
    plays, and by the number of cards.
    """
    rules = engine.rules
    if form == rules.forms.pass_form and not num_cards:
        return list(PASS_TEXTS[0])
    if form < 0:
        return untranslated("")
    if rules.has_composed_plays and num_cards != int(rules.forms.num_cards[form]):
        if not rules.partial_forms[form]:
            return [f"{num_cards} cards", f"{num_cards}张"]
        english, chinese = label_kind_text(engine, engine.label_of(form))
        return [f"{english} of {num_cards} cards", f"{chinese}{num_cards}张"]
    return label_text(engine, engine.label_of(form))
