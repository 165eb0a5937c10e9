"""Thousands of tables of one game as a vectorised environment, with the contract of Pgx.

Every step makes one decision in every environment, of the seat to move there. Observations, masks and rewards are
arrays with one row per environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abl_cards.core import ErrorCode, GameError, check_flag, check_integer
from abl_cards.env.array_pool import ArrayPool
from abl_cards.env.episodes import (
    EpisodeKind,
    EpisodeTables,
    FinalViews,
    check_actions,
    check_open,
    observe_players,
)
from abl_cards.env.pending import LabelRealiser, PendingDecisions, find_illegal, make_realiser
from abl_cards.games import Engine, Game, compile_engine
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.notation import render_table
from abl_cards.games.tables import Tables, observe


@dataclass(frozen=True, eq=False)
class TimeStep:
    """State of all environments after a step, from the views of the players to decide.

    Where an episode ended in the step, ``observation``, ``action_mask`` and ``current_player`` belong to the next
    episode, and the other fields to the one that ended. Arrays are C-contiguous.

    Attributes:
        observation: float32 [envs, features], view of the player to decide; see ``VectorEnv.describe_features``.
        action_mask: bool [envs, actions], legal actions. Every row has at least one.
        current_player: int64 [envs], seat of the player to decide, from 0.
        reward: float32 [envs, players], points of the deals that ended in the step, less the mean of all players.
        terminated: bool [envs], whether an episode ended by the rules in the step.
        truncated: bool [envs], whether an episode was cut off by ``max_steps`` in the step.
        final_reward: float32 [envs, players], sum of ``reward`` over the episode that ended in the step. Zeros where no
            episode ended.
        final_observation: float32 [envs, players, features], views of all players at the end of the episode that ended
            in the step. Zeros where no episode ended. Computed when first read.
    """

    observation: NDArray[np.float32]
    action_mask: NDArray[np.bool_]
    current_player: NDArray[np.int64]
    reward: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_reward: NDArray[np.float32]
    _final_views: tuple[FinalViews, ...] = field(repr=False, default=())

    @cached_property
    def final_observation(self) -> NDArray[np.float32]:
        """float32 [envs, players, features]: views of all players at the end of the episode that ended in the step.

        They show the table before the next cards were dealt. Zeros where no episode ended. Computed when first read.
        """
        final = np.zeros((*self.reward.shape, self.observation.shape[1]), np.float32)
        for views in self._final_views:
            final[views.envs] = views.observe()
        return final


class VectorEnv:
    """Many tables of a game, stepped together.

    Actions are the labels of the game, followed by the options of choices, such as bids and cards to give.
    When an episode ends the next one begins in the same step. Environment ``i`` of a seed plays the same episodes
    whatever ``num_envs`` is. Its matches have the keys ``derive_key(seed, i, 0)``, ``derive_key(seed, i, 1)``, and so
    on; ``Engine.start_matches`` deals the same cards from these keys.

    >>> env = VectorEnv("doudizhu", num_envs=2, seed=7)
    >>> step = env.reset()
    >>> step = env.step(step.action_mask.argmax(axis=1))
    >>> step.observation.shape, step.action_mask.shape, step.reward.shape
    ((2, 291), (2, 313), (2, 3))
    """

    def __init__(
        self,
        game: Game | Engine | str,
        num_envs: int,
        seed: SupportsIndex = 0,
        *,
        profile: str | None = None,
        episode: EpisodeKind = "deal",
        realise: Literal["first", "preferences"] | LabelRealiser = "first",
        max_steps: int | None = None,
        copy: bool = True,
    ) -> None:
        """Compile the game; ``reset`` deals the first cards.

        Args:
            game: A game, its name, the path of a rule folder, or an engine.
            num_envs: Number of tables, at most 4,194,304.
            seed: Any integer. The seed of all environments until ``reset`` sets another one.
            profile: Rule profile of the game; None for its default.
            episode: "deal": an episode is one deal. Matches go on deal by deal, so levels and tributes carry over.
                "match": an episode is a whole match, with rewards at the end of each deal.
            realise: How a label becomes cards. "first": the first card set in the order of move lists. "preferences":
                the card set of least cost by the preferences of the rule files. Or a function of decisions and labels.
            max_steps: Decisions after which an episode is truncated and a new match begins; None for no limit.
            copy: Whether each step returns new arrays. False: ``observation`` and ``action_mask`` are overwritten by
                the next step.

        Raises:
            GameError: The game is unknown, or an argument is out of its range.
            KBError: The rule files have errors.
            TypeError: The seed is not an integer.
        """
        self._engine = compile_engine(game, profile)
        self._episodes = EpisodeTables(self._engine, num_envs, seed, episode, max_steps)
        self._realise, self._realiser = realise, make_realiser(realise, self._engine)
        self._copy, self._closed = check_flag("copy", copy), False
        self._num_labels = len(self._engine.labels)
        self._all_rows = np.arange(self.num_envs)
        self._make_buffers()
        self._pending: PendingDecisions | None = None

    def _make_buffers(self) -> None:
        """Allocate the arrays that steps fill."""
        self._observations = ArrayPool((self.num_envs, self.num_features), np.dtype(np.float32), self._copy)
        self._masks = ArrayPool((self.num_envs, self.num_actions), np.dtype(np.bool_), self._copy)
        self._features = np.empty((self.num_envs, self.num_features), np.uint8)

    # --- properties ---------------------------------------------------------------------------------------------------

    @property
    def engine(self) -> Engine:
        """The compiled game."""
        return self._engine

    @property
    def num_envs(self) -> int:
        """Number of tables."""
        return self._episodes.num_envs

    @property
    def num_actions(self) -> int:
        """Number of labels and options of choices."""
        return self._num_labels + self._engine.num_options

    @property
    def num_features(self) -> int:
        """Length of an observation."""
        return self._episodes.num_features

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return self._episodes.num_players

    @property
    def teams(self) -> NDArray[np.int8]:
        """int8 [players], the team of each seat; partners have the same number."""
        return self._engine.teams

    @property
    def episodes(self) -> int:
        """Episodes that have terminated or been truncated in all environments since the construction."""
        return self._episodes.episodes

    @property
    def keys(self) -> NDArray[np.uint64]:
        """uint64 [envs], keys of the matches being played, for ``Engine.start_matches``."""
        return self._require_tables().keys.copy()

    @property
    def action_names(self) -> tuple[str, ...]:
        """Text of each action: labels, then options of choices."""
        return (*self._engine.labels, *map(str, self._engine.rules.schema.options))

    def describe_features(self) -> str:
        """Return a table of the parts of an observation: place, name, shape and meaning."""
        return self._engine.observation_features.describe()

    def state_text(self, env: int) -> str:
        """Return one table as text: all hands open, the play to beat and the legal labels.

        Args:
            env: Index of the environment.

        Raises:
            GameError: There is no such environment, or it has not been reset.
        """
        tables = self._require_tables()
        return render_table(self._engine.rules, tables, check_integer("env", env, 0, self.num_envs - 1))

    def observe_players(self) -> NDArray[np.float32]:
        """Return float32 [envs, players, features]: the observation of each player at every table."""
        tables = self._require_tables()
        return observe_players(tables.rules, tables.state, self._all_rows).astype(np.float32)

    # --- stepping -----------------------------------------------------------------------------------------------------

    def reset(self, seed: SupportsIndex | Sequence[SupportsIndex] | None = None) -> TimeStep:
        """Begin a new match in every environment.

        Args:
            seed: One integer for all environments. A sequence gives each environment a seed of its own, and it plays as
                environment 0 of that seed. None continues with the next matches of the seed in use.

        Returns:
            The first decisions. Rewards and the fields of ended episodes are zero.

        Raises:
            GameError: The environment is closed, or the number of seeds is wrong.
            TypeError: A seed is not an integer.
        """
        self._require_open()
        self._pending = None
        return self._observe(self._episodes.begin(seed))

    def step(self, actions: ArrayLike) -> TimeStep:
        """Make one decision in every environment.

        Args:
            actions: Integers [envs], each legal by the last ``action_mask``.

        Returns:
            The next decisions, with rewards and ends of episodes.

        Raises:
            GameError: The actions have another type or shape, one of them is not legal, or ``reset`` was not called; no
                environment has changed. Or a function passed as ``realise`` fails or returns an illegal move, or the
                rules leave a table without a next decision. Then call ``reset`` before the next step.
        """
        self._require_open()
        pending = self._pending
        if pending is None:
            raise GameError("call reset() before step()", ErrorCode.NOT_RESET)
        given = check_actions(actions, self.num_envs, self.num_actions)
        self._check_legal(pending, given)
        self._pending = None  # until the step has succeeded
        with attribute_table_errors(self._episodes.describe):
            moves, options = pending.realise(given, self._realiser, self._num_labels)
            self._episodes.begin_step()
            self._episodes.act(pending.play_rows, moves, pending.choice_rows, options)
            return self._observe(self._require_tables())

    def close(self) -> None:
        """Release the tables; later calls of ``reset`` and ``step`` raise GameError."""
        self._closed, self._pending, self._episodes.tables = True, None, None

    def _require_open(self) -> None:
        check_open(self._closed)

    def _require_tables(self) -> Tables:
        self._require_open()
        if self._episodes.tables is None:
            raise GameError("call reset() first", ErrorCode.NOT_RESET)
        return self._episodes.tables

    def _check_legal(self, pending: PendingDecisions, actions: NDArray[np.int64]) -> None:
        """Raise GameError for the first action that is not legal."""
        env = find_illegal(
            actions, pending.play_rows, pending.label_mask, pending.choice_rows, pending.option_mask, self._num_labels
        )
        if env >= 0:
            name, player = self.action_names[actions[env]], self._require_tables().seat[env]
            text = f"action {actions[env]} ({name}) is not legal for player {player}: see action_mask"
            raise GameError(f"{self._episodes.describe(env)}: {text}", ErrorCode.ILLEGAL_ACTION)

    def _observe(self, tables: Tables) -> TimeStep:
        """Find the decisions to make, and return them with the results of the step."""
        pending = PendingDecisions.of(tables)
        decisions = pending.decisions
        view = decisions.view if decisions is not None and pending.choices is None else tables.view(self._all_rows)
        observation, mask = self._observations.take(), self._masks.take()
        np.copyto(observation, observe(view, self._features))
        mask[:] = False
        pending.write_mask(mask)
        self._pending, episodes = pending, self._episodes
        return TimeStep(
            observation,
            mask,
            tables.seat.astype(np.int64),
            episodes.rewards,
            episodes.terminated,
            episodes.truncated,
            episodes.take_final_rewards(),
            tuple(episodes.final_views),
        )

    # --- copies in other processes ------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Return all but what is computed again: the decisions to make, the buffers, the function of ``realise``."""
        made = {"_pending", "_realiser", "_observations", "_masks", "_features"}
        state = {name: value for name, value in self.__dict__.items() if name not in made}
        return state | {"_has_pending": self._pending is not None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore an environment, which goes on where the pickled one stood."""
        has_pending = state.pop("_has_pending")
        self.__dict__.update(state)
        self._realiser = make_realiser(self._realise, self._engine)
        self._make_buffers()
        tables = self._episodes.tables
        self._pending = PendingDecisions.of(tables) if has_pending and tables is not None else None

    def __repr__(self) -> str:
        return f"VectorEnv({self._engine.game!r}, num_envs={self.num_envs})"
