"""Figure 5.1 and table 5.2 of Tan et al. 2020: 神算子 against 智多星, and a round robin.

The figure: the net score by the number of cards, every deal played from both seats. The table: a round robin with fixed
deals: net score, games won less games lost, and the standard deviation of an agent's place from deal to deal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, ShensuanziAgent
from abl_cards.core import SEED_RANGE, Axis, ErrorCode, GameError, LinePlot, setting
from abl_cards.experiments.agent_specs import AgentSpec, load_agents
from abl_cards.experiments.big2_deals import (
    DealRange,
    deal_hands,
    group_by_series,
    load_engine,
    measure_deals,
    play_race,
    range_namer,
    split_deals,
)
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.plot_data import deal_mean, numbers_text
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.games.endgame import OpenHandRace
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import Moves


@dataclass(frozen=True)
class Big2AgentsConfig(RulesConfig):
    """Agents and deals of the experiment."""

    searcher: str = setting("shensuanzi:10,8", "searching agent; with cpu its seconds are processor time")
    opponent: str = setting("zhiduoxing", "opponent for each number of cards", formerly="rule")
    cards: tuple[int, ...] = setting(tuple(range(2, 27, 2)), "cards in each hand", is_required=True)
    deals: int = setting(100, "deals for each number of cards, each played from both seats")
    round_robin_agents: tuple[str, ...] = setting(
        ("kb", "zhiduoxing", "greedy", "random"), "agents of the round robin, besides the searcher", formerly="others"
    )
    round_robin_cards: int = setting(26, "cards in each hand in the round robin")
    round_robin_deals: int = setting(10, "deals of the round robin, each played from both seats")
    seed: int = setting(0, "seed of the deals", SEED_RANGE)


@dataclass
class TimedSearcher:
    """Searcher that records the durations of its time-limited moves."""

    inner: ShensuanziAgent
    game: OpenHandRace
    seconds: list[float] = field(default_factory=list)

    def play(self, decisions: Decisions, keys: NDArray[np.uint64]) -> Moves:
        """Choose a move."""
        begun = self.inner.clock()
        moves = self.inner.play(decisions, keys)
        (race,) = self.game.positions(decisions)
        if max(sum(race.own_hand), sum(race.other_hand)) > self.inner.max_exact_cards:
            self.seconds.append(round(self.inner.clock() - begun, 5))
        return moves

    def choose(self, choices: Choices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """Choose an option."""
        return self.inner.choose(choices, keys)


def run(settings: Big2AgentsConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Play the deals of the figure, then those of the table."""
    from abl_cards.games.endgame import build_race

    rules = load_engine(settings)
    game = build_race(rules.rules)
    searcher, rule = load_agents([settings.searcher, settings.opponent], rules)
    everybody = [searcher, *load_agents(settings.round_robin_agents, rules)]
    if not isinstance(searcher.agent, ShensuanziAgent):
        raise GameError(
            f"agent '{searcher.name}' does not search: choose shensuanzi, or a variant", ErrorCode.AGENT_NOT_APPLICABLE
        )
    pairs = list(combinations(everybody, 2))
    by_name = {(first.name, second.name): (first, second) for first, second in pairs}
    every = [portion for cards in settings.cards for portion in split_deals(cards, settings.deals)]
    every += [portion for names in by_name for portion in split_deals(names, settings.round_robin_deals)]
    workspace.plan_cells(len(every))
    timed, limit = TimedSearcher(searcher.agent, game), searcher.agent.seconds

    def measure(portion: DealRange) -> list[dict[str, Any]]:
        if isinstance(portion.series, int):
            return _measure_margins(settings, workspace, game, (searcher, rule), timed, portion)
        return _measure_scores(settings, workspace, game, by_name[cast(tuple[str, str], portion.series)], portion)

    def make_report(results_by_range: Mapping[DealRange, list[dict[str, Any]]]) -> ExperimentReport:
        series = group_by_series(results_by_range)
        margins = {cards: results for cards, results in series.items() if isinstance(cards, int)}
        scores = {names: _score_array(series[names]) for names in by_name if names in series}
        return report(settings, limit, margins, [player.name for player in everybody], scores)

    def text(series: Any) -> str:
        return f"{series} + {series} cards" if isinstance(series, int) else " : ".join(series)

    return make_report(workspace.measure_each(every, measure, make_report, range_namer(text)))


