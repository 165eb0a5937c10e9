"""Whether cards are a play at all, where they may not be laid down: the rules are asked for what they could lead."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from abl_cards.games import Decisions, Moves, Tables
from abl_cards.games.play.view import View
from abl_cards.games.reading.rules import Rules
from abl_cards.games.snapshots import copy_rows
from abl_cards.games.tables import LEADING
from abl_cards.games.words.composing import composed
from abl_cards.platforms.botzone.card_numbers import Numbers
from abl_cards.platforms.botzone.dialect import HERE


def move_of(decisions: Decisions, numbers: Numbers, cards: Sequence[int]) -> Moves | None:
    """The legal move that lays these numbers at the one table, composed card by card where moves are; None for none."""
    lists = decisions.moves()
    row = numbers.row(cards, lists.cards)
    if row is not None:
        return lists.rows(np.array([row]))
    if decisions.rules.composing and cards:
        return composed(decisions, 0, tuple(numbers.kind[card] for card in cards))
    return None


def is_combination(rules: Rules, tables: Tables, numbers: Numbers, cards: Sequence[int]) -> bool:
    """Whether somebody who held these numbers alone could lead them all at this table."""
    state, seat = rules.tables(1), tables.seat[HERE]
    copy_rows(tables.state, HERE, state)
    state.hands[0, seat[0]] = numbers.counts(cards, len(rules.pack))
    state.to_beat[0], state.owner[0] = LEADING, seat[0]
    lead = Decisions(View(rules, state, HERE, seat, at_table=False))
    return bool(lead.legal[:, 0].any()) and move_of(lead, numbers, cards) is not None
