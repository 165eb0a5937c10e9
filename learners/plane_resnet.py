"""Decision models that read planes of cards: EasyTractor (chapter 4 of the Tractor paper), and a variant for abl.

``options=0`` is the paper's network: all planes of all options are channels of an adapted ResNet-18, and the policy has
an output for each. Otherwise the same small network scores each option beside the encoded state. This needs less data,
and its cost grows with the number of options.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from abl_cards.learners.decision import (
    LOWEST_LOGIT,
    MASKED_LOGIT,
    MAX_REGRET,
    REGRET_UNIT,
    InputTensors,
    PrivilegedTensors,
)
from abl_cards.learners.plane_features import MAX_OPTIONS, Options, PlaneFeatures, find_options
from abl_cards.learners.presets import ESTIMATE, REGRET, PlaneResNetConfig, Preset

_NORM_GROUPS = 8


class _ConvBlock(nn.Module):
    """Two convolutions with a residual connection.

    Channels are normalised in groups, so that the result does not depend on the size of the batch.
    """

    def __init__(self, inner: int, outer: int) -> None:
        super().__init__()
        self.first, self.second = _conv3x3(inner, outer), _conv3x3(outer, outer)
        self.between, self.after = nn.GroupNorm(_NORM_GROUPS, outer), nn.GroupNorm(_NORM_GROUPS, outer)
        self.across = nn.Conv2d(inner, outer, 1, bias=False) if inner != outer else nn.Identity()

    def forward(self, planes: Tensor) -> Tensor:
        """Map [n, inner, rows, columns] to [n, outer, rows, columns]."""
        residual = self.after(self.second(torch.relu(self.between(self.first(planes)))))
        wider: Tensor = torch.relu(residual + self.across(planes))
        return wider


def _conv3x3(inner: int, outer: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inner, outer, 3, stride=stride, padding=1, bias=False)


class ResNetTrunk(nn.Module):
    """A first convolution of stride 2, stages of residual blocks, and the hidden layer, which may read features too."""

    def __init__(self, planes: int, rows: int, columns: int, config: PlaneResNetConfig, num_features: int) -> None:
        super().__init__()
        self.first = _conv3x3(planes, config.channels[0], stride=2)
        self.norm = nn.GroupNorm(_NORM_GROUPS, config.channels[0])
        stages = [(inner, outer) for inner, outer in pairwise(config.channels)]
        blocks = [
            (outer if again else inner, outer) for inner, outer in stages for again in range(config.blocks_per_stage)
        ]
        self.blocks = nn.Sequential(*[_ConvBlock(*sizes) for sizes in blocks])
        self.hidden = nn.Linear(config.channels[-1] * -(-rows // 2) * -(-columns // 2), config.hidden_width)
        self.others = nn.Linear(num_features, config.hidden_width, bias=False) if num_features else None

    def forward(self, planes: Tensor, features: Tensor | None = None) -> Tensor:
        """Map [n, planes, rows, columns], and [n, num_features] if there are any, to [n, hidden]."""
        hidden = self.hidden(self.blocks(torch.relu(self.norm(self.first(planes)))).flatten(1))
        if self.others is not None:
            hidden = hidden + self.others(features)
        return torch.relu(hidden)


class OptionScorer(nn.Module):
    """Scorer of options, from their features and the hidden layer."""

    def __init__(self, in_features: int, config: PlaneResNetConfig) -> None:
        super().__init__()
        self.option, self.state = (
            nn.Linear(in_features, config.option_width),
            nn.Linear(config.hidden_width, config.option_width),
        )
        self.between, self.score = (
            nn.Linear(config.option_width, config.option_width),
            nn.Linear(config.option_width, 1),
        )
        nn.init.normal_(self.score.weight, std=0.1)

    def forward(self, features: Tensor, hidden: Tensor, options: Options) -> Tensor:
        """Score m options from features [m, features] and the hidden layer [n, hidden]; returns [m]."""
        mixed = self.option(features) + self.state(hidden)[options.row]
        scores: Tensor = self.score(torch.relu(self.between(torch.relu(mixed)))).squeeze(1)
        return scores


class PlanePolicyNetwork(nn.Module):
    """Policy network; costs of the knowledge base among its inputs are its prior as well."""

    def __init__(self, plane_features: PlaneFeatures, preset: Preset, num_others: int) -> None:
        super().__init__()
        look = preset.plane_resnet
        if look is None:
            raise ValueError("a preset that does not look")
        self.inputs, self.plane_features, self.scores_each_option = preset.inputs, plane_features, look.option_width > 0
        planes = plane_features.num_state_planes + (num_others if ESTIMATE in self.inputs else 0)
        if not self.scores_each_option:
            planes += MAX_OPTIONS * plane_features.copies
        num_features = plane_features.num_other_features if look.reads_other_features else 0
        self.trunk = ResNetTrunk(planes, plane_features.rows, plane_features.columns, look, num_features)
        self.policy: nn.Module = nn.Linear(look.hidden_width, MAX_OPTIONS)
        if self.scores_each_option:
            num_features = 2 * plane_features.copies * plane_features.plane_size + (REGRET in self.inputs)
            self.policy = OptionScorer(num_features, look)
        self.trust = nn.Parameter(torch.ones(())) if REGRET in self.inputs else None
        self.input_dropout, self.dropout = nn.Dropout(0.0), nn.Dropout(0.0)

    def compute_hidden(self, inputs: InputTensors, options: Options | None = None) -> Tensor:
        """Compute the layer [n, hidden] that policy and value share."""
        observation, pictures = inputs.observation, self.plane_features
        planes = [pictures.encode_state(observation)]
        if ESTIMATE in self.inputs:
            planes.append(pictures.scatter_to_planes(inputs.estimate) / pictures.copies)
        if not self.scores_each_option:
            planes.append(self._option_channels(observation, options or find_options(inputs)))
        channels = torch.unflatten(torch.cat(planes, dim=1), 2, (pictures.rows, pictures.columns))
        others = None if self.trunk.others is None else pictures.other_features(observation)
        hidden: Tensor = self.trunk(self.input_dropout(channels), others)
        return hidden

    def _option_channels(self, observation: Tensor, options: Options) -> Tensor:
        """Encode the planes [n, options * copies, size] of every option; zeros without an option."""
        pictures = self.plane_features
        shape = len(observation), MAX_OPTIONS, pictures.copies * pictures.plane_size
        channels = observation.new_zeros(shape)
        channels[options.row, options.slot] = pictures.encode_options(observation, options)
        return channels.view(len(observation), MAX_OPTIONS * pictures.copies, pictures.plane_size)

    def forward(self, inputs: InputTensors) -> Tensor:
        """Return log-probabilities [n, labels]; very low for labels that are not legal."""
        options = find_options(inputs)
        hidden = self.dropout(self.compute_hidden(inputs, options))
        if self.scores_each_option:
            scores = self._score_options(inputs, options, hidden)
        else:
            scores = self.policy(hidden)[options.row, options.slot]
        logits = scores.new_full(inputs.legal.shape, MASKED_LOGIT, dtype=torch.float32)
        logits[options.row, options.label] = scores.float().clamp(min=LOWEST_LOGIT)
        return torch.log_softmax(logits, dim=1)

    def _score_options(self, inputs: InputTensors, options: Options, hidden: Tensor) -> Tensor:
        """Score each option [m]."""
        observation, pictures = inputs.observation, self.plane_features
        cards = pictures.encode_options(observation, options)
        major = pictures.encode_first_plane(observation).repeat(1, pictures.copies)[options.row]
        features = [cards, cards * major]
        if self.trust is None:
            scores: Tensor = self.policy(torch.cat(features, dim=1), hidden, options)
            return scores
        regret = (inputs.regret[options.row, options.label] / REGRET_UNIT).clamp(0, MAX_REGRET)
        features.append(regret[:, None].to(cards.dtype))
        scores = self.policy(torch.cat(features, dim=1), hidden, options)
        return scores - self.trust * regret


class SharedValueHead(nn.Module):
    """Value of a decision from the hidden layer of the policy, without hidden information."""

    def __init__(self, policy: PlanePolicyNetwork, hidden: int) -> None:
        super().__init__()
        self.value = nn.Linear(hidden, 1)
        self._shared_policy = (policy,)  # shared, and kept with the policy

    def forward(self, inputs: InputTensors, privileged: PrivilegedTensors) -> Tensor:
        """Return the expected return [n]."""
        value: Tensor = self.value(self._shared_policy[0].compute_hidden(inputs)).squeeze(1)
        return value