def _measure_margins(
    settings: Big2AgentsConfig,
    workspace: ExperimentWorkspace,
    game: OpenHandRace,
    pair: tuple[AgentSpec, AgentSpec],
    timed: TimedSearcher,
    deal_range: DealRange,
) -> list[dict[str, Any]]:
    """For each deal return the margins of the searcher, leading and following, and the seconds of its moves."""
    cards = int(str(deal_range.series))

    def measure(number: int) -> dict[str, Any]:
        timed.seconds.clear()
        scores = _play_both_seats(game, deal_hands(settings.seed, cards, number), timed, pair[1].agent)
        return {"leading": scores[0], "following": scores[1], "seconds": list(timed.seconds)}

    what = {**_pair_inputs(pair), "cards": cards, "seed": settings.seed, "timed": True}
    return measure_deals(
        workspace, what, deal_range, measure, f"{pair[0].name} : {pair[1].name}, {cards} + {cards} cards"
    )


def _measure_scores(
    settings: Big2AgentsConfig,
    workspace: ExperimentWorkspace,
    game: OpenHandRace,
    pair: tuple[AgentSpec, AgentSpec],
    deal_range: DealRange,
) -> list[dict[str, Any]]:
    """For each deal of the round robin return the scores of the first agent, leading and following."""
    cards, seed = settings.round_robin_cards, settings.seed + 1

    def measure(number: int) -> dict[str, Any]:
        leading, following = _play_both_seats(game, deal_hands(seed, cards, number), pair[0].agent, pair[1].agent)
        return {"leading": leading, "following": following}

    what = {**_pair_inputs(pair), "cards": cards, "seed": seed}
    return measure_deals(workspace, what, deal_range, measure, f"{pair[0].name} : {pair[1].name}")


def _score_array(results: Sequence[Mapping[str, Any]]) -> NDArray[np.int64]:
    """Return the scores [deals, 2] of the first agent of a pair, leading and following."""
    return np.array([[result["leading"], result["following"]] for result in results], np.int64)


def _pair_inputs(pair: tuple[AgentSpec, AgentSpec]) -> dict[str, Any]:
    return {"agents": [player.name for player in pair], "marks": [player.fingerprint for player in pair]}


def _play_both_seats(game: OpenHandRace, hands: NDArray[np.uint8], one: Agent, two: Agent) -> tuple[int, int]:
    """Return the points of the first agent when it leads, and when it follows with the other hand."""
    return play_race(game, hands, (one, two)), -play_race(game, hands, (two, one))


def report(
    settings: Big2AgentsConfig, limit: float, margins: Mapping[int, Sequence[dict[str, Any]]], names: Sequence[str],
    scores: Mapping[tuple[str, str], NDArray[np.int64]],
) -> ExperimentReport:  # fmt: skip
    """Write the figure with its caption, and the round robin."""
    rows: list[list[Cell]] = []
    for cards, results in sorted(margins.items()):
        leading, following = (sum(result[seat] for result in results) for seat in ("leading", "following"))
        rows.append(
            [cards, len(results), leading + following, (leading + following) / len(results), leading, following]
        )
    nets = [(int(row[0] or 0), int(row[2] or 0)) for row in rows]
    columns = ("cards each", "deals", "net score", "a deal", "leading", "following")
    first = ReportTable("margins", f"{settings.searcher} against {settings.opponent}", columns, rows)
    over = [
        1e3 * (second - limit) for results in margins.values() for result in results for second in result["seconds"]
    ]
    findings: list[list[Cell]] = [
        ["correlation (Spearman) of the net score with the number of cards", spearman(*zip(*nets, strict=True))],
        [f"moves that the limit of {limit:g} s is for", len(over)],
        ["what they exceed it by, 99th percentile (ms)", float(np.quantile(over, 0.99)) if over else None],
        ["at most (ms)", max(over) if over else None],
    ]
    second = ReportTable("findings", "What the figure says", ("what", "value"), findings)
    plot = margins_plot(settings.searcher, settings.opponent, margins)
    return ExperimentReport([first, second, round_robin_table(names, scores)], [plot])


