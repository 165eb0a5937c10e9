"""Weights as safetensors files, each with a card beside it: preset, data, steps, hours, seed, command, results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from abl_cards.core import ErrorCode, GameError, atomic_write, check_path, current_keys, write_text
from abl_cards.games import Engine, Game, compile_engine, game_names, load
from abl_cards.learners.decision import PolicyNetwork
from abl_cards.learners.network_parts import ABLN_PART, CRITIC, NO_PARTS, POLICY, NetworkParts
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.own_classes import check_class, check_classes, describe_parts
from abl_cards.learners.presets import PRESETS, WEIGHTS_FOLDER, RolloutConfig, default_preset
from abl_cards.learners.rollout_network import RolloutNetwork
from abl_cards.learners.weight_transfer import (
    CRITIC_KEY,
    transfer_critic,
    transfer_rollout_network,
    transfer_weights,
)

_JOIN_KEY, _POLICY_KEY = "decision.join.weight", "decision.policy.weight"
_CRITIC_PREFIX, _ABLN_PREFIX = "critic.", "abln."
_ROLLOUT_SUFFIX, _OPPONENT_SUFFIX = "-rollout", "-opponents"

CardT = TypeVar("CardT")


@dataclass(frozen=True)
class WeightsCard:
    """The card of weights: their game, preset, data and command."""

    game: str
    preset: str
    abln: bool
    seed: int
    data: str = ""
    steps: int = 0  # decisions of self-play
    hours: float = 0.0
    profile: str | None = None  # profile they were trained by; None is the game's default
    choice_epsilon: float = field(
        default=0.0, metadata={"formerly": "stray"}
    )  # epsilon of choices (bids, cards to give) in training
    critic_finetune_decisions: int = 0  # of own games that the critic learned whole episodes from, after self-play
    command: str = ""
    results: dict[str, Any] = field(default_factory=dict)
    model_class: str | None = None  # dotted name of the class of a network of one's own; None for a preset
    model_file: str | None = None  # name of the file that defines the class; never opened
    own_parts: dict[str, Any] = field(default_factory=dict)  # class and file of each network of one's own, by its part


def save_networks(file: str | Path, networks: Networks, card: WeightsCard) -> None:
    """Save networks in half precision with their card; an untrained critic of ours is left out.

    Networks of one's own are saved in their own precision.

    Args:
        file: File with the suffix ``.safetensors``.
        networks: The networks.
        card: Their card; ``steps`` tells whether the critic has been trained.
    """
    file = Path(file)
    card = replace(card, own_parts=describe_parts(networks.parts))
    own = _prefixes(card.own_parts)
    left_out = () if card.steps else tuple({_CRITIC_PREFIX} - set(own))
    tensors = {name: tensor for name, tensor in networks.state_dict().items() if not name.startswith(left_out)}
    write_weights(file, tensors, card, own)


def write_weights(
    file: str | Path, weights: Mapping[str, Tensor], card: Any, own_prefixes: tuple[str, ...] = ()
) -> None:
    """Write tensors in half precision, and their card beside them.

    Args:
        file: File with the suffix ``.safetensors``.
        weights: The tensors by name.
        card: A dataclass of plain values.
        own_prefixes: Beginnings of the names of tensors that keep their precision.
    """
    file = Path(file)
    tensors = {}
    for name, tensor in weights.items():
        dtype = tensor.dtype if name.startswith(own_prefixes) else torch.float16
        tensors[name] = tensor.detach().to("cpu", dtype, copy=True).contiguous()  # two names may share one tensor
    with atomic_write(file) as stream:
        stream.write(save(tensors))
    write_card(file, card)


def write_card(file: Path, card: Any) -> None:
    """Write a card, a dataclass of plain values, beside a file of weights."""
    write_text(file.with_suffix(".json"), json.dumps(asdict(card), indent=2, ensure_ascii=False) + "\n")


def read_weights(file: str | Path, own_prefixes: tuple[str, ...] = ()) -> dict[str, Tensor]:
    """Read the tensors of a file in single precision.

    Args:
        file: The file of weights.
        own_prefixes: Beginnings of the names of tensors that keep their precision, and may be whole numbers.

    Raises:
        GameError: The file is missing or damaged, or has values that are not finite.
    """
    file = Path(file)
    _check_regular_file(file)
    try:
        stored = load_file(file)
        weights = {name: tensor if name.startswith(own_prefixes) else tensor.float() for name, tensor in stored.items()}
    except (OSError, SafetensorError, LookupError, RuntimeError, TypeError, ValueError) as problem:
        raise GameError(f"{file}: no weights ({problem})", ErrorCode.WEIGHTS_NOT_READABLE) from None
    for name, tensor in weights.items():
        if not stored[name].is_floating_point() and not name.startswith(own_prefixes):
            raise GameError(
                f"{file}: '{name}' has whole numbers ({str(stored[name].dtype).removeprefix('torch.')})",
                ErrorCode.WEIGHTS_NOT_READABLE,
            )
        if not torch.isfinite(tensor).all():
            raise GameError(
                f"{file}: '{name}' is infinite or no number somewhere; train anew, or take another file",
                ErrorCode.WEIGHTS_NOT_READABLE,
            )
    return weights


def read_card(file: str | Path, card_type: type[CardT]) -> CardT:
    """Read the card beside a file of weights.

    Args:
        file: The file of weights.
        card_type: Dataclass of the card.

    Raises:
        GameError: The file or its card is missing, or the card is damaged.
    """
    file = check_path("file", file)
    if file.is_dir():
        raise GameError(f"{file}: a folder; name the file of weights in it", ErrorCode.WEIGHTS_NOT_READABLE)
    _check_regular_file(file)
    card = file.with_suffix(".json")
    _check_regular_file(card)
    try:
        values = current_keys(card_type, json.loads(card.read_text("utf-8")))
        wrong = [
            name for name, value in values.items() if not _matches_type(value, get_type_hints(card_type).get(name))
        ]
        if wrong:
            raise TypeError(f"'{wrong[0]}' is of another type, or is not known")
        return card_type(**values)
    except FileNotFoundError:
        missing = f"{card}: the card of the weights is missing" if file.exists() else f"{file}: there is no such file"
        raise GameError(missing, ErrorCode.WEIGHTS_NOT_READABLE) from None
    except RecursionError:
        raise GameError(f"{card}: no card of weights (nested too deeply)", ErrorCode.WEIGHTS_NOT_READABLE) from None
    except (AttributeError, TypeError, ValueError) as problem:
        raise GameError(f"{card}: no card of weights ({problem})", ErrorCode.WEIGHTS_NOT_READABLE) from None


def _check_regular_file(file: Path) -> None:
    """Raise GameError where a path is no regular file: opening a pipe would wait for a writer."""
    if file.exists() and not file.is_file():
        raise GameError(f"{file} is no file", ErrorCode.WEIGHTS_NOT_READABLE)


def _matches_type(value: Any, hint: Any) -> bool:
    """Return whether a JSON value is of an annotated type; an int is a float, a bool is not."""
    if isinstance(hint, UnionType):
        return any(_matches_type(value, member) for member in get_args(hint))
    kind = get_origin(hint) or hint
    return type(value) is kind or (kind is float and type(value) is int)


def load_card(file: str | Path) -> WeightsCard:
    """Read the card of networks.

    Args:
        file: The file of weights.

    Raises:
        GameError: The card is missing or damaged.
    """
    return read_card(file, WeightsCard)


def find_shipped_weights(game: str, preset: str | None, *tags: str) -> Path:
    """Find shipped weights.

    Args:
        game: Name of the game.
        preset: Name of the preset; None for the default of the game.
        *tags: Further parts of the file's name, such as ``"supervised"``.

    Raises:
        GameError: There are none.
    """
    preset = preset or default_preset(game)
    file = WEIGHTS_FOLDER / f"{'-'.join([game, preset, *tags])}.safetensors"
    if file.exists():
        return file
    found = [path for known in PRESETS for path in WEIGHTS_FOLDER.glob(f"{game}-{known}*.safetensors")]
    there = sorted(path.stem for path in found if not path.stem.endswith((_ROLLOUT_SUFFIX, _OPPONENT_SUFFIX)))
    if there:
        raise GameError(f"no weights '{file.stem}' (there are: {', '.join(there)})", ErrorCode.UNKNOWN_WEIGHTS)
    raise GameError(
        f"agent 'abl' has no weights for {game}: play kb or greedy, or train some (abl-cards train {game} --dir "
        f"runs/mine) and name their file, abl:weights=runs/mine/{game}-{preset}.safetensors",
        ErrorCode.UNKNOWN_WEIGHTS,
    )


def load_networks(file: str | Path, engine: Engine | Game | str | Path, parts: NetworkParts = NO_PARTS) -> Networks:
    """Load networks to play with.

    Args:
        file: The file of weights.
        engine: The game: an engine, a game, its name, or the path of a rule folder.
        parts: The networks of one's own, whose weights are replaced.

    Raises:
        GameError: The weights are missing, damaged, or for another game, or they are those of a network of one's own
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


