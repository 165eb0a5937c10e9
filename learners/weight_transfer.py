"""Weights of one set of labels for another that has more: profiles of a game may differ by plays that only some know.

What networks have learned of a label they know of the label of the same name; of a label that they have never met they
know nothing but what the preferences say.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from abl_cards.learners.decision import PolicyNetwork, PrivilegedCritic
from abl_cards.learners.networks import Networks

NEW_LABEL = -1

ColumnBlocks = Sequence[tuple[int, int]]
"""The columns of a layer, in order: so many that have nothing to do with labels, then so many times one a label."""


def transfer_weights(
    weights: dict[str, Tensor], networks: Networks, old_labels: Sequence[str], new_labels: Sequence[str]
) -> dict[str, Tensor]:
    """Weights made for the learned labels, for networks of these; raises KeyError for weights of other networks."""
    number = {label: place for place, label in enumerate(old_labels)}
    place = torch.tensor([number.get(label, NEW_LABEL) for label in new_labels])
    found = dict(weights)
    decision, critic = networks.decision, networks.critic
    if not isinstance(decision, PolicyNetwork):
        raise KeyError("decision.policy.weight")
    found["decision.join.weight"] = _transfer_columns(weights["decision.join.weight"], decision.column_blocks, place)
    for name in ("decision.policy.weight", "decision.policy.bias"):
        found[name] = _take_or_zero(weights[name], place, 0)
    first = "critic.value.0.weight"
    if isinstance(critic, PrivilegedCritic) and first in weights:
        found[first] = _transfer_columns(weights[first], critic.column_blocks, place)
    return found


def _transfer_columns(weight: Tensor, blocks: ColumnBlocks, place: Tensor) -> Tensor:
    """[n, columns] with the columns of labels where they belong now."""
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
    """What lies at these places of an axis, and zeros for what is new."""
    found = weight.index_select(axis, place.clamp(min=0))
    shape = [-1 if each == axis else 1 for each in range(weight.ndim)]
    return found * (place != NEW_LABEL).to(weight.dtype).view(shape)
