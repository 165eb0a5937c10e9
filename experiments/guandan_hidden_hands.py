"""How far estimates are from the hidden hands, by the cards the observer holds; and what abduction is worth.

The second table trains ABLN from nothing with the hands of only some episodes revealed. The others' are left out, or
abduced: the nearest to what the network thinks that explains the counts, the facts and what was laid down later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from abl_cards.agents.learned import Abl
from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.settings import SEEDS, setting
from experiments.desk import Desk, Tell
from experiments.estimates import EXACT, PLAIN, Estimator, errors, learned, shown, taught
from experiments.experiment import Experiment
from experiments.players import Player, players, rules_mark
from experiments.recorded import Records
from experiments.report import Cell, Curves, Plot, Report, Table
from experiments.rules import ByRules
from experiments.views import Looking, Views, from_play

CARDS_LEFT = (27, 20, 10, 5)
"""Columns of the table."""


@dataclass(frozen=True)
class Settings(ByRules):
    """What is estimated, and how much is learned from."""

    agent: str = setting("abl", "whose ABLN is measured")
    records: Path | None = setting(None, "recorded games; by default those of the contest")
    last: int = setting(40, "matches at the end of the records that are measured, and never learned from")
    decisions: int = setting(20_000, "of the agent against itself that are measured")
    exact: bool = setting(False, "measure the mean of all consistent deals too, which is slow")
    shares: tuple[float, ...] = setting((0.0, 0.01, 0.1, 1.0), "of the episodes whose hands are revealed in training")
    teacher: str = setting("kb", "whose games against itself are learned from, besides the records")
    lessons: int = setting(60_000, "of its decisions")
    steps: int = setting(1_500, "of a training, 1,024 decisions each")
    seed: int = setting(0, "of games, weights and batches", SEEDS)


@dataclass
class _Data:
    """Everything that is looked at, when it is first asked for."""

    settings: Settings
    engine: Engine
    records: Records
    player: Player
    teacher: Player

    @cached_property
    def contest(self) -> Views:
        """The held-out matches."""
        return self._of(self.records.last(self.settings.last))

    @cached_property
    def own(self) -> Views:
        """The agent against itself."""
        return from_play(self.engine, self.player.agent, self.settings.decisions, self.settings.seed + 1)

    @cached_property
    def lessons(self) -> Views:
        """What may be learned from."""
        own = from_play(self.engine, self.teacher.agent, self.settings.lessons, self.settings.seed)
        rest = self.records.without_last(self.settings.last)
        return own.also(self._of(rest)) if len(rest) else own

    def _of(self, records: Records) -> Views:
        looking = Looking(self.engine, len(records))
        records.watch(self.engine, looking)
        return looking.views()

    def of(self, place: str) -> Views:
        """By the name of a table."""
        return self.contest if place == "contest" else self.own

    def marks(self, *who: Player) -> dict[str, Any]:
        """What results depend on."""
        told = {"records": self.records.mark, "last": self.settings.last, "seed": self.settings.seed}
        return {**told, "rules": rules_mark(self.engine), "players": [[each.name, each.mark] for each in who]}


PLACES = {"contest": "held-out contest matches", "own": "the agent against itself"}


def run(settings: Settings, desk: Desk) -> Report:
    """Measure, then train."""
    engine = settings.engine_of("guandan")
    (player,), (teacher,) = players([settings.agent], engine), players([settings.teacher], engine)
    if not isinstance(player.agent, Abl) or player.agent.mind.networks.abln is None:
        raise GameError(f"agent '{player.name}' has no ABLN that could be measured")
    abln = player.agent.mind.networks.abln
    data = _Data(settings, engine, Records.of(settings.records, engine.game), player, teacher)
    estimators = {**PLAIN, **(EXACT if settings.exact else {}), **learned(abln)}
    trainings = [(share, abduce) for share in settings.shares for abduce in (False, True) if share < 1 or not abduce]
    desk.plan(len(PLACES) * len(estimators) + len(trainings))
    errors = [Measured(place, name) for place in PLACES for name in estimators]

    def measure(wanted: Measured | Taught) -> dict[str, float]:
        if isinstance(wanted, Taught):
            return _training(desk, data, wanted.share, wanted.abduce)
        return _error(desk, data, wanted.place, wanted.name, estimators[wanted.name])

    return report(desk.each([*errors, *(Taught(*each) for each in trainings)], measure, report))


class Measured(NamedTuple):
    """An estimate, and what it was measured on."""

    place: str
    name: str

    def __str__(self) -> str:
        return f"{self.name}, {PLACES[self.place]}"


class Taught(NamedTuple):
    """A training by the share of the episodes that are revealed, and whether the others' hands are abduced."""

    share: float
    abduce: bool

    def __str__(self) -> str:
        return f"{self.share:.0%} revealed, {'the rest abduced' if self.abduce else 'the rest left out'}"


