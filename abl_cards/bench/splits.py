"""Speed of splitting full hands, by a learner's scores and into the fewest pieces, beside clingo on equal hands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from abl_cards.bench.measurements import Measurement, find_target, measure_median_seconds, measure_seconds
from abl_cards.bench.targets import BenchTargets
from abl_cards.games import Engine
from abl_cards.games.min_plays import keys_from_counts


@dataclass(frozen=True)
class SplitsBenchConfig:
    """Size of the measurement."""

    num_hands: int
    num_solved: int  # of them by clingo
    repetitions: int


QUICK = SplitsBenchConfig(num_hands=4096, num_solved=50, repetitions=3)
FULL = SplitsBenchConfig(num_hands=16384, num_solved=300, repetitions=7)


def measure_splits(engine: Engine, config: SplitsBenchConfig, targets: BenchTargets) -> list[Measurement]:
    """Measure hands a second; returns nothing for a game without rules of splits."""
    from abl_cards.games.description import SPLIT_RULES
    from abl_cards.reasoners.splits import MAX_CARDS, SplitRules

    if not SPLIT_RULES.is_in(engine.rules.folder):
        return []
    from abl_cards.reasoners.splits import UNITS_PER_NAT, SplitOracle, Splitter

    splitter, random = Splitter.of(SplitRules.of(engine.rules)), np.random.default_rng(1)
    order = random.random((config.num_hands, len(engine.rules.pack.deck))).argsort(axis=1)[:, :MAX_CARDS]
    hands = keys_from_counts(
        (engine.rules.pack.deck[order][..., None] == np.arange(len(engine.rules.pack))).sum(axis=1)
    )
    scores = np.round(UNITS_PER_NAT * np.log(random.dirichlet(np.full(4, 0.4), (len(hands), 20)) + 1e-4)).astype(
        np.int64
    )
    likely, oracle = scores / UNITS_PER_NAT, SplitOracle.of(splitter)
    splits = splitter.best(hands, likely, 1.0)

    def solve() -> None:
        for row in range(config.num_solved):
            best = oracle.optimum(int(hands[row]), scores[row], UNITS_PER_NAT // 100)
            if abs(best / UNITS_PER_NAT - splits.score[row]) > 1e-6:
                raise AssertionError("a split differs from clingo's optimum")

    clingo = config.num_solved / measure_seconds(solve)
    repaired = len(hands) / measure_median_seconds(lambda: splitter.best(hands, likely, 1.0), config.repetitions)
    fewest = len(hands) / measure_median_seconds(lambda: splitter.fewest_pieces(hands), config.repetitions)
    return [
        Measurement("exact best split of full hands", repaired, "hands/s", find_target(targets, "splits"),
               others=(("clingo, here", clingo),)),
        Measurement("… into as few pieces as can be", fewest, "hands/s", find_target(targets, "fewest")),
    ]  # fmt: skip
