"""The interface of custom networks: shapes, dtypes and values of their outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.learners.model_inputs import ModelInputs
from abl_cards.learners.model_interface import Batch, PolicyOutput, masked_log_probs, to_batch
from abl_cards.learners.model_networks import ModelNetworks
from abl_cards.learners.networks import GameShape
from abl_cards.learners.output_checks import check_output

LABELS, ACTIONS, OTHERS, CARDS, FEATURES, N = 5, 7, 2, 4, 6, 3


def batch() -> Batch:
    """Return two plays and a choice."""
    legal = np.zeros((N, ACTIONS), np.bool_)
    legal[:2, 1:4] = legal[2, LABELS:] = True
    regret = np.where(legal, 30.0, np.inf).astype(np.float32)
    regret[0, 2] = 0
    inputs = ModelInputs(
        observation=np.ones((N, FEATURES), np.uint8),
        legal=legal,
        to_beat=np.array([-1, 2, -1], np.int16),
        regret=regret,
        plays_left=np.full((N, LABELS), 3, np.uint8),
        estimate=np.zeros((N, OTHERS, 0)),
        response_counts=np.zeros((N, OTHERS, 0), np.uint8),
        prior=np.full((N, OTHERS, CARDS), 0.5),
    )
    return to_batch(inputs, LABELS, ACTIONS, torch.device("cpu"))


def test_batches_have_the_documented_shapes_and_dtypes() -> None:
    given = batch()
    fields = {
        "observation": ((N, FEATURES), torch.float32),
        "action_mask": ((N, ACTIONS), torch.bool),
        "is_choice": ((N,), torch.bool),
        "to_beat": ((N,), torch.int64),
        "regret": ((N, ACTIONS), torch.float32),
        "plays_left": ((N, LABELS), torch.float32),
        "prior": ((N, OTHERS, CARDS), torch.float32),
        "estimate": ((N, OTHERS, CARDS), torch.float32),
    }
    assert {name: (tuple(getattr(given, name).shape), getattr(given, name).dtype) for name in fields} == fields
    assert (len(given), given.num_labels, given.num_actions) == (N, LABELS, ACTIONS)
    assert given.is_choice.tolist() == [False, False, True]
    assert torch.isfinite(given.regret).all()
    assert given.regret[0, :5].tolist() == [0, 30, 0, 30, 0]
    assert given.to("cpu").prior.equal(given.prior)


@pytest.mark.parametrize("width", [LABELS, ACTIONS])
def test_valid_outputs_are_accepted(width: int) -> None:
    output = PolicyOutput(torch.zeros(N, width), torch.zeros(N), torch.zeros(N, OTHERS, CARDS))
    assert check_output(output, batch(), "Net") is output
    log_probs = masked_log_probs(output.logits, batch().action_mask)
    assert log_probs[0].exp()[1:4].sum() == pytest.approx(1)


def output(**changes: Any) -> Any:
    fields = {"logits": torch.zeros(N, ACTIONS), "value": torch.zeros(N), "hands": torch.zeros(N, OTHERS, CARDS)}
    return PolicyOutput(**(fields | changes))


@pytest.mark.parametrize(
    ("wrong", "code", "field"),
    [
        ((torch.zeros(N, ACTIONS), torch.zeros(N)), ErrorCode.MODEL_OUTPUT_TYPE, "tuple"),
        (output(value=3.0), ErrorCode.MODEL_OUTPUT_TYPE, "value"),
        (output(logits=torch.zeros(N, ACTIONS + 1)), ErrorCode.MODEL_OUTPUT_SHAPE, r"logits is \[3, 8\]"),
        (output(value=torch.zeros(N, 1)), ErrorCode.MODEL_OUTPUT_SHAPE, r"value is \[3, 1\]"),
        (output(value=torch.zeros(())), ErrorCode.MODEL_OUTPUT_SHAPE, r"value is \[\]"),
        (output(hands=torch.zeros(N, CARDS, OTHERS)), ErrorCode.MODEL_OUTPUT_SHAPE, r"\[3, 2, 4\]"),
        (output(logits=torch.zeros(N, ACTIONS).bfloat16()), ErrorCode.MODEL_OUTPUT_DTYPE, "logits .* bfloat16"),
        (output(value=torch.zeros(N).double()), ErrorCode.MODEL_OUTPUT_DTYPE, "value .* float64"),
        (output(logits=torch.zeros(N, ACTIONS).long()), ErrorCode.MODEL_OUTPUT_DTYPE, "logits .* int64"),
        (output(logits=torch.full((N, ACTIONS), torch.nan)), ErrorCode.MODEL_OUTPUT_NOT_FINITE, "logits"),
        (output(logits=torch.full((N, ACTIONS), -torch.inf)), ErrorCode.MODEL_OUTPUT_NOT_FINITE, "logits"),
        (output(value=torch.full((N,), torch.inf)), ErrorCode.MODEL_OUTPUT_NOT_FINITE, "value"),
        (output(hands=torch.full((N, OTHERS, CARDS), torch.nan)), ErrorCode.MODEL_OUTPUT_NOT_FINITE, "hands"),
    ],
)
def test_errors_of_invalid_outputs_name_the_field(wrong: Any, code: ErrorCode, field: str) -> None:
    with pytest.raises(GameError, match=field) as error:
        check_output(wrong, batch(), "Net")
    assert error.value.code == code


def test_masked_logits_may_be_infinite() -> None:
    given = batch()
    logits = torch.where(given.action_mask, torch.zeros(()), torch.full((), -torch.inf))
    check_output(output(logits=logits), given, "Net")


def test_half_precision_outputs_are_accepted_with_allow_half() -> None:
    half = output(logits=torch.zeros(N, ACTIONS).bfloat16())
    assert check_output(half, batch(), "Net", allow_half=True) is half


def test_exceptions_of_a_network_raise_with_their_cause() -> None:
    class Half(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(FEATURES, ACTIONS).bfloat16()

        def forward(self, given: Batch) -> PolicyOutput:
            return PolicyOutput(self.layer(given.observation), torch.zeros(N))

    networks = ModelNetworks(Half(), GameShape.of(load("president").engine()))
    with pytest.raises(GameError, match="dtype") as error:
        networks.probe(batch())
    assert error.value.code == ErrorCode.MODEL_FAILED
    assert isinstance(error.value.__cause__, RuntimeError)


def test_very_low_logits_stay_above_masked_ones() -> None:
    """A network that diverges has logits below any constant; a masked label must not be drawn instead."""
    logits = torch.tensor([[-1e30, -2e30, 5.0], [-1e12, -1e12, 0.0], [1.0, 2.0, 3.0]])
    mask = torch.tensor([[True, True, False], [True, True, False], [True, True, False]])
    shares = masked_log_probs(logits, mask).exp()
    assert torch.allclose(shares[:, :2].sum(dim=1), torch.ones(3))
    assert torch.equal(shares[:2], torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]))
