"""A linear-chain conditional random field (Lafferty et al. 2001) with a start and an end state, exact and batched.

Sequences of a batch may differ in length; values beyond the end of a sequence are ignored.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ConditionalRandomField(nn.Module):
    """Scorer of tag sequences by emissions and transitions."""

    def __init__(self, num_tags: int) -> None:
        """Create a field for a number of tags; initially all transitions are equal."""
        super().__init__()
        self.start, self.end = nn.Parameter(torch.zeros(num_tags)), nn.Parameter(torch.zeros(num_tags))
        self.follow = nn.Parameter(torch.zeros(num_tags, num_tags))  # from, to

    def forward(self, emissions: Tensor, lengths: Tensor, tags: Tensor) -> Tensor:
        """Compute the negative log-likelihood [n] of tags [n, places]; emissions [n, places, tags], lengths [n] > 0."""
        return self.log_partition(emissions, lengths) - self.score(emissions, lengths, tags)

    def score(self, emissions: Tensor, lengths: Tensor, tags: Tensor) -> Tensor:
        """Compute the sum [n] of a sequence's emissions and transitions."""
        places = torch.arange(tags.shape[1])
        inside = places < lengths[:, None]
        known = torch.where(inside, tags, 0)
        tag_scores = emissions.gather(2, known[:, :, None])[:, :, 0]
        moves = self.follow[known[:, :-1], known[:, 1:]]
        last = known.gather(1, lengths[:, None] - 1)[:, 0]
        within = (tag_scores * inside).sum(1) + (moves * inside[:, 1:]).sum(1)
        return within + self.start[known[:, 0]] + self.end[last]

    def log_partition(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """Compute the log of the sum over all tag sequences [n], by the forward algorithm."""
        forward = self.start + emissions[:, 0]
        for place in range(1, emissions.shape[1]):
            onward = torch.logsumexp(forward[:, :, None] + self.follow, dim=1) + emissions[:, place]
            forward = torch.where((place < lengths)[:, None], onward, forward)
        return torch.logsumexp(forward + self.end, dim=1)

    def marginals(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """Compute the probability [n, places, tags] of each tag at each place; zeros beyond the end.

        They are the derivatives of the log-partition by the emissions.
        """
        with torch.enable_grad():
            given = emissions.detach().requires_grad_()
            (gradient,) = torch.autograd.grad(self.log_partition(given, lengths).sum(), given)
        return gradient

    def decode(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """Return the most probable tag sequences [n, places] (Viterbi); -1 beyond the end."""
        n, places, _ = emissions.shape
        best, back = self.start + emissions[:, 0], []
        for place in range(1, places):
            value, before = (best[:, :, None] + self.follow).max(dim=1)
            inside = (place < lengths)[:, None]
            best = torch.where(inside, value + emissions[:, place], best)
            back.append(torch.where(inside, before, torch.arange(best.shape[1])))
        tag = (best + self.end).argmax(dim=1)
        tags = torch.empty(n, places, dtype=torch.int64)
        tags[:, -1] = tag
        for place in range(places - 1, 0, -1):
            tag = back[place - 1].gather(1, tag[:, None])[:, 0]
            tags[:, place - 1] = tag
        return torch.where(torch.arange(places) < lengths[:, None], tags, -1)
