"""What the preferences of Dou dizhu are about: decisions, bids and moves as facts."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.games.doudizhu.course import NOTHING, key_of_row, write_facts
from abl_cards.games.doudizhu.decisions import CHOICES, Decisions, Exchanges
from abl_cards.games.doudizhu.knowledge import MOST_CARDS, PARTS, WHO
from abl_cards.games.doudizhu.plays import counter_of, keys_laid
from abl_cards.games.doudizhu.rulebook import Rules, fact_rows_of
from abl_cards.games.doudizhu.shapes import COUNT, FIRST, Shapes
from abl_cards.games.preferences import NoBeliefs, WriteMoves, WriteShared
from abl_cards.games.questions import rows_by_number
from abl_cards.games.tables import MoveLists
from abl_cards.logic import Circuit
from abl_cards.parallel import each_share

MOVE_INPUTS = frozenset({"play", "left", "plays_left", "calls"})
"""The inputs that differ from move to move; all others are the same for a whole decision."""


class SituationRows(NamedTuple):
    """Where the public facts lie among the rows of a circuit; -1 where they do not matter."""

    role: NDArray[np.int32]  # [3]
    top: NDArray[np.int32]  # [2]
    cards: NDArray[np.int32]  # [2, 21] at least
    unseen: NDArray[np.int32]  # [15, 5] at least
    bid: NDArray[np.int32]  # [3, 5]


class MoveRows(NamedTuple):
    """Where the facts of a move lie among the rows of a circuit; -1 where they do not matter."""

    play: NDArray[np.int32]  # [labels]
    left: NDArray[np.int32]  # [15, 5] at least
    plays_left: NDArray[np.int32]  # [21] at least
    calls: NDArray[np.int32]  # [4] by the number of the choice


@dataclass(frozen=True)
class DoudizhuFacts(NoBeliefs):
    """The facts of tables that play by these rules."""

    rules: Rules

    @property
    def move_inputs(self) -> frozenset[str]:
        """The inputs that differ from move to move."""
        return MOVE_INPUTS

    def of_decisions(self, circuit: Circuit) -> WriteShared:
        """Hands, tricks, bids and what everybody can see."""
        facts, public = fact_rows_of(circuit, self.rules.shapes), situation_rows(circuit)

        def write_all(decisions: Decisions | Exchanges) -> NDArray[np.uint8]:
            n, situation = len(decisions.which), decisions.situation
            rows = np.empty((len(circuit.inputs), n), np.uint8)
            to_beat = decisions.to_beat if isinstance(decisions, Decisions) else np.full(n, NOTHING, np.int16)

            def write(lo: int, hi: int) -> None:
                write_facts(facts, situation.hand, to_beat, lo, hi, rows)
                write_situation(public, *situation[1:], lo, hi, rows)

            each_share(n, write)
            if isinstance(decisions, Exchanges):
                _write_bids(public.bid, decisions.bids, rows)
            return rows

        return write_all

    def of_moves(self, circuit: Circuit) -> Callable[[Decisions | Exchanges, MoveLists], WriteMoves]:
        """Labels, what they leave in the hand, and in how many plays that is gone; or a bid."""
        at, counter = move_rows(circuit, self.rules.shapes), counter_of(self.rules)

        def prepare(decisions: Decisions | Exchanges, lists: MoveLists) -> WriteMoves:
            hand, decision = decisions.situation.hand, lists.decision
            bidding = isinstance(decisions, Exchanges)
            if bidding:
                plays = counter.plays_left(hand)[decision]
            else:
                plays = counter.plays_left_after(hand, lists.start, keys_laid(lists.cards))

            def write(lists: MoveLists, part: slice) -> NDArray[np.uint8]:
                mine, form, cards, after = decision[part], lists.form[part], lists.cards[part], plays[part]
                rows = np.zeros((len(circuit.inputs), len(mine)), np.uint8)
                each_share(len(mine), lambda lo, hi: write_moves(at, form, cards, after, hand, mine, lo, hi, rows))
                return rows

            return write

        return prepare


@njit(cache=True, nogil=True)
def _at_least(table, rank, count, i, rows):
    for least in range(1, count + 1):
        if table[rank, least] >= 0:
            rows[table[rank, least], i] = 1


@njit(cache=True, nogil=True)
def write_situation(at, unseen, cards, top, part, lo, hi, rows):
    """Add the public facts of decisions lo..hi-1 to input rows [inputs, n]."""
    for i in range(lo, hi):
        if part[i] >= 0 and at.role[part[i]] >= 0:
            rows[at.role[part[i]], i] = 1
        if top[i] >= 0 and at.top[top[i]] >= 0:
            rows[at.top[top[i]], i] = 1
        for other in range(2):
            _at_least(at.cards, other, np.int64(cards[i, other]), i, rows)
        for rank in range(COUNT):
            _at_least(at.unseen, rank, np.int64((unseen[i] >> np.uint64(4 * rank)) & np.uint64(15)), i, rows)


@njit(cache=True, nogil=True)
def write_moves(at, form, cards, plays, hand, decision, lo, hi, rows):
    """Add the facts of moves lo..hi-1 to input rows [inputs, moves]; a bid has no form and leaves the hand alone."""
    for move in range(lo, hi):
        left = hand[decision[move]]
        if form[move] >= 0:
            left -= key_of_row(cards[move])
            if at.play[form[move]] >= 0:
                rows[at.play[form[move]], move] = 1
        elif at.calls[cards[move, 0]] >= 0:
            rows[at.calls[cards[move, 0]], move] = 1
        for rank in range(COUNT):
            _at_least(at.left, rank, np.int64((left >> np.uint64(4 * rank)) & np.uint64(15)), move, rows)
        for count in range(1, plays[move] + 1):
            if at.plays_left[count] >= 0:
                rows[at.plays_left[count], move] = 1


def _write_bids(at: NDArray[np.int32], bids: NDArray[np.int8], rows: NDArray[np.uint8]) -> None:
    """The bids so far [n, 3]."""
    for place in range(3):
        for bid in range(4):
            if at[place, bid] >= 0:
                rows[at[place, bid]] = bids[:, place] == bid


def situation_rows(circuit: Circuit) -> SituationRows:
    """Look up the public facts of a circuit."""
    role, top = np.full(len(PARTS), -1, np.int32), np.full(len(WHO), -1, np.int32)
    cards, bid = np.full((len(WHO), MOST_CARDS + 1), -1, np.int32), np.full((3, 5), -1, np.int32)
    for (part,), row in circuit.input_rows("role", 1).items():
        role[PARTS.index(str(part))] = row
    for (who,), row in circuit.input_rows("top", 1).items():
        top[WHO.index(str(who))] = row
    for (who, count), row in circuit.input_rows("cards", 2).items():
        cards[WHO.index(str(who)), int(count)] = row
    for (turn, number), row in circuit.input_rows("bid", 2).items():
        bid[int(turn) - 1, int(number)] = row
    return SituationRows(role, top, cards, _ranked(circuit, "unseen"), bid)


def move_rows(circuit: Circuit, shapes: Shapes) -> MoveRows:
    """Look up the facts of a move of a circuit; labels that the rules lack are never laid down."""
    play = np.full(len(shapes.labels), -1, np.int32)
    for (label,), row in circuit.input_rows("play", 1).items():
        if str(label) in shapes.index:
            play[shapes.index[str(label)]] = row
    calls = rows_by_number(circuit, "calls", len(CHOICES))[list(CHOICES)]
    return MoveRows(play, _ranked(circuit, "left"), rows_by_number(circuit, "plays_left", MOST_CARDS + 1), calls)


def _ranked(circuit: Circuit, name: str) -> NDArray[np.int32]:
    rows = np.full((COUNT, 5), -1, np.int32)
    for (value, count), row in circuit.input_rows(name, 2).items():
        rows[int(value) - FIRST, int(count)] = row
    return rows
