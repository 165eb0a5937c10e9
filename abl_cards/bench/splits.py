"""Splits of full hands: by what a learner says, and into as few pieces as can be; beside clingo on the same hands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from abl_cards.bench.figures import Figure, seconds, target_of, typical
from abl_cards.bench.marks import Marks
from abl_cards.games import Engine
from abl_cards.games.counting.keys import keys_of


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    hands: int
    solved: int  # of them by clingo
    repetitions: int


QUICK = Effort(hands=4096, solved=50, repetitions=3)
FULL = Effort(hands=16384, solved=300, repetitions=7)


def figures(engine: Engine, effort: Effort, marks: Marks) -> list[Figure]:
    """Hands a second; nothing in a game whose hands are not split."""
    from abl_cards.games.reading.science import SPLITS
    from reasoners.split_rules import MOST_CARDS, SplitRules

    if not SPLITS.lies_in(engine.rules.folder):
        return []
    from reasoners.split_oracle import NATS, SplitOracle
    from reasoners.splits import Splitter

    splitter, random = Splitter.of(SplitRules.of(engine.rules)), np.random.default_rng(1)
    order = random.random((effort.hands, len(engine.rules.pack.deck))).argsort(axis=1)[:, :MOST_CARDS]
    hands = keys_of((engine.rules.pack.deck[order][..., None] == np.arange(len(engine.rules.pack))).sum(axis=1))
    scores = np.round(NATS * np.log(random.dirichlet(np.full(4, 0.4), (len(hands), 20)) + 1e-4)).astype(np.int64)
    likely, oracle = scores / NATS, SplitOracle.of(splitter)
    found = splitter.best(hands, likely, 1.0)

    def solve() -> None:
        for row in range(effort.solved):
            best = oracle.optimum(int(hands[row]), scores[row], NATS // 100)
            if abs(best / NATS - found.worth[row]) > 1e-6:
                raise AssertionError("a split that is not clingo's optimum")

    clingo = effort.solved / seconds(solve)
    repaired = len(hands) / typical(lambda: splitter.best(hands, likely, 1.0), effort.repetitions)
    fewest = len(hands) / typical(lambda: splitter.fewest(hands), effort.repetitions)
    return [
        Figure("exact best split of full hands", repaired, "hands/s", target_of(marks, "splits"),
               others=(("clingo, here", clingo),)),
        Figure("… into as few pieces as can be", fewest, "hands/s", target_of(marks, "fewest")),
    ]  # fmt: skip
