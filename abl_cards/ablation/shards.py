"""Matches of two agents in shards of deals, which are stored as they are finished."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, RandomKeys, agent_fingerprint, check_agent_name, make_agent, needs_history
from abl_cards.core import append_result, find_stored_inputs, format_seed, read_results, result_key
from abl_cards.games import Engine
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import NO_CARD, Moves
from abl_cards.matches import play_shard

MIN_SHARD_DEALS, MAX_SHARD_DEALS = 8, 64
"""Deals of the first shard and of the largest ones; in between a shard doubles the number of deals."""
RESULT_FILE = "shards.jsonl"
"""Name of the file of finished shards."""


class ShardStore:
    """Finished shards by their inputs, in a file where there is a folder."""

    def __init__(self, folder: Path | None) -> None:
        """Read the finished shards of a folder.

        Args:
            folder: Folder of the file, created where there is none; None to keep shards in memory.
        """
        self._file = None
        self._results: dict[str, Any] = {}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = folder / RESULT_FILE
            self._results = read_results(self._file)

    def compute(self, inputs: dict[str, Any], play: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the stored result, or compute and store it.

        Args:
            inputs: Everything that the result depends on, as plain values.
            play: Computes the result as plain values.
        """
        key = result_key(find_stored_inputs(self._results, inputs))
        if key not in self._results:
            result = play()
            self._results[key] = result if self._file is None else append_result(self._file, inputs, result)
        stored: dict[str, Any] = self._results[key]
        return stored


class StoredMatch:
    """Match of two agents on duplicate deals, played shard by shard.

    Attributes:
        scores: Share of the first agent in each game so far, float64 [deals, games of a deal].
        episodes: Episodes so far.
        differs: Whether any decision of the two agents differed so far.
    """

    def __init__(self, engine: Engine, names: tuple[str, str], seed: int, store: ShardStore) -> None:
        """Prepare a match; the agents are made when the first shard is not stored yet.

        Args:
            engine: Compiled game.
            names: Names of the agents.
            seed: Seed of deals and decisions.
            store: Store of finished shards.

        Raises:
            GameError: An agent is unknown, or its weights do not exist.
        """
        self._engine, self._names, self._seed, self._store = engine, names, seed, store
        self._fingerprints = [agent_fingerprint(check_agent_name(name), engine) for name in names]
        self._pair: _ComparedPair | None = None
        self.games_per_deal = len(engine.agent_seatings)
        self.scores = np.zeros((0, self.games_per_deal))
        self.episodes, self.differs = 0, False

    def extend(self, num_deals: int) -> None:
        """Play one more shard, up to a number of deals in all."""
        done = len(self.scores)
        size = min(max(MIN_SHARD_DEALS, min(done, MAX_SHARD_DEALS)), num_deals - done)
        shard = self._shard(done, done + size)
        self.scores = np.concatenate(
            [self.scores, np.array(shard["scores"], np.float64).reshape(-1, self.games_per_deal)]
        )
        self.episodes, self.differs = self.episodes + shard["episodes"], self.differs or shard["differs"]

    def _shard(self, first: int, stop: int) -> dict[str, Any]:
        """Return the result of some deals, played before or now."""
        inputs = {
            "match": list(self._names), "game": self._engine.game, "marks": self._fingerprints,
            "profile": self._engine.rules.profile, "seed": format_seed(self._seed), "deals": [first, stop],
        }  # fmt: skip
        return self._store.compute(inputs, lambda: self._play_shard(first, stop))

    def _play_shard(self, first: int, stop: int) -> dict[str, Any]:
        if self._pair is None:
            self._pair = _ComparedPair(*(make_agent(name, self._engine) for name in self._names))
        per_deal, pair = self.games_per_deal, self._pair
        pair.differs = False
        shard = play_shard(self._engine, self._names, pair.agents, range(first * per_deal, stop * per_deal), self._seed)
        return {
            "scores": shard.scores[0].tolist(), "episodes": int(shard.episodes.sum()), "differs": pair.differs,
        }  # fmt: skip


class _ComparedPair:
    """Two agents of which each decision is made by both, until one differs: then nothing is compared any more."""

    def __init__(self, first: Agent, second: Agent) -> None:
        self.differs = False
        self.agents = (_ComparedAgent(self, first, second), _ComparedAgent(self, second, first))


class _ComparedAgent:
    """Agent whose decisions are compared with those of another one."""

    def __init__(self, pair: _ComparedPair, agent: Agent, other: Agent) -> None:
        self._pair, self._agent, self._other = pair, agent, other
        self.needs_history = max(needs_history(agent), needs_history(other))

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return the moves of the agent."""
        moves = self._agent.play(decisions, keys)
        if not self._pair.differs:
            self._pair.differs = not _equal_moves(moves, self._other.play(decisions, keys))
        return moves

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return the options of the agent."""
        options = self._agent.choose(choices, keys)
        if not self._pair.differs:
            self._pair.differs = not np.array_equal(options, self._other.choose(choices, keys))
        return options


def _equal_moves(first: Moves, second: Moves) -> bool:
    """Compare forms and cards; arrays of cards may be of different widths."""
    width = max(first.cards.shape[1], second.cards.shape[1])
    cards = [
        np.pad(moves.cards, ((0, 0), (0, width - moves.cards.shape[1])), constant_values=NO_CARD)
        for moves in (first, second)
    ]
    return np.array_equal(first.form, second.form) and np.array_equal(cards[0], cards[1])
