"""The decision model: a policy over the pseudo-actions and a value (Chen et al. 2025, section 2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from learners.encoders import Encoder, Layout, multilayer
from learners.presets import ESTIMATE, LEGAL, OF_ESTIMATES, PLAYS, REGRET, REPLIES, TO_BEAT, Preset

REGRET_UNIT = 30.0
"""Costs of the knowledge base are divided by this."""
MOST_REGRET = 8.0
"""Labels that cost more than so many units over the cheapest look alike."""
PLAYS_UNIT = 5.0
MOST_PLAYS = 12
"""Hands that take more plays look alike to the critic."""
_FORBIDDEN = -1e9


@dataclass(frozen=True)
class Question:
    """What the decision model is told of n decisions."""

    observation: Tensor  # [n, features]
    legal: Tensor  # [n, labels] bool; what may be chosen
    to_beat: Tensor  # [n] int64 label to beat, -1 when leading
    regret: Tensor  # [n, labels] cost over the cheapest label's, in the knowledge base's unit; any number elsewhere
    plays: Tensor  # [n, labels] the least number of plays that empties the hand after each label
    estimate: Tensor  # [n, others, cards]; any numbers for a model without ABLN, as the next ones
    replies: Tensor  # [n, others, labels] how likely each of the others could answer each label

    def part(self, name: str) -> Tensor:
        """One of the inputs a preset may name, [n, ...]."""
        return _PARTS[name](self)

    def parts(self, names: tuple[str, ...]) -> Tensor:
        """Some of them side by side, in numbers like the observation's."""
        return side_by_side([self.part(name) for name in names], self.observation.dtype)


def side_by_side(parts: Sequence[Tensor], numbers: torch.dtype) -> Tensor:
    """[n, ...] each to one [n, sizes] of such numbers."""
    return torch.cat([part.flatten(1).to(numbers) for part in parts], dim=1)


def _regret(question: Question) -> Tensor:
    units = (question.regret / REGRET_UNIT).clamp(0, MOST_REGRET)
    return torch.where(question.legal, units, torch.zeros(()))


def _to_beat(question: Question) -> Tensor:
    return question.to_beat[:, None] == torch.arange(question.legal.shape[1], device=question.to_beat.device)


def _replies(question: Question) -> Tensor:
    """Of the labels that may be chosen; what could answer the others matters less than it disturbs the learning."""
    return question.replies * question.legal[:, None]


def _least_plays(question: Question) -> Tensor:
    """[n, 1] of the plays after each label the fewest."""
    return torch.where(question.legal, question.plays, torch.full((), 99.0)).amin(dim=1, keepdim=True)


def _plays(question: Question) -> Tensor:
    """Plays in fives; the least of all in the place of every label that is not legal."""
    return torch.where(question.legal, question.plays, _least_plays(question)) / PLAYS_UNIT


def _steps(plays: Tensor) -> Tensor:
    """[n, hands, MOST_PLAYS] numbers of plays [n, hands] as steps: more than none, more than one, ..."""
    return plays[..., None] > torch.arange(MOST_PLAYS, device=plays.device)


_CRITIC_INPUTS = (LEGAL, TO_BEAT, PLAYS)
_BY_LABEL = (LEGAL, TO_BEAT, REGRET, PLAYS)

_PARTS = {
    ESTIMATE: lambda question: question.estimate,
    REPLIES: _replies,
    LEGAL: lambda question: question.legal,
    TO_BEAT: _to_beat,
    REGRET: _regret,
    PLAYS: _plays,
}


