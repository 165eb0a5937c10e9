"""Every game as a PettingZoo environment: ``pip install 'abl-cards[pettingzoo]'``.

>>> table = aec_env("guandan", seed=7, one_episode=True)
>>> table.reset()
>>> for seat in table.agent_iter():
...     observation, reward, terminated, truncated, info = table.last()
...     over = terminated or truncated
...     table.step(None if over else table.action_space(seat).sample(observation["action_mask"]))

An action is a label by its number, PASS last; the preferences of the rule files choose its card set. An observation is
what ``engine.observation`` describes, with the mask of the labels that are legal now (all 0 where another seat is to
decide). Everybody is rewarded when an episode ends.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from abl_cards.core import GameError, derive_key
from abl_cards.games import load
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.tables import Choices, Decisions, NullListener
from abl_cards.games.types import Indices, Moves
from abl_cards.reasoners.abduction import Minimiser

if TYPE_CHECKING:
    from abl_cards.games.tables import Tables

CardSetPolicy = Callable[[Decisions, NDArray[np.int16]], Moves]
"""From one legal label a decision to a card set."""

ExchangePolicy = Callable[[Choices], NDArray[np.uint8]]
"""From cards to pay or to return to one each [n]."""

_TABLE_ROW = np.zeros(1, np.int64)  # the only table


def aec_env(name: str, **settings: Any) -> Any:
    """An environment by the game's name, which checks how it is used; the settings are those of ``CardGameEnv``."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(CardGameEnv(name, **settings)))


class CardGameEnv(AECEnv, NullListener):  # type: ignore[misc]  # pettingzoo has no types
    """One table of a game; its seats are the agents."""

    def __init__(
        self,
        name: str,
        profile: str | None = None,
        directory: Path | None = None,
        seed: int = 0,
        one_episode: bool = False,
        exchange: ExchangePolicy | Literal["agent"] | None = None,
        realise: CardSetPolicy | None = None,
        render_mode: str = "ansi",
    ) -> None:
        """Sit down: rule files as in ``load(name).engine``; each ``reset`` deals the next match of the seed.

        With one_episode the agents are done when the first episode is over, else when the match is. What
        realises a label, and which card is paid or returned, follows the preferences of the rule files unless realise
        or exchange says otherwise. With exchange "agent" the cards are theirs to choose: 54 actions more, the cards of
        the 54-vector in their order behind the labels.
        """
        self._engine = load(name).engine(directory, profile)
        self._seed, self._matches, self._one_episode = seed, 0, one_episode
        minimiser = Minimiser(self._engine)
        self._exchange, self._realise = exchange or minimiser.choose, realise or minimiser.realise_labels
        self.render_mode = render_mode
        self.metadata = {"name": f"{name}_v0", "render_modes": ["ansi", "human"], "is_parallelizable": False}
        self.possible_agents = [f"seat_{seat}" for seat in range(len(self._engine.teams))]
        self._num_labels = len(self._engine.labels)
        self._num_actions = self._num_labels + (self._engine.num_options if exchange == "agent" else 0)
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self._num_actions) for agent in self.possible_agents}

    def _observation_space(self) -> spaces.Dict:
        table = self._engine.observation_features
        return spaces.Dict(
            {
                "observation": spaces.Box(0, table.max_value, (table.size,), np.float32),
                "action_mask": spaces.Box(0, 1, (self._num_actions,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same for every agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same for every agent."""
        return self.action_spaces[agent]

    # --- what happens ------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a match: the next one, or the first one of another seed."""
        if seed is not None:
            self._seed, self._matches = seed, 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._final_observations: NDArray[np.uint8] | None = None  # [seats, features] what they see in the end
        keys = np.array([derive_key(self._seed, self._matches)], np.uint64)
        self._tables = self._engine.start_matches(keys, self)
        self._matches += 1
        with attribute_table_errors(self._match_name):
            self._advance()

    def _match_name(self, table: int) -> str:
        return f"seed {self._seed}, match {self._matches - 1}"

    def step(self, action: int | None) -> None:
        """Lay down the label's card set, or give the card; raises GameError for what is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not self._mask[action]:
            raise GameError(f"{agent} may not do {action}: see the action_mask of its observation")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        with attribute_table_errors(self._match_name):
            if self._decisions is None:
                self._tables.choose(_TABLE_ROW, np.array([action - self._num_labels], np.uint8))
            else:
                self._tables.play(_TABLE_ROW, self._realise(self._decisions, np.array([action], np.int16)))
            self._advance()
        self._accumulate_rewards()
        if self._final_observations is not None:
            self._deads_step_first()

    def _advance(self) -> None:
        """Up to the next decision of an agent, or the end."""
        while self._final_observations is None and self._exchange != "agent" and self._tables.rows_to_choose().size:
            self._tables.choose(_TABLE_ROW, self._exchange(self._tables.choices(_TABLE_ROW)))
        self._mask = np.zeros(self._num_actions, np.int8)
        self._decisions: Decisions | None = None
        if self._final_observations is not None:
            return
        self.agent_selection = self.possible_agents[self._tables.seat[0]]
        if self._tables.rows_to_play().size:
            self._decisions = self._tables.decisions(_TABLE_ROW)
            self._mask[: self._num_labels] = self._decisions.legal_mask[:, 0]
            if not self._mask.any():
                self._decisions.moves()  # which says what is missing
        else:
            self._mask[self._num_labels :] = self._tables.choices(_TABLE_ROW).options[0]

    # --- what the table tells ----------------------------------------------------------------------------------------

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Reward everybody, before the cards are dealt anew."""
        rewards = self._engine.rewards(tables, rows)[0]
        for agent, reward in zip(self.possible_agents, rewards, strict=True):
            self.rewards[agent] += float(reward)
        if self._one_episode:
            self._terminate(tables)

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Everybody is done."""
        self._terminate(tables)

    def _terminate(self, tables: Tables) -> None:
        seats = len(self.possible_agents)
        self._final_observations = tables.observe(np.zeros(seats, np.int64), np.arange(seats, dtype=np.int8))
        self.terminations = dict.fromkeys(self.agents, True)

    # --- what can be seen --------------------------------------------------------------------------------------------

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What a seat sees, and what it may do now."""
        seat = self.possible_agents.index(agent)
        rows = (
            self._tables.observe(_TABLE_ROW, np.array([seat], np.int8))
            if self._final_observations is None
            else self._final_observations[[seat]]
        )
        mask = self._mask if agent == self.agent_selection else np.zeros_like(self._mask)
        return {"observation": rows[0].astype(np.float32), "action_mask": mask.copy()}

    def render(self) -> str | None:
        """The table as text, all hands open: given back, or printed in the mode "human"."""
        text = self._engine.render_table(self._tables, 0)
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """There is nothing to release."""
