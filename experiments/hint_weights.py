"""Fit the weights of the hints to recorded games: ``python -m experiments.hint_weights RECORDS``.

A conditional logit: every unseen copy lies with one of the other seats, which is as likely as the seat has cards open,
times what the hints say. The last matches are left out of the fit. The result is a suggestion; the rule file stays the
place where weights live.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine, GameError, Indices, Moves, game
from abl_cards.games.audience import Quiet
from abl_cards.games.guandan.hints import SCALE, WILD, Hints, card_classes, fired
from abl_cards.games.hidden import Constraints
from abl_cards.logic import KBError
from abl_cards.records import matches_of, readable

_CLASSES = WILD + 1
_PRIOR = 1e-4  # keeps habits that these players never break from being taken for rules
_IMPOSSIBLE = -30.0  # log-odds of a seat that the facts deny a card


@dataclass(frozen=True)
class Settings:
    """How much is read and how long is fitted."""

    file: Path
    share: float = 0.08  # of the decisions
    held_out: int = 40  # matches at the end that are not fitted
    steps: int = 60
    seed: int = 0


@dataclass(frozen=True)
class Samples:
    """Copies that lay with the other seats, and which hints there were."""

    rules: tuple[tuple[str, int], ...]  # hint and weight of each rule, as the rule file has them
    applies: NDArray[np.float32]  # [n, others, classes of cards, rules]
    offset: NDArray[np.float32]  # [n, others, classes] log-odds without hints
    copies: NDArray[np.float32]  # [n, others, classes] that are not known


@dataclass
class _Watcher(Quiet):
    """Listens to a replay and looks at some decisions of the wanted episodes."""

    hints: Hints
    settings: Settings
    wanted: NDArray[np.bool_]  # [episodes]

    def __post_init__(self) -> None:
        self.parts: list[tuple[NDArray[Any], ...]] = []
        self.rules = tuple(dict.fromkeys(zip(self.hints.names, self.hints.weight.tolist(), strict=True)))
        self._random = np.random.default_rng(self.settings.seed)

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Write down the hints and the truth."""
        chosen = which[self.wanted[which] & (self._random.random(len(which)) < self.settings.share)]
        if not chosen.size:
            return
        there = fired(self.hints, tables.habits, tables.course, chosen, tables.course.seat[chosen])
        level = tables.course.level[chosen]
        copies = _copies(self.hints, level, tables.hidden(chosen), tables.others(chosen))
        self.parts.append((self._applies(there), *copies))

    def _applies(self, there: NDArray[np.uint8]) -> NDArray[np.float32]:
        """[n, others, classes, rules] how many outputs of each rule hold."""
        applies = np.zeros((*there.shape[1:], _CLASSES, len(self.rules)), np.float32)
        for output, rule in enumerate(zip(self.hints.names, self.hints.weight.tolist(), strict=True)):
            applies[:, :, self.hints.card[output], self.rules.index(rule)] += there[output]
        return applies


def _copies(
    hints: Hints, level: NDArray[np.int8], known: Constraints, truth: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """[n, others, classes] the log-odds without hints, and the copies that the facts leave open."""
    classes = card_classes(hints, level)
    rows, seats = np.ogrid[: len(level), : truth.shape[1]]
    possible, copies = (np.zeros((*truth.shape[:2], _CLASSES), np.float32) for _ in range(2))
    for card in range(truth.shape[2]):
        place = rows, seats, classes[:, card, None]
        copies[place] += truth[:, :, card] - known.at_least[:, :, card]
        possible[place] += known.at_most[:, :, card] > known.at_least[:, :, card]
    open_cards = known.left - known.at_least.sum(axis=2, dtype=np.float32)
    odds = np.log(np.maximum(open_cards, 1e-9))[:, :, None]
    return np.where(possible > 0, odds, np.float32(_IMPOSSIBLE)).astype(np.float32), copies


def collect(settings: Settings) -> Samples:
    """Replay the records and look at a share of their decisions."""
    engine: Engine = game("guandan").engine()
    records = readable(settings.file)
    match = matches_of(records)
    watcher = _Watcher(engine.rules.hints, settings, match <= match[-1] - settings.held_out)
    engine.replay(records, watcher)
    applies, offset, copies = (np.concatenate(column) for column in zip(*watcher.parts, strict=True))
    return Samples(watcher.rules, applies, offset, copies)


def fit(samples: Samples, steps: int) -> tuple[NDArray[np.float32], float, float]:
    """[rules] the likeliest weights in points, and the mean log-likelihood of a copy with the file's and with these."""
    import torch

    applies, offset, copies = map(torch.from_numpy, (samples.applies, samples.offset, samples.copies))
    written = torch.tensor([weight for _, weight in samples.rules], dtype=torch.float32) / float(SCALE)

    def likelihood(weights: torch.Tensor) -> torch.Tensor:
        chances = torch.log_softmax(offset + applies @ weights, dim=1)
        return (copies * chances).sum() / copies.sum()

    found = written.clone().requires_grad_()
    optimiser = torch.optim.LBFGS([found], max_iter=steps, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        value = _PRIOR * (found**2).sum() - likelihood(found)
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    with torch.no_grad():
        points: NDArray[np.float32] = (found * float(SCALE)).numpy()
        return points, float(likelihood(written)), float(likelihood(found))


def report(samples: Samples, points: NDArray[np.float32], before: float, after: float) -> str:
    """The weights of the file beside the fitted ones."""
    copies = int(samples.copies.sum())
    lines = [f"{copies:,} copies, log-likelihood {before:.4f} with the file's weights, {after:.4f} fitted", ""]
    lines.append(f"{'hint':<28} {'rule file':>10} {'fit':>10}")
    for row in np.argsort(-np.abs(points)):
        name, weight = samples.rules[row]
        lines.append(f"{name:<28} {weight:>10} {points[row]:>10.1f}")
    return "\n".join(lines)


def main() -> int:
    """The command; exit 1 for a file that cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m experiments.hint_weights", description=__doc__)
    parser.add_argument("file", type=Path, help="records as JSON lines, .gz too")
    parser.add_argument("--share", type=float, default=Settings.share, help="of the decisions that are read")
    parser.add_argument("--held-out", type=int, default=Settings.held_out, help="matches at the end, not fitted")
    parser.add_argument("--steps", type=int, default=Settings.steps)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    try:
        settings = Settings(**vars(parser.parse_args()))
        samples = collect(settings)
    except (GameError, KBError, OSError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    print(report(samples, *fit(samples, settings.steps)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
