"""Small tables whose cards are known, played by a script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.state.state import EPISODE_OVER, MATCH_OVER
from abl_cards.games.tables.tables import DealtEpisodes, Tables
from abl_cards.games.types.moves import Moves
from abl_cards.protocols.common.cards import format_hand, parse_card, parse_hand
from abl_cards.protocols.contest.codec import LEVEL_OF_TEXT
from abl_cards.protocols.contest.levels import start_matches
from abl_cards.protocols.contest.match_state import card_options, current_stage, write_fluent
from abl_cards.protocols.contest.tribute import TributeTracker

HERE = np.array([0])


def table_with_hands(
    rules: CompiledGame,
    hands: Sequence[str],
    level: str = "2",
    previous: tuple[int, int, int, int] | None = None,
    leader: int = 0,
) -> Script:
    """A table with these four hands; `previous` is the order of the episode before, none for the first of a match."""
    (fluents,) = start_matches(rules, 1).fluents
    for name, *arguments in [("level",), ("standing", 0), ("standing", 1)]:
        write_fluent(rules, fluents, str(name), *arguments, LEVEL_OF_TEXT[level])
    write_fluent(rules, fluents, "declarer", 0)
    for place, seat in enumerate(previous or (), start=1):
        write_fluent(rules, fluents, "finished", place, seat)
    cards = np.stack([parse_hand(hand) for hand in hands])[None]
    tables = Script.resume(rules, DealtEpisodes(
        cards, np.zeros((1, 54), np.uint8), fluents[None], np.array([[leader]], np.int16), np.zeros((1, 4), np.int64),
        np.zeros(1, np.int32),
    ))  # fmt: skip
    assert isinstance(tables, Script)
    return tables


class Script(Tables):
    """A table that records given cards."""

    @property
    def gifts(self) -> list[tuple[int, int]]:
        """Return giver and receiver of each tribute in the order of payment, once settled."""
        return [(giver, taker) for giver, taker, _ in self.tribute_tracker.paid_tributes(self, 0) or []]

    @cached_property
    def tribute_tracker(self) -> TributeTracker:
        """Return a tracker without tributes."""
        return TributeTracker()


def lay(tables: Tables, cards: str) -> None:
    """The seat to decide lays down these cards, or passes when there are none."""
    assert tables.rows_to_play().size, "nobody is to play"
    expected = sorted(map(parse_card, cards.split()))
    lists = tables.decisions(HERE).moves()
    rows = [row for row, laid in enumerate(lists.cards) if sorted(card for card in laid if card != 255) == expected]
    assert rows, f"{cards or 'a pass'} is not legal"
    tables.play(HERE, Moves(lists.form[rows[:1]], lists.cards[rows[:1]]))


def play(tables: Tables, script: str) -> None:
    """Play a script of lines like ``0: S9`` and ``1: pass``; each seat must be the one to decide."""
    for line in script.strip().splitlines():
        seat, _, cards = line.partition(":")
        assert tables.seat[0] == int(seat), f"{line.strip()}: it is the turn of seat {tables.seat[0]}"
        lay(tables, cards.strip().replace("pass", ""))


def choose(tables: Tables, seat: int, card: str) -> None:
    """The seat to decide pays or returns this card."""
    assert tables.rows_to_choose().size, "nobody is to give a card"
    assert tables.seat[0] == seat
    assert card in options(tables).split(), f"{card} may not be given"
    if isinstance(tables, Script):
        tables.tribute_tracker.add(current_stage(tables, 0), seat, parse_card(card))
    tables.choose(HERE, card_options(tables.rules)[[parse_card(card)]].astype(np.uint8))


def options(tables: Tables) -> str:
    """Return the legal cards to give."""
    options, numbers = tables.choices(HERE).options[0], card_options(tables.rules)
    return format_hand(np.where(numbers >= 0, options[numbers], 0).astype(np.uint8))


def leads(tables: Tables) -> bool:
    """Return True if the seat to decide has no play to beat."""
    return int(tables.state.to_beat[0]) < 0


def order(tables: Tables) -> list[int]:
    """The seats by finish."""
    return [int(seat) for seat in tables.state.finish_order[0]]


def is_over(tables: Tables) -> bool:
    """Return True if the episode is over."""
    return int(tables.state.stage[0]) in (EPISODE_OVER, MATCH_OVER)
