"""Every game as a PettingZoo environment with the parallel interface.

>>> table = parallel_env("doudizhu", seed=7)
>>> observations, infos = table.reset()
>>> while table.agents:
...     actions = {
...         agent: table.action_space(agent).sample(observations[agent]["action_mask"]) for agent in table.agents
...     }
...     observations, rewards, terminations, truncations, infos = table.step(actions)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, SupportsIndex

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from abl_cards.core import ErrorCode, GameError
from abl_cards.env.episodes import EpisodeKind, check_action, check_agent, check_render_mode
from abl_cards.env.factories import parallel_env
from abl_cards.env.pending import LabelRealiser
from abl_cards.env.spaces import make_observation_space
from abl_cards.env.vector_env import TimeStep, VectorEnv
from abl_cards.games import Engine, Game, compile_engine

SeatObservation = dict[str, NDArray[Any]]
"""``observation`` float32 [features] and ``action_mask`` int8 [actions]."""


class ParallelCardGameEnv(ParallelEnv[str, SeatObservation, int]):  # type: ignore[misc]  # pettingzoo has no types
    """One table whose seats are agents; all pass an action in each step, and only one of them decides.

    The mask of the seat to decide holds the legal actions; all other masks are zero, and the actions of these seats are
    ignored. All agents are done when the episode ends.
    """

    def __init__(
        self,
        game: Game | Engine | str,
        seed: SupportsIndex = 0,
        *,
        profile: str | None = None,
        episode: EpisodeKind = "deal",
        realise: Literal["first", "preferences"] | LabelRealiser = "preferences",
        max_steps: int | None = None,
        render_mode: str | None = "ansi",
    ) -> None:
        """Compile the game; ``reset`` deals the first cards.

        Args:
            game: A game, its name, the path of a rule folder, or an engine.
            seed: Any integer; each ``reset`` without a seed continues with its next episode.
            profile: Rule profile of the game; None for its default.
            episode: "deal": an episode is one deal; "match": an episode is a whole match.
            realise: How a label becomes cards. "first": the first card set in the order of move lists. "preferences":
                the card set of least cost by the preferences of the rule files. Or a function of decisions and labels.
            max_steps: Decisions after which an episode is truncated; None for no limit.
            render_mode: "ansi" or None: ``render`` returns text; "human": it prints the text.

        Raises:
            GameError: The game is unknown, or an argument is out of its range.
            KBError: The rule files have errors.
            TypeError: The seed is not an integer.
        """
        engine = compile_engine(game, profile)
        self._env = VectorEnv(engine, 1, seed, episode=episode, realise=realise, max_steps=max_steps)
        check_render_mode(render_mode, "ansi", "human", None)
        self.render_mode = render_mode
        self.metadata = {"name": f"{engine.rules.folder.name}_v0", "render_modes": ["ansi", "human"]}
        self.possible_agents = [f"seat_{seat}" for seat in range(self._env.num_players)]
        self.agents: list[str] = []
        space = make_observation_space(engine, self._env.num_actions)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(self._env.num_actions) for agent in self.possible_agents}
        self._step: TimeStep | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations, equal for all agents; raises GameError for an unknown agent."""
        check_agent(agent, self.possible_agents)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of actions, equal for all agents; raises GameError for an unknown agent."""
        check_agent(agent, self.possible_agents)
        return self.action_spaces[agent]

    @property
    def agent_selection(self) -> str | None:
        """The agent to decide; None when the episode is over."""
        return self.possible_agents[self._to_decide] if self.agents else None

    @property
    def _to_decide(self) -> int:
        assert self._step is not None
        return int(self._step.current_player[0])

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, SeatObservation], dict[str, dict[str, Any]]]:
        """Begin the next episode, or the first one of another seed.

        Args:
            seed: Any integer; None to continue with the seed in use.
            options: Ignored.

        Returns:
            Observations and empty infos by agent.

        Raises:
            GameError: The environment is closed.
            TypeError: The seed is not an integer.
        """
        is_next_dealt = self._step is not None and not self.agents and seed is None
        if not is_next_dealt:
            self._step = self._env.reset(seed)
        self.agents = self.possible_agents[:]
        return self._observe(self._env.observe_players()[0], is_over=False), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, SeatObservation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Make the decision of the seat to decide.

        Args:
            actions: An action by agent; only that of ``agent_selection`` counts.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent.

        Raises:
            GameError: The seat to decide has no action, or one that is not legal. Then nothing has changed.
        """
        agent = self.agent_selection
        if agent is None:
            raise GameError("the episode is over, or none has begun: call reset()", ErrorCode.NOT_RESET)
        given: object = actions
        if not isinstance(given, Mapping):
            text = f"actions are a dictionary by agent, such as {{{agent!r}: 0}}, not {given!r:.60}"
            raise GameError(text, ErrorCode.INVALID_ACTIONS)
        if actions.get(agent) is None:
            raise GameError(f"{agent} is to decide, and actions hold none for it", ErrorCode.INVALID_ACTIONS)
        self._step = step = self._env.step([check_action(actions[agent], self._env.num_actions)])
        is_over = bool(step.terminated[0] or step.truncated[0])
        seen = step.final_observation[0] if is_over else self._env.observe_players()[0]
        agents = self.agents
        if is_over:
            self.agents = []
        return (
            self._observe(seen, is_over),
            {name: float(reward) for name, reward in zip(agents, step.reward[0], strict=True)},
            dict.fromkeys(agents, bool(step.terminated[0])),
            dict.fromkeys(agents, bool(step.truncated[0])),
            {name: {} for name in agents},
        )

    def _observe(self, seen: NDArray[np.float32], is_over: bool) -> dict[str, SeatObservation]:
        """Return the observations of all agents from seen [players, features]."""
        assert self._step is not None
        masks = np.zeros((len(self.possible_agents), self._env.num_actions), np.int8)
        if not is_over:
            masks[self._to_decide] = self._step.action_mask[0]
        pairs = zip(self.possible_agents, seen, masks, strict=True)
        return {agent: {"observation": view.copy(), "action_mask": mask} for agent, view, mask in pairs}

    def render(self) -> str | None:
        """Return the table as text with all hands open; in the mode "human" print it and return None.

        After the end of an episode it shows the table before the next cards were dealt.
        """
        text = self._env.state_text(0)
        if self._step is not None and not self.agents:
            text = self._step._final_views[0].render()
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Release the table."""
        self._env.close()


__all__ = ["ParallelCardGameEnv", "SeatObservation", "parallel_env"]
