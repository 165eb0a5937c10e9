"""The protocol of preferences: costs of candidate moves, and which preferences fire."""

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
    """The preferences of a knowledge base; an estimate of the other hands, where there is one, is told to it."""

    @property
    def kb(self) -> KnowledgeBase:
        """Where the preferences, their words and the constraints are written down."""

    @property
    def outputs(self) -> tuple[Atom, ...]:
        """``cost(Name, Weight)`` of every preference, and ``violated(K)`` of every constraint."""

    def preferences(self, with_estimate: bool = False) -> dict[str, str]:
        """The group of each preference that can fire at all, with an estimate of the other hands or without one."""

    def evaluate(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """Which of the outputs hold for the candidates, in portions: which moves, and [outputs, moves]."""

    def costs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """[moves] the cost of each candidate, and whether it is consistent with the knowledge base."""

    def inputs(
        self, decisions: Decisions | Choices, lists: MoveLists, estimate: HandEstimate | None = None
    ) -> NDArray[np.uint8]:
        """[every input of the knowledge base, moves] what it is told of the candidates; see ``kb.input_atoms``."""
