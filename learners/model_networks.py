"""A custom network that replaces all networks of a preset."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from abl_cards.core import ErrorCode, GameError, atomic_write, check_path
from abl_cards.learners.model_interface import Batch, PolicyOutput
from abl_cards.learners.network_parts import NO_PARTS, NetworkParts
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.output_checks import call_forward, check_output, check_state, check_unwritten
from abl_cards.learners.own_classes import check_class
from abl_cards.learners.presets import PPOConfig, Preset
from abl_cards.learners.weights_files import WeightsCard, load_card, write_card

MODEL_PRESET = "model"
"""Name of the preset in settings and weights cards of a run with a network of one's own."""
MODEL_PPO = PPOConfig(
    learning_rate=1e-3, gae_lambda=0.95, minibatch_size=1_024, rollout_size=8_192, num_epochs=2, num_value_epochs=2,
    ent_coef=0.003,
)  # fmt: skip
"""PPO of such a run, where its settings name nothing else."""


class ModelNetworks(Networks):
    """A module of the interface in ``model_interface``, with the attributes that self-play reads of `Networks`."""

    def __init__(self, module: nn.Module, shape: GameShape, precision: str = "float32") -> None:
        """Wrap a module; it is not copied."""
        nn.Module.__init__(self)
        check_state(module)
        self.module, self.shape, self.precision = module, shape, precision
        self.preset = Preset(MODEL_PRESET, inputs=(), ppo=MODEL_PPO)
        self.abln = None
        self.has_trained_critic = self.has_explored_choices = False
        self.decides_choices = False  # whether its logits have columns for options
        self.estimates_hands = False  # whether it returns hands

    @property
    def parts(self) -> NetworkParts:
        """No parts: one network replaces all."""
        return NO_PARTS

    @property
    def device(self) -> torch.device:
        """Device of the weights."""
        return next((weight.device for weight in self.module.parameters()), torch.device("cpu"))

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of the inputs, which does not depend on the precision of products."""
        return torch.float32

    @property
    def row_multiple(self) -> int:
        """Number that the rows of a batch should be a multiple of."""
        return 1

    @property
    def num_actions(self) -> int:
        """Number of actions of a stored decision: labels, then options."""
        return self.shape.num_actions

    @property
    def max_open_rows(self) -> int:
        """Number of stored decisions of a running episode that memory is reserved for, for each team."""
        return 90 if self.decides_choices else 60

    @property
    def model_name(self) -> str:
        """Name of the module's class."""
        return type(self.module).__qualname__

    def probe(self, batch: Batch) -> PolicyOutput:
        """Call the module once, and record which outputs it has.

        Args:
            batch: Some decisions of the game.

        Returns:
            The checked output.

        Raises:
            GameError: The call fails (code ``model-failed``), or the output breaks the interface.
        """
        was_training = self.module.training
        self.module.eval()
        try:
            with torch.no_grad(), check_unwritten(self.model_name, batch):
                output = self.evaluate(batch)
        finally:
            self.module.train(was_training)
        self.decides_choices = output.logits.shape[1] == batch.num_actions > batch.num_labels
        self.estimates_hands = output.hands is not None
        return output

    def evaluate(self, batch: Batch) -> PolicyOutput:
        """Call the module in the precision of the run; raises GameError where it fails or breaks the interface."""
        with self.autocast():
            output = call_forward(self.module, batch)
        output = check_output(output, batch, self.model_name, self.precision != "float32")
        hands = None if output.hands is None else output.hands.float()
        return PolicyOutput(output.logits.float(), output.value.float(), hands)


def save_model(file: str | Path, state: Mapping[str, Tensor], card: WeightsCard) -> None:
    """Write the weights and buffers of a module as safetensors in their own precision, and the card beside them.

    Args:
        file: The file, with the suffix ``.safetensors``.
        state: ``module.state_dict()``.
        card: The card; ``model_class`` and ``model_file`` name the module's class.
    """
    file = Path(file)
    tensors = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in state.items()}
    with atomic_write(file) as stream:
        stream.write(save(tensors))
    write_card(file, card)


def load_model(file: str | Path, module: nn.Module) -> WeightsCard:
    """Load weights that a `Trainer` saved into a module.

    The card names the class of the module and its file. Neither is imported: the caller makes the module.

    Args:
        file: The file of weights; its card lies beside it.
        module: A module of the same class and sizes; its weights are replaced.

    Returns:
        The card.

    Raises:
        GameError: A file is missing or damaged (code ``weights-not-readable``), or these are not weights of such a
            module (``weights-mismatch``).
    """
    file = check_path("file", file)
    card = load_card(file)
    if card.model_class is None:
        message = f"{file}: weights of the preset '{card.preset}', not of your own network; play abl:weights={file}"
        raise GameError(message, ErrorCode.WEIGHTS_MISMATCH)
    check_class(file, card.model_class, type(module))
    try:
        tensors = load_file(file)
    except (OSError, SafetensorError, LookupError, RuntimeError, TypeError, ValueError) as problem:
        raise GameError(f"{file}: no weights ({problem})", ErrorCode.WEIGHTS_NOT_READABLE) from None
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            message = f"{file}: '{name}' has values that are NaN or infinite; train anew, or take another file"
            raise GameError(message, ErrorCode.WEIGHTS_NOT_READABLE)
    try:
        module.load_state_dict(tensors)
    except RuntimeError as problem:
        reason = str(problem).splitlines()[-1].strip()
        raise GameError(f"{file}: not weights of such a network: {reason}", ErrorCode.WEIGHTS_MISMATCH) from None
    return card
