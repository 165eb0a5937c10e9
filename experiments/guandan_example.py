"""Figure 4 of Chen et al.: one decision near the end of a recorded game, with its explanation.

It shows the state that the seat sees, and the estimate of the hidden hands beside the truth. It also shows the labels
by probability, and the card sets of the chosen label by cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import agent_fingerprint, check_agent_name, make_explainable_agent
from abl_cards.core import Axis, ErrorCode, GameError, MatrixPlot, setting
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.recorded_decisions import RecordedEpisodes
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import Engine
from abl_cards.games.tables import NullListener
from abl_cards.games.types import Indices, Moves
from abl_cards.reasoners.explain import explain

if TYPE_CHECKING:
    from abl_cards.games.tables import Tables
    from abl_cards.reasoners.explain import Explanation, FiredPreference, HandEstimateReport

_MAX_SHOWN = 12
"""Labels and card sets that are shown."""


@dataclass(frozen=True)
class GuandanExampleConfig(RulesConfig):
    """Selection of the decision."""

    agent: str = setting("abl", "agent that decides")
    records: Path | None = setting(None, "recorded games; by default those of the contest")
    last: int = setting(40, "matches at the end of the records")
    max_cards: int = setting(12, "most cards in the hand of the seat", formerly="most")
    min_labels: int = setting(6, "fewest legal labels of the seat", formerly="labels")
    min_hidden_cards: int = setting(24, "fewest cards in the other hands", formerly="hidden")
    index: int = setting(0, "which of the fitting decisions is shown, from 0", formerly="which")


def run(settings: GuandanExampleConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Find the decision and show it."""
    engine = settings.load_engine("guandan")
    records = RecordedEpisodes.load(settings.records, engine.game).last_matches(settings.last)
    what = {
        "example": [settings.max_cards, settings.min_labels, settings.min_hidden_cards, settings.index],
        "last": settings.last,
        "players": [[settings.agent, agent_fingerprint(check_agent_name(settings.agent), engine)]],
        "records": records.fingerprint,
    }  # fmt: skip
    decision: dict[str, Any] = workspace.measure_cell(
        what, lambda tell: _find_decision(settings, engine, records, tell), "one decision"
    )
    return _report(decision)


