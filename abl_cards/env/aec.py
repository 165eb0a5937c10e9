"""Every game as a PettingZoo environment: ``pip install 'abl-cards[pettingzoo]'``.

>>> table = aec_env("guandan", seed=7, one_episode=True)
>>> table.reset()
>>> for seat in table.agent_iter():
...     observation, reward, terminated, truncated, info = table.last()
...     over = terminated or truncated
...     table.step(None if over else table.action_space(seat).sample(observation["action_mask"]))

An action is a label by its index, PASS last; the preferences of the rule files choose its card set. An observation is
described by ``engine.observation_features``. The mask marks the labels that are legal now; it is zero for every other
seat than the one to decide. All agents receive their rewards when a deal ends.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from abl_cards.core import ErrorCode, GameError, check_flag, check_functions, check_path, derive_key, seed64
from abl_cards.env.episodes import FinalViews, check_action, check_agent, check_open, check_render_mode
from abl_cards.env.factories import aec_env
from abl_cards.env.pending import ExchangePolicy, choose_checked, make_realiser
from abl_cards.env.spaces import make_observation_space
from abl_cards.games import Engine, Game, compile_engine, load
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.notation import render_table
from abl_cards.games.tables import Decisions, NullListener
from abl_cards.games.types import Indices, Moves
from abl_cards.reasoners.abduction import Minimiser

if TYPE_CHECKING:
    from abl_cards.games.tables import Tables

CardSetPolicy = Callable[[Decisions, NDArray[np.int16]], Moves]
"""From decisions and one legal label each [n] to card sets."""

_TABLE_ROW = np.zeros(1, np.int64)  # the only table


class CardGameEnv(AECEnv, NullListener):  # type: ignore[misc]  # pettingzoo has no types
    """One table of a game; its seats are the agents."""

    def __init__(
        self,
        game: Game | Engine | str,
        profile: str | None = None,
        directory: str | Path | None = None,
        seed: int = 0,
        one_episode: bool = False,
        exchange: ExchangePolicy | Literal["agent"] | None = None,
        realise: CardSetPolicy | None = None,
        render_mode: str | None = "ansi",
    ) -> None:
        """Compile the game; each ``reset`` deals the next match of the seed.

        Args:
            game: A game, its name, the path of a rule folder, or an engine.
            profile: Rule profile of the game; None for its default.
            directory: Rule folder to use in place of that of the game.
            seed: Any integer.
            one_episode: Whether the agents are done after the first deal; otherwise after the match.
            exchange: Function that chooses among options, such as bids and cards to give. None: the preferences of the
                rule files choose. "agent": the agents choose; the options are further actions behind the labels.
            realise: Function of decisions and labels that returns the card sets to play. None: the card sets of least
                cost by the preferences of the rule files.
            render_mode: "ansi" or None: ``render`` returns text; "human": it prints the text.

        Raises:
            GameError: The game is unknown, or another argument has a wrong type or value.
            KBError: The rule files have errors.
            TypeError: The seed is not an integer.
        """
        directory = None if directory is None else check_path("directory", directory)
        check_functions(realise=realise)
        if not (exchange is None or callable(exchange) or (isinstance(exchange, str) and exchange == "agent")):
            raise GameError(f"exchange is 'agent', a function or None, not {exchange!r:.60}", ErrorCode.INVALID_VALUE)
        if directory is not None:
            if isinstance(game, Engine):
                raise GameError("an engine has its rule files already: pass a game instead", ErrorCode.INVALID_VALUE)
            loaded = game if isinstance(game, Game) else load(game)
            game, profile = loaded.engine(directory, profile), None
        self._engine = compile_engine(game, profile)
        self._one_episode, self._closed = check_flag("one_episode", one_episode), False
        self._set_seed(seed)
        minimiser = Minimiser(self._engine)
        own_choice = partial(choose_checked, exchange) if callable(exchange) else exchange
        self._exchange = own_choice or minimiser.choose
        self._realise = make_realiser(realise or minimiser.realise_labels, self._engine)
        check_render_mode(render_mode, "ansi", "human", None)
        self.render_mode = render_mode
        name = self._engine.rules.folder.name
        self.metadata = {"name": f"{name}_v0", "render_modes": ["ansi", "human"], "is_parallelizable": False}
        self.possible_agents = [f"seat_{seat}" for seat in range(len(self._engine.teams))]
        self._num_labels = len(self._engine.labels)
        self._num_actions = self._num_labels + (self._engine.num_options if exchange == "agent" else 0)
        space = make_observation_space(self._engine, self._num_actions)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(self._num_actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations, equal for all agents; raises GameError for an unknown agent."""
        check_agent(agent, self.possible_agents)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of actions, equal for all agents; raises GameError for an unknown agent."""
        check_agent(agent, self.possible_agents)
        return self.action_spaces[agent]

    def _set_seed(self, seed: int) -> None:
        seed64(seed)  # raises TypeError here rather than at the first deal
        self._seed, self._matches = seed, 0

    # --- stepping -----------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the next match, or the first one of another seed.

        Args:
            seed: Any integer; None to continue with the seed in use.
            options: Ignored.

        Raises:
            GameError: The environment is closed.
            TypeError: The seed is not an integer.
        """
        self._require_open()
        if seed is not None:
            self._set_seed(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._final_views: FinalViews | None = None  # of the end of the episode or match
        keys = np.array([derive_key(self._seed, self._matches)], np.uint64)
        self._tables = self._engine.start_matches(keys, self)
        self._matches += 1
        with attribute_table_errors(self._match_name):
            self._advance()

    def _match_name(self, table: int) -> str:
        return f"seed {self._seed}, match {self._matches - 1}"

    def step(self, action: int | None) -> None:
        """Play the card set of a label, or choose an option.

        Args:
            action: Index of a legal label or option; None for an agent that is done.

        Raises:
            GameError: The action is not an integer or not legal, and nothing has changed; or the environment is closed,
                or ``reset`` was not called.
        """
        self._require_open()
        self._require_reset()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is not None:
            action = check_action(action, self._num_actions)
        if action is None or not self._mask[action]:
            text = f"{agent}: action {action} is not legal: see the action_mask of its observation"
            raise GameError(text, ErrorCode.ILLEGAL_ACTION)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        with attribute_table_errors(self._match_name):
            if self._decisions is None:
                self._tables.choose(_TABLE_ROW, np.array([action - self._num_labels], np.uint8))
            else:
                self._tables.play(_TABLE_ROW, self._realise(self._decisions, np.array([action], np.int16)))
            self._advance()
        self._accumulate_rewards()
        if self._final_views is not None:
            self._deads_step_first()

    def _advance(self) -> None:
        """Go on to the next decision of an agent, or to the end."""
        while self._final_views is None and self._exchange != "agent" and self._tables.rows_to_choose().size:
            self._tables.choose(_TABLE_ROW, self._exchange(self._tables.choices(_TABLE_ROW)))
        self._find_legal_actions()

    def _find_legal_actions(self) -> None:
        """Set the agent to decide and its mask."""
        self._mask = np.zeros(self._num_actions, np.int8)
        self._decisions: Decisions | None = None
        if self._final_views is not None:
            return
        self.agent_selection = self.possible_agents[self._tables.seat[0]]
        if self._tables.rows_to_play().size:
            self._decisions = self._tables.decisions(_TABLE_ROW)
            self._mask[: self._num_labels] = self._decisions.legal_mask[:, 0]
            if not self._mask.any():
                self._decisions.moves()  # raises TableError with the predicate to look at
        else:
            self._mask[self._num_labels :] = self._tables.choices(_TABLE_ROW).options[0]

    # --- events of the table ------------------------------------------------------------------------------------------

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Add the rewards of a deal before the next cards are dealt."""
        rewards = self._engine.rewards(tables, rows)[0]
        for agent, reward in zip(self.possible_agents, rewards, strict=True):
            self.rewards[agent] += float(reward)
        if self._one_episode:
            self._terminate(tables)

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Mark all agents as done."""
        self._terminate(tables)

    def _terminate(self, tables: Tables) -> None:
        self._final_views = FinalViews.of(tables, _TABLE_ROW)
        self.terminations = dict.fromkeys(self.agents, True)

    # --- observations -------------------------------------------------------------------------------------------------

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return the observation of a seat, and its legal actions.

        Args:
            agent: Name of the seat.

        Returns:
            ``observation`` float32 [features] and ``action_mask`` int8 [actions].

        Raises:
            GameError: There is no such seat, the environment is closed, or ``reset`` was not called.
        """
        self._require_open()
        self._require_reset()
        check_agent(agent, self.possible_agents)
        seat = self.possible_agents.index(agent)
        rows = (
            self._tables.observe(_TABLE_ROW, np.array([seat], np.int8))
            if self._final_views is None
            else self._final_views.observe()[0, [seat]]
        )
        mask = self._mask if agent == self.agent_selection else np.zeros_like(self._mask)
        return {"observation": rows[0].astype(np.float32), "action_mask": mask.copy()}

    def render(self) -> str | None:
        """Return the table as text with all hands open; in the mode "human" print it and return None.

        After the end it shows the table before the next cards were dealt.

        Raises:
            GameError: ``reset`` was not called.
        """
        self._require_reset()
        views = self._final_views
        text = render_table(self._engine.rules, self._tables, 0) if views is None else views.render()
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Release the table; later calls of ``reset``, ``step`` and ``observe`` raise GameError."""
        self._closed = True

    def _require_open(self) -> None:
        check_open(self._closed)

    def _require_reset(self) -> None:
        if not hasattr(self, "_tables"):
            raise GameError("call reset() first", ErrorCode.NOT_RESET)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the decision to make, which is computed again."""
        return self.__dict__ | {"_decisions": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore an environment, which goes on where the pickled one stood."""
        self.__dict__.update(state)
        if "_tables" in state:
            agent = self.agent_selection
            self._find_legal_actions()
            self.agent_selection = agent  # agents that are done step one after the other


__all__ = ["CardGameEnv", "CardSetPolicy", "ExchangePolicy", "aec_env"]
