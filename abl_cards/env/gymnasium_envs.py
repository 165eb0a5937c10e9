"""Every game as a Gymnasium environment: one seat learns, agents play the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex

import numpy as np
from gymnasium import Env, spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorBase
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from abl_cards.agents import Agent, check_own_agent, make_agent, needs_history
from abl_cards.core import ErrorCode, GameError, check_integer, is_one_of, seed64, splitmix64_array
from abl_cards.env.episodes import (
    EpisodeKind,
    EpisodeTables,
    FinalViews,
    check_action,
    check_actions,
    check_open,
    check_render_mode,
)
from abl_cards.env.pending import LabelRealiser, find_pending, make_realiser
from abl_cards.env.spaces import make_observation_space
from abl_cards.games import Engine, Game, compile_engine
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.notation import render_table
from abl_cards.games.tables import Listener, Tables
from abl_cards.games.types import Indices

_AGENT_STREAM = 4  # purpose of the random keys of agents
_MAX_SKIPPED = 1_000  # episodes in a row without a decision of the learning seat

BatchedObservation = dict[str, NDArray[Any]]
"""``observation`` float32 [envs, features] and ``action_mask`` int8 [envs, actions]."""


class GymnasiumVectorEnv(GymnasiumVectorBase[BatchedObservation, Any, NDArray[Any]]):  # type: ignore[misc]
    """Vector of tables where one seat learns, and agents play the other seats between its decisions.

    An episode in which the learning seat never decides is skipped; more than a thousand in a row are an error. When an
    episode ends, the next one begins in the same step (``AutoresetMode.SAME_STEP``). ``info["final_obs"]`` then holds
    the last observation of the learning seat, and ``info["final_info"]["episode_return"]`` the sum of its rewards.
    """

    def __init__(
        self,
        game: Game | Engine | str,
        num_envs: int,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: int = 0,
        seed: SupportsIndex = 0,
        *,
        profile: str | None = None,
        episode: EpisodeKind = "deal",
        realise: Literal["first", "preferences"] | LabelRealiser = "first",
        max_steps: int | None = None,
        illegal_actions: Literal["replace", "raise"] = "replace",
        render_mode: str | None = None,
    ) -> None:
        """Compile the game and make the agents; ``reset`` deals the first cards.

        Args:
            game: A game, its name, the path of a rule folder, or an engine.
            num_envs: Number of tables.
            opponents: The agent at all other seats, or a sequence with one for each, in the order of seats. An agent
                is a name, or an object with the methods ``play`` and ``choose``.
            seat: The learning seat.
            seed: Any integer; ``reset(seed=…)`` sets another one.
            profile: Rule profile of the game; None for its default.
            episode: "deal": an episode is one deal; "match": an episode is a whole match.
            realise: How a label of the learning seat becomes cards. "first": the first card set in the order of move
                lists. "preferences": the card set of least cost by the preferences of the rule files. Or a function of
                decisions and labels.
            max_steps: Decisions of all seats after which an episode is truncated; None for no limit.
            illegal_actions: "replace": the first legal action is played instead, and ``info["illegal_action"]`` is
                true there, since Gymnasium allows any action of the space. "raise": GameError.
            render_mode: "ansi": ``render`` returns texts; None: it returns None.

        Raises:
            GameError: The game or an agent is unknown, or an argument is out of its range.
            KBError: The rule files have errors.
            TypeError: The seed is not an integer.
        """
        check_render_mode(render_mode, "ansi", None)
        engine = compile_engine(game, profile)
        if not is_one_of(illegal_actions, ("replace", "raise")):
            text = f"illegal_actions is 'replace' or 'raise', not {illegal_actions!r:.60}"
            raise GameError(text, ErrorCode.INVALID_VALUE)
        seat = check_integer("seat", seat, 0, len(engine.teams) - 1)
        self._engine, self._seat, self._raises = engine, seat, illegal_actions == "raise"
        self._episodes = EpisodeTables(engine, num_envs, seed, episode, max_steps)
        self._agents = _seat_agents(engine, opponents, self._seat)
        self._episodes.history_acts = max(map(needs_history, self._agents.values()), default=0)
        self._realise, self._realiser = realise, make_realiser(realise, engine)
        self.num_envs, self.render_mode = self._episodes.num_envs, render_mode
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": ["ansi"]}
        num_actions = len(engine.labels) + engine.num_options
        self.single_observation_space = make_observation_space(engine, num_actions)
        self.single_action_space = spaces.Discrete(num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._mask = np.zeros((self.num_envs, num_actions), np.bool_)
        self._carried = np.zeros(self.num_envs)  # rewards before the first decision of the learning seat
        self._returns = np.zeros(self.num_envs)  # rewards of the episode
        self._is_ready = False
        self._ended: FinalViews | None = None  # of the last episode that ended

    # --- Gymnasium's interface ----------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[BatchedObservation, dict[str, Any]]:
        """Begin a new match in every environment.

        Args:
            seed: An integer for all environments, or one for each; None to continue with the next matches.
            options: Ignored.

        Returns:
            Observations at the first decisions of the learning seat, and an empty info.

        Raises:
            GameError: The environment is closed, the number of seeds is wrong, or the learning seat never decides.
            TypeError: A seed is not an integer.
        """
        self.require_open()
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=seed64(seed))  # NumPy's generators take no negative seeds
        self._is_ready = False
        tables = self._episodes.begin(seed)
        self._carried[:] = self._returns[:] = 0
        with attribute_table_errors(self._episodes.describe):
            self._play_others(tables, _StepResult.between(self.num_envs), {})
            return self._observe(tables), {}

    def step(
        self, actions: Any
    ) -> tuple[BatchedObservation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Make one decision of the learning seat in every environment, and play the others up to its next decision.

        Args:
            actions: Integers [envs].

        Returns:
            Observations, rewards float64 [envs] of the learning seat, terminations bool [envs], truncations bool
            [envs], and the info.

        Raises:
            GameError: The actions have another type, shape or range, or one is not legal and ``illegal_actions`` is
                "raise". Or ``reset`` was not called, or the environment is closed.
        """
        self.require_open()
        if not self._is_ready:
            raise GameError("call reset() before step()", ErrorCode.NOT_RESET)
        given, info = self._replace_illegal(actions)
        tables, pending = self._episodes.tables, find_pending(self._episodes.tables)
        assert tables is not None
        self._is_ready = False
        result = _StepResult(self._carried.copy(), self.num_envs)
        self._carried[:] = 0
        with attribute_table_errors(self._episodes.describe):
            moves, options = pending.realise(given, self._realiser, len(self._engine.labels))
            self._episodes.begin_step()
            self._episodes.act(pending.play_rows, moves, pending.choice_rows, options)
            self._record(result, info)
            self._play_others(tables, result, info)
            seen = self._observe(tables)
        self._returns = np.where(result.has_ended, 0, self._returns + result.rewards)
        return seen, result.rewards, result.terminated, result.truncated, info

    def render(self) -> tuple[str, ...] | None:
        """Return each table as text with all hands open, in the mode "ansi"."""
        if self.render_mode != "ansi" or self._episodes.tables is None:
            return None
        return tuple(render_table(self._engine.rules, self._episodes.tables, env) for env in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Release the tables."""
        self._episodes.tables, self._is_ready = None, False

    # --- playing ------------------------------------------------------------------------------------------------------

    def require_open(self) -> None:
        """Raise GameError where the environment is closed."""
        check_open(self.closed)

    def _replace_illegal(self, actions: Any) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Return legal actions, and an info that names those that were replaced."""
        given = check_actions(actions, self.num_envs, self._mask.shape[1])
        illegal = ~self._mask[np.arange(self.num_envs), given]
        if illegal.any() and self._raises:
            env = int(illegal.argmax())
            text = f"{self._episodes.describe(env)}: action {given[env]} is not legal: see action_mask"
            raise GameError(text, ErrorCode.ILLEGAL_ACTION)
        info = {"illegal_action": illegal, "_illegal_action": np.ones(self.num_envs, np.bool_)}
        return np.where(illegal, self._mask.argmax(axis=1), given), info

    def _play_others(self, tables: Tables, result: _StepResult, info: dict[str, Any]) -> None:
        """Play the other agents until the learning seat is to decide everywhere."""
        while True:
            rows = np.flatnonzero(tables.seat != self._seat)
            if not rows.size:
                return
            for seat, agent in self._agents.items():
                self._act(tables, agent, rows[tables.seat[rows] == seat])
                self._record(result, info)

    def _act(self, tables: Tables, agent: Agent, rows: Indices) -> None:
        """Make one decision by an agent at some tables."""
        self._episodes.begin_step()
        if not rows.size:
            return
        stages = np.isin(rows, tables.rows_to_play(), assume_unique=True)
        play_rows, choice_rows = rows[stages], rows[~stages]
        keys = splitmix64_array(splitmix64_array(tables.keys, _AGENT_STREAM), tables.num_decisions)
        moves = agent.play(tables.decisions(play_rows), keys[play_rows]) if play_rows.size else None
        options = agent.choose(tables.choices(choice_rows), keys[choice_rows]) if choice_rows.size else None
        self._episodes.act(play_rows, moves, choice_rows, options)

    def _record(self, result: _StepResult, info: dict[str, Any]) -> None:
        """Take the results of one decision: of the episode that runs, or of one before the learner's first decision."""
        episodes, running = self._episodes, ~result.has_ended
        rewards = episodes.rewards[:, self._seat]
        ended = episodes.terminated | episodes.truncated
        result.rewards[running] += rewards[running]
        self._carried[~running] += rewards[~running]
        self._carried[~running & ended] = 0  # the learning seat never decided: the episode is skipped
        result.skipped += ~running & ended
        if result.skipped.max() > _MAX_SKIPPED:
            env, limit = int(result.skipped.argmax()), self._episodes.max_steps
            text = f"seat {self._seat} decided in none of {_MAX_SKIPPED:,} episodes in a row"
            advice = "" if limit is None else f"; max_steps={limit} may be too few"
            raise GameError(f"{self._episodes.describe(env)}: {text}{advice}", ErrorCode.INVALID_VALUE)
        for views in episodes.final_views:
            counted = running[views.envs]
            if not counted.any():
                continue
            self._ended = views
            seen = views.observe()[:, self._seat].astype(np.float32)
            for index in np.flatnonzero(counted).tolist():
                env = int(views.envs[index])
                final: dict[str, Any] = {
                    "final_obs": {"observation": seen[index], "action_mask": np.zeros(self._mask.shape[1], np.int8)},
                    "final_info": {"episode_return": float(self._returns[env] + result.rewards[env])},
                }
                info.update(self._add_info(info, final, env))
        result.terminated |= episodes.terminated & running
        result.truncated |= episodes.truncated & running
        result.has_ended |= ended & running

    def _observe(self, tables: Tables) -> BatchedObservation:
        """Return what the learning seat sees everywhere, and find its legal actions."""
        self._mask[:] = False
        find_pending(tables).write_mask(self._mask)
        self._is_ready = True
        seats = np.full(self.num_envs, self._seat, np.int8)
        seen = tables.observe(np.arange(self.num_envs), seats).astype(np.float32)
        return {"observation": seen, "action_mask": self._mask.astype(np.int8)}

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the function of ``realise``, which is made again."""
        return {name: value for name, value in self.__dict__.items() if name != "_realiser"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore environments, which go on where the pickled ones stood."""
        self.__dict__.update(state)
        self._realiser = make_realiser(self._realise, self._engine)


class _StepResult:
    """Rewards and ends of the episodes that ran when a step began."""

    def __init__(self, rewards: NDArray[np.float64], num_envs: int) -> None:
        self.rewards = rewards
        self.terminated = np.zeros(num_envs, np.bool_)
        self.truncated = np.zeros(num_envs, np.bool_)
        self.has_ended = np.zeros(num_envs, np.bool_)
        self.skipped = np.zeros(num_envs, np.int64)  # episodes since, in which the learning seat never decided

    @classmethod
    def between(cls, num_envs: int) -> _StepResult:
        """Return a result for decisions before the first one of the learning seat: all goes to the next step."""
        result = cls(np.zeros(num_envs), num_envs)
        result.has_ended[:] = True
        return result


def _seat_agents(engine: Engine, opponents: str | Agent | Sequence[str | Agent], seat: int) -> dict[int, Agent]:
    """Return the agent of each other seat; raises GameError for unknown names and a wrong number."""
    others = [other for other in range(len(engine.teams)) if other != seat]
    given: Any = [opponents] * len(others) if _is_opponent(opponents) else opponents
    if not isinstance(given, Sequence) or not all(map(_is_opponent, given)):
        text = f"opponents={opponents!r:.60}: pass the name of an agent, an agent, or a list of them"
        raise GameError(text, ErrorCode.INVALID_VALUE)
    if len(given) != len(others):
        text = f"{len(given)} opponents for {len(others)} other seats: pass one, or one for each seat"
        raise GameError(text, ErrorCode.INVALID_VALUE)
    named = {item: make_agent(item, engine) for item in given if isinstance(item, str)}
    agents: list[Agent] = [named[item] if isinstance(item, str) else item for item in given]
    for item, agent in zip(given, agents, strict=True):
        if isinstance(agent, Listener):
            text = f"agent {item!r:.60} follows the course of one table: it cannot play at many"
            raise GameError(text, ErrorCode.UNSUPPORTED_AGENT)
    agents = [check_own_agent(agent, type(agent).__name__, engine) for agent in agents]
    return dict(zip(others, agents, strict=True))


def _is_opponent(value: object) -> bool:
    """Return whether a value is the name of an agent, or an agent."""
    if isinstance(value, str | type):
        return isinstance(value, str)
    return all(callable(getattr(value, method, None)) for method in ("play", "choose"))


class GymnasiumEnv(Env[dict[str, NDArray[Any]], np.int64]):
    """One table where one seat learns, and agents play the other seats between its decisions."""

    def __init__(
        self,
        game: Game | Engine | str,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: int = 0,
        seed: SupportsIndex = 0,
        *,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        """Compile the game and make the agents; ``reset`` deals the first cards.

        Args:
            game: A game, its name, the path of a rule folder, or an engine.
            opponents: The agent at all other seats, or a sequence with one for each, in the order of seats. An agent
                is a name, or an object with the methods ``play`` and ``choose``.
            seat: The learning seat.
            seed: Any integer; ``reset(seed=…)`` sets another one.
            render_mode: "ansi": ``render`` returns text; None: it returns None.
            **settings: Further arguments of ``GymnasiumVectorEnv``.

        Raises:
            GameError: The game or an agent is unknown, or an argument is out of its range.
            KBError: The rule files have errors.
            TypeError: The seed is not an integer.
        """
        self._envs = GymnasiumVectorEnv(game, 1, opponents, seat, seed, render_mode=render_mode, **settings)
        self.observation_space: spaces.Space[Any] = self._envs.single_observation_space
        self.action_space: spaces.Space[Any] = self._envs.single_action_space
        self.metadata = {"render_modes": ["ansi"], "render_fps": 1}
        self.render_mode = render_mode
        self._next: BatchedObservation | None = None  # first observation of the next episode, dealt already
        self._is_running = False
        self._action_mask: NDArray[np.int8] | None = None  # of the last observation

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Begin the next episode, or the first one of another seed.

        Args:
            seed: Any integer; None to continue with the seed in use.
            options: Ignored.

        Returns:
            The observation at the first decision of the learning seat, and an empty info.

        Raises:
            GameError: The environment is closed, or the learning seat never decides.
            TypeError: The seed is not an integer.
        """
        self._envs.require_open()
        super().reset(seed=None if seed is None else seed64(seed))
        seen = self._next if seed is None else None
        if seen is None:
            seen, _ = self._envs.reset(seed=seed)
        self._next, self._is_running = None, True
        return self._keep_mask(_first_row(seen)), {}

    def step(self, action: Any) -> tuple[dict[str, NDArray[Any]], float, bool, bool, dict[str, Any]]:
        """Make one decision of the learning seat, and play the others up to its next decision.

        Args:
            action: An integer of the action space.

        Returns:
            The observation, the reward of the learning seat, whether the episode has terminated, whether it was
            truncated, and the info.

        Raises:
            GameError: The action has another type or range, or is not legal and ``illegal_actions`` is "raise". Or the
                episode is over, or the environment is closed.
        """
        self._envs.require_open()
        if not self._is_running:
            raise GameError("the episode is over, or none has begun: call reset()", ErrorCode.NOT_RESET)
        checked = check_action(action, int(self._envs.single_action_space.n), allows_array=True)
        seen, rewards, terminated, truncated, infos = self._envs.step([checked])
        info: dict[str, Any] = {"illegal_action": bool(infos["illegal_action"][0])}
        observation = _first_row(seen)
        if terminated[0] or truncated[0]:
            self._next, self._is_running = seen, False
            observation = infos["final_obs"][0]
            info["episode_return"] = float(infos["final_info"]["episode_return"][0])
        return self._keep_mask(observation), float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions of the last observation: bool [actions]. sb3-contrib's ``MaskablePPO`` calls this.

        Raises:
            GameError: No episode has begun.
        """
        if self._action_mask is None:
            raise GameError("no episode has begun: call reset()", ErrorCode.NOT_RESET)
        return self._action_mask.astype(bool)

    def _keep_mask(self, observation: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        self._action_mask = observation["action_mask"].copy()
        return observation

    def render(self) -> str | None:
        """Return the table as text with all hands open, in the mode "ansi".

        After the end of an episode it shows the table before the next cards were dealt.
        """
        texts = self._envs.render()
        ended = self._envs._ended if self._next is not None else None
        return None if not texts else texts[0] if ended is None else ended.render()

    def close(self) -> None:
        """Release the table."""
        self._envs.close()


def _first_row(batched: BatchedObservation) -> dict[str, NDArray[Any]]:
    """Return the observation of the only environment."""
    return {name: values[0].copy() for name, values in batched.items()}