def report(results: Mapping[Measured | Taught, Mapping[str, float]]) -> Report:
    """The tables of the places first, then that of the trainings, as far as they have been measured."""
    found: dict[str, dict[str, Mapping[str, float]]] = {}
    learning: dict[tuple[float, bool], Mapping[str, float]] = {}
    for each, result in results.items():
        if isinstance(each, Taught):
            learning[each.share, each.abduce] = result
        else:
            found.setdefault(each.place, {})[each.name] = result
    tables = [_table(place, of_place) for place, of_place in found.items()]
    curves = [_curve(place, of_place) for place, of_place in found.items()]
    if not learning:
        return Report(tables, curves)
    gap = _gap(learning, {place: found[place]["counting"]["all"] for place in PLACES})
    return Report([*tables, gap], [*curves, _gap_curve(learning)])


def _error(desk: Desk, data: _Data, place: str, name: str, estimator: Estimator) -> dict[str, float]:
    what = {"error": name, "place": place, "decisions": data.settings.decisions, **data.marks(data.player)}

    def work(tell: Tell) -> dict[str, float]:
        tell(0, "looking")
        views = data.of(place)
        return errors(views, estimator(views))

    return dict(desk.cell(what, work, str(Measured(place, name))))


def _training(desk: Desk, data: _Data, share: float, abduce: bool) -> dict[str, float]:
    """The errors of an ABLN with projection that was taught so, by place."""
    settings = data.settings
    sizes = {"lessons": settings.lessons, "steps": settings.steps, "decisions": settings.decisions}
    what = {"share": share, "abduce": abduce, **sizes, **data.marks(data.player, data.teacher)}

    def work(tell: Tell) -> dict[str, float]:
        tell(0, "playing for lessons")
        lessons = data.lessons
        revealed = shown(lessons, share, settings.seed)
        abln = taught(data.engine, lessons, revealed, abduce, settings.steps, settings.seed, tell)
        best = learned(abln)["ABLN + projection"]
        return {place: errors(data.of(place), best(data.of(place)))["all"] for place in PLACES}

    return dict(desk.cell(what, work, str(Taught(share, abduce)), settings.steps))


def _table(place: str, found: Mapping[str, Mapping[str, float]]) -> Table:
    columns = ("estimate", "all", *map(str, CARDS_LEFT), "below counting", "below counting + facts")
    rows: list[list[Cell]] = []
    for name, error in found.items():
        less = [
            1 - error["all"] / found[other]["all"] if other in found else None
            for other in ("counting", "counting + facts")
        ]
        rows.append([name, error["all"], *(error.get(str(left)) for left in CARDS_LEFT), *less])
    note = "Squared error summed over the other seats and all cards: of all decisions, and by the observer's cards."
    title = f"Error of estimates: {PLACES[place]}"
    return Table(f"errors_{place}", title, columns, rows, note, frozenset(columns[-2:]))


def _curve(place: str, found: Mapping[str, Mapping[str, float]]) -> Plot:
    lines = {
        name: sorted((int(left), value) for left, value in error.items() if left not in ("all", "0"))
        for name, error in found.items()
    }
    title = f"Estimates of hidden hands: {PLACES[place]}"
    return Curves(f"errors_{place}", title, "the observer's cards", "squared error", lines, backwards=True)


def _gap(learning: Mapping[tuple[float, bool], Mapping[str, float]], counting: Mapping[str, float]) -> Table:
    """What abduction is worth: how much of the way to full revelation it goes."""
    columns = ["hands revealed", "the rest"]
    for name in PLACES:
        columns += [f"{name}: error", f"{name}: below counting", f"{name}: gap closed"]
    rows: list[list[Cell]] = []
    for (share, abduce), error in learning.items():
        row: list[Cell] = [f"{share:.0%}", "abduced" if abduce else "left out" if share < 1 else "–"]
        for place in PLACES:
            row += [error[place], 1 - error[place] / counting[place], _closed(learning, share, abduce, place)]
        rows.append(row)
    note = (
        "ABLN (small) with projection, trained from nothing. The gap is the one between leaving hidden hands out and "
        "revealing them all."
    )
    shares = frozenset(column for column in columns if column.endswith(("counting", "closed")))
    return Table("abduction", "Training with hidden hands", tuple(columns), rows, note, shares, digits=3)


def _closed(
    learning: Mapping[tuple[float, bool], Mapping[str, float]], share: float, abduce: bool, place: str
) -> float | None:
    if not abduce or (1.0, False) not in learning:
        return None
    left_out, full = learning[share, False][place], learning[1.0, False][place]
    return (left_out - learning[share, True][place]) / (left_out - full) if left_out != full else None


def _gap_curve(learning: Mapping[tuple[float, bool], Mapping[str, float]]) -> Plot:
    lines: dict[str, list[tuple[float, float]]] = {}
    for place, text in PLACES.items():
        for abduce, rest in ((False, "left out"), (True, "abduced")):
            points = [
                (100 * share, error[place])
                for (share, way), error in learning.items()
                if way == abduce or (abduce and share >= 1)
            ]
            if points:
                lines[f"{text}, the rest {rest}"] = sorted(points)
    return Curves("abduction", "Training with hidden hands", "episodes revealed (%)", "squared error", lines)


EXPERIMENT = Experiment(
    "Error of hidden-hand estimates by cards left; does abduction replace hands that are not revealed?",
    Settings(),
    run,
    smoke={"last": 1, "decisions": 300, "lessons": 600, "steps": 3, "shares": (0.0, 1.0)},
)
