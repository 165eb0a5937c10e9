"""Make agent ``abl`` from a name with options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from abl_cards.agents.abl_agent import AblAgent
from abl_cards.agents.names import AgentName
from abl_cards.agents.preference_agent import preference_model_from_name
from abl_cards.core import NUM_THREADS, ErrorCode, GameError, missing_library_message
from abl_cards.games import Engine
from abl_cards.games.rollouts import can_roll_out

if TYPE_CHECKING:
    from abl_cards.agents.lookahead import Lookahead
    from abl_cards.agents.policy import NeuroSymbolicPolicy
    from abl_cards.learners import Networks

OPTION_FLAGS = ("no-abln", "no-projection", "no-preferences", "no-lookahead", "no-rollout-network", "supervised")
MAX_THINK_MILLISECONDS = 60_000
"""Longest time limit of a decision."""
OWN_NETWORK_KEYS = ("model", "policy", "critic", "abln")
"""Options that name classes of networks of one's own."""
OPTION_KEYS = ("without", "scale", "kb", "preset", "weights", "think", "endgame", *OWN_NETWORK_KEYS)


def make_abl_agent(name: AgentName, engine: Engine, policy_class: type[NeuroSymbolicPolicy] | None = None) -> AblAgent:
    """Make agent ``abl`` from its name.

    Args:
        name: ``abl`` with options. ``no-abln`` takes the weights trained without an estimate of the hidden hands,
            ``supervised`` those before self-play, ``preset=NAME`` other shipped weights, ``weights=FILE`` a file.
            ``no-projection`` leaves the estimate as it is, ``no-preferences`` plays any card set of the label,
            ``no-lookahead`` the label of the policy. ``no-rollout-network`` looks ahead with plays by the policy where
            weights of a rollout network lie beside the others. ``think=MS`` is the time limit of a decision in
            milliseconds, ``endgame=N`` the most cards in all hands together that are solved exactly. ``without``,
            ``scale`` and ``kb`` are the options of agent ``kb``. Weights of custom networks need
            ``weights=FILE`` and the file of each class, ``policy=``, ``critic=``, ``abln=`` or, for one network of all,
            ``model=FILE.py:CLASS``.
        engine: Compiled game.
        policy_class: Class of the policy; None for ``NeuroSymbolicPolicy``.

    Returns:
        The agent.

    Raises:
        GameError: A library or the weights are missing, or an option has a wrong value.
        KBError: The preferences do not compile.
    """
    try:
        import torch

        from abl_cards.learners import GameShape, load_card, load_networks, wrap_parts
    except ModuleNotFoundError as missing:
        problem = f"agent 'abl': {missing_library_message(missing) or missing}"
        raise GameError(problem, ErrorCode.AGENT_NOT_APPLICABLE) from None

    torch.set_num_threads(min(torch.get_num_threads(), NUM_THREADS))
    own, file = make_own_networks(name, engine), find_weights(name, engine)
    if "model" in own and load_card(file).own_parts.keys() == {"policy"}:  # of a run of JointBridge(model=…)
        own["policy"] = own.pop("model")
    if "model" in own:
        return _make_model_agent(name, engine, file, own)
    networks = load_networks(file, engine, wrap_parts(GameShape.of(engine), **own))
    if networks.rollout_weights is not None:
        cannot_be_used = networks.preset.rollout.is_compiled and not can_roll_out(engine.rules)
        if name.has_flag("no-rollout-network") or cannot_be_used:
            networks.rollout_weights = None
    if networks.opponent_weights is not None and not can_roll_out(engine.rules):
        networks.opponent_weights = None
    return make_network_agent(name, engine, networks, policy_class)


def make_network_agent(
    name: AgentName, engine: Engine, networks: Networks, policy_class: type[NeuroSymbolicPolicy] | None = None
) -> AblAgent:
    """Make agent ``abl`` from networks.

    Args:
        name: ``abl`` with the options of `make_abl_agent`, those of weights aside.
        engine: Compiled game.
        networks: Networks of this game.
        policy_class: Class of the policy; None for ``NeuroSymbolicPolicy``.

    Raises:
        GameError: An option has a wrong value, or does not go with these networks.
        KBError: The preferences do not compile.
    """
    from abl_cards.agents.endgame import make_endgame_search
    from abl_cards.agents.policy import NeuroSymbolicPolicy

    policy = (policy_class or NeuroSymbolicPolicy)(
        engine, preference_model_from_name(name, engine), networks, use_projection=not name.has_flag("no-projection")
    )
    looks, think = networks.has_trained_critic and not name.has_flag("no-lookahead"), _read_think_seconds(name)
    if think is not None and not looks:
        problem = f"agent '{name}': it does not look ahead, so it needs no time to think; leave out think"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    lookahead, endgame = (_make_lookahead(policy), make_endgame_search(name, policy)) if looks else (None, None)
    agent = AblAgent(policy, not name.has_flag("no-preferences"), lookahead, networks.has_explored_choices, endgame)
    return agent if think is None else agent.with_time_limit(think)


