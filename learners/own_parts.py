"""Objects of a user as parts of networks: PyTorch modules, and models that fit themselves, as those of ABLkit do.

A model that fits itself has the methods ``fit(X, y)`` and, for a policy, ``predict_proba(X)``, else ``predict(X)``; an
``ABLModel`` of ABLkit holds one. X is a list of rows: ``x.inputs`` is a `Batch`, `CriticBatch` or `HandsBatch`, and
``x.row`` the row of the decision in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from abl_cards.core import ErrorCode, GameError, call_part
from abl_cards.learners.model_interface import Batch, CriticBatch, HandsBatch
from abl_cards.learners.network_parts import (
    ABLN_PART,
    CRITIC,
    POLICY,
    AblnPart,
    CriticPart,
    NetworkPart,
    NetworkParts,
    PolicyPart,
)
from abl_cards.learners.networks import GameShape
from abl_cards.learners.output_checks import check_label_probabilities

T = TypeVar("T")

_STATE_PREFIX = "state."


class InputRow(NamedTuple):
    """One decision, the input row of a model that fits itself.

    Attributes:
        inputs: The decisions that are evaluated together: a `Batch`, a `CriticBatch` or a `HandsBatch`.
        row: Row of this decision in them.
    """

    inputs: Batch | CriticBatch | HandsBatch
    row: int


class FittedPart(NetworkPart):
    """A model that fits itself and replaces one network of a preset.

    Its weights are those of its PyTorch module (``base_model.model``, or itself), or the arrays of its methods
    ``state_dict()`` and ``load_state_dict(state)``. A model with neither trains, but cannot be saved.
    """

    learns_by_gradient = False

    def __init__(self, model: object, shape: GameShape) -> None:
        """Wrap a model, or an ``ABLModel`` that holds one; it is not copied."""
        base = getattr(model, "base_model", model)
        inner = base if isinstance(base, nn.Module) else getattr(base, "model", None)
        super().__init__(inner if isinstance(inner, nn.Module) else nn.Module(), shape)
        self._has_module = isinstance(inner, nn.Module)
        self._models: tuple[Any, Any] = model, base  # a tuple, so that no module is registered twice

    @property
    def base_model(self) -> Any:
        """The model with ``fit`` and ``predict``."""
        return self._models[1]

    @property
    def model_class(self) -> type:
        """Class of the model."""
        return type(self.base_model)

    @property
    def is_saved(self) -> bool:
        """True if the model has weights that can be saved."""
        has_methods = hasattr(self.base_model, "state_dict") and hasattr(self.base_model, "load_state_dict")
        return self._has_module or has_methods

    @property
    def optimiser(self) -> torch.optim.Optimizer | None:
        """Optimiser of the model, as ABLkit's ``BasicNN`` has one; its state is a part of checkpoints."""
        optimiser = getattr(self.base_model, "optimizer", None)
        return optimiser if isinstance(optimiser, torch.optim.Optimizer) else None

    def fit(self, rows: Sequence[Any], targets: Sequence[Any]) -> float | None:
        """Fit the model to targets; returns its loss, None if ``fit`` returns no number. Raises GameError for NaN."""
        loss = self._call("fit", lambda: _to_number(self._fit(rows, targets)))
        if loss is not None and not isfinite(loss):
            message = f"{self.model_name}.fit: the loss is NaN or infinite; lower its learning rate, or mend the model"
            raise GameError(message, ErrorCode.MODEL_OUTPUT_NOT_FINITE)
        return loss

    def _fit(self, rows: Sequence[Any], targets: Sequence[Any]) -> Any:
        model, base = self._models
        if model is base:
            return base.fit(X=list(rows), y=list(targets))
        from ablkit.data.structures import ListData

        data = ListData(X=[[row] for row in rows])
        data.abduced_idx = [[target] for target in targets]
        return model.train(data)

    def _call(self, method: str, call: Callable[[], T]) -> T:
        """Call the model; raises GameError where it fails."""
        return call_part(f"{self.model_name}.{method}", self.base_model, call, ErrorCode.MODEL_FAILED)

    def predict(self, batch: Batch | CriticBatch | HandsBatch, method: str = "predict") -> Tensor:
        """Return the predictions [n, ...] of the model as float32, on the device of the batch."""
        rows = [InputRow(batch, row) for row in range(len(batch))]
        predicted = self._call(method, lambda: np.asarray(getattr(self.base_model, method)(X=rows), np.float32))
        return torch.as_tensor(predicted).to(batch.observation.device)

    def evaluate(self, batch: Batch | CriticBatch | HandsBatch) -> Tensor:
        """Return the predictions of the model."""
        return self.predict(batch)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        if not self._has_module and self.is_saved:
            for name, tensor in self._call("state_dict", self._read_state).items():
                destination[f"{prefix}{_STATE_PREFIX}{name}"] = tensor

    def _read_state(self) -> dict[str, Tensor]:
        """Return the state of a model without a module; raises TypeError if it is not a mapping of names to arrays."""
        state: object = self.base_model.state_dict()
        if not isinstance(state, Mapping) or not all(isinstance(name, str) for name in state):
            raise TypeError(f"expected arrays by name, found {type(state).__name__}")
        return {name: torch.as_tensor(array).detach().clone() for name, array in state.items()}

    def _load_from_state_dict(self, state_dict: Mapping[str, Any], prefix: str, *more: Any) -> None:
        if self._has_module or not self.is_saved:
            super()._load_from_state_dict(state_dict, prefix, *more)
            return
        first = f"{prefix}{_STATE_PREFIX}"
        state = {name.removeprefix(first): tensor for name, tensor in state_dict.items() if name.startswith(first)}
        arrays = {name: tensor.cpu().numpy() for name, tensor in state.items()}
        self._call("load_state_dict", lambda: self.base_model.load_state_dict(arrays))


