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
from abl_cards.learners.weights_files import WeightsCard
from abl_cards.learners.weights_io import load_networks, save_networks
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


def test_transferred_networks_agree_on_known_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_unknown_labels_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reject weights with labels that the rules do not have."""
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    many, file = load("doudizhu").engine(None, "botzone"), tmp_path / "some.safetensors"
    save_networks(file, Networks(TINY, GameShape.of(many)), WeightsCard("doudizhu", "tiny", True, 0, profile="botzone"))
    load_networks(file, many)
    with pytest.raises(GameError, match=r"379 labels.* 309") as error:
        load_networks(file, load("doudizhu").engine())
    assert error.value.code == ErrorCode.WEIGHTS_MISMATCH


def test_plane_critic_agrees_under_another_profile(tmp_path: Path) -> None:
    """The policy reads cards alone; the critic values the same hands alike where the rules have fewer labels.

    Plays are left out: labels that are not legal, so those that are gone too, have the least number of plays of all.
    """
    standard, fewer = load("tractor").engine(), load("tractor").engine(None, "botzone")
    place = torch.tensor([standard.labels.index(label) for label in fewer.labels])
    assert len(place) < len(standard.labels)
    before, file = Networks(PRESETS["planes-abl"], GameShape.of(standard), seed=4), tmp_path / "some.safetensors"
    with torch.no_grad():
        for weights in before.critic.parameters():
            weights.copy_((weights + 0.2 * torch.randn(weights.shape)).half().float())
    save_networks(file, before, WeightsCard("tractor", "planes-abl", True, 0, steps=1))
    now = load_networks(file, fewer)
    question, opened = random_inputs(now, 16, np.random.default_rng(5))
    question = replace(question, plays_left=torch.zeros_like(question.plays_left))
    padded = torch.zeros(16, opened.lead_mask.shape[1], len(standard.labels), dtype=torch.uint8)
    padded[..., place] = opened.lead_mask
    legal = torch.zeros(16, len(standard.labels), dtype=torch.bool)
    legal[:, place] = question.legal
    to_beat = torch.where(question.to_beat < 0, question.to_beat, place[question.to_beat.clamp(min=0)])
    many = replace(question, legal=legal, plays_left=torch.zeros(legal.shape), to_beat=to_beat)
    with torch.no_grad():
        worth, again = now.critic(question, opened), before.critic(many, replace(opened, lead_mask=padded))
    torch.testing.assert_close(worth, again, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize(("finetuned", "looks_ahead"), [(0, False), (400, True)])
def test_critic_of_trick_rewards_is_not_used_for_episodes(tmp_path: Path, finetuned: int, looks_ahead: bool) -> None:
    engine = load("tractor").engine()
    file, networks = tmp_path / "some.safetensors", Networks(PRESETS["planes-abl"], GameShape.of(engine), seed=4)
    card = WeightsCard("tractor", "planes-abl", True, 0, steps=1, critic_finetune_decisions=finetuned)
    save_networks(file, networks, card)
    assert load_networks(file, engine).has_trained_critic == looks_ahead
