"""Small tables whose cards are known, played by a script."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from abl_cards.cards import hand_text, parse_card, parse_hand
from abl_cards.games.guandan.course import EPISODE_OVER, MATCH_OVER
from abl_cards.games.guandan.ladder import bottom
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.guandan.tables import EpisodeStart, Tables
from abl_cards.games.guandan.wire import LEVEL_OF_TEXT
from abl_cards.games.tables import Moves

HERE = np.array([0])


def sit_down(
    rules: Rules,
    hands: Sequence[str],
    level: str = "2",
    previous: tuple[int, int, int, int] | None = None,
    leader: int = 0,
) -> Tables:
    """A table with these four hands; `previous` is the order of the episode before, none for the first of a match."""
    start = bottom(rules, 1)
    start.standing[:], start.declarer[:] = LEVEL_OF_TEXT[level], 0
    order = np.array([previous or (-1, -1, -1, -1)], np.int8)
    cards = np.stack([parse_hand(hand) for hand in hands])[None]
    return Tables.resume(rules, EpisodeStart(cards, start, order, np.array([leader], np.int8)))


def lay(tables: Tables, cards: str) -> None:
    """The seat to decide lays down these cards, or passes when there are none."""
    assert tables.playing().size, "nobody is to play"
    wanted = sorted(map(parse_card, cards.split()))
    lists = tables.decisions(HERE).moves()
    rows = [row for row, laid in enumerate(lists.cards) if sorted(card for card in laid if card != 255) == wanted]
    assert rows, f"{cards or 'a pass'} is not legal"
    tables.play(HERE, Moves(lists.form[rows[:1]], lists.cards[rows[:1]]))


def play(tables: Tables, script: str) -> None:
    """Play a script of lines like ``0: S9`` and ``1: pass``; each seat must be the one to decide."""
    for line in script.strip().splitlines():
        seat, _, cards = line.partition(":")
        assert tables.seat[0] == int(seat), f"{line.strip()}: it is the turn of seat {tables.seat[0]}"
        lay(tables, cards.strip().replace("pass", ""))


def give(tables: Tables, seat: int, card: str) -> None:
    """The seat to decide pays or returns this card."""
    assert tables.exchanging().size, "nobody is to give a card"
    assert tables.seat[0] == seat
    assert card in options(tables).split(), f"{card} may not be given"
    tables.give(HERE, np.array([parse_card(card)], np.uint8))


def options(tables: Tables) -> str:
    """The cards that may be given."""
    return hand_text(tables.exchanges(HERE).options[0])


def leads(tables: Tables) -> bool:
    """Whether the seat to decide has nothing to beat."""
    return int(tables.course.to_beat[0]) < 0


def order(tables: Tables) -> list[int]:
    """The seats by finish."""
    return [int(seat) for seat in tables.course.order[0]]


def is_over(tables: Tables) -> bool:
    """Whether the episode is over."""
    return int(tables.course.stage[0]) in (EPISODE_OVER, MATCH_OVER)
