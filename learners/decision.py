"""The decision model: a policy over the pseudo-actions and a value (Chen et al. 2025, section 2.3)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from abl_cards.learners.encoders import Encoder, ObservationLayout, mlp
from abl_cards.learners.presets import ESTIMATE, ESTIMATE_INPUTS, LEGAL, PLAYS_LEFT, REGRET, RESPONSES, TO_BEAT, Preset
from abl_cards.learners.sparse_linear import sparse_linear

REGRET_UNIT = 30.0
"""Unit of the costs of the knowledge base: they are divided by it."""
MAX_REGRET = 8.0
"""Greatest cost over the cheapest label's that is distinguished, in units."""
PLAYS_UNIT = 5.0
MAX_PLAYS = 12
"""Greatest number of plays that the critic distinguishes."""
MASKED_LOGIT, LOWEST_LOGIT = -1e9, -1e8
"""Logit of labels that are not legal, and the least of a legal one: it stays the greater one where weights explode."""


@dataclass(frozen=True)
class InputTensors:
    """Inputs of the policy for n decisions."""

    observation: Tensor  # [n, features]
    legal: Tensor  # [n, labels] bool, possible and consistent labels
    to_beat: Tensor  # [n] int64 label to beat, -1 when leading
    regret: Tensor  # [n, labels] cost over the cheapest label's; any number where not legal
    plays_left: Tensor  # [n, labels] the least number of plays that empties the hand after each label
    estimate: Tensor  # [n, others, cards] expected copies; unused without ABLN
    response_probs: Tensor  # [n, others, labels] probability that each other seat could answer
    prior: Tensor  # [n, others, cards] estimate without learning, in any dtype; read by networks of one's own alone

    def get_input(self, name: str) -> Tensor:
        """Return an input by the name that presets use, [n, ...]."""
        return _INPUT_FUNCTIONS[name](self)


def _scaled_regret(inputs: InputTensors) -> Tensor:
    units = (inputs.regret / REGRET_UNIT).clamp(0, MAX_REGRET)
    return torch.where(inputs.legal, units, torch.zeros(()))


def _one_hot_to_beat(inputs: InputTensors) -> Tensor:
    return inputs.to_beat[:, None] == torch.arange(inputs.legal.shape[1], device=inputs.to_beat.device)


def _legal_response_probs(inputs: InputTensors) -> Tensor:
    """Return the response probabilities of legal labels; those of other labels disturb the learning."""
    return inputs.response_probs * inputs.legal[:, None]


def _min_plays_left(inputs: InputTensors) -> Tensor:
    """Return [n, 1] the least number of plays after any label."""
    return torch.where(inputs.legal, inputs.plays_left, torch.full((), 99.0)).amin(dim=1, keepdim=True)


def _scaled_plays_left(inputs: InputTensors) -> Tensor:
    """Return the plays after each label in fives; the least of all for labels that are not legal."""
    return torch.where(inputs.legal, inputs.plays_left, _min_plays_left(inputs)) / PLAYS_UNIT


def _thermometer(plays_left: Tensor) -> Tensor:
    """Return [n, hands, MAX_PLAYS] numbers of plays [n, hands] as steps: more than 0, more than 1, ..."""
    return plays_left[..., None] > torch.arange(MAX_PLAYS, device=plays_left.device)


_CRITIC_INPUTS = (LEGAL, TO_BEAT, PLAYS_LEFT)
_PER_LABEL_INPUTS = (LEGAL, TO_BEAT, REGRET, PLAYS_LEFT)

_INPUT_FUNCTIONS = {
    ESTIMATE: lambda question: question.estimate,
    RESPONSES: _legal_response_probs,
    LEGAL: lambda question: question.legal,
    TO_BEAT: _one_hot_to_beat,
    REGRET: _scaled_regret,
    PLAYS_LEFT: _scaled_plays_left,
}


