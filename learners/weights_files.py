"""Weights as safetensors files, each with a card beside it: preset, data, steps, hours, seed, command, results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from abl_cards.core import ErrorCode, GameError, atomic_write, check_path, current_keys, write_text
from abl_cards.learners.presets import PRESETS, WEIGHTS_FOLDER, default_preset

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
        hints = get_type_hints(card_type)
        wrong = [name for name, value in values.items() if not _matches_type(value, hints.get(name))]
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
    """Raise GameError where a path is not a regular file: opening a pipe would wait for a writer."""
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
        GameError: The package has no weights for this game and preset.
    """
    preset = preset or default_preset(game)
    name, shipped = "-".join([game, preset, *tags]), {file.stem: file for file in WEIGHTS_FOLDER.glob("*.safetensors")}
    if name in shipped:  # a game may be the path of a folder, beside which files of this name may lie
        return shipped[name]
    of_game = tuple(f"{game}-{known}" for known in PRESETS)
    there = sorted(
        stem for stem in shipped if stem.startswith(of_game) and not stem.endswith((_ROLLOUT_SUFFIX, _OPPONENT_SUFFIX))
    )
    if there:
        raise GameError(f"no weights '{name}' (there are: {', '.join(there)})", ErrorCode.UNKNOWN_WEIGHTS)
    raise GameError(
        f"agent 'abl' has no weights for {game}: play kb or greedy, or train some (abl-cards train {game} --dir "
        f"runs/mine) and name their file, abl:weights=runs/mine/{Path(game).resolve().name}-{preset}.safetensors",
        ErrorCode.UNKNOWN_WEIGHTS,
    )


def rollout_weights_file(file: str | Path) -> Path:
    """Return the path of the rollout network that belongs to a file of weights; the file need not exist.

    Args:
        file: The file of weights.

    >>> rollout_weights_file("runs/mine/doudizhu-small.safetensors").name
    'doudizhu-small-rollout.safetensors'
    """
    return Path(file).with_name(f"{Path(file).stem}{_ROLLOUT_SUFFIX}.safetensors")


def opponent_weights_file(file: str | Path) -> Path:
    """Return the path of the opponent model that belongs to a file of weights; the file need not exist.

    Args:
        file: The file of weights.

    >>> opponent_weights_file("runs/mine/doudizhu-small.safetensors").name
    'doudizhu-small-opponents.safetensors'
    """
    return Path(file).with_name(f"{Path(file).stem}{_OPPONENT_SUFFIX}.safetensors")


def student_weights_files(file: str | Path) -> tuple[Path, Path]:
    """Return the paths of the light networks beside a file of weights; the files need not exist.

    Args:
        file: The file of weights.
    """
    return rollout_weights_file(file), opponent_weights_file(file)
