"""Tables that play episode after episode: keys, rewards, final observations and automatic resets.

The environments of this package differ in which seats the caller controls and in what they return; they share these
tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError, check_integer, derive_key, is_one_of, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, attribute_table_errors
from abl_cards.games.notation import render_table
from abl_cards.games.state import TableState
from abl_cards.games.tables import NullListener, PlayerView, Tables, observe
from abl_cards.games.types import Indices, Moves

MAX_ENVS = 1 << 22
"""Most tables of an environment; their observations alone take several GB."""

EpisodeKind = Literal["deal", "match"]
"""Unit after which an environment terminates: one deal, or a whole match."""


class EpisodeTables(NullListener):
    """Tables of one engine, one an environment, which begin a new episode when one is over.

    Environment ``i`` plays the matches of keys ``derive_key(seed, i, 0)``, ``derive_key(seed, i, 1)`` and so on,
    whatever the number of environments. An episode is a deal of a match, or a match.

    Attributes:
        tables: State of all environments; None before the first ``begin``.
        rewards: float32 [envs, players], of the current step.
        terminated: bool [envs], episodes that ended by the rules in the current step.
        truncated: bool [envs], episodes that ended by ``max_steps`` in the current step.
        final_views: Copies of the tables of these episodes at their end, to observe them when needed.
        episodes: Episodes that have ended since the construction.
        num_steps: int64 [envs], decisions of the current episode, counted where there is a limit.
    """

    def __init__(self, engine: Engine, num_envs: int, seed: SupportsIndex, episode: str, max_steps: int | None) -> None:
        """Check the arguments; nothing is dealt yet."""
        if not is_one_of(episode, ("deal", "match")):
            raise GameError(f"episode is 'deal' or 'match', not {episode!r:.60}", ErrorCode.INVALID_VALUE)
        self.engine = engine
        self.num_envs = check_integer("num_envs", num_envs, 1, MAX_ENVS)
        self.max_steps = None if max_steps is None else check_integer("max_steps", max_steps, 1)
        self.ends_with_deal = episode == "deal"
        self.num_players = len(engine.teams)
        self.num_features = engine.observation_features.size
        self.history_acts = 0
        self.tables: Tables | None = None
        self.episodes = 0
        self.num_steps = np.zeros(num_envs, np.int64)
        self._returns = np.zeros((num_envs, self.num_players), np.float32)  # sums of rewards in the current episode
        self._all_rows = np.arange(num_envs)
        self._set_seeds(seed)
        self.begin_step()

    def _set_seeds(self, seed: SupportsIndex | Sequence[SupportsIndex]) -> None:
        """Derive the key of each environment: from one seed and its index, or as environment 0 of its own seed."""
        is_array = isinstance(seed, np.ndarray) and seed.ndim == 1
        is_single = isinstance(seed, str | bytes) or not (isinstance(seed, Sequence) or is_array)
        seeds: list[Any] = [seed] * self.num_envs if is_single else list(seed)  # type: ignore[arg-type]
        if len(seeds) != self.num_envs:
            text = f"{len(seeds)} seeds for {self.num_envs} environments: pass one integer, or one for each"
            raise GameError(text, ErrorCode.INVALID_VALUE)
        if is_single:
            keys = splitmix64_array(np.full(self.num_envs, derive_key(seeds[0]), np.uint64), self._all_rows).tolist()
        else:
            keys = [derive_key(env_seed, 0) for env_seed in seeds]
        self._seeds, self._is_single_seed = seeds, is_single
        self._env_keys = np.array(keys, np.uint64)
        self._next_match = np.zeros(self.num_envs, np.int64)

    def _next_keys(self, rows: Indices) -> NDArray[np.uint64]:
        """Return the keys of the next matches of environments, and count these matches."""
        keys = splitmix64_array(self._env_keys[rows], self._next_match[rows])
        self._next_match[rows] += 1
        return keys

    def describe(self, env: int) -> str:
        """Return the seed, the environment, if there are several, and the match of a table, for messages."""
        index = f"environment {env if self._is_single_seed else 0}, " if self.num_envs > 1 else ""
        return f"seed {self._seeds[env]}, {index}match {int(self._next_match[env]) - 1}"

    # --- episodes -----------------------------------------------------------------------------------------------------

    def begin(self, seed: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Tables:
        """Begin the next match in every environment, or the first one of another seed."""
        if seed is not None:
            self._set_seeds(seed)
        self.begin_step()
        self.num_steps[:] = 0
        self._returns[:] = 0
        keys = self._next_keys(self._all_rows)
        with attribute_table_errors(self.describe):
            self.tables = self.engine.start_matches(keys, self)
        if self.history_acts:
            self.tables.record_history(self.history_acts)
        return self.tables

    def begin_step(self) -> None:
        """Replace the results of the previous step by new arrays, so that callers may keep the old ones."""
        shape = self.num_envs, self.num_players
        self.rewards = np.zeros(shape, np.float32)
        self.final_rewards = np.zeros(shape, np.float32)
        self.terminated = np.zeros(self.num_envs, np.bool_)
        self.truncated = np.zeros(self.num_envs, np.bool_)
        self.final_views: list[FinalViews] = []
        self._has_ended = False

    def act(
        self,
        play_rows: Indices,
        moves: Moves | None,
        choice_rows: Indices,
        options: NDArray[np.uint8] | None,
    ) -> None:
        """Make one decision in some environments, and begin the next episodes of those that end.

        Args:
            play_rows: Environments where a seat plays or passes.
            moves: The plays [n].
            choice_rows: Environments where a seat chooses an option.
            options: The options [n] chosen.
        """
        tables = self.tables
        assert tables is not None
        self._has_ended = False
        if self.max_steps is not None:
            self.num_steps[play_rows] += 1
            self.num_steps[choice_rows] += 1
        if moves is not None and len(play_rows):
            tables.play(play_rows, moves)
        if options is not None and len(choice_rows):
            tables.choose(choice_rows, options)
        if self.max_steps is not None:
            self._truncate(tables, self.max_steps)
        if self._has_ended:
            over = np.flatnonzero((tables.winner != -1) | self.truncated)
            if over.size:
                tables.begin_match(over, self._next_keys(over))
            self._has_ended = False

    def _truncate(self, tables: Tables, max_steps: int) -> None:
        """End the episodes that have reached the limit of steps; their matches are given up."""
        rows = np.flatnonzero((self.num_steps >= max_steps) & ~self.terminated & ~self.truncated)
        if rows.size:
            self.truncated[rows] = True
            self._close(tables, rows)

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Add the rewards of deals before the next cards are dealt."""
        rewards = self.engine.rewards(tables, rows)
        self.rewards[rows] += rewards
        if not self.ends_with_deal:
            self._returns[rows] += rewards
        if self.ends_with_deal:
            self.terminated[rows] = True
            self._close(tables, rows)

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """End episodes that are whole matches."""
        self._has_ended = True
        if not self.ends_with_deal:
            self.terminated[rows] = True
            self._close(tables, rows)

    def _close(self, tables: Tables, rows: Indices) -> None:
        """Write the final rewards and observations of episodes, and count them."""
        self._has_ended = True
        self.episodes += len(rows)
        if self.max_steps is not None:
            self.num_steps[rows] = 0
        if not self.ends_with_deal:
            self.final_rewards[rows] = self._returns[rows]
            self._returns[rows] = 0
        self.final_views.append(FinalViews.of(tables, rows))

    def take_final_rewards(self) -> NDArray[np.float32]:
        """Return float32 [envs, players], sums of rewards over the episodes that ended in this step."""
        return self.rewards.copy() if self.ends_with_deal else self.final_rewards


