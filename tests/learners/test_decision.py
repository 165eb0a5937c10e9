"""The objectives of the policy."""

import math

import torch

from learners.decision import entropy_of, ppo_loss


def test_the_clipped_objective_by_hand() -> None:
    now = torch.log(torch.tensor([0.5, 0.1, 0.3]))
    before = torch.log(torch.tensor([0.25, 0.2, 0.3]))
    advantage = torch.tensor([1.0, -1.0, 2.0])
    # ratios 2, 0.5, 1: a gain counts up to 1.2, a loss is not made smaller than 0.8 of it
    assert math.isclose(float(ppo_loss(now, before, advantage, 0.2)), -(1.2 - 0.8 + 2.0) / 3, rel_tol=1e-5)


def test_the_objective_does_not_pull_beyond_the_clip() -> None:
    now = torch.log(torch.tensor([0.5])).requires_grad_()
    ppo_loss(now, torch.log(torch.tensor([0.25])), torch.tensor([1.0]), 0.2).backward()  # type: ignore[no-untyped-call]
    assert now.grad is not None
    assert float(now.grad) == 0


def test_entropy_of_even_chances_is_the_logarithm_of_their_number() -> None:
    even = torch.full((2, 8), -math.inf)
    even[:, :4] = math.log(0.25)
    assert math.isclose(float(entropy_of(even)), math.log(4), rel_tol=1e-6)
