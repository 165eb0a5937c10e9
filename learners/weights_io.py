"""Networks from files of weights, and files of weights from networks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from torch import Tensor

from abl_cards.core import ErrorCode, GameError, check_path
from abl_cards.games import Engine, Game, compile_engine, game_names, load
from abl_cards.learners.decision import PolicyNetwork
from abl_cards.learners.network_parts import ABLN_PART, CRITIC, NO_PARTS, POLICY, NetworkParts
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.own_classes import check_class, check_classes, describe_parts
from abl_cards.learners.presets import PRESETS, RolloutConfig
from abl_cards.learners.rollout_network import RolloutNetwork
from abl_cards.learners.weight_transfer import (
    CRITIC_KEY,
    transfer_critic,
    transfer_rollout_network,
    transfer_weights,
)
from abl_cards.learners.weights_files import (
    WeightsCard,
    load_card,
    opponent_weights_file,
    read_weights,
    rollout_weights_file,
    write_weights,
)

_JOIN_KEY, _POLICY_KEY = "decision.join.weight", "decision.policy.weight"
_CRITIC_PREFIX, _ABLN_PREFIX = "critic.", "abln."


def save_networks(file: str | Path, networks: Networks, card: WeightsCard) -> None:
    """Save networks in half precision with their card; an untrained critic of the preset is left out.

    Custom networks are saved in their own precision.

    Args:
        file: File with the suffix ``.safetensors``.
        networks: The networks.
        card: Card of the weights; its ``steps`` state whether the critic has been trained.
    """
    file = Path(file)
    card = replace(card, own_parts=describe_parts(networks.parts))
    own = _prefixes(card.own_parts)
    left_out = () if card.steps else tuple({_CRITIC_PREFIX} - set(own))
    tensors = {name: tensor for name, tensor in networks.state_dict().items() if not name.startswith(left_out)}
    write_weights(file, tensors, card, own)


def load_networks(file: str | Path, engine: Engine | Game | str | Path, parts: NetworkParts = NO_PARTS) -> Networks:
    """Load networks to play with.

    Args:
        file: The file of weights.
        engine: The game: an engine, a game, its name, or the path of a rule folder.
        parts: The custom networks, whose weights are replaced.

    Raises:
        GameError: The weights are missing, damaged, or for another game, or they are those of a custom network
            that is not given.
    """
    file = check_path("file", file)
    engine, card = compile_engine(engine), load_card(file)
    own = {"model": {"class": card.model_class, "file": card.model_file}} if card.model_class else card.own_parts
    check_classes(file, own, parts)
    if card.preset not in PRESETS:
        raise GameError(
            f"{file}: unknown preset '{card.preset}' (there are: {', '.join(PRESETS)})", ErrorCode.UNKNOWN_PRESET
        )
    preset = PRESETS[card.preset] if card.abln else PRESETS[card.preset].without_abln()
    if not _is_same_game(card.game, engine.game):
        raise GameError(f"{file}: weights for {card.game}, not for {engine.game}", ErrorCode.WEIGHTS_MISMATCH)
    networks = Networks(preset, GameShape.of(engine), parts=parts)
    load_weights(file, networks, engine)
    networks.has_explored_choices = networks.has_trained_critic and card.choice_epsilon > 0
    config = preset.rollout
    if (beside := rollout_weights_file(file)).exists():
        networks.rollout_weights = load_rollout_network(beside, networks.shape, config, engine).to_weights()
    if config.opponent_model and (beside := opponent_weights_file(file)).exists():
        model = load_rollout_network(beside, networks.shape, config.opponent_model, engine)
        networks.opponent_weights = model.to_weights()
    return networks.eval()


def load_rollout_network(file: str | Path, shape: GameShape, config: RolloutConfig, engine: Engine) -> RolloutNetwork:
    """Load a rollout network or an opponent model.

    Args:
        file: The file, see `rollout_weights_file` and `opponent_weights_file`.
        shape: Sizes of the game.
        config: Sizes of the network.
        engine: The game; it may have more labels than the network has learned.

    Raises:
        GameError: The weights are damaged, or do not fit.
    """
    card, network = load_card(file), RolloutNetwork(shape, config)
    weights = read_weights(file)
    try:
        if card.game in game_names() and len(weights["output.bias"]) < len(engine.labels):
            learned = load(card.game).engine(None, card.profile).labels
            weights = transfer_rollout_network(weights, network, learned, engine.labels)
        network.load_state_dict(weights)
    except (KeyError, RuntimeError) as problem:
        message = f"{file}: no rollout network of these weights ({str(problem).splitlines()[-1].strip()}); remove it"
        raise GameError(message, ErrorCode.WEIGHTS_MISMATCH) from None
    return network.eval()


def _is_same_game(one: str, other: str) -> bool:
    """Return whether two names mean one game; paths of folders may be relative to different directories."""
    ours = {one, other} & set(game_names())
    return one == other if ours else Path(one).name == Path(other).name


def load_weights(file: str | Path, networks: Networks, engine: Engine | None = None) -> None:
    """Load weights into networks; a critic or ABLN that the file lacks keeps its weights.

    Networks with ABLN accept weights of a twin without ABLN: the estimate has no effect at first. Networks for a
    profile with more labels accept weights of the default profile of the game. A network keeps its weights
    if it is custom and the file has those of the preset, or the reverse.

    Args:
        file: The file of weights.
        networks: The networks, changed in place.
        engine: The game, to adapt the labels; None to require equal labels.

    Raises:
        GameError: The weights do not fit.
    """
    file = check_path("file", file)
    card = load_card(file)
    parts = dict(networks.parts.items())
    for name in card.own_parts.keys() & parts.keys():
        check_class(file, card.own_parts[name]["class"], parts[name].model_class)
    skipped = _prefixes(card.own_parts.keys() ^ parts.keys())
    weights = read_weights(file, _prefixes(card.own_parts))
    weights = {name: tensor for name, tensor in weights.items() if not name.startswith(skipped)}
    if engine is not None:
        weights = _adapt_to_labels(weights, networks, card, engine)
    _check_labels(file, weights, networks)
    is_twin, decision = card.abln != networks.preset.uses_abln, networks.decision
    optional_prefixes = (_CRITIC_PREFIX, *((_ABLN_PREFIX,) if is_twin else ()), *skipped)
    try:
        if is_twin and networks.preset.uses_abln and isinstance(decision, PolicyNetwork) and "decision." not in skipped:
            weights[_JOIN_KEY] = decision.widen_join_weight(weights[_JOIN_KEY])
        missing, unknown = networks.load_state_dict(weights, strict=False)
        wrong = [*(name for name in missing if not name.startswith(optional_prefixes)), *unknown]
    except KeyError:
        wrong = [_JOIN_KEY]
    except RuntimeError as problem:
        wrong = [str(problem).splitlines()[-1].strip()]
    if wrong:
        origin = f"they are of preset '{card.preset}', game '{card.game}'"
        remedy = "name their preset; if the rules, or what a seat sees, have changed since, train them anew"
        message = f"{file}: not weights of such networks ({origin}): {', '.join(wrong[:3])} ({remedy})"
        raise GameError(message, ErrorCode.WEIGHTS_MISMATCH)
    # Looking ahead needs values of whole episodes; with trick rewards a critic learns something else in self-play.
    learned_episodes = card.critic_finetune_decisions > 0 or not networks.preset.ppo.trick_point_reward
    networks.has_trained_critic = learned_episodes and any(name.startswith(_CRITIC_PREFIX) for name in weights)


_PART_PREFIXES = {POLICY: "decision.", CRITIC: _CRITIC_PREFIX, ABLN_PART: _ABLN_PREFIX}


def _prefixes(parts: Iterable[str]) -> tuple[str, ...]:
    """Return the beginnings of the names of the tensors of some parts."""
    return tuple(_PART_PREFIXES[name] for name in parts if name in _PART_PREFIXES)


def _adapt_to_labels(
    weights: dict[str, Tensor], networks: Networks, card: WeightsCard, engine: Engine
) -> dict[str, Tensor]:
    """Return weights for the labels of an engine, where it has all labels that the weights were made for."""
    if card.game not in game_names():
        return weights
    if networks.preset.plane_resnet is not None:
        return _adapt_critic(weights, networks, card, engine)
    policy = weights.get(_POLICY_KEY)
    if policy is None or len(policy) >= len(engine.labels):
        return weights
    learned = load(card.game).engine(None, card.profile).labels
    if len(policy) != len(learned) or not set(learned) < set(engine.labels):
        return weights
    try:
        return transfer_weights(weights, networks, learned, engine.labels)
    except KeyError:
        return weights


def _adapt_critic(
    weights: dict[str, Tensor], networks: Networks, card: WeightsCard, engine: Engine
) -> dict[str, Tensor]:
    """Return weights whose critic reads the labels of an engine; a policy on planes of cards reads none."""
    first = weights.get(CRITIC_KEY)
    if first is None or first.shape == networks.state_dict()[CRITIC_KEY].shape:
        return weights
    return transfer_critic(weights, networks, load(card.game).engine(None, card.profile).labels, engine.labels)


def _check_labels(file: Path, weights: Mapping[str, Tensor], networks: Networks) -> None:
    """Raise GameError where the weights were made for another number of labels."""
    policy, labels = weights.get(_POLICY_KEY), networks.shape.num_labels
    if policy is not None and policy.ndim and len(policy) != labels and networks.preset.plane_resnet is None:
        raise GameError(
            f"{file}: made for {len(policy)} labels, these rules have {labels}; "
            "train on these rules, or play by those of the weights",
            ErrorCode.WEIGHTS_MISMATCH,
        )
