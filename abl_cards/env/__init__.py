"""Environments for reinforcement learning: vectorised, PettingZoo and Gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.env.vector_env import LabelRealiser, TimeStep, VectorEnv

__all__ = ["LabelRealiser", "TimeStep", "VectorEnv"]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
