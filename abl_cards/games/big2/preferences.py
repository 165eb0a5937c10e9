"""What the preferences of Big2 are about: decisions and moves as facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.big2.decisions import Decisions, count_cards, write_play
from abl_cards.games.big2.expansion import write_counts, write_one
from abl_cards.games.big2.knowledge import MOST_CARDS
from abl_cards.games.big2.plays import counter_of, keys_laid, keys_of
from abl_cards.games.big2.rulebook import Rules, fact_rows_of, ranked_rows
from abl_cards.games.preferences import NoBeliefs, WriteMoves, WriteShared
from abl_cards.games.questions import rows_by_number
from abl_cards.games.tables import MoveLists
from abl_cards.logic import Circuit

MOVE_INPUTS = frozenset({"play", "left", "plays_left"})
"""The inputs that differ from move to move; all others are the same for a whole decision."""


@dataclass(frozen=True)
class Big2Facts(NoBeliefs):
    """The facts of tables that play by these rules."""

    rules: Rules

    @property
    def move_inputs(self) -> frozenset[str]:
        """The inputs that differ from move to move."""
        return MOVE_INPUTS

    def of_decisions(self, circuit: Circuit) -> WriteShared:
        """Both hands and the play to beat."""
        facts, other = fact_rows_of(circuit, self.rules.labels), ranked_rows(circuit, "opposed")
        cards = rows_by_number(circuit, "cards", MOST_CARDS + 1)

        def write(decisions: Decisions) -> NDArray[np.uint8]:
            rows = np.zeros((len(circuit.inputs), len(decisions.which)), np.uint8)
            write_play(facts, decisions.hand, decisions.to_beat, rows)
            write_counts(other, decisions.other, rows)
            write_cards(cards, decisions.other.sum(axis=1), rows)
            return rows

        return write

    def of_moves(self, circuit: Circuit) -> Callable[[Decisions, MoveLists], WriteMoves]:
        """Labels, what they leave in the hand, and in how many plays that is gone."""
        left, play = ranked_rows(circuit, "left"), fact_rows_of_play(circuit, self.rules)
        plays_left = rows_by_number(circuit, "plays_left", MOST_CARDS + 1)
        counter = counter_of(self.rules) if (plays_left >= 0).any() else None

        def prepare(decisions: Decisions, lists: MoveLists) -> WriteMoves:
            hand, decision = decisions.hand, lists.decision
            plays = None
            if counter is not None:
                plays = counter.plays_left_after(keys_of(hand), lists.start, keys_laid(lists.cards))

            def write(lists: MoveLists, part: slice) -> NDArray[np.uint8]:
                rows = np.zeros((len(circuit.inputs), len(lists.form[part])), np.uint8)
                write_counts(left, hand[decision[part]] - count_cards(lists.cards[part]), rows)
                write_one(play, lists.form[part], rows)
                if plays is not None:
                    write_cards(plays_left, plays[part], rows)
                return rows

            return write

        return prepare


def fact_rows_of_play(circuit: Circuit, rules: Rules) -> NDArray[np.int32]:
    """[labels] the rows of play/1."""
    rows = np.full(len(rules.labels), -1, np.int32)
    for (label,), row in circuit.input_rows("play", 1).items():
        if str(label) in rules.index:
            rows[rules.index[str(label)]] = row
    return rows


def write_cards(at: NDArray[np.int32], counts: NDArray[np.integer], rows: NDArray[np.uint8]) -> None:
    """Set "at least so many" [27] for counts [n] in rows [inputs, n]."""
    for least in range(1, MOST_CARDS + 1):
        if at[least] >= 0:
            rows[at[least]] = counts >= least
