"""Figure 4 of Chen et al.: one decision near the end of a recorded game, and how the agent comes to its cards.

The state as the seat sees it, the estimate of the hidden hands beside the truth, the labels by probability, and the
card sets of the chosen label by cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import checked_name, reasoned
from abl_cards.errors import GameError
from abl_cards.games import Engine, Indices, Moves
from abl_cards.games.audience import Quiet
from abl_cards.settings import setting
from experiments.desk import Desk, Tell
from experiments.experiment import Experiment
from experiments.players import mark
from experiments.recorded import Records
from experiments.report import Cell, Matrix, Report, Table
from experiments.rules import ByRules
from reasoners.explanation import explain

if TYPE_CHECKING:
    from reasoners.explanation import Explanation, Reason
    from reasoners.opinion import HandEstimate

_MOST = 12
"""Labels and card sets that are shown."""


@dataclass(frozen=True)
class Settings(ByRules):
    """Which decision is shown, and whose."""

    agent: str = setting("abl", "who decides")
    records: Path | None = setting(None, "recorded games; by default those of the contest")
    last: int = setting(40, "matches at the end of the records")
    most: int = setting(12, "cards that the seat holds at most")
    labels: int = setting(6, "labels that it may play at least")
    hidden: int = setting(24, "cards that the others hold at least")
    which: int = setting(0, "of the decisions that are so, from 0")


def run(settings: Settings, desk: Desk) -> Report:
    """Find the decision and show it."""
    engine = settings.engine_of("guandan")
    records = Records.of(settings.records, engine.game).last(settings.last)
    what = {
        "example": [settings.most, settings.labels, settings.hidden, settings.which], "last": settings.last,
        "players": [[settings.agent, mark(checked_name(settings.agent), engine)]], "records": records.mark,
    }  # fmt: skip
    found: dict[str, Any] = desk.cell(what, lambda tell: _example(settings, engine, records, tell), "one decision")
    return _report(found)


@dataclass
class _Finder(Quiet):
    """Listens to a replay for decisions of the kind that is asked for, and sees what the others held."""

    settings: Settings
    plays: NDArray[np.int64]  # [episodes] so far
    found: list[tuple[int, int, NDArray[np.uint8]]] = field(default_factory=list)  # episode, play, [others, cards]

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Note what is asked for."""
        self.plays[which] += 1
        decisions, others = tables.decisions(which), tables.others(which)
        own = tables.open_hands(which)[:, 0].sum(axis=1)
        matching = (own <= self.settings.most) & (decisions.legal.sum(axis=0) >= self.settings.labels)
        matching &= others.sum(axis=(1, 2)) >= self.settings.hidden
        self.found += [(int(which[row]), int(self.plays[which[row]]), others[row]) for row in np.flatnonzero(matching)]


def _example(settings: Settings, engine: Engine, records: Records, tell: Tell) -> dict[str, Any]:
    tell(0, "replaying")
    finder = _Finder(settings, np.zeros(len(records), np.int64))
    records.watch(engine, finder)
    if settings.which >= len(finder.found):
        raise GameError(f"{records.file}: {len(finder.found)} such decisions; ask for one of them, or for others")
    episode, play, truth = sorted(finder.found, key=lambda each: each[:2])[settings.which]
    record = records.episodes[episode]
    move = engine.plays_of([record])[0][play - 1]
    player = reasoned(settings.agent, engine)
    moment = engine.moment(record, move)
    found = explain(engine, player.judge, moment, "en", player.opinion(moment))
    return _told(found, truth) | {"where": f"episode {episode + 1} of the last {settings.last} matches, move {move}"}


def _told(found: Explanation, truth: NDArray[np.uint8]) -> dict[str, Any]:
    from reasoners.account import account

    estimate = found.opinion.estimate if found.opinion else None
    labels = [
        [each.label, each.probability, each.ahead.points if each.ahead else None] for each in found.labels[:_MOST]
    ]
    sets = [[str(each.action), each.cost, _reasons(each.reasons)] for each in found.candidates[:_MOST]]
    return {
        "state": dict(found.moment.state), "chosen": [found.chosen.label, str(found.chosen.action)],
        "made": str(found.made.action) if found.made else None, "labels": labels, "sets": sets,
        "account": account(found), "hands": _hands(estimate, truth) if estimate else None,
    }  # fmt: skip


def _reasons(reasons: Sequence[Reason]) -> str:
    """What each preference costs in all, the dearest first."""
    costs: Counter[str] = Counter()
    for each in reasons:
        costs[each.name.partition("(")[0]] += each.weight
    return ", ".join(f"{name} {cost:+d}" for name, cost in sorted(costs.items(), key=lambda each: -abs(each[1])))


def _hands(estimate: HandEstimate, truth: NDArray[np.uint8]) -> dict[str, Any]:
    grid, copies = estimate.grid, np.asarray(estimate.copies, np.float64).round(4)

    def lay(counts: NDArray[Any]) -> list[list[float | None]]:
        cells = np.where(grid.kinds >= 0, counts[grid.kinds], np.nan)
        return [[None if np.isnan(cell) else float(cell) for cell in row] for row in cells]

    return {
        "rows": list(grid.rows), "columns": list(grid.heads), "seats": list(estimate.names), "left": estimate.left,
        "estimated": [lay(each) for each in copies], "held": [lay(each) for each in truth],
        "error": [float(np.abs(one - other).sum() / (2 * max(1, other.sum())))
                  for one, other in zip(copies, truth, strict=True)],
    }  # fmt: skip


def _report(found: Mapping[str, Any]) -> Report:
    hands = found["hands"]
    note = f"{found['where']}. The move that was made there: {found['made']}."
    state = [[key, _plain(value)] for key, value in found["state"].items()]
    tables = [
        Table("state", "What the seat sees (a)", ("what", "value"), state, note),
        *([_estimate(hands)] if hands else []),
        Table("labels", "Labels by probability (c)", ("label", "probability", "points expected ahead"),
              found["labels"], f"Chosen: {found['chosen'][0]}.", frozenset({"probability"})),
        Table("card_sets", "Card sets of the chosen label by cost (c)", ("cards", "cost", "what counts"),
              found["sets"], f"Chosen: {found['chosen'][1]}."),
    ]  # fmt: skip
    return Report(tables, _maps(hands) if hands else (), f"```text\n{found['account']}\n```")


def _plain(value: Any) -> str:
    return " ".join(map(_plain, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)


def _estimate(hands: Mapping[str, Any]) -> Table:
    """A row a seat: the cards it holds, with how many copies of each were expected."""
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
    return Table("estimate", "Hidden hands: estimate and truth (b)", columns, rows, note, frozenset({columns[3]}))


def _maps(hands: Mapping[str, Any]) -> list[Matrix]:
    rows = tuple(row or "–" for row in hands["rows"])
    return [
        Matrix(f"{kind}_{seat}", f"{seat}: {kind}", rows, tuple(hands["columns"]), hands[kind][place])
        for place, seat in enumerate(hands["seats"])
        for kind in ("estimated", "held")
    ]


EXPERIMENT = Experiment(
    "Figure 4: one decision, from the estimate of the hidden hands to the cards that are laid",
    Settings(),
    run,
    smoke={"last": 2},
)
