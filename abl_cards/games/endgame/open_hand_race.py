"""Protocol of two-player games with open hands in which the first empty hand wins, as the race solver reads them."""

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
    """Plays of a race without the pass, and the relation of plays that beat each other."""

    labels: tuple[str, ...]  # names of the plays
    main_cards: NDArray[np.uint8]  # [labels, ranks] main cards of each rank
    kickers: NDArray[np.uint8]  # [labels] groups of kickers, all of different ranks
    kicker_size: NDArray[np.uint8]  # [labels] cards in each group of kickers
    kicker_ranks: NDArray[np.bool_]  # [labels, ranks] ranks that kickers may have
    beats: NDArray[np.bool_]  # [labels, labels] row: the play to beat; column: a play that beats it

    @property
    def num_cards(self) -> NDArray[np.int64]:
        """Number of cards of each play, int64 [labels]."""
        return self.main_cards.sum(axis=1, dtype=np.int64) + self.kickers.astype(np.int64) * self.kicker_size


@dataclass(frozen=True)
class RacePosition:
    """Position of a race: the first empty hand gains the other's cards left; after a pass the other seat leads."""

    own_hand: tuple[int, ...]  # [ranks] copies in the hand of the seat to move
    other_hand: tuple[int, ...]  # [ranks] copies in the other hand
    to_beat: int = LEADING  # index of RaceCombinations.labels


class OpenHandRace(Protocol):
    """Protocol of games that are open-hand races."""

    @property
    def combinations(self) -> RaceCombinations:
        """Plays of the game, and the relation of plays that beat each other."""

    def read_position(self, own_hand: str, other_hand: str, to_beat: str | None = None) -> RacePosition:
        """Parse a position.

        Args:
            own_hand: Cards of the seat to move, in the notation of the game.
            other_hand: Cards of the other seat.
            to_beat: Cards of the play to beat, None if the seat leads.

        Returns:
            The position.

        Raises:
            GameError: If a text names unknown cards, too many copies, or no play.
        """

    def positions(self, decisions: Decisions) -> list[RacePosition]:
        """Return the position of each decision."""

    def start_matches(self, hands: NDArray[np.uint8], listener: Listener | None = None) -> Tables:
        """Start a match for each pair of hands.

        Args:
            hands: uint8 [n, 2, ranks], hands of any size.
            listener: Notified of events, None for none.

        Returns:
            n tables.
        """

    def cards_text(self, cards: NDArray[np.integer]) -> str:
        """Format copies of each rank [ranks] as text; no cards are an empty text."""

    def encode_play(self, label: int, cards: NDArray[np.integer]) -> tuple[int, NDArray[np.uint8]]:
        """Encode a play.

        Args:
            label: Index of ``RaceCombinations.labels``, ``LEADING`` for a pass.
            cards: int [ranks], copies of each rank.

        Returns:
            Form, and row of cards as in ``Moves``.
        """
