"""Two hands that lie open and race to be empty: what a search needs to know of a game, and nothing else of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.game import Engine, GameError
from abl_cards.games.rule_files import kb_error
from abl_cards.games.shapes import number
from abl_cards.games.tables import Listener, Tables
from abl_cards.logic import KnowledgeBase, Term

LEADING = -1
"""What there is to beat when a seat leads."""
_MOST = 26
"""Cards of a rank, or groups of kickers, in a label."""


@dataclass(frozen=True)
class Combinations:
    """What can be laid down, and what beats what, as a knowledge base says it; without the pass."""

    labels: tuple[str, ...]
    needs: NDArray[np.uint8]  # [labels, ranks] main cards of each rank
    kickers: NDArray[np.uint8]  # [labels] groups of kickers, all of different ranks
    kicker_size: NDArray[np.uint8]  # [labels] cards in each
    spare: NDArray[np.bool_]  # [labels, ranks] ranks that kickers may be of
    beats: NDArray[np.bool_]  # [labels, labels] row: what lies there; column: what may be laid on it

    @property
    def cards(self) -> NDArray[np.int64]:
        """[labels] how many cards each takes."""
        return self.needs.sum(axis=1, dtype=np.int64) + self.kickers.astype(np.int64) * self.kicker_size


@dataclass(frozen=True)
class Race:
    """A position: whoever goes out gains the cards that the other is left with; a pass hands the lead over."""

    own: tuple[int, ...]  # [ranks] of the seat to move
    other: tuple[int, ...]
    to_beat: int = LEADING  # label


class Racing(Protocol):
    """A game that is such a race."""

    @property
    def combinations(self) -> Combinations:
        """What can be laid down, and what beats what."""

    def race(self, own: str, other: str, to_beat: str | None = None) -> Race:
        """A position in the words of the game; raises GameError."""

    def races(self, decisions: Any) -> list[Race]:
        """The positions of decisions."""

    def tables(self, hands: NDArray[np.uint8], listener: Listener | None = None) -> Tables:
        """A table for each of hands [n, 2, ranks], which may be of few cards."""

    def cards_text(self, cards: NDArray[np.integer]) -> str:
        """The copies of each rank [ranks] as text; a pass is empty."""

    def play_cards(self, label: int, cards: NDArray[np.integer]) -> tuple[int, NDArray[np.uint8]]:
        """The form and the row of cards, as in Moves, of cards that are laid down; LEADING stands for a pass."""


@runtime_checkable
class MayRace(Protocol):
    """An engine whose game may be a race."""

    def as_race(self) -> Racing:
        """The race that it is; raises GameError, with what it is not."""


def racing(engine: Engine) -> Racing:
    """The race that a game is; raises GameError for any other."""
    if not isinstance(engine, MayRace):
        raise GameError(f"{engine.game} is no race of two open hands")
    return engine.as_race()


def read_combinations(
    kb: KnowledgeBase, labels: tuple[str, ...], beats: NDArray[np.bool_], ranks: int, first: int
) -> Combinations:
    """Read needs/4, kickers/3 and spare/2 of labels that are their own forms; ranks count from ``first``."""
    index = {label: place for place, label in enumerate(labels)}
    needs, spare = np.zeros((len(labels), ranks), np.uint8), np.zeros((len(labels), ranks), np.bool_)
    kickers, size = np.zeros(len(labels), np.uint8), np.zeros(len(labels), np.uint8)

    def place(fact: str, form: Term, rank: Term = first) -> tuple[int, int]:
        """The label and the rank, from 0, that a fact is about."""
        if str(form) not in index or not 0 <= number(rank, fact) - first < ranks:
            raise kb_error(f"{fact} is about no label or no rank", f"ranks are {first} to {first + ranks - 1}")
        return index[str(form)], number(rank, fact) - first

    def small(fact: str, value: Term) -> int:
        if not 0 <= number(value, fact) <= _MOST:
            raise kb_error(f"{fact}: {value} is too many or too few", f"write a number from 0 to {_MOST}")
        return number(value, fact)

    for form, at, rank, count in kb.facts("needs", 4):
        fact = f"needs({form},{at},{rank},{count})"
        needs[place(fact, form, rank)] += small(fact, count)
    for form, groups, cards in kb.facts("kickers", 3):
        fact = f"kickers({form},{groups},{cards})"
        label, _ = place(fact, form)
        kickers[label], size[label] = small(fact, groups), small(fact, cards)
    for form, rank in kb.facts("spare", 2):
        spare[place(f"spare({form},{rank})", form, rank)] = True
    return Combinations(labels, needs, kickers, size, spare, beats)