class _Residual(nn.Module):
    """Two layers added to what came in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        nn.init.zeros_(self.second.weight)

    def forward(self, hidden: Tensor) -> Tensor:
        """[n, width] to the same."""
        out: Tensor = hidden + self.second(torch.relu(self.first(torch.relu(hidden))))
        return out


class Decision(nn.Module):
    """The policy. With the costs of the knowledge base among its inputs they are its prior as well."""

    def __init__(self, layout: Layout, preset: Preset, labels: int, others: int, cards: int) -> None:
        """For a game with so many labels, and so many other seats that hold so many kinds of cards."""
        super().__init__()
        self.sizes = sizes = dict.fromkeys((LEGAL, TO_BEAT, REGRET, PLAYS), labels)
        sizes |= {ESTIMATE: others * cards, REPLIES: others * labels}
        self.inputs, self.encoder_out = preset.inputs, preset.encoder.out
        self.encoder = Encoder(layout, preset.encoder)
        self.join = nn.Linear(preset.encoder.out + sum(sizes[name] for name in self.inputs), preset.decision_width)
        self.blocks = nn.Sequential(*[_Residual(preset.decision_width) for _ in range(preset.decision_blocks)])
        self.forget_inputs, self.forget = nn.Dropout(0.0), nn.Dropout(0.0)
        self.policy = nn.Linear(preset.decision_width, labels)
        self.trust = nn.Parameter(torch.ones(())) if REGRET in self.inputs else None
        nn.init.normal_(self.policy.weight, std=0.01)

    @property
    def blocks_of_columns(self) -> list[tuple[int, int]]:
        """Of ``join``: so many columns without a label, then so many times one a label; see ``relabelled``."""
        times = dict.fromkeys(_BY_LABEL, 1) | {REPLIES: self.sizes[REPLIES] // self.sizes[LEGAL]}
        told = ((0, times[name]) if name in times else (self.sizes[name], 0) for name in self.inputs)
        return [(self.encoder_out, 0), *told]

    def widened(self, weight: Tensor) -> Tensor:
        """The weights of ``join`` of a model without an estimate for this one: nothing comes from the estimate."""
        known = [name for name in self.inputs if name not in OF_ESTIMATES]
        sizes = [self.encoder_out, *(self.sizes[name] for name in known)]
        encoded, *parts = torch.split_with_sizes(weight, sizes, dim=1)
        there = dict(zip(known, parts, strict=True))
        every = (there.get(name, weight.new_zeros(len(weight), self.sizes[name])) for name in self.inputs)
        return torch.cat([encoded, *every], dim=1)

    def _joined(self, encoded: Tensor, told: Tensor) -> Tensor:
        """``join`` of both; one by one, since no gradient is wanted for what it is told, most of the numbers."""
        of_encoded, of_told = torch.split_with_sizes(self.join.weight, [self.encoder_out, told.shape[1]], dim=1)
        return nn.functional.linear(encoded, of_encoded) + nn.functional.linear(told, of_told, self.join.bias)

    def forward(self, question: Question) -> Tensor:
        """[n, labels] log-probabilities; what may not be chosen has next to none."""
        encoded = torch.relu(self.encoder(self.forget_inputs(question.observation)))
        told = question.parts(self.inputs)
        last = self.forget(torch.relu(self.blocks(self._joined(self.forget(encoded), told))))
        with torch.autocast(last.device.type, enabled=False):  # a policy changes by less than half precision shows
            logits = self.policy(last.float())
        if self.trust is not None:
            logits = logits - self.trust * question.part(REGRET)
        return torch.log_softmax(torch.where(question.legal, logits, torch.full((), _FORBIDDEN)), dim=1)


@dataclass(frozen=True)
class OpenHands:
    """What the critic is told of n decisions where every hand lies open; see ``learners.told.Opened``."""

    hands: Tensor  # [n, others, cards]
    to_go: Tensor  # [n, others]
    openings: Tensor  # [n, seats, labels or a few more] bits


class Critic(nn.Module):
    """The value of a decision where the hidden hands are known: in training, and in deals that are imagined.

    What has been laid down would only tell it which game of its lessons this is.
    """

    def __init__(self, layout: Layout, preset: Preset, labels: int, others: int, cards: int) -> None:
        """For observations of a layout, so many labels, and so many hands of others of so many cards."""
        super().__init__()
        self.layout, self.labels = layout, labels
        self.inputs: tuple[str, ...] = _CRITIC_INPUTS if preset.critic_labels else ()
        hands = others + 1 if preset.critic_labels else 0
        race = others * cards + (others + 1) * MOST_PLAYS
        self.blocks_of_columns = [(layout.present_size, len(self.inputs)), (race, hands)]
        told = layout.present_size + race + (len(self.inputs) + hands) * labels
        self.value = multilayer((told, preset.critic_width, preset.critic_width, 1))

    def forward(self, question: Question, opened: OpenHands) -> Tensor:
        """[n] the expected return, from what the seat sees and from what lies open."""
        race = _steps(torch.cat([opened.to_go, _least_plays(question).to(opened.to_go.dtype)], dim=1))
        parts = [
            *self.layout.present(question.observation),
            *map(question.part, self.inputs),
            opened.hands,
            race,
        ]
        if self.inputs:
            parts.append(opened.openings[..., : self.labels])
        value: Tensor = self.value(side_by_side(parts, question.observation.dtype)).squeeze(1)
        return value


def ppo_loss(log_probability: Tensor, before: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """The clipped objective: log-probabilities of the chosen labels now and when chosen, advantages; all [n]."""
    ratio = torch.exp(log_probability - before)
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()


def entropy_of(log_probabilities: Tensor) -> Tensor:
    """The mean entropy of distributions [n, labels] in nats."""
    return -(log_probabilities.exp() * log_probabilities.clamp(min=-50)).sum(dim=1).mean()


def foresight_loss(log_probabilities: Tensor, foreseen: Tensor) -> Tensor:
    """The mean divergence in nats of policies [n, labels] from what was foreseen [n, labels], zeros where nothing was.

    Those count as no divergence, but they count.
    """
    surprise = torch.xlogy(foreseen, foreseen) - foreseen * log_probabilities.clamp(min=-50)
    return surprise.sum(dim=1).mean()