class FinalViews(NamedTuple):
    """Copies of tables at the end of their episodes, observed or rendered when the method is called.

    Observing a few tables takes nearly as long as observing all, and few learners read final observations.
    """

    rules: CompiledGame
    envs: Indices  # [n] where these episodes ended
    state: TableState  # of n tables
    num_episodes: NDArray[np.int32]  # [n]
    points: NDArray[np.int32]  # [n, players]

    @classmethod
    def of(cls, tables: Tables, rows: Indices) -> FinalViews:
        """Copy some tables."""
        copies: list[Any] = [values.take(rows, axis=0) for values in tables.state]
        return cls(tables.rules, rows, TableState(*copies), tables.num_episodes[rows], tables.points[rows])

    def observe(self) -> NDArray[np.uint8]:
        """Return uint8 [n, players, features], the observation of each player."""
        return observe_players(self.rules, self.state, np.arange(len(self.envs)))

    def render(self) -> str:
        """Return the first of the tables as text with all hands open."""
        tables = Tables(self.rules, len(self.envs))
        tables.state, tables.num_episodes, tables.points = self.state, self.num_episodes, self.points
        return render_table(self.rules, tables, 0)


def observe_players(rules: CompiledGame, state: TableState, rows: Indices) -> NDArray[np.uint8]:
    """Return uint8 [n, players, features]: the observation of each player at some tables."""
    seats = rules.seating.seats
    view = PlayerView(rules, state, np.repeat(rows, seats), np.tile(np.arange(seats, dtype=np.int8), len(rows)))
    return observe(view).reshape(len(rows), seats, -1)


