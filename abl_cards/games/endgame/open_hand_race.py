"""Two hands that lie open and race to be empty: what a search needs to know of a game, and nothing else of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.tables import Listener
from abl_cards.games.types import LEADING

if TYPE_CHECKING:
    from abl_cards.games.tables import Decisions, Tables


@dataclass(frozen=True)
class RaceCombinations:
    """What can be laid down, and what beats what, as a knowledge base says it; without the pass."""

    labels: tuple[str, ...]
    main_cards: NDArray[np.uint8]  # [labels, ranks] main cards of each rank
    kickers: NDArray[np.uint8]  # [labels] groups of kickers, all of different ranks
    kicker_size: NDArray[np.uint8]  # [labels] cards in each
    kicker_ranks: NDArray[np.bool_]  # [labels, ranks] ranks that kickers may be of
    beats: NDArray[np.bool_]  # [labels, labels] row: what lies there; column: what may be laid on it

    @property
    def num_cards(self) -> NDArray[np.int64]:
        """[labels] how many cards each takes."""
        return self.main_cards.sum(axis=1, dtype=np.int64) + self.kickers.astype(np.int64) * self.kicker_size


@dataclass(frozen=True)
class RacePosition:
    """A position: whoever goes out gains the cards that the other is left with; a pass hands the lead over."""

    own_hand: tuple[int, ...]  # [ranks] of the seat to move
    other_hand: tuple[int, ...]
    to_beat: int = LEADING  # label


class OpenHandRace(Protocol):
    """A game that is such a race."""

    @property
    def combinations(self) -> RaceCombinations:
        """What can be laid down, and what beats what."""

    def read_position(self, own_hand: str, other_hand: str, to_beat: str | None = None) -> RacePosition:
        """A position in the words of the game; raises GameError."""

    def positions(self, decisions: Decisions) -> list[RacePosition]:
        """The positions of decisions."""

    def start_matches(self, hands: NDArray[np.uint8], listener: Listener | None = None) -> Tables:
        """A table for each of hands [n, 2, ranks], which may be of few cards."""

    def cards_text(self, cards: NDArray[np.integer]) -> str:
        """The copies of each rank [ranks] as text; a pass is empty."""

    def encode_play(self, label: int, cards: NDArray[np.integer]) -> tuple[int, NDArray[np.uint8]]:
        """The form and the row of cards, as in Moves, of cards that are laid down; LEADING stands for a pass."""
