"""Who works for a run besides the process that keeps its folder: helpers of this machine, or those of a cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from abl_cards.errors import GameError
from abl_cards.loop.actor import Players
from abl_cards.loop.helpers import Helpers, started
from abl_cards.loop.settings import Settings

if TYPE_CHECKING:
    from abl_cards.loop.worker import Worker


class Troupe(Players, Protocol):
    """Actors in processes of their own."""

    born: int  # how many there have been


class Staff(Protocol):
    """Finds processes for a run."""

    def actors(self, settings: Settings) -> int:
        """How many are to play for the learner; 0 where those that learn play too. Raises GameError."""

    def workers(self, settings: Settings) -> int:
        """How many are to learn together, the first one included."""

    def hire(self, number: int) -> Helpers:
        """So many that learn."""

    def playing(self, learner: Worker, actors: int, born: int) -> AbstractContextManager[Troupe]:
        """So many that play, for a while, after so many before."""


class OnThisMachine:
    """Without a cluster processes of this machine play and learn together."""

    def actors(self, settings: Settings) -> int:
        """None; raises GameError where the settings want some."""
        if settings.actors:
            raise GameError(
                f"actors={settings.actors}: actors that only play are processes of Ray: give --ray, or actors=0"
            )
        return 0

    def workers(self, settings: Settings) -> int:
        """As many as pay."""
        return settings.crew

    def hire(self, number: int) -> Helpers:
        """Behind pipes."""
        return started(number)

    def playing(self, learner: Worker, actors: int, born: int) -> AbstractContextManager[Troupe]:
        """Nobody does."""
        raise NotImplementedError("there are no actors without a cluster")
