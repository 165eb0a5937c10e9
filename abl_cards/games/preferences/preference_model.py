"""Protocol of preferences: the costs of candidate moves, and the preferences that hold for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom
from abl_cards.circuit import KnowledgeBase
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import HandEstimate, MoveLists


class PreferenceModel(Protocol):
    """Protocol of the preferences of a knowledge base."""

    @property
    def kb(self) -> KnowledgeBase:
        """Knowledge base of the preferences, their texts and the integrity constraints."""

    @property
    def outputs(self) -> tuple[Atom, ...]:
        """Outputs ``cost(Name, Weight)`` of preferences and ``violated(K)`` of constraints."""

    def preferences(self, with_estimate: bool = False) -> dict[str, str]:
        """Return the preferences that can hold.

        Args:
            with_estimate: Include preferences that need an estimate of the other hands.

        Returns:
            Group of each preference by name.
        """

    def evaluate(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """Evaluate the outputs for candidate moves, in batches.

        Args:
            decisions: n decisions or choices.
            lists: Candidate moves.
            estimate: float [n, others, kinds], estimated copies in the other hands, None for none.

        Yields:
            Slice of the moves, and uint8 [outputs, moves of the slice].
        """

    def costs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Sum up the costs of candidate moves.

        Args:
            decisions: n decisions or choices.
            lists: Candidate moves.
            estimate: float [n, others, kinds], estimated copies in the other hands, None for none.

        Returns:
            int32 [moves] costs; bool [moves], True if the move violates no integrity constraint.
        """

    def inputs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> NDArray[np.uint8]:
        """Encode candidate moves as inputs of the knowledge base.

        Args:
            decisions: n decisions or choices.
            lists: Candidate moves.
            estimate: float [n, others, kinds], estimated copies in the other hands, None for none.

        Returns:
            uint8 [inputs, moves], in the order of ``kb.input_atoms``.
        """
