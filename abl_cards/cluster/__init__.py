"""Training, matches and experiments on several machines, by Ray."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.cluster.matches import MatchSpec, play_match_on_ray
    from abl_cards.cluster.ray_serialization import PackedArray, pack, pack_result, unpack
    from abl_cards.cluster.ray_workers import RayLauncher, count_local_processes
    from abl_cards.cluster.start import RayCluster, connect_ray

__all__ = [
    "MatchSpec",
    "PackedArray",
    "RayCluster",
    "RayLauncher",
    "connect_ray",
    "count_local_processes",
    "pack",
    "pack_result",
    "play_match_on_ray",
    "unpack",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