class _ResidualBlock(nn.Module):
    """Two layers with a residual connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        nn.init.zeros_(self.second.weight)

    def forward(self, hidden: Tensor) -> Tensor:
        """Map [n, width] to [n, width]."""
        out: Tensor = hidden + self.second(torch.relu(self.first(torch.relu(hidden))))
        return out


class PolicyNetwork(nn.Module):
    """The policy; costs of the knowledge base among its inputs are subtracted from its logits too."""

    def __init__(
        self, layout: ObservationLayout, preset: Preset, num_labels: int, num_others: int, num_cards: int
    ) -> None:
        """Create the network for the sizes of a game."""
        super().__init__()
        self.input_sizes = sizes = dict.fromkeys((LEGAL, TO_BEAT, REGRET, PLAYS_LEFT), num_labels)
        sizes |= {ESTIMATE: num_others * num_cards, RESPONSES: num_others * num_labels}
        self.inputs, self.encoder_out = preset.inputs, preset.encoder.out_size
        self.encoder = Encoder(layout, preset.encoder)
        self.join = nn.Linear(preset.encoder.out_size + sum(sizes[name] for name in self.inputs), preset.policy_width)
        self.blocks = nn.Sequential(*[_ResidualBlock(preset.policy_width) for _ in range(preset.policy_blocks)])
        self.input_dropout, self.dropout = nn.Dropout(0.0), nn.Dropout(0.0)
        self.policy = nn.Linear(preset.policy_width, num_labels)
        self.trust = nn.Parameter(torch.ones(())) if REGRET in self.inputs else None
        nn.init.normal_(self.policy.weight, std=0.01)

    @property
    def column_blocks(self) -> list[tuple[int, int]]:
        """Column blocks of ``join`` for weight transfer: columns without labels, and blocks per label."""
        times = dict.fromkeys(_PER_LABEL_INPUTS, 1) | {
            RESPONSES: self.input_sizes[RESPONSES] // self.input_sizes[LEGAL]
        }
        input_blocks = ((0, times[name]) if name in times else (self.input_sizes[name], 0) for name in self.inputs)
        return [(self.encoder_out, 0), *input_blocks]

    def widen_join_weight(self, weight: Tensor) -> Tensor:
        """Return the weights of ``join`` of a network without an estimate, with zeros for the estimate."""
        known = [name for name in self.inputs if name not in ESTIMATE_INPUTS]
        sizes = [self.encoder_out, *(self.input_sizes[name] for name in known)]
        encoded, *parts = torch.split_with_sizes(weight, sizes, dim=1)
        there = dict(zip(known, parts, strict=True))
        every = (there.get(name, weight.new_zeros(len(weight), self.input_sizes[name])) for name in self.inputs)
        return torch.cat([encoded, *every], dim=1)

    def _apply_join(self, encoded: Tensor, inputs: InputTensors) -> Tensor:
        """Apply ``join`` to the encoded observation and to the other inputs separately, since these need no gradient.

        Their columns are mostly zero, except those of an estimate, which is the first of them.
        """
        if not self.inputs:
            alone: Tensor = self.join(encoded)
            return alone
        parts = [inputs.get_input(name) for name in self.inputs]
        num_dense = int(self.inputs[0] == ESTIMATE)
        num_columns = self.join.in_features - self.encoder_out
        of_encoded, of_parts = torch.split_with_sizes(self.join.weight, [self.encoder_out, num_columns], dim=1)
        from_parts = sparse_linear(parts, of_parts, self.join.bias, inputs.observation.dtype, num_dense)
        return nn.functional.linear(encoded, of_encoded) + from_parts

    def forward(self, inputs: InputTensors) -> Tensor:
        """Return [n, labels] log-probabilities; next to none for labels that are not legal."""
        encoded = torch.relu(self.encoder(self.input_dropout(inputs.observation)))
        last = self.dropout(torch.relu(self.blocks(self._apply_join(self.dropout(encoded), inputs))))
        with torch.autocast(
            last.device.type, enabled=False
        ):  # updates change a policy by less than half precision resolves
            logits = self.policy(last.float())
        if self.trust is not None:
            logits = logits - self.trust * inputs.get_input(REGRET)
        logits = torch.where(inputs.legal, logits.clamp(min=LOWEST_LOGIT), torch.full((), MASKED_LOGIT))
        return torch.log_softmax(logits, dim=1)


@dataclass(frozen=True)
class PrivilegedTensors:
    """Inputs of the critic from the hidden hands of n decisions; see ``PrivilegedInputs``."""

    hands: Tensor  # [n, others, cards]
    plays_left: Tensor  # [n, others]
    lead_mask: Tensor  # [n, seats, labels or a few more] bits


class PrivilegedCritic(nn.Module):
    """The value of a decision with known hidden hands: in training, and on sampled deals.

    It does not read the cards played so far, by which it would memorise training games.
    """

    def __init__(
        self, layout: ObservationLayout, preset: Preset, num_labels: int, num_others: int, num_cards: int
    ) -> None:
        """Create the network for the sizes of a game."""
        super().__init__()
        self.layout, self.labels = layout, num_labels
        self.inputs: tuple[str, ...] = _CRITIC_INPUTS if preset.critic_reads_labels else ()
        hands = num_others + 1 if preset.critic_reads_labels else 0
        race = num_others * num_cards + (num_others + 1) * MAX_PLAYS
        self.column_blocks = [(layout.current_size, len(self.inputs)), (race, hands)]
        input_size = layout.current_size + race + (len(self.inputs) + hands) * num_labels
        self.value = mlp((input_size, preset.critic_width, preset.critic_width, 1))

    def forward(self, inputs: InputTensors, privileged: PrivilegedTensors) -> Tensor:
        """Return [n] the expected return, from observations and hidden hands."""
        race = _thermometer(
            torch.cat([privileged.plays_left, _min_plays_left(inputs).to(privileged.plays_left.dtype)], dim=1)
        )
        parts = [
            *self.layout.current_features(inputs.observation),
            *map(inputs.get_input, self.inputs),
            privileged.hands,
            race,
        ]
        if self.inputs:
            parts.append(privileged.lead_mask[..., : self.labels])
        first = self.value[0]
        hidden = sparse_linear(parts, first.weight, first.bias, inputs.observation.dtype)  # type: ignore[arg-type]
        value: Tensor = self.value[1:](hidden).squeeze(1)
        return value


def ppo_loss(log_probability: Tensor, old_log_probability: Tensor, advantage: Tensor, clip_coef: float) -> Tensor:
    """Return the clipped objective of PPO.

    Args:
        log_probability: [n] log-probabilities of the chosen labels now.
        old_log_probability: [n] log-probabilities when they were chosen.
        advantage: [n] normalised advantages.
        clip_coef: Clip range of the ratio.
    """
    ratio = torch.exp(log_probability - old_log_probability)
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - clip_coef, 1 + clip_coef) * advantage).mean()


def mean_entropy(log_probabilities: Tensor) -> Tensor:
    """Return the mean entropy in nats.

    Args:
        log_probabilities: [n, labels] log-probabilities.
    """
    return -(log_probabilities.exp() * log_probabilities.clamp(min=-50)).sum(dim=1).mean()


def lookahead_loss(log_probabilities: Tensor, target_policy: Tensor) -> Tensor:
    """Return the mean divergence of policies from look-ahead policies in nats.

    Args:
        log_probabilities: [n, labels] log-probabilities.
        target_policy: [n, labels] probabilities after looking ahead; rows of zeros count as no divergence.
    """
    surprise = torch.xlogy(target_policy, target_policy) - target_policy * log_probabilities.clamp(min=-50)
    return surprise.sum(dim=1).mean()