def margins_plot(searcher: str, opponent: str, margins: Mapping[int, Sequence[Mapping[str, Any]]]) -> LinePlot:
    """Plot the points of a deal by the number of cards, with intervals over deals."""
    line: list[tuple[float, float]] = []
    band: list[tuple[float, float, float]] = []
    for cards, results in sorted(margins.items()):
        mean, low, high = deal_mean(_score_array(results).sum(axis=1))
        line.append((cards, mean))
        band += [(cards, low, high)] if low is not None and high is not None else []
    return LinePlot(
        "margins", f"{searcher} against {opponent}", Axis("hand size", "cards", is_integer=True),
        Axis("net score of a deal from both seats", "points"), {searcher: line}, bands={searcher: band},
        n=numbers_text([len(results) for results in margins.values()], "deals each"),
        interval="95 % intervals over deals", reference=0.0,
    )  # fmt: skip


def round_robin_table(names: Sequence[str], scores: Mapping[tuple[str, str], NDArray[np.int64]]) -> ReportTable:
    """Make table 5.2 from the deals that all pairs have played from both seats."""
    pairs = len(names) * (len(names) - 1) // 2
    deals = min(map(len, scores.values())) if len(scores) == pairs else 0
    points, wins = np.zeros((len(names), deals), np.int64), np.zeros(len(names), np.int64)
    for (one, two), won in scores.items():
        for name, sign in ((one, 1), (two, -1)):
            points[names.index(name)] += sign * won[:deals].sum(axis=1)
            wins[names.index(name)] += sign * int(np.sign(won[:deals]).sum())
    places = np.stack([_ranks(column) for column in -points.T], axis=1) if deals else np.zeros((len(names), 0))
    order = np.argsort(-points.sum(axis=1), kind="stable") if deals else ()
    rows: list[list[Cell]] = [
        [names[row], int(points[row].sum()), int(wins[row]), float(places[row].std())] for row in order
    ]
    columns = ("agent", "net score", "net wins", "spread of places")
    return ReportTable("round_robin", "Everybody against everybody", columns, rows)


def spearman(one: Sequence[float], two: Sequence[float]) -> float | None:
    """Compute Spearman's rank correlation of two lists; None if all values of a list are equal.

    >>> spearman([1, 2, 3], [10, 30, 20])
    0.5
    """
    first, second = _ranks(np.asarray(one, float)), _ranks(np.asarray(two, float))
    if not first.std() or not second.std():
        return None
    return round(float(np.corrcoef(first, second)[0, 1]), 6)


def _ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the rank of each value, from 0 for the lowest; equal values share their mean rank."""
    return np.array([(values < value).sum() + ((values == value).sum() - 1) / 2 for value in values])


EXPERIMENT = Experiment(
    "Figure 5.1 and table 5.2: 神算子 against 智多星 by the number of cards; everybody against everybody",
    Big2AgentsConfig(),
    run,
    smoke={
        "searcher": "shensuanzi:6,2,seconds=0.01", "cards": (4, 8), "deals": 3, "round_robin_agents": ("zhiduoxing",
        "random"),
        "round_robin_deals": 2,
    },
)  # fmt: skip
