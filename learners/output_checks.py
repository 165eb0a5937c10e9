"""Checks of outputs and states of custom networks: type, shape, dtype and finite values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from abl_cards.core import ErrorCode, GameError, call_part
from abl_cards.learners.model_interface import Batch, CriticBatch, HandsBatch, PolicyOutput

_SUM_TOLERANCE = 0.01
"""Difference from 1 that the sum of probabilities may have, as in half precision."""


def call_forward(module: nn.Module, batch: Batch | CriticBatch | HandsBatch) -> Any:
    """Call a custom network.

    Args:
        module: The network.
        batch: Its inputs, n decisions.

    Returns:
        Result of the call, which is not checked.

    Raises:
        GameError: The call fails (code ``model-failed``).
    """
    subject = f"{type(module).__qualname__}.forward of {len(batch)} decisions"
    return call_part(subject, module, lambda: module(batch), ErrorCode.MODEL_FAILED)


def check_output(output: object, batch: Batch, model_name: str, allow_half: bool = False) -> PolicyOutput:
    """Check the output of a network for a batch.

    Args:
        output: Result of ``forward``.
        batch: Argument of ``forward``, n decisions.
        model_name: Name of its class, for messages.
        allow_half: Whether bfloat16 and float16 are accepted, as autocast makes them.

    Returns:
        The output.

    Raises:
        GameError: The output is not a `PolicyOutput` (code ``model-output-type``), or a field has the wrong shape
            (``model-output-shape``), dtype (``model-output-dtype``) or values that are not finite
            (``model-output-not-finite``).
    """
    if not isinstance(output, PolicyOutput):
        raise GameError(
            f"{model_name}.forward returned {describe_value(output)}; expected a PolicyOutput",
            ErrorCode.MODEL_OUTPUT_TYPE,
        )
    n, (others, cards) = len(batch), batch.prior.shape[1:]
    widths = list(dict.fromkeys((batch.num_actions, batch.num_labels)))
    check_tensor(model_name, "logits", output.logits, [(n, width) for width in widths], allow_half)
    check_tensor(model_name, "value", output.value, [(n,)], allow_half)
    if output.hands is not None:
        check_tensor(model_name, "hands", output.hands, [(n, others, cards)], allow_half)
    possible = batch.action_mask[:, : output.logits.shape[1]]
    check_finite(model_name, "logits", torch.where(possible, output.logits, output.logits.new_zeros(())))
    check_finite(model_name, "value", output.value)
    if output.hands is not None:
        check_finite(model_name, "hands", output.hands)
    return output


_FIELD_SIZES = {"logits": "[n, actions] or [n, labels]", "value": "[n]", "hands": "[n, others, cards]"}


def check_tensor(model_name: str, name: str, tensor: object, shapes: list[tuple[int, ...]], allow_half: bool) -> None:
    """Raise GameError where a field is not a tensor of one of these shapes, or not of a dtype that is accepted."""
    expected = f"{_FIELD_SIZES[name]} = {' or '.join(str(list(shape)) for shape in shapes)} float32"
    message = f"{model_name}.forward: {name} is {describe_value(tensor)}, expected {expected}"
    if not isinstance(tensor, Tensor):
        raise GameError(message, ErrorCode.MODEL_OUTPUT_TYPE)
    if tuple(tensor.shape) not in shapes:
        raise GameError(message, ErrorCode.MODEL_OUTPUT_SHAPE)
    accepted = (torch.float32, torch.bfloat16, torch.float16) if allow_half else (torch.float32,)
    if tensor.dtype not in accepted:
        raise GameError(f"{message}; return {name}.float()", ErrorCode.MODEL_OUTPUT_DTYPE)


def check_finite(model_name: str, name: str, tensor: Tensor) -> None:
    """Raise GameError where a field holds NaN or an infinity."""
    finite = torch.isfinite(tensor)
    if not finite.all():
        row = int((~finite).nonzero()[0, 0])
        count = int((~finite).sum())
        raise GameError(
            f"{model_name}.forward: {name} has {count} values that are NaN or infinite (first in row {row} of "
            f"{len(tensor)}); lower learning_rate or max_grad_norm, or mend the network",
            ErrorCode.MODEL_OUTPUT_NOT_FINITE,
        )


def check_label_probabilities(subject: str, values: Any, shape: tuple[int, ...]) -> NDArray[np.floating]:
    """Check the probabilities of labels that a model returned.

    Args:
        subject: Name of the model, for messages.
        values: Rows of probabilities, together [n, labels]: an array, or arrays that are joined.
        shape: Expected shape.

    Returns:
        The probabilities, float [n, labels].

    Raises:
        GameError: The values are not numbers (code ``model-output-dtype``), have another shape
            (``model-output-shape``), are not finite (``model-output-not-finite``), or are negative or do not sum to 1
            (``model-failed``).
    """
    try:
        array = np.concatenate([np.asarray(row).reshape(-1, shape[1]) for row in values])
    except (TypeError, ValueError, RuntimeError) as problem:
        message = f"{subject}: expected {list(shape)} probabilities ({problem})"
        raise GameError(message, ErrorCode.MODEL_OUTPUT_SHAPE) from None
    if array.dtype.kind not in "fiu":
        message = f"{subject}: expected {list(shape)} probabilities, found {array.dtype}"
        raise GameError(message, ErrorCode.MODEL_OUTPUT_DTYPE)
    if array.shape != shape:
        message = f"{subject}: expected {list(shape)} probabilities, found {list(array.shape)}"
        raise GameError(message, ErrorCode.MODEL_OUTPUT_SHAPE)
    if not np.isfinite(array).all():
        raise GameError(f"{subject}: a probability is NaN or infinite", ErrorCode.MODEL_OUTPUT_NOT_FINITE)
    sums = array.sum(axis=1, dtype=np.float64)
    wrong = (array < 0).any(axis=1) | (abs(sums - 1) > _SUM_TOLERANCE)
    if wrong.any():
        row = int(wrong.argmax())
        message = (
            f"{subject}: the probabilities of row {row} sum to {sums[row]:g}, and the least is {array[row].min():g}; "
            "return numbers from 0 on that sum to 1"
        )
        raise GameError(message, ErrorCode.MODEL_FAILED)
    return array if array.dtype.kind == "f" else array.astype(np.float64)


@contextmanager
def check_unwritten(model_name: str, batch: Batch | CriticBatch | HandsBatch) -> Iterator[None]:
    """Raise GameError at the end of the block where a network has written into its batch."""
    given = {field.name: getattr(batch, field.name) for field in fields(batch)}
    tensors = {name: (tensor, tensor._version) for name, tensor in given.items() if not tensor.is_inference()}
    yield
    for name, (tensor, version) in tensors.items():
        if tensor._version != version:
            text = f"forward writes into batch.{name}, which others read too; use batch.{name}.clone()"
            raise GameError(f"{model_name}.{text}", ErrorCode.MODEL_FAILED)


def check_state(module: nn.Module) -> None:
    """Raise GameError if the state of a network holds a value that is not a tensor, which cannot be saved."""
    for name, value in module.state_dict().items():
        if not isinstance(value, Tensor):
            text = f"state_dict holds {name!r}, {describe_value(value)}; weights are tensors: return a tensor, or none"
            raise GameError(f"{type(module).__qualname__}: {text}", ErrorCode.MODEL_FAILED)


def describe_value(value: object) -> str:
    """Return the type of a value, with shape and dtype where it is a tensor."""
    if isinstance(value, Tensor):
        return f"{list(value.shape)} {str(value.dtype).removeprefix('torch.')}"
    return type(value).__name__
