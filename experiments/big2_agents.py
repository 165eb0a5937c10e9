"""神算子 against 智多星, and everybody against everybody: ``python -m experiments.big2_agents``.

Figure 5.1 of Tan et al. 2020: the net score by the number of cards, every deal played from both seats. Table 5.2: the
round robin of our agents with fixed deals: net score, net wins, and the standard deviation of an agent's place from
deal to deal. Results are kept as JSON lines, so that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, agent
from abl_cards.agents.searching import Shensuanzi
from abl_cards.cli.console import progress
from abl_cards.games import Decisions, Exchanges, Moves
from abl_cards.games.big2.engine import Big2Engine
from experiments.big2_deals import deal, engine, keep, kept, play

SEARCHER, RULE = "shensuanzi", "zhiduoxing"


@dataclass(frozen=True)
class Settings:
    """What is played, and where the results go."""

    cards: tuple[int, ...] = tuple(range(2, 27, 2))
    deals: int = 100
    exact_up_to: int = 10
    first_depth: int = 8
    seconds: float = 0.2  # a move above the exact threshold
    cpu: bool = False  # whether a move's seconds are those of the processor: for a machine that others use too
    seed: int = 0
    tournament_deals: int = 10
    agents: tuple[str, ...] = (SEARCHER, "kb", RULE, "greedy", "random")
    out: Path = Path("runs/big2_agents")


@dataclass
class Timed:
    """An agent, and how long its moves took."""

    inner: Agent
    clock: Callable[[], float]
    seconds: list[float] = field(default_factory=list)

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
        """The agent's move."""
        begun = self.clock()
        moves = self.inner.play(decisions, keys)
        self.seconds.append(self.clock() - begun)
        return moves

    def give(self, exchanges: Exchanges, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """The agent's choice."""
        return self.inner.give(exchanges, keys)


@dataclass
class Experiment:
    """The agents, and the games that they play."""

    settings: Settings

    @cached_property
    def rules(self) -> Big2Engine:
        """The game."""
        return engine()

    def agent(self, name: str) -> Agent:
        """An agent of the tournament; the one that searches as the settings say."""
        chosen = self.settings
        if name != SEARCHER:
            return agent(name, self.rules)
        clock = thread_time if chosen.cpu else perf_counter
        return Shensuanzi(self.rules, chosen.exact_up_to, chosen.first_depth, chosen.seconds, clock)

    def margins(self) -> list[dict[str, Any]]:
        """Figure 5.1: a result a deal."""
        chosen, file = self.settings, self.settings.out / "margins.jsonl"
        marks = _marks(chosen)
        known = {(each["cards"], each["deal"]): each for each in kept(file) if marks.items() <= each.items()}
        wanted = [(cards, number) for cards in chosen.cards for number in range(chosen.deals)]
        searcher = Timed(self.agent(SEARCHER), thread_time if chosen.cpu else perf_counter)
        rule = self.agent(RULE)
        with progress("deals", len(wanted)) as tell:
            for done, (cards, number) in enumerate(wanted):
                if (cards, number) not in known:
                    hands = deal(chosen.seed, cards, number)
                    searcher.seconds.clear()
                    leading, following = (
                        play(self.rules, hands, (searcher, rule)),
                        -play(self.rules, hands, (rule, searcher)),
                    )
                    result = {"leading": leading, "following": following, "seconds": _rounded(searcher.seconds)}
                    known[cards, number] = keep(file, marks | {"cards": cards, "deal": number} | result)
                tell(done + 1, f"{cards} cards")
        return [known[key] for key in wanted]

    def tournament(self) -> dict[str, dict[str, float]]:
        """Table 5.2: every pair plays every deal from both seats."""
        chosen, file = self.settings, self.settings.out / "tournament.jsonl"
        marks = _marks(chosen)
        known = {
            (each["pair"][0], each["pair"][1], each["deal"]): each
            for each in kept(file)
            if marks.items() <= each.items()
        }
        points = np.zeros((len(chosen.agents), chosen.tournament_deals))
        wins = np.zeros(len(chosen.agents), np.int64)
        players = [self.agent(name) for name in chosen.agents]
        for one, two in combinations(range(len(players)), 2):
            for number in range(chosen.tournament_deals):
                names = chosen.agents[one], chosen.agents[two]
                if (*names, number) not in known:
                    hands = deal(chosen.seed + 1, 26, number)
                    scores = [
                        play(self.rules, hands, (players[one], players[two])),
                        -play(self.rules, hands, (players[two], players[one])),
                    ]
                    known[(*names, number)] = keep(file, marks | {"pair": names, "deal": number, "points": scores})
                scores = known[(*names, number)]["points"]
                points[one, number] += sum(scores)
                points[two, number] -= sum(scores)
                won = sum(int(np.sign(score)) for score in scores)
                wins[one] += won
                wins[two] -= won
        places = np.argsort(np.argsort(-points, axis=0), axis=0)
        return {
            name: {"points": float(points[row].sum()), "wins": int(wins[row]), "spread": float(places[row].std())}
            for row, name in enumerate(chosen.agents)
        }


def _marks(chosen: Settings) -> dict[str, Any]:
    """What a result depends on."""
    return {
        "agent": f"{SEARCHER}:{chosen.exact_up_to},{chosen.first_depth},seconds={chosen.seconds}",
        "clock": "cpu" if chosen.cpu else "wall",
        "seed": chosen.seed,
    }


def _rounded(seconds: Sequence[float]) -> list[float]:
    return [round(each, 4) for each in seconds]


def spearman(one: Sequence[float], two: Sequence[float]) -> float:
    """The correlation of the places of two lists, equal values sharing theirs.

    >>> spearman([1, 2, 3], [10, 30, 20])
    0.5
    """
    first, second = _places(np.asarray(one, float)), _places(np.asarray(two, float))
    return round(float(np.corrcoef(first, second)[0, 1]), 6)


def _places(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([(values < value).sum() + ((values == value).sum() - 1) / 2 for value in values])


def margin_table(settings: Settings, results: Sequence[dict[str, Any]]) -> str:
    """Figure 5.1 as a table in Markdown, and what it says of the limit of a move."""
    lines = ["| cards each | net score | a deal | leading | following |", "|---|---|---|---|---|"]
    nets = []
    for cards in settings.cards:
        mine = [each for each in results if each["cards"] == cards]
        leading, following = (sum(each[seat] for each in mine) for seat in ("leading", "following"))
        nets.append(leading + following)
        lines.append(f"| {cards} | {nets[-1]:+.0f} | {nets[-1] / len(mine):+.2f} | {leading:+.0f} | {following:+.0f} |")
    over = [second - settings.seconds for each in results for second in each["seconds"]]
    lines += [
        "",
        f"Spearman correlation of the net score with the number of cards: {spearman(settings.cards, nets):.3f}",
    ]
    lines += [
        f"A move exceeds its {settings.seconds} s by {1e3 * np.quantile(over, 0.99):.0f} ms in the 99th percentile"
    ]
    return "\n".join(lines) + "\n"


def tournament_table(result: dict[str, dict[str, float]]) -> str:
    """Table 5.2 in Markdown."""
    lines = ["| agent | net score | net wins | spread of places |", "|---|---|---|---|"]
    for name, each in sorted(result.items(), key=lambda item: -item[1]["points"]):
        lines.append(f"| `{name}` | {each['points']:+.0f} | {each['wins']:+.0f} | {each['spread']:.2f} |")
    return "\n".join(lines) + "\n"


def run(settings: Settings) -> str:
    """Play what has not been played yet; returns the tables, which also lie in the folder."""
    experiment = Experiment(settings)
    text = margin_table(settings, experiment.margins()) + "\n" + tournament_table(experiment.tournament())
    (settings.out / "tables.md").write_text(text, "utf-8")
    return text


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m experiments.big2_agents", description=__doc__)
    parser.add_argument("--cards", nargs="+", type=int, default=list(Settings.cards))
    parser.add_argument("--deals", type=int, default=Settings.deals)
    parser.add_argument("--seconds", type=float, default=Settings.seconds, help="a move above the exact threshold")
    parser.add_argument("--cpu", action="store_true", help="seconds of the processor, not of the clock on the wall")
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--out", type=Path, default=Settings.out)
    chosen = parser.parse_args()
    print(
        run(
            Settings(
                tuple(chosen.cards),
                chosen.deals,
                seconds=chosen.seconds,
                cpu=chosen.cpu,
                seed=chosen.seed,
                out=chosen.out,
            )
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