@dataclass
class _DecisionFinder(NullListener):
    """Listener of a replay that collects decisions of a kind, with the true hidden hands."""

    settings: GuandanExampleConfig
    num_plays: NDArray[np.int64]  # [episodes] so far
    matches: list[tuple[int, int, NDArray[np.uint8]]] = field(default_factory=list)  # episode, play, [others, cards]

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Collect matching decisions."""
        self.num_plays[rows] += 1
        decisions, others = tables.decisions(rows), tables.hidden_hands(rows)
        own = tables.open_hands(rows)[:, 0].sum(axis=1)
        matching = (own <= self.settings.max_cards) & (decisions.legal_mask.sum(axis=0) >= self.settings.min_labels)
        matching &= others.sum(axis=(1, 2)) >= self.settings.min_hidden_cards
        self.matches += [
            (int(rows[row]), int(self.num_plays[rows[row]]), others[row]) for row in np.flatnonzero(matching)
        ]


def _find_decision(
    settings: GuandanExampleConfig, engine: Engine, records: RecordedEpisodes, on_progress: ProgressCallback
) -> dict[str, Any]:
    on_progress(0, "replaying")
    finder = _DecisionFinder(settings, np.zeros(len(records), np.int64))
    records.replay(engine, finder)
    if settings.index >= len(finder.matches):
        raise GameError(
            f"{records.file}: {len(finder.matches)} such decisions; ask for one of them, or for others",
            ErrorCode.NO_RECORDS,
        )
    episode, play, truth = sorted(finder.matches, key=lambda match: match[:2])[settings.index]
    record = records.episodes[episode]
    move = engine.find_play_acts([record])[0][play - 1]
    player = make_explainable_agent(settings.agent, engine)
    moment = engine.read_decision_point(record, move)
    explanation = explain(engine, player.preference_model, moment, "en", player.compute_model_explanation(moment))
    return _decision_json(explanation, truth) | {
        "where": f"episode {episode + 1} of the last {settings.last} matches, move {move}"
    }


def _decision_json(explanation: Explanation, truth: NDArray[np.uint8]) -> dict[str, Any]:
    from abl_cards.reasoners.explain import render_explanation

    estimate = explanation.model_explanation.estimate if explanation.model_explanation else None
    labels = [
        [option.label, option.probability, option.lookahead.expected_points if option.lookahead else None]
        for option in explanation.labels[:_MAX_SHOWN]
    ]
    sets = [
        [str(candidate.action), candidate.cost, _reasons_text(candidate.reasons)]
        for candidate in explanation.candidates[:_MAX_SHOWN]
    ]
    return {
        "state": dict(explanation.decision_point.state), "chosen": [explanation.chosen.label,
        str(explanation.chosen.action)],
        "made": str(explanation.made.action) if explanation.made else None, "labels": labels, "sets": sets,
        "account": render_explanation(explanation), "hands": _hands_json(estimate, truth) if estimate else None,
    }  # fmt: skip


def _reasons_text(reasons: Sequence[FiredPreference]) -> str:
    """Return the total cost of each preference, in descending order."""
    costs: Counter[str] = Counter()
    for reason in reasons:
        costs[reason.name.partition("(")[0]] += reason.weight
    return ", ".join(f"{name} {cost:+d}" for name, cost in sorted(costs.items(), key=lambda item: -abs(item[1])))


def _hands_json(estimate: HandEstimateReport, truth: NDArray[np.uint8]) -> dict[str, Any]:
    grid, copies = estimate.grid, np.asarray(estimate.copies, np.float64).round(4)

    def lay(counts: NDArray[Any]) -> list[list[float | None]]:
        cells = np.where(grid.kinds >= 0, counts[grid.kinds], np.nan)
        return [[None if np.isnan(cell) else float(cell) for cell in row] for row in cells]

    return {
        "rows": list(grid.row_headers), "columns": list(grid.column_headers), "seats": list(estimate.names),
        "left": estimate.left,
        "estimated": [lay(hand) for hand in copies], "held": [lay(hand) for hand in truth],
        "error": [float(np.abs(one - other).sum() / (2 * max(1, other.sum())))
                  for one, other in zip(copies, truth, strict=True)],
    }  # fmt: skip


def _report(decision: Mapping[str, Any]) -> ExperimentReport:
    hands = decision["hands"]
    note = f"{decision['where']}. The move that was made there: {decision['made']}."
    state = [[key, _to_text(value)] for key, value in decision["state"].items()]
    tables = [
        ReportTable("state", "What the seat sees (a)", ("what", "value"), state, note),
        *([_estimate(hands)] if hands else []),
        ReportTable("labels", "Labels by probability (c)", ("label", "probability", "points expected ahead"),
              decision["labels"], f"Chosen: {decision['chosen'][0]}.", frozenset({"probability"})),
        ReportTable("card_sets", "Card sets of the chosen label by cost (c)", ("cards", "cost", "what counts"),
              decision["sets"], f"Chosen: {decision['chosen'][1]}."),
    ]  # fmt: skip
    return ExperimentReport(tables, heat_maps(hands) if hands else (), f"```text\n{decision['account']}\n```")


def _to_text(value: Any) -> str:
    return " ".join(map(_to_text, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)


def _estimate(hands: Mapping[str, Any]) -> ReportTable:
    """Make the table of each seat's cards, with the expected number of copies of each."""
    rows: list[list[Cell]] = []
    for place, (seat, left) in enumerate(zip(hands["seats"], hands["left"], strict=True)):
        cells = [
            (f"{row}{column}", float(hands["held"][place][down][across] or 0), hands["estimated"][place][down][across])
            for down, row in enumerate(hands["rows"])
            for across, column in enumerate(hands["columns"])
        ]
        held = ", ".join(f"{text} {expected:.2f}" for text, copies, expected in cells if copies)
        rows.append([seat, left, held, hands["error"][place]])
    columns = ("seat", "cards", "what it holds, with the copies that were expected", "share misplaced")
    note = "The estimate is made consistent with what is known; the maps show all of it."
    return ReportTable("estimate", "Hidden hands: estimate and truth (b)", columns, rows, note, frozenset({columns[3]}))


def heat_maps(hands: Mapping[str, Any]) -> list[MatrixPlot]:
    """Plot the estimated copies of each card by seat, with a ring for each held copy."""
    rows = tuple(row or "–" for row in hands["rows"])
    return [
        MatrixPlot(
            f"hands_{seat}", f"Estimated hand of the {seat} seat; rings: copies held", rows, tuple(hands["columns"]),
            hands["estimated"][place], Axis("expected number", "copies"), 2.0,
            marks=[[None if cell is None else round(cell) for cell in row] for row in hands["held"][place]],
            n="one decision", interval="no interval: expectations of one estimate",
        )
        for place, seat in enumerate(hands["seats"])
    ]  # fmt: skip


EXPERIMENT = Experiment(
    "Figure 4: one decision, from the estimate of the hidden hands to the cards that are laid",
    GuandanExampleConfig(),
    run,
    smoke={"last": 2},
)
