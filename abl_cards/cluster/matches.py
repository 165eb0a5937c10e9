"""The games of a match as tasks of Ray: the same result as in one process, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from abl_cards.agents import make_agent
from abl_cards.cluster.ray_serialization import PackedArray, pack, pack_result, unpack
from abl_cards.cluster.start import RayCluster
from abl_cards.games import Engine, load
from abl_cards.hand_analysis import DealRules
from abl_cards.matches import MatchResult, MatchShard, merge_shards, play_shard
from abl_cards.training import from_plain

TASKS_PER_PROCESSOR = 4
"""Parts of a match for each processor: where some take longer the others do not wait long."""
_MIN_DEALS_PER_SHARD = 16
"""Deals; a part has no fewer, because few games cost as much as some more."""


@dataclass(frozen=True)
class MatchSpec:
    """Game, rules and agents of a match."""

    game: str
    kb: Path | None
    profile: str | None
    agent_names: tuple[str, ...]
    num_games: int
    seed: int
    deals: tuple[Mapping[str, Any], ...] | None = None  # given ones

    def load_engine(self) -> Engine:
        """Load the game with these rules; raises KBError, GameError."""
        engine = load(self.game).engine(self.kb, self.profile)
        if self.deals is None:
            return engine
        rules = DealRules.from_engine(engine)
        return rules.with_deals(rules.read_deals(self.deals))

    def play_shard(self, first: int, stop: int) -> MatchShard:
        """Play the games of a range of numbers."""
        engine = self.load_engine()
        agents = [make_agent(name, engine) for name in self.agent_names]
        return play_shard(engine, self.agent_names, agents, range(first, stop), self.seed, self.deals is not None)


def play_match_on_ray(
    cluster: RayCluster, match: MatchSpec, engine: Engine, games_per_deal: int, on_progress: Callable[[int], None]
) -> MatchResult:
    """Play a match in shards, in parallel; ``games_per_deal`` games share a deal. Raises GameError."""
    parts = split_games(match.num_games, games_per_deal, TASKS_PER_PROCESSOR * cluster.processors)
    packed_match, shards, done = pack(match), dict[int, MatchShard](), 0
    for number, plain in cluster.run_tasks(_play_shard, [(packed_match, part.start, part.stop) for part in parts]):
        shards[number] = MatchShard.from_dict(plain)
        done += len(parts[number])
        on_progress(done)
    return merge_shards(engine, match.agent_names, match.seed, [shards[number] for number in range(len(parts))])


def split_games(num_games: int, games_per_deal: int, max_shards: int) -> list[range]:
    """Split the games into parts of about equal size; no deal is in two parts.

    >>> split_games(100, 2, 3)
    [range(0, 32), range(32, 66), range(66, 100)]
    """
    deals = -(-num_games // games_per_deal)
    number = max(1, min(max_shards, deals // _MIN_DEALS_PER_SHARD))
    bounds = [min(num_games, games_per_deal * (deals * index // number)) for index in range(number + 1)]
    return [range(first, stop) for first, stop in pairwise(bounds)]


def _play_shard(packed_spec: PackedArray, first: int, stop: int) -> PackedArray:
    return pack_result(lambda: from_plain(MatchSpec, unpack(packed_spec)).play_shard(first, stop).to_dict())
