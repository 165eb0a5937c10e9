"""Decision models that look at planes of cards: EasyTractor (chapter 4 of the Tractor paper), and with what abl knows.

``options=0`` is the paper's network: all the planes of all options are channels of an adapted ResNet-18, and the policy
has a place for each. Otherwise options are weighed one by one by the same small network, beside what it sees of the
state: that learns from little, and costs as much as there are options.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from learners.decision import MOST_REGRET, REGRET_UNIT, OpenHands, Question
from learners.pictures import MOST_OPTIONS, Options, Pictures, options_of
from learners.presets import ESTIMATE, REGRET, Look, Preset

_FORBIDDEN = -1e9
_GROUPS = 8


class _Block(nn.Module):
    """Two convolutions added to what came in.

    Normalised by groups of channels: a batch of one position and one of thousands must be weighed alike.
    """

    def __init__(self, inner: int, outer: int) -> None:
        super().__init__()
        self.first, self.second = _convolution(inner, outer), _convolution(outer, outer)
        self.between, self.after = nn.GroupNorm(_GROUPS, outer), nn.GroupNorm(_GROUPS, outer)
        self.across = nn.Conv2d(inner, outer, 1, bias=False) if inner != outer else nn.Identity()

    def forward(self, planes: Tensor) -> Tensor:
        """[n, inner, rows, columns] to [n, outer, rows, columns]."""
        found = self.after(self.second(torch.relu(self.between(self.first(planes)))))
        wider: Tensor = torch.relu(found + self.across(planes))
        return wider


def _convolution(inner: int, outer: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inner, outer, 3, stride=stride, padding=1, bias=False)


class Trunk(nn.Module):
    """A first convolution of stride 2, stages of residual blocks, and the hidden layer."""

    def __init__(self, planes: int, rows: int, columns: int, look: Look) -> None:
        super().__init__()
        self.first = _convolution(planes, look.channels[0], stride=2)
        self.norm = nn.GroupNorm(_GROUPS, look.channels[0])
        stages = [(inner, outer) for inner, outer in pairwise(look.channels)]
        blocks = [(outer if again else inner, outer) for inner, outer in stages for again in range(look.blocks)]
        self.blocks = nn.Sequential(*[_Block(*sizes) for sizes in blocks])
        self.hidden = nn.Linear(look.channels[-1] * -(-rows // 2) * -(-columns // 2), look.hidden)

    def forward(self, planes: Tensor) -> Tensor:
        """[n, planes, rows, columns] to [n, hidden]."""
        seen = self.blocks(torch.relu(self.norm(self.first(planes))))
        found: Tensor = torch.relu(self.hidden(seen.flatten(1)))
        return found


class Weigher(nn.Module):
    """What an option is worth beside the hidden layer."""

    def __init__(self, told: int, look: Look) -> None:
        super().__init__()
        self.option, self.state = nn.Linear(told, look.options), nn.Linear(look.hidden, look.options)
        self.between, self.score = nn.Linear(look.options, look.options), nn.Linear(look.options, 1)
        nn.init.normal_(self.score.weight, std=0.1)

    def forward(self, told: Tensor, hidden: Tensor, options: Options) -> Tensor:
        """What is told of m options [m, told], and the hidden layer [n, hidden], to [m]."""
        mixed = self.option(told) + self.state(hidden)[options.row]
        found: Tensor = self.score(torch.relu(self.between(torch.relu(mixed)))).squeeze(1)
        return found


class Looking(nn.Module):
    """The policy. With the costs of the knowledge base among its inputs they are its prior as well."""

    def __init__(self, pictures: Pictures, preset: Preset, others: int) -> None:
        super().__init__()
        look = preset.look
        if look is None:
            raise ValueError("a preset that does not look")
        self.inputs, self.pictures, self.by_one = preset.inputs, pictures, look.options > 0
        planes = pictures.state_planes + (others if ESTIMATE in self.inputs else 0)
        if not self.by_one:
            planes += MOST_OPTIONS * pictures.copies
        self.trunk = Trunk(planes, pictures.rows, pictures.columns, look)
        self.policy: nn.Module = nn.Linear(look.hidden, MOST_OPTIONS)
        if self.by_one:
            told = 2 * pictures.copies * pictures.size + (REGRET in self.inputs)
            self.policy = Weigher(told, look)
        self.trust = nn.Parameter(torch.ones(())) if REGRET in self.inputs else None
        self.forget_inputs, self.forget = nn.Dropout(0.0), nn.Dropout(0.0)

    def hidden(self, question: Question, options: Options | None = None) -> Tensor:
        """[n, hidden] what the policy and the value share."""
        observation, pictures = question.observation, self.pictures
        planes = [pictures.state(observation)]
        if ESTIMATE in self.inputs:
            planes.append(pictures.spread(question.estimate) / pictures.copies)
        if not self.by_one:
            planes.append(self._channels(observation, options or options_of(question)))
        told = torch.unflatten(torch.cat(planes, dim=1), 2, (pictures.rows, pictures.columns))
        found: Tensor = self.trunk(self.forget_inputs(told))
        return found

    def _channels(self, observation: Tensor, options: Options) -> Tensor:
        """[n, options * copies, size] the planes of every option in its place, zeros where there is none."""
        pictures = self.pictures
        shape = len(observation), MOST_OPTIONS, pictures.copies * pictures.size
        channels = observation.new_zeros(shape)
        channels[options.row, options.slot] = pictures.options(observation, options)
        return channels.view(len(observation), MOST_OPTIONS * pictures.copies, pictures.size)

    def forward(self, question: Question) -> Tensor:
        """[n, labels] log-probabilities; what may not be chosen has next to none."""
        options = options_of(question)
        hidden = self.forget(self.hidden(question, options))
        if self.by_one:
            scores = self._weigh(question, options, hidden)
        else:
            scores = self.policy(hidden)[options.row, options.slot]
        logits = scores.new_full(question.legal.shape, _FORBIDDEN, dtype=torch.float32)
        logits[options.row, options.label] = scores.float()
        return torch.log_softmax(logits, dim=1)

    def _weigh(self, question: Question, options: Options, hidden: Tensor) -> Tensor:
        """[m] what each option scores."""
        observation, pictures = question.observation, self.pictures
        cards = pictures.options(observation, options)
        major = pictures.major(observation).repeat(1, pictures.copies)[options.row]
        told = [cards, cards * major]
        if self.trust is None:
            scores: Tensor = self.policy(torch.cat(told, dim=1), hidden, options)
            return scores
        regret = (question.regret[options.row, options.label] / REGRET_UNIT).clamp(0, MOST_REGRET)
        told.append(regret[:, None].to(cards.dtype))
        scores = self.policy(torch.cat(told, dim=1), hidden, options)
        return scores - self.trust * regret


class Valued(nn.Module):
    """The value of a decision, read off the hidden layer of the policy: nothing is known that the seat does not see."""

    def __init__(self, decision: Looking, hidden: int) -> None:
        super().__init__()
        self.value = nn.Linear(hidden, 1)
        self._decision = (decision,)  # shared, and kept with the policy

    def forward(self, question: Question, opened: OpenHands) -> Tensor:
        """[n] the expected return."""
        found: Tensor = self.value(self._decision[0].hidden(question)).squeeze(1)
        return found
