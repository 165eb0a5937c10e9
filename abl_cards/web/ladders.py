"""Ratings of agents by game, from the match results and reports in watched folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple
from functools import lru_cache
from pathlib import Path
from typing import Any

from abl_cards.core import Axis, ErrorBarPlot
from abl_cards.matches import PairResult, RatingLadder, fit_ratings
from abl_cards.web.reports import read_results_of_pairs
from abl_cards.web.runs import read_match_results

REFERENCE = "kb"
"""Agent with rating 0, where it plays."""
MAX_AGENTS, MAX_PAIRS = 40, 2_000
"""Largest number of agents of a ladder, and of results of pairs."""
_NUMBER_COLUMNS = ("games", "rate", "low", "high")


def read_ladders(folders: Sequence[Path], name: str = "") -> list[dict[str, Any]]:
    """Return the ladder of each game: ratings as a figure, and the results of the pairs.

    A result that several files hold is counted once.
    """
    ladders = []
    for game, pairs in sorted(_collect_pairs(folders).items()):
        agents = {agent for pair in pairs for agent in (pair.first, pair.second)}
        if len(agents) <= MAX_AGENTS:
            ladder = _fit(tuple(pairs))
            plain = [[*astuple(pair)[:4], *(pair.interval or (None, None))] for pair in pairs]
            ladders.append({"game": game, "plot": _plot(ladder, pairs).to_json(), "pairs": plain})
    return ladders


@lru_cache(64)
def _fit(pairs: tuple[PairResult, ...]) -> RatingLadder:
    """Fit the ratings of a game once for each set of results."""
    return fit_ratings(pairs, REFERENCE)


def _collect_pairs(folders: Sequence[Path]) -> dict[str, list[PairResult]]:
    """Return the different results of pairs by game."""
    pairs_by_game: dict[str, dict[PairResult, None]] = defaultdict(dict)
    rows = [(match["game"], *match["agents"], *(match[key] for key in _NUMBER_COLUMNS))
            for match in read_match_results(folders)]  # fmt: skip
    for game, first, second, games, rate, low, high in [*rows, *read_results_of_pairs(folders)][:MAX_PAIRS]:
        if first != second and games >= 1 and 0 <= low <= rate <= high <= 1 and low < high:
            names, share, bounds = (first, second), round(rate, 6), (round(low, 6), round(high, 6))
            if second < first:
                names, share, bounds = (second, first), round(1 - rate, 6), (round(1 - high, 6), round(1 - low, 6))
            pairs_by_game[game][PairResult(*names, int(games), share, bounds)] = None
    return {game: list(pairs) for game, pairs in pairs_by_game.items()}


def _plot(ladder: RatingLadder, pairs: Sequence[PairResult]) -> ErrorBarPlot:
    finite = "; half a win and half a loss added to each pair, since some lost all games" * ladder.is_regularised
    bars = {rating.agent: (rating.value, *(rating.interval or (None, None))) for rating in ladder.ratings}
    return ErrorBarPlot(
        "ladder", "", Axis(f"rating above {ladder.reference}", "Elo points"), bars, 0.0,
        {rating.agent: rating.games for rating in ladder.ratings},
        n=f"{sum(pair.games for pair in pairs):,} games in {len(pairs)} results",
        interval=f"95 % intervals of the difference to {ladder.reference}, Bradley-Terry, maximum likelihood{finite}",
    )  # fmt: skip
