"""Play an agent against itself without its parts, in shards that are stored, until the results are decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.ablation.parts import AblationPart, select_parts
from abl_cards.ablation.results import Ablation, AblationRow
from abl_cards.ablation.sequential import sequential_interval
from abl_cards.agents import (
    Agent,
    RandomKeys,
    agent_fingerprint,
    check_agent_name,
    make_agent,
    needs_history,
)
from abl_cards.core import ErrorCode, GameError, append_result, format_seed, read_results, result_key
from abl_cards.games import Engine, Game, compile_engine
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import NO_CARD, Moves
from abl_cards.matches import play_shard

MIN_SHARD_DEALS, MAX_SHARD_DEALS = 8, 64
"""Deals of the first shard and of the largest ones; in between a shard doubles the number of deals."""
RESULT_FILE = "shards.jsonl"

AblationProgress = Callable[[AblationPart, int, int], None]
"""Called with a part, its finished games and the most games it may take."""


def ablate(
    game: Game | Engine | str,
    agent: str = "abl",
    parts: Sequence[str] | None = None,
    games: int = 400,
    seed: int = 1,
    *,
    level: float = 0.95,
    folder: Path | str | None = None,
    on_progress: AblationProgress | None = None,
) -> Ablation:
    """Measure parts of an agent: it plays against itself without one part at a time.

    Every deal is played once for every way to seat the two. After each shard of deals the interval of the win rate
    is computed, and play stops when it excludes one half. The interval is valid over all these looks together
    (see ``sequential_interval``); each part has an interval of its own level.

    Args:
        game: Game, its name, the path of a rule folder, or a compiled game (for another profile).
        agent: ``kb`` or ``abl``, with options.
        parts: Names of parts as ``list_parts`` gives them; also ``kb:PREFERENCE`` for a single preference.
            None for all that apply to this folder and agent.
        games: Most games a part; rounded down to whole deals.
        seed: Seed of deals and decisions; equal seeds give equal results.
        level: Level of the intervals.
        folder: Folder where finished shards are stored; a later call with the same rules, weights and seed
            continues from them. None to store nothing.
        on_progress: Called after each shard.

    Returns:
        One row a part, with the interval and whether the part is decided.

    Raises:
        GameError: The game, the agent or a part is unknown, or a number is out of range.
        KBError: The rules or the preferences do not compile.
        OSError: The folder cannot be written.
    """
    engine = compile_engine(game)
    games_per_deal = len(engine.agent_seatings)
    num_deals = games // games_per_deal
    if num_deals < 1:
        problem = f"games={games}: a deal of {engine.game} is {games_per_deal} games, one for each way to seat two"
        raise GameError(problem, ErrorCode.INVALID_VALUE)
    sequential_interval(np.zeros(0), level)  # raises for a level that is none
    name = str(check_agent_name(agent))
    chosen = select_parts(engine, name, None if parts is None else list(parts))
    store = _ShardStore(None if folder is None else Path(folder))
    rows = []
    for part in chosen:
        run = _PartRun(engine, name, part, seed, store)
        rows.append(run.play(num_deals, level, on_progress or (lambda part, done, total: None)))
    return Ablation(engine.game, name, tuple(rows), num_deals * games_per_deal, seed, level)


class _ShardStore:
    """Finished shards by their inputs, in a file where there is a folder."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None
        self._results: dict[str, Any] = {}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = folder / RESULT_FILE
            self._results = read_results(self._file)

    def compute(self, inputs: dict[str, Any], play: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the stored result, or compute and store it."""
        key = result_key(inputs)
        if key not in self._results:
            result = play()
            self._results[key] = result if self._file is None else append_result(self._file, inputs, result)
        stored: dict[str, Any] = self._results[key]
        return stored


class _PartRun:
    """Matches of an agent against itself without one part."""

    def __init__(self, engine: Engine, agent: str, part: AblationPart, seed: int, store: _ShardStore) -> None:
        self._engine, self._agent, self._part, self._seed, self._store = engine, agent, part, seed, store
        self._names = (agent, part.variant_of(agent))
        self._fingerprints = [agent_fingerprint(check_agent_name(name), engine) for name in self._names]
        self._pair: _ComparedPair | None = None  # made when the first shard is not stored yet

    def play(self, num_deals: int, level: float, on_progress: AblationProgress) -> AblationRow:
        """Play shards until the interval excludes one half, or all deals are played."""
        per_deal = len(self._engine.agent_seatings)
        scores, episodes, differs = np.zeros((0, per_deal)), 0, False
        while True:
            on_progress(self._part, scores.size, num_deals * per_deal)
            low, high = sequential_interval(scores.mean(axis=1), level)
            if len(scores) == num_deals or low > 0.5 or high < 0.5:
                return AblationRow.from_scores(self._part, self._agent, scores, differs, episodes, level)
            size = min(max(MIN_SHARD_DEALS, min(len(scores), MAX_SHARD_DEALS)), num_deals - len(scores))
            shard = self._shard(len(scores), len(scores) + size)
            scores = np.concatenate([scores, np.array(shard["scores"], np.float64).reshape(-1, per_deal)])
            episodes, differs = episodes + shard["episodes"], differs or shard["differs"]

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
        per_deal, pair = len(self._engine.agent_seatings), self._pair
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
        self.needs_history = needs_history(agent) or needs_history(other)

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
