"""The objectives of the policy."""

import math

import torch

from abl_cards.learners.decision import lookahead_loss, mean_entropy, ppo_loss


def test_ppo_loss_equals_hand_computed_values() -> None:
    now = torch.log(torch.tensor([0.5, 0.1, 0.3]))
    before = torch.log(torch.tensor([0.25, 0.2, 0.3]))
    advantage = torch.tensor([1.0, -1.0, 2.0])
    # ratios 2, 0.5, 1: a gain counts up to 1.2, a loss is not made smaller than 0.8 of it
    assert math.isclose(float(ppo_loss(now, before, advantage, 0.2)), -(1.2 - 0.8 + 2.0) / 3, rel_tol=1e-5)


def test_ppo_loss_has_no_gradient_beyond_the_clip() -> None:
    now = torch.log(torch.tensor([0.5])).requires_grad_()
    ppo_loss(now, torch.log(torch.tensor([0.25])), torch.tensor([1.0]), 0.2).backward()  # type: ignore[no-untyped-call]
    assert now.grad is not None
    assert float(now.grad) == 0


def test_entropy_of_uniform_probabilities_is_log_n() -> None:
    even = torch.full((2, 8), -math.inf)
    even[:, :4] = math.log(0.25)
    assert math.isclose(float(mean_entropy(even)), math.log(4), rel_tol=1e-6)


def test_lookahead_loss_pulls_to_targets_and_ignores_rows_without() -> None:
    policy = torch.tensor([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]]).clamp(min=1e-30).log().requires_grad_()
    foreseen = torch.tensor([[0.75, 0.25, 0.0], [0.0, 0.0, 0.0]])
    loss = lookahead_loss(policy, foreseen)
    assert math.isclose(loss.item(), (0.75 * math.log(1.5) + 0.25 * math.log(0.5)) / 2, rel_tol=1e-5)
    loss.backward()  # type: ignore[no-untyped-call]
    assert policy.grad is not None
    assert policy.grad.tolist() == [[-0.375, -0.125, 0], [0, 0, 0]]
    assert abs(float(lookahead_loss(foreseen[:1].clamp(min=1e-30).log(), foreseen[:1]))) < 1e-6
