"""Fit the weights of the preferences to recorded games: ``python -m experiments.preference_weights RECORDS``.

A conditional logit: the cost of a candidate is the sum of its weights, and the candidates of the recorded label
should be likely under exp(-cost). A weight keeps the sign that it has in the rule file, because a preference means
what its sentence says. The last matches are left out of the fit and measured afterwards. The result is a suggestion;
the rule file stays the place where weights live.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Decisions, GameError, Indices, game
from abl_cards.logic import KBError
from experiments.recorded import Watcher, matches_of, readable
from reasoners.minimiser import Minimiser

_SCALE = 8.0  # weights in the rule file for one unit of log-odds


@dataclass(frozen=True)
class Settings:
    """How much is read and how long is fitted."""

    file: Path
    game: str = "guandan"
    profile: str | None = None  # the game's own by default
    share: float = 0.05  # of the episodes that are fitted
    held_out: int = 40  # matches at the end that are only measured
    steps: int = 120
    seed: int = 0


@dataclass(frozen=True)
class Samples:
    """Candidates of recorded decisions."""

    names: tuple[str, ...]  # of the preferences
    weights: NDArray[np.float32]  # [names] in the rule file
    fired: NDArray[np.uint8]  # [candidates, names] how often each fires
    decision: NDArray[np.int64]  # [candidates]
    played: NDArray[np.bool_]  # [candidates] of the recorded label
    held_out: NDArray[np.bool_]  # [decisions]


def collect(settings: Settings) -> Samples:
    """Replay a share of the records and write down what fires."""
    engine = game(settings.game).engine(None, settings.profile)
    records = readable(settings.file)
    match = matches_of(records)
    held_out = match > match[-1] - settings.held_out
    random = np.random.default_rng(settings.seed)
    wanted = random.random(len(records)) < settings.share
    judge = Minimiser.of(engine).judge
    costs = [(str(args[0]).partition("(")[0], args[1]) if name == "cost" else ("", 0) for name, args in judge.outputs]
    names = tuple(dict.fromkeys(name for name, _ in costs if name))
    column = np.array([names.index(name) if name else len(names) for name, _ in costs])
    weights = {name: float(weight) for name, weight in costs if name}
    parts: list[tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]] = []

    def show(decisions: Decisions, played: NDArray[np.int16], episode: Indices) -> None:
        lists = decisions.moves()
        counts = np.zeros((len(names) + 1, len(lists.form)), np.uint8)
        for part, fired in judge.fired(decisions, lists):
            np.add.at(counts[:, part], column, fired)
        same = decisions.labels_of(lists.form) == played[lists.decision]
        parts.append((counts[:-1].T.copy(), np.diff(lists.start), same, held_out[episode]))

    engine.replay(records, Watcher(show, wanted))
    fired, lengths, same, out = (np.concatenate(column) for column in zip(*parts, strict=True))
    values = np.array([weights[name] for name in names], np.float32)
    return Samples(names, values, fired, np.repeat(np.arange(len(lengths)), lengths), same, out)


def agreement(samples: Samples, weights: NDArray[np.float32], held_out: bool) -> float:
    """The share of decisions whose cheapest candidate has the recorded label."""
    cost = samples.fired.astype(np.float32) @ weights
    order = np.lexsort((cost, samples.decision))
    first = order[np.searchsorted(samples.decision, np.arange(len(samples.held_out)))]
    return float(samples.played[first][samples.held_out == held_out].mean())


def fit(samples: Samples, steps: int) -> NDArray[np.float32]:
    """[names] the weights that make the recorded labels likeliest, in the units of the rule file."""
    import torch

    chosen = ~samples.held_out[samples.decision]
    fired = torch.tensor(samples.fired[chosen], dtype=torch.float32)
    played = torch.tensor(samples.played[chosen])
    group = torch.tensor(np.unique(samples.decision[chosen], return_inverse=True)[1])
    decisions = int(group.max()) + 1
    sign = torch.tensor(np.sign(samples.weights))
    size = torch.tensor(np.maximum(np.abs(samples.weights), 0.5) / _SCALE)
    free = torch.log(torch.expm1(size)).requires_grad_()
    optimiser = torch.optim.LBFGS([free], max_iter=steps, history_size=20, line_search_fn="strong_wolfe")

    def log_sum(score: torch.Tensor) -> torch.Tensor:
        peak = torch.full((decisions,), -1e9).scatter_reduce(0, group, score, "amax")
        total = torch.zeros(decisions).scatter_add(0, group, torch.exp(score - peak[group]))
        return peak + torch.log(total + 1e-30)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        weights = sign * torch.nn.functional.softplus(free)
        score = -(fired @ weights)
        missed = log_sum(score) - log_sum(torch.where(played, score, torch.tensor(-1e9)))
        value = missed.mean() + 1e-4 * (weights**2).sum()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    found: NDArray[np.float32] = (sign * torch.nn.functional.softplus(free)).detach().numpy() * np.float32(_SCALE)
    return found


def report(samples: Samples, fitted: NDArray[np.float32]) -> str:
    """The weights of the file beside the fitted ones, and how often each set finds the recorded label."""
    lines = [f"{len(samples.held_out):,} decisions, {int(samples.held_out.sum()):,} of them held out", ""]
    lines.append(f"{'agreement':<28} {'fitted on':>10} {'held out':>10}")
    for name, weights in (("rule file", samples.weights), ("fit, rounded", np.round(fitted))):
        shares = [agreement(samples, weights, held_out) for held_out in (False, True)]
        lines.append(f"{name:<28} {shares[0]:>10.2%} {shares[1]:>10.2%}")
    lines += ["", f"{'preference':<28} {'rule file':>10} {'fit':>10}"]
    for row in np.argsort(-np.abs(fitted)):
        lines.append(f"{samples.names[row]:<28} {samples.weights[row]:>10.0f} {fitted[row]:>10.1f}")
    return "\n".join(lines)


def main() -> int:
    """The command; exit 1 for a file that cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m experiments.preference_weights", description=__doc__)
    parser.add_argument("file", type=Path, help="records as JSON lines, .gz too")
    parser.add_argument("--game", default=Settings.game)
    parser.add_argument("--profile", help="of the rules that the records follow")
    parser.add_argument("--share", type=float, default=Settings.share, help="of the episodes that are read")
    parser.add_argument("--held-out", type=int, default=Settings.held_out, help="matches at the end, not fitted")
    parser.add_argument("--steps", type=int, default=Settings.steps)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    chosen = parser.parse_args()
    try:
        settings = Settings(**vars(chosen))
        samples = collect(settings)
    except (GameError, KBError, OSError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    print(report(samples, fit(samples, settings.steps)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
