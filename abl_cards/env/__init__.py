"""Environments for reinforcement learning: vectorised, PettingZoo and Gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.env.aec import CardGameEnv
    from abl_cards.env.episodes import EpisodeKind
    from abl_cards.env.factories import aec_env, gymnasium_env, gymnasium_vector_env, parallel_env
    from abl_cards.env.gymnasium_envs import GymnasiumEnv, GymnasiumVectorEnv
    from abl_cards.env.parallel import ParallelCardGameEnv
    from abl_cards.env.pending import LabelRealiser
    from abl_cards.env.vector_env import TimeStep, VectorEnv

__all__ = [
    "CardGameEnv",
    "EpisodeKind",
    "GymnasiumEnv",
    "GymnasiumVectorEnv",
    "LabelRealiser",
    "ParallelCardGameEnv",
    "TimeStep",
    "VectorEnv",
    "aec_env",
    "gymnasium_env",
    "gymnasium_vector_env",
    "parallel_env",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