class FittedPolicy(FittedPart, PolicyPart):
    """A policy that fits itself to abduced labels, by ``predict_proba`` [n, labels]."""

    def evaluate(self, batch: Batch | CriticBatch | HandsBatch) -> Tensor:
        """Return the logarithms of the probabilities of the labels; raises GameError for invalid probabilities."""
        probabilities = self.predict(batch, "predict_proba")
        n, sizes = len(batch), self.shape
        self._check("logits", probabilities, (n, sizes.num_actions), (n, sizes.num_labels))
        rows = probabilities.cpu().numpy()
        check_label_probabilities(f"{self.model_name}.predict_proba", [rows], rows.shape)
        return probabilities.clamp(min=1e-30).log()


class FittedCritic(FittedPart, CriticPart):
    """A critic that fits itself to returns, by ``predict`` [n]."""


class FittedAbln(FittedPart, AblnPart):
    """An ABLN that fits itself to hands, by ``predict`` [n, others, cards]."""


def wrap_parts(shape: GameShape, policy: object = None, critic: object = None, abln: object = None) -> NetworkParts:
    """Wrap objects of a user as parts of networks.

    Args:
        shape: The sizes of the game.
        policy: A module, or a model that fits itself; None for the policy of the preset.
        critic: A module, or a model that fits itself; None for the critic of the preset.
        abln: A module, or a model that fits itself; None for the ABLN of the preset.

    Raises:
        GameError: An object is neither a module nor such a model (code ``model-failed``).
    """
    return NetworkParts(
        _wrap(PolicyPart, FittedPolicy, POLICY, policy, shape),
        _wrap(CriticPart, FittedCritic, CRITIC, critic, shape),
        _wrap(AblnPart, FittedAbln, ABLN_PART, abln, shape),
    )


_PartT = TypeVar("_PartT", bound=NetworkPart)


def _wrap(
    part_class: type[_PartT], fitted_class: type[_PartT], name: str, model: object, shape: GameShape
) -> _PartT | None:
    """Wrap an object as a part; raises GameError where it is neither a module nor a model that fits itself."""
    if model is None or isinstance(model, part_class):
        return model
    is_class = isinstance(model, type)
    if not is_class and _fits_itself(getattr(model, "base_model", model), name):
        return fitted_class(model, shape)  # type: ignore[arg-type]
    if not isinstance(model, nn.Module):
        what = f"the class {model.__name__}; pass an object of it" if is_class else type(model).__name__  # type: ignore[attr-defined]
        message = f"{name}: expected a torch.nn.Module, or a model with fit and predict, found {what}"
        raise GameError(message, ErrorCode.MODEL_FAILED)
    return part_class(model, shape)


def _to_number(loss: Any) -> float | None:
    """Return a loss as a number; None for other values."""
    return float(loss) if isinstance(loss, int | float | np.number | Tensor) else None


def _fits_itself(model: object, name: str) -> bool:
    """Return whether a model has the methods of one that fits itself."""
    needed = ("fit", "predict_proba" if name == POLICY else "predict")
    return all(callable(getattr(model, method, None)) for method in needed)
