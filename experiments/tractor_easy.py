"""EasyTractor (table 4.1 of the Tractor paper), and abl beside it: networks of planes that learn from kb and play.

Four runs in folders of their own, as many decisions of self-play each: from what games of kb taught, from nothing, and
abl with and without an estimate of the hidden hands. Each goes on where it was stopped, and keeps weights on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from abl_cards.arena import interval, mean_interval
from abl_cards.games import Engine
from abl_cards.settings import SEEDS, setting
from experiments.desk import Desk, Tell
from experiments.episodes import play
from experiments.experiment import Experiment
from experiments.options import options_table
from experiments.players import Player, players, rules_mark
from experiments.report import Cell, Curves, Report, Table
from experiments.rules import ByRules

if TYPE_CHECKING:
    from abl_cards.loop.settings import Settings as LoopSettings

SUPERVISED, BOTH, NOTHING, ABL, BLIND = "supervised", "supervised + PPO", "PPO", "abl", "abl without estimate"
PAPER = {(BOTH, SUPERVISED): (840, 696), (BOTH, NOTHING): (738, 624)}
PAPER_ACCURACY = 0.54
_FOLDERS = {BOTH: "easy", NOTHING: "rl", ABL: "abl", BLIND: "ablno"}


@dataclass(frozen=True)
class Settings(ByRules):
    """How much is learned, and how long they play."""

    profile: str | None = setting("botzone", "a file of its folder profiles; the same as --profile")
    decisions: int = setting(600_000, "of self-play, of each run")
    stages: int = setting(3, "parts of it, after each of which a run is measured against kb")
    games: int = setting(1024, "that table 4.1 counts, each deal twice with the teams swapped")
    rounds: int = setting(1000, "between abl and EasyTractor")
    lessons: int = setting(4096, "games of kb, from a fifth of which nothing is learned")
    steps: int = setting(900, "of learning from them")
    own_lessons: int = setting(60_000, "decisions of such games that teach the estimate of the hidden hands")
    abln_steps: int = setting(700, "steps that it learns from them")
    preset: str = setting("planes-small", "the network of EasyTractor: planes-small, planes-paper")
    tables: int = setting(256, "played side by side")
    rows: int | None = setting(None, "decisions with a choice between two updates; none is the preset's")
    critic_first: int = setting(3, "updates that teach the value alone")
    options: int = setting(200, "decisions whose options are counted")
    seed: int = setting(0, "of deals and choices", SEEDS)

    def after(self, stage: int) -> int:
        """The decisions of a run after so many stages."""
        return round(self.decisions * stage / self.stages)


class Meeting(NamedTuple):
    """Two agents; of a run after how many stages."""

    first: str
    second: str
    stage: int
    games: int

    def __str__(self) -> str:
        return f"{self.first} against {self.second}, stage {self.stage}"


@dataclass(frozen=True)
class Levels:
    """What came of games, from the eyes of the first agent."""

    games: int
    levels: tuple[int, int]  # won by each
    won: float  # share of the games, none to either as half
    bounds: tuple[float, float]
    lead: tuple[float, float] | None  # 95 % bounds of the levels a game by which it is ahead


def run(settings: Settings, desk: Desk) -> Report:
    """Learn, measure, learn on; each pair of agents meets on the same deals."""
    import torch

    torch.set_num_threads(1)  # small networks gain little from more
    engine = settings.engine_of("tractor")
    school = School(settings, desk, engine)
    counted = options_table(desk, engine, settings.options, settings.seed)
    meetings = _meetings(settings)
    desk.plan(len(meetings))

    def told(found: Mapping[Meeting, Levels]) -> Report:
        return report(settings, found, school, counted)

    return told(desk.each(meetings, lambda meeting: _meet(desk, school, meeting), told))


def _meetings(settings: Settings) -> list[Meeting]:
    """The curve stage by stage, so that all runs grow together; then the tables."""
    last, games, rounds = settings.stages, settings.games, settings.rounds
    found = [Meeting(SUPERVISED, "kb", 0, games // 2)]
    found += [Meeting(name, "kb", stage, games // 2) for stage in range(1, last + 1) for name in _FOLDERS]
    found += [Meeting(*pair, last, games) for pair in PAPER]
    return [*found, *(Meeting(*pair, last, rounds) for pair in ((ABL, BOTH), (BLIND, BOTH), (ABL, BLIND)))]


def _meet(desk: Desk, school: School, meeting: Meeting) -> Levels:
    engine, seed = school.engine, school.settings.seed
    pair = [school.player(name, meeting.stage) for name in meeting[:2]]
    what = {"levels": [each.name for each in pair], "marks": [each.mark for each in pair], "seed": seed}

    def work(tell: Tell) -> dict[str, Any]:
        ahead = 2 * play(engine, (pair[0].agent, pair[1].agent), meeting.games, seed, tell)
        sides = len(engine.seatings)
        return {
            "levels": [round(float(np.maximum(each, 0).sum())) for each in (ahead, -ahead)],
            "won": float((1 + np.sign(ahead)).mean() / 2),
            "bounds": interval((1 + np.sign(ahead)) / 2, sides),
            "lead": mean_interval(ahead, sides),
        }

    found = desk.cell(what | {"games": meeting.games}, work, str(meeting), meeting.games)
    lead = tuple(found["lead"]) if found["lead"] else None
    return Levels(meeting.games, tuple(found["levels"]), found["won"], tuple(found["bounds"]), lead)


# --- the runs --------------------------------------------------------------------------------------------------------


@dataclass
class School:
    """Four runs, and what plays after each of their stages."""

    settings: Settings
    desk: Desk
    engine: Engine

    def player(self, name: str, stage: int) -> Player:
        """Who plays by what a run has learned after a stage; kb, and what only learned from it, at any time."""
        if name == "kb":
            return players([name], self.engine)[0]
        file = self.supervised if name == SUPERVISED else self.weights(name, stage)
        (found,) = players([f"abl:no-lookahead,weights={file}"], self.engine)
        return replace(found, name=f"{name} {stage}")  # wherever the folder lies

    @property
    def supervised(self) -> Path:
        """What learned from the games of kb alone."""
        file = self._folder(BOTH) / "supervised.safetensors"
        if not file.exists():
            self._train(BOTH, 0)
        return file

    def weights(self, name: str, stage: int) -> Path:
        """What a run has learned after a stage."""
        decisions = self.settings.after(stage)
        file = self._folder(name) / f"after-{decisions}.safetensors"
        if not file.exists():
            self._train(name, decisions).save_weights(file)
        return file

    def accuracy(self) -> tuple[str, float] | None:
        """Of how many decisions, and how often the supervised policy chooses as kb did; None before it has learned."""
        from learners.store import load_card

        file = self._folder(BOTH) / "supervised.safetensors"
        results = load_card(file).results if file.exists() else {}
        return next(((name, found["choice"]) for name, found in results.items()), None)

    def metrics(self, name: str) -> list[dict[str, Any]]:
        """What a run has measured of itself so far."""
        from abl_cards.loop.metrics import read_metrics

        folder = self._folder(name)
        return read_metrics(folder) if (folder / "metrics.jsonl").exists() else []

    def _folder(self, name: str) -> Path:
        return self.desk.folder / f"{_FOLDERS[name]}-{rules_mark(self.engine)}"

    def _train(self, name: str, decisions: int) -> Any:
        from abl_cards.loop.training import Run

        self.desk.tell()
        with self.desk.bar(f"{name}, {decisions:,} decisions", decisions) as tell:
            loop = Run(self._chosen(name, decisions), tell)
            if loop.decisions < decisions:
                loop.go(lambda report: tell(report.decisions, report.remark()))
        self.desk.log(f"{name}: {loop.update} updates, {loop.decisions} decisions, {loop.seconds / 60:.1f} minutes")
        return loop

    def _chosen(self, name: str, decisions: int) -> LoopSettings:
        from abl_cards.loop.settings import Settings as LoopSettings

        settings = self.settings
        found = LoopSettings(
            directory=self._folder(name), game=self.engine.game, preset=settings.preset, abln=False,
            seed=settings.seed, decisions=decisions, tables=settings.tables, against_kb=0.0, against_past=0.0,
            remember_every=1000, critic_first=settings.critic_first, averaged=0.99, rows=settings.rows,
            kb=settings.kb, profile=settings.profile, workers=1, threads=1,
        )  # fmt: skip
        if name == BOTH:
            return replace(found, own_player="kb", own_games=settings.lessons, decision_steps=settings.steps)
        if name == NOTHING:
            return found
        found = replace(found, preset="planes-abl", trust=8.0)
        if name == BLIND:
            return found
        own = settings.own_lessons
        return replace(found, abln=True, own_player="kb", own_lessons=own, abln_steps=settings.abln_steps)


# --- the report ------------------------------------------------------------------------------------------------------


def report(settings: Settings, found: Mapping[Meeting, Levels], school: School, counted: Table) -> Report:
    """Accuracy, table 4.1, abl, the runs, and the curve by steps."""
    pairs = [each for each in found if each.second != "kb"]
    ours = [each for each in pairs if each[:2] in PAPER]
    rest = [each for each in pairs if each not in ours]
    tables = [
        counted, _accuracy(school.accuracy()),
        _table("levels", "Levels won (table 4.1)", found, ours, paper=True),
        _table("abl", "abl and EasyTractor, at equal steps", found, rest),
        _table("kb", "Against kb, on the way", found, [each for each in found if each.second == "kb"]),
        _runs(school),
    ]  # fmt: skip
    return Report([table for table in tables if table.rows], [_curve(settings, found)])


def _accuracy(found: tuple[str, float] | None) -> Table:
    rows: list[list[Cell]] = [[found[0].removeprefix("agreement with "), found[1], PAPER_ACCURACY]] if found else []
    note = "Decisions with more than one option. The paper's games are those of another bot, and are not published."
    columns = ("held out", "chosen as kb did", "paper")
    return Table("accuracy", "What supervised learning comes to", columns, rows, note, frozenset(columns[1:]))


def _table(
    name: str, title: str, found: Mapping[Meeting, Levels], meetings: Sequence[Meeting], paper: bool = False
) -> Table:
    columns: tuple[str, ...] = (
        "agent", "against", "stage", "games", "levels", "theirs", "won", "from", "to", "ahead by at least", "at most",
    )  # fmt: skip
    rows: list[list[Cell]] = []
    for meeting in meetings:
        each = found[meeting]
        lead = each.lead or (None, None)
        row = [*meeting[:3], each.games, *each.levels, each.won, *each.bounds, *lead]
        rows.append([*row, *PAPER[meeting[:2]]] if paper else row)
    columns += ("paper: levels", "paper: theirs") if paper else ()
    note = "With 95 % intervals over deals, of the games won, and of the levels a game by which the first is ahead."
    return Table(name, title, columns, rows, note, frozenset(columns[6:9]))


def _runs(school: School) -> Table:
    columns = ("run", "updates", "decisions", "minutes", "decisions a second", "entropy")
    rows: list[list[Cell]] = []
    for name in _FOLDERS:
        metrics = school.metrics(name)
        if metrics:
            last = metrics[-1]
            pace = round(last["decisions"] / last["seconds"])
            rows.append([name, last["update"], last["decisions"], last["seconds"] / 60, pace, last["entropy"]])
    return Table("runs", "The runs", columns, rows)


def _curve(settings: Settings, found: Mapping[Meeting, Levels]) -> Curves:
    lines: dict[str, list[tuple[float, float]]] = {}
    bands: dict[str, list[tuple[float, float, float]]] = {}
    for meeting, each in found.items():
        if meeting.second != "kb":
            continue
        names = (BOTH,) if meeting.first == SUPERVISED else (meeting.first,)
        for name in names:
            steps = float(settings.after(meeting.stage))
            lines.setdefault(name, []).append((steps, each.won))
            bands.setdefault(name, []).append((steps, *each.bounds))
    return Curves("steps", "Against kb", "decisions of self-play", "share of the games won", lines, {}, bands)


EXPERIMENT = Experiment(
    "EasyTractor: supervised, reinforced, or both (table 4.1), and abl beside it",
    Settings(),
    run,
    smoke={
        "decisions": 600, "stages": 1, "games": 8, "rounds": 8, "lessons": 8, "steps": 2, "own_lessons": 200,
        "abln_steps": 2, "tables": 8, "rows": 256, "critic_first": 1, "options": 4,
    },
)  # fmt: skip
