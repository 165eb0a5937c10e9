"""Networks small enough for tests."""

from dataclasses import replace
from pathlib import Path

import torch

from abl_cards.games.game import load
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS, EncoderConfig, PPOConfig
from abl_cards.learners.weights_files import WeightsCard
from abl_cards.learners.weights_io import save_networks

TINY = replace(
    PRESETS["small"],
    name="tiny",
    encoder=EncoderConfig(
        state_layers=1, state_width=16, state_out=16, history_layers=1, history_width=8, history_heads=2, history_out=8
    ),
    abln_hidden=(16,),
    policy_width=16,
    policy_blocks=1,
    critic_width=16,
    ppo=PPOConfig(learning_rate=1e-3, minibatch_size=64, rollout_size=128, num_epochs=1),
)


def save_untrained(folder: Path, abln: bool = True) -> Path:
    """Save tiny networks for Guandan with random weights, so that every input affects the outputs."""
    preset = TINY if abln else TINY.without_abln()
    networks = Networks(preset, GameShape.of(load("guandan").engine()), seed=1)
    noise = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for weights in networks.parameters():
            weights.add_(0.3 * torch.randn(weights.shape, generator=noise))
    file = folder / "untrained.safetensors"
    save_networks(file, networks, WeightsCard("guandan", preset.name, abln, seed=1, steps=1))  # includes the critic
    return file