def make_own_networks(name: AgentName, engine: Engine) -> dict[str, object]:
    """Import the classes of custom networks that an agent's name has, and make the networks.

    Args:
        name: ``abl`` with options, such as ``weights=FILE,model=FILE.py:CLASS``.
        engine: Compiled game, whose sizes (``learners.GameShape``) are the argument of each class.

    Returns:
        The networks by the key of their option, untrained.

    Raises:
        GameError: A class cannot be imported or called, or the name has no weights for it.
    """
    from abl_cards.agents.plugins import make_plugin_object

    texts = {key: text for key in OWN_NETWORK_KEYS if (text := name.value(key)) is not None}
    if texts and name.value("weights") is None:
        problem = f"agent '{name}': {', '.join(texts)}: shipped weights need no class; add weights=FILE"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    if not texts:
        return {}
    from abl_cards.learners import GameShape

    shape = GameShape.of(engine)
    return {key: make_plugin_object(text, shape) for key, text in texts.items()}


def _make_model_agent(name: AgentName, engine: Engine, file: Path, own: dict[str, object]) -> AblAgent:
    """Make an agent of one network for policy, value and hands, which has no look-ahead."""
    from abl_cards.agents.model_agent import ModelAgent, load_model_policy

    if others := [*(key for key in own if key != "model"), *(key for key in ("think", "endgame") if name.value(key))]:
        problem = f"agent '{name}': {', '.join(others)}: model= is all networks, and does not look ahead; leave it out"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    preferences = preference_model_from_name(name, engine)
    policy = load_model_policy(file, own["model"], engine, preferences, not name.has_flag("no-projection"))
    return ModelAgent(policy, not name.has_flag("no-preferences"))


def _make_lookahead(policy: NeuroSymbolicPolicy) -> Lookahead:
    """Make the look-ahead of the preset."""
    from abl_cards.agents.lookahead import Lookahead
    from abl_cards.agents.search_budget import SearchRound

    preset = policy.networks.preset
    search_round, rollout = SearchRound(preset.num_determinizations, (preset.depth,)), preset.rollout
    if policy.networks.rollout_weights is not None:
        search_round = SearchRound(rollout.num_determinizations, rollout.depths, rollout.num_tables)
    return Lookahead(policy, (search_round,), preset.search_temperature)


def _read_think_seconds(name: AgentName) -> float | None:
    """Read the time limit of a decision in seconds; None where there is none. Raises GameError."""
    text = name.value("think")
    if text is None:
        return None
    try:
        milliseconds = float(text)
    except ValueError:
        milliseconds = 0.0
    if not 0 < milliseconds <= MAX_THINK_MILLISECONDS:
        problem = f"agent '{name}': think is a number of milliseconds, up to {MAX_THINK_MILLISECONDS:,}"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    return milliseconds / 1000


def find_weights(name: AgentName, engine: Engine) -> Path:
    """Find the file of weights of agent ``abl``.

    Args:
        name: ``abl`` with options.
        engine: Compiled game.

    Returns:
        Path of the weights.

    Raises:
        GameError: There are no shipped weights for this game and these options, or options contradict ``weights=FILE``.
    """
    from abl_cards.learners import find_shipped_weights

    preset, chosen = name.value("preset"), name.value("weights")
    tags = [word for word in ("no-abln", "supervised") if name.has_flag(word)]
    if chosen is None:
        return find_shipped_weights(engine.game, preset, *tags)
    others = [*tags, *(["preset"] if preset else [])]
    if others:
        problem = f"agent '{name}': weights=FILE names all weights; leave out {', '.join(others)}"
        raise GameError(problem, ErrorCode.INVALID_AGENT_OPTION)
    return Path(chosen)
