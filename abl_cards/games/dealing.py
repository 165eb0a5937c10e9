"""Games whose deals can be given: what a command needs of them, and nothing else of the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from abl_cards.games.game import Engine, GameError


@runtime_checkable
class Dealing(Engine, Protocol):
    """An engine that plays deals which somebody has written down."""

    @property
    def dealer(self) -> Any:
        """Makes deals by the knowledge base."""

    @property
    def scorer(self) -> Any:
        """Splits hands and says what they are worth."""

    def difficulty(self, language: str = "en") -> tuple[str, ...]:
        """A word for each class of deals, from 0, the hardest for who plays alone."""

    def read_deals(self, values: Sequence[Mapping[str, Any] | GameError]) -> Any:
        """Deals from their JSON forms, one a line; raises GameError that names the line."""

    def with_deals(self, deals: Any) -> Engine:
        """The same game, dealt so: the key of a match is the number of its deal. Raises GameError."""