def check_open(is_closed: bool) -> None:
    """Raise GameError for an environment that is closed."""
    if is_closed:
        raise GameError("the environment is closed", ErrorCode.CLOSED)


def check_render_mode(mode: object, *modes: str | None) -> None:
    """Raise GameError for a ``render_mode`` that is not among ``modes``."""
    if not is_one_of(mode, modes):
        text = f"render_mode is {' or '.join(map(repr, modes))}, not {mode!r:.60}"
        raise GameError(text, ErrorCode.INVALID_VALUE)


def check_agent(agent: object, agents: Sequence[str]) -> None:
    """Raise GameError for a name that no seat has."""
    if not is_one_of(agent, agents):
        text = f"there is no agent {agent!r:.60}; the agents are {', '.join(agents)}"
        raise GameError(text, ErrorCode.UNKNOWN_SEAT)


def check_action(action: Any, num_actions: int, allows_array: bool = False) -> int:
    """Return the action of the only environment, or that in an array of one; raises GameError for others."""
    given = _to_array(action, "an action is an integer")
    if allows_array and given.shape == (1,):
        given = given.reshape(())  # an element of dtype object has no dtype
    if given.dtype.kind not in "iu" or given.shape:
        raise GameError(f"an action is an integer, not {action!r:.60}", ErrorCode.INVALID_ACTIONS)
    if not 0 <= given < num_actions:
        raise GameError(f"action {given} is outside 0..{num_actions - 1}", ErrorCode.INVALID_ACTIONS)
    return int(given)


def check_actions(actions: Any, num_envs: int, num_actions: int) -> NDArray[np.int64]:
    """Return actions as int64 [envs]; raises GameError for another type, shape or range."""
    given = _to_array(actions, f"actions are an integer array [{num_envs}]")
    if given.dtype.kind not in "iu" or given.shape != (num_envs,):
        text = f"actions are an integer array of shape ({num_envs},), not {given.dtype} of shape {given.shape}"
        raise GameError(text, ErrorCode.INVALID_ACTIONS)
    if given.min() < 0 or given.max() >= num_actions:
        env = int(((given < 0) | (given >= num_actions)).argmax())
        text = f"environment {env}: action {given[env]} is outside 0..{num_actions - 1}"
        raise GameError(text, ErrorCode.INVALID_ACTIONS)
    return given.astype(np.int64, copy=False)


def _to_array(actions: Any, expected: str) -> NDArray[Any]:
    """Return actions as an array; raises GameError that says what is expected."""
    try:
        return np.asarray(actions)
    except (TypeError, ValueError, RuntimeError) as problem:  # RuntimeError: a tensor of torch that requires grad
        raise GameError(f"{expected}: {problem}", ErrorCode.INVALID_ACTIONS) from None
