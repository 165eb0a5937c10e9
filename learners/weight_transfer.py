"""Transfer of weights to other labels, because profiles of a game may differ in some labels.

Weights of a label are copied to the label of the same name. New labels get zeros, so that only the preferences affect
them. Weights of labels that no longer exist are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from abl_cards.learners.decision import PolicyNetwork, PrivilegedCritic
from abl_cards.learners.networks import Networks
from abl_cards.learners.rollout_network import RolloutNetwork

NEW_LABEL = -1
CRITIC_KEY = "critic.value.0.weight"
"""Weights of the only layer of the critic that reads labels."""

ColumnBlocks = Sequence[tuple[int, int]]
"""Columns of a layer in order: a number of columns without labels, then how often one for each label."""


def transfer_weights(
    weights: dict[str, Tensor], networks: Networks, old_labels: Sequence[str], new_labels: Sequence[str]
) -> dict[str, Tensor]:
    """Return weights for networks with other labels; raises KeyError for weights of other networks."""
    place = _old_places(old_labels, new_labels)
    transferred = transfer_critic(weights, networks, old_labels, new_labels)
    decision = networks.decision
    if not isinstance(decision, PolicyNetwork):
        raise KeyError("decision.policy.weight")
    transferred["decision.join.weight"] = _transfer_columns(
        weights["decision.join.weight"], decision.column_blocks, place
    )
    for name in ("decision.policy.weight", "decision.policy.bias"):
        transferred[name] = _take_or_zero(weights[name], place, 0)
    return transferred


def transfer_critic(
    weights: dict[str, Tensor], networks: Networks, old_labels: Sequence[str], new_labels: Sequence[str]
) -> dict[str, Tensor]:
    """Return weights whose critic, if there is one, reads other labels."""
    critic = networks.critic
    if not isinstance(critic, PrivilegedCritic) or CRITIC_KEY not in weights:
        return dict(weights)
    place = _old_places(old_labels, new_labels)
    return weights | {CRITIC_KEY: _transfer_columns(weights[CRITIC_KEY], critic.column_blocks, place)}


def transfer_rollout_network(
    weights: dict[str, Tensor], network: RolloutNetwork, old_labels: Sequence[str], new_labels: Sequence[str]
) -> dict[str, Tensor]:
    """Return weights of a rollout network with other labels; raises KeyError for weights of another network."""
    place = _old_places(old_labels, new_labels)
    return weights | {
        "first.weight": _transfer_columns(weights["first.weight"], network.column_blocks, place),
        **{name: _take_or_zero(weights[name], place, 0) for name in ("output.weight", "output.bias")},
    }


def _old_places(old_labels: Sequence[str], new_labels: Sequence[str]) -> Tensor:
    number = {label: place for place, label in enumerate(old_labels)}
    return torch.tensor([number.get(label, NEW_LABEL) for label in new_labels])


def _transfer_columns(weight: Tensor, blocks: ColumnBlocks, place: Tensor) -> Tensor:
    """Return [n, columns] with the columns of labels in their new order."""
    learned = (weight.shape[1] - sum(plain for plain, _ in blocks)) // sum(times for _, times in blocks)
    parts, first = list[Tensor](), 0
    for plain, times in blocks:
        parts.append(weight[:, first : first + plain])
        first += plain
        for _ in range(times):
            parts.append(_take_or_zero(weight[:, first : first + learned], place, 1))
            first += learned
    return torch.cat(parts, dim=1)


def _take_or_zero(weight: Tensor, place: Tensor, axis: int) -> Tensor:
    """Return the entries at indices of an axis, and zeros for new labels."""
    entries = weight.index_select(axis, place.clamp(min=0))
    shape = [-1 if dim == axis else 1 for dim in range(weight.ndim)]
    return entries * (place != NEW_LABEL).to(weight.dtype).view(shape)