def rollout_weights_file(file: str | Path) -> Path:
    """Return the file of the rollout network that belongs to a file of weights, there or not.

    Args:
        file: The file of weights.

    >>> rollout_weights_file("runs/mine/doudizhu-small.safetensors").name
    'doudizhu-small-rollout.safetensors'
    """
    return Path(file).with_name(f"{Path(file).stem}{_ROLLOUT_SUFFIX}.safetensors")


def opponent_weights_file(file: str | Path) -> Path:
    """Return the file of the opponent model that belongs to a file of weights, there or not.

    Args:
        file: The file of weights.

    >>> opponent_weights_file("runs/mine/doudizhu-small.safetensors").name
    'doudizhu-small-opponents.safetensors'
    """
    return Path(file).with_name(f"{Path(file).stem}{_OPPONENT_SUFFIX}.safetensors")


def light_weights_files(file: str | Path) -> tuple[Path, Path]:
    """Return the files of the light networks that may lie beside a file of weights, there or not.

    Args:
        file: The file of weights.
    """
    return rollout_weights_file(file), opponent_weights_file(file)


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
    """Load weights into networks; a critic or ABLN that the file lacks keeps its own.

    Networks with ABLN accept weights of a twin without ABLN: the estimate has no effect at first. Networks for a
    profile with more labels accept weights of the default profile of the game. A network of one's own, or of the
    preset, keeps its weights where the file has weights of the other kind.

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
        message = f"{file}: not weights of such networks ({origin}): {', '.join(wrong[:3])}"
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
