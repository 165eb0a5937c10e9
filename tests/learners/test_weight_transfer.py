"""Transfer of weights to a profile with more labels."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.learners.decision import InputTensors, PrivilegedTensors
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS
from abl_cards.learners.weights_io import WeightsCard, load_networks, save_networks
from tests.learners.tiny import TINY


def random_inputs(networks: Networks, rows: int, rng: np.random.Generator) -> tuple[InputTensors, PrivilegedTensors]:
    """Return random inputs for the networks."""
    shape = networks.shape
    labels, others, cards = shape.num_labels, shape.num_others, shape.num_cards

    def uniform(*size: int) -> torch.Tensor:
        return torch.from_numpy(rng.random((rows, *size), np.float32))

    question = InputTensors(
        uniform(shape.observation.size), uniform(labels) < 0.2, torch.from_numpy(rng.integers(-1, labels, rows)),
        30 * uniform(labels), 9 * uniform(labels), uniform(others, cards), uniform(others, labels),
        uniform(others, cards),
    )  # fmt: skip
    opened = PrivilegedTensors(
        uniform(others, cards),
        (9 * uniform(others)).round(),
        (uniform(others + 1, labels) < 0.3).byte(),
    )
    return question, opened


def expand(tensor: torch.Tensor, place: torch.Tensor, of_new: float = 0) -> torch.Tensor:
    """Expand a tensor of shape [..., labels] to more labels."""
    expanded = tensor[..., place.clamp(min=0)].clone()
    expanded[..., place < 0] = of_new
    return expanded


def test_networks_say_the_same_of_the_labels_they_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    few, many = load("doudizhu").engine(), load("doudizhu").engine(None, "botzone")
    before, file = Networks(TINY, GameShape.of(few), seed=4), tmp_path / "some.safetensors"
    with torch.no_grad():
        for weights in before.parameters():
            weights.copy_((weights + 0.2 * torch.randn(weights.shape)).half().float())
    save_networks(file, before, WeightsCard("doudizhu", "tiny", True, 0, steps=1))
    now = load_networks(file, many)
    numbers = {label: number for number, label in enumerate(few.labels)}
    place = torch.tensor([numbers.get(label, -1) for label in many.labels])
    question, opened = random_inputs(before, 16, np.random.default_rng(5))
    to_beat = torch.tensor([many.labels.index(few.labels[label]) if label >= 0 else -1 for label in question.to_beat])
    more = replace(
        question, to_beat=to_beat, legal=expand(question.legal, place), regret=expand(question.regret, place),
        plays_left=expand(question.plays_left, place, 99.0),
        response_probs=expand(question.response_probs, place),
    )  # fmt: skip
    with torch.no_grad():
        known, transferred = before.decision(question), now.decision(more)
        worth = before.critic(question, opened)
        again = now.critic(more, replace(opened, lead_mask=expand(opened.lead_mask, place)))
    torch.testing.assert_close(transferred[:, place >= 0], known[:, place[place >= 0]], atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(again, worth, atol=1e-3, rtol=1e-3)


def test_other_labels_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reject weights with labels that the rules do not have."""
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    many, file = load("doudizhu").engine(None, "botzone"), tmp_path / "some.safetensors"
    save_networks(file, Networks(TINY, GameShape.of(many)), WeightsCard("doudizhu", "tiny", True, 0, profile="botzone"))
    load_networks(file, many)
    with pytest.raises(GameError, match=r"379 labels.* 309") as error:
        load_networks(file, load("doudizhu").engine())
    assert error.value.code == ErrorCode.WEIGHTS_MISMATCH
