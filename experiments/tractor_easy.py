"""EasyTractor (table 4.1 of the Tractor paper) and abl: networks of planes that learn from kb and by self-play.

Four runs have the same number of self-play decisions, each in its own folder: one after supervised training on kb, one
from random weights, and abl with and without an estimate of the hidden hands. Each run resumes after an interruption,
and saves weights at each stage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from abl_cards.agents import rules_fingerprint
from abl_cards.core import SEED_RANGE, Axis, LinePlot, former_fingerprint, setting, share_axis
from abl_cards.experiments.agent_specs import AgentSpec, load_agents
from abl_cards.experiments.branching_factors import branching_table
from abl_cards.experiments.episodes import play_episodes
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.plot_data import numbers_text
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.seeds import SeedsConfig, over_seeds
from abl_cards.experiments.trained_agents import run_trainer
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import Engine
from abl_cards.matches import mean_interval, share_interval

if TYPE_CHECKING:
    from abl_cards.training import TrainConfig as LoopSettings
    from abl_cards.training import Trainer

SUPERVISED, SUPERVISED_PPO, PPO_ONLY, ABL, ABL_NO_ESTIMATE = (
    "supervised",
    "supervised + PPO",
    "PPO",
    "abl",
    "abl without estimate",
)
PAPER_LEVELS = {(SUPERVISED_PPO, SUPERVISED): (840, 696), (SUPERVISED_PPO, PPO_ONLY): (738, 624)}
PAPER_ACCURACY = 0.54
_FOLDERS = {SUPERVISED_PPO: "easy", PPO_ONLY: "rl", ABL: "abl", ABL_NO_ESTIMATE: "ablno"}


@dataclass(frozen=True)
class TractorEasyConfig(RulesConfig, SeedsConfig):
    """Amounts of training and of matches."""

    profile: str | None = setting("botzone", "profile of the rules, as --profile")
    decisions: int = setting(600_000, "decisions of self-play of each run")
    stages: int = setting(3, "stages of a run; it plays kb after each")
    games: int = setting(1024, "games of table 4.1, each deal twice with the teams swapped")
    rounds: int = setting(1000, "rounds between abl and EasyTractor")
    pretrain_episodes: int = setting(4096, "games of kb to learn from; a fifth is held out", formerly="lessons")
    steps: int = setting(900, "steps of supervised learning")
    pretrain_decisions: int = setting(60_000, "decisions of these games that train ABLN", formerly="own_lessons")
    abln_steps: int = setting(700, "steps of ABLN in supervised training")
    preset: str = setting("planes-small", "network of EasyTractor: planes-small, planes-paper")
    num_envs: int = setting(256, "tables played side by side", formerly="tables")
    rollout_size: int | None = setting(
        None, "decisions with a choice between two updates; none is the preset's", formerly="rows"
    )
    critic_warmup_updates: int = setting(3, "updates at the start that train the value alone", formerly="critic_first")
    options: int = setting(200, "decisions whose options are counted")
    seed: int = setting(0, "seed of deals and choices", SEED_RANGE)

    def decisions_after(self, stage: int) -> int:
        """Return the decisions of a run after a number of stages."""
        return round(self.decisions * stage / self.stages)


class TractorPairing(NamedTuple):
    """Two agents, and the stage of their runs."""

    first: str
    second: str
    stage: int
    games: int

    def __str__(self) -> str:
        return f"{self.first} against {self.second}, stage {self.stage}"


@dataclass(frozen=True)
class LevelsSummary:
    """Results of games, for the first agent."""

    num_games: int
    levels: tuple[int, int]  # won by each
    win_rate: float  # share of the games, none to either as half
    interval: tuple[float, float]
    lead_interval: tuple[float, float] | None  # 95 % bounds of the levels a game by which it is ahead


def run(settings: TractorEasyConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Train and measure stage by stage; each pair of agents meets on the same deals."""
    import torch

    torch.set_num_threads(1)  # small networks gain little from more
    engine = settings.load_engine("tractor")
    school = Curriculum(settings, workspace, engine)
    counted = branching_table(workspace, engine, settings.options, settings.seed)
    meetings = _list_pairings(settings)
    workspace.plan_cells(len(meetings))

    def make_report(summaries: Mapping[TractorPairing, LevelsSummary]) -> ExperimentReport:
        return report(settings, summaries, school, counted)

    return make_report(
        workspace.measure_each(meetings, lambda meeting: _play_pairing(workspace, school, meeting), make_report)
    )


def _list_pairings(settings: TractorEasyConfig) -> list[TractorPairing]:
    """List the pairings of the curve stage by stage, so that all runs advance together; then those of the tables."""
    last, games, rounds = settings.stages, settings.games, settings.rounds
    pairings = [TractorPairing(SUPERVISED, "kb", 0, games // 2)]
    pairings += [TractorPairing(name, "kb", stage, games // 2) for stage in range(1, last + 1) for name in _FOLDERS]
    pairings += [TractorPairing(*pair, last, games) for pair in PAPER_LEVELS]
    return [
        *pairings,
        *(
            TractorPairing(*pair, last, rounds)
            for pair in ((ABL, SUPERVISED_PPO), (ABL_NO_ESTIMATE, SUPERVISED_PPO), (ABL, ABL_NO_ESTIMATE))
        ),
    ]


def _play_pairing(workspace: ExperimentWorkspace, curriculum: Curriculum, meeting: TractorPairing) -> LevelsSummary:
    engine, seed = curriculum.engine, curriculum.settings.seed
    pair = [curriculum.agent_after(name, meeting.stage) for name in meeting[:2]]
    what = {"levels": [player.name for player in pair], "marks": [player.fingerprint for player in pair], "seed": seed}

    def work(tell: ProgressCallback) -> dict[str, Any]:
        ahead = 2 * play_episodes(engine, (pair[0].agent, pair[1].agent), meeting.games, seed, tell)
        sides = len(engine.agent_seatings)
        return {
            "levels": [round(float(np.maximum(points, 0).sum())) for points in (ahead, -ahead)],
            "won": float((1 + np.sign(ahead)).mean() / 2),
            "bounds": share_interval((1 + np.sign(ahead)) / 2, sides),
            "lead": mean_interval(ahead, sides),
        }

    games = meeting.games
    result = workspace.measure_cell(what | {"games": games}, work, str(meeting), games, side_by_side=games)
    lead = tuple(result["lead"]) if result["lead"] else None
    return LevelsSummary(meeting.games, tuple(result["levels"]), result["won"], tuple(result["bounds"]), lead)


# --- the runs --------------------------------------------------------------------------------------------------------


@dataclass
class Curriculum:
    """Four training runs, with their agents after each stage."""

    settings: TractorEasyConfig
    workspace: ExperimentWorkspace
    engine: Engine

    def agent_after(self, name: str, stage: int) -> AgentSpec:
        """Return the agent with the weights after a stage; kb and the supervised agent do not change."""
        if name == "kb":
            return load_agents([name], self.engine)[0]
        file = self.supervised_weights if name == SUPERVISED else self.weights_after(name, stage)
        (spec,) = load_agents([f"abl:no-lookahead,weights={file}"], self.engine)
        return replace(spec, name=f"{name} {stage}")  # wherever the folder lies

    @property
    def supervised_weights(self) -> Path:
        """Path of the weights after supervised training alone."""
        file = self._folder(SUPERVISED_PPO) / "supervised.safetensors"
        if not file.exists():
            self._train(SUPERVISED_PPO, 0)
        return file

    def weights_after(self, name: str, stage: int) -> Path:
        """Return the path of the weights after a stage."""
        decisions = self.settings.decisions_after(stage)
        file = self._folder(name) / f"after-{decisions}.safetensors"
        if not file.exists():
            self._train(name, decisions).save_weights(file)
        return file

    def accuracy(self) -> tuple[str, float] | None:
        """Return the name of the held-out data and the agreement with kb on it; None before training."""
        from abl_cards.learners import load_card

        file = self._folder(SUPERVISED_PPO) / "supervised.safetensors"
        results = load_card(file).results if file.exists() else {}
        return next(((name, scores["choice"]) for name, scores in results.items()), None)

    def metrics(self, name: str) -> list[dict[str, Any]]:
        """Return the metrics of a run so far."""
        from abl_cards.training import read_metrics

        folder = self._folder(name)
        return read_metrics(folder) if (folder / "metrics.jsonl").exists() else []

    def _folder(self, name: str) -> Path:
        fingerprint = rules_fingerprint(self.engine)
        folder, former = (
            self.workspace.folder / f"{_FOLDERS[name]}-{digits}"
            for digits in (fingerprint, former_fingerprint(fingerprint))
        )
        return former if former.exists() else folder

    def _train(self, name: str, decisions: int) -> Trainer:
        return run_trainer(self.workspace, self._loop_config(name, decisions), name)

    def _loop_config(self, name: str, decisions: int) -> LoopSettings:
        from abl_cards.training import TrainConfig as LoopSettings

        settings = self.settings
        config = LoopSettings(
            directory=self._folder(name), game=self.engine.game, preset=settings.preset, abln=False,
            seed=settings.seed, total_decisions=decisions, num_envs=settings.num_envs, kb_opponent_share=0.0,
            past_opponent_share=0.0,
            snapshot_interval=1000, critic_warmup_updates=settings.critic_warmup_updates, ema_decay=0.99,
            rollout_size=settings.rollout_size,
            kb=settings.kb, profile=settings.profile, workers=1, threads=1,
        )  # fmt: skip
        if name == SUPERVISED_PPO:
            return replace(
                config,
                pretrain_agent="kb",
                pretrain_episodes=settings.pretrain_episodes,
                policy_pretrain_steps=settings.steps,
            )
        if name == PPO_ONLY:
            return config
        config = replace(config, preset="planes-abl", prior_scale=8.0)
        if name == ABL_NO_ESTIMATE:
            return config
        own = settings.pretrain_decisions
        return replace(
            config, abln=True, pretrain_agent="kb", pretrain_decisions=own, abln_pretrain_steps=settings.abln_steps
        )


# --- the report ------------------------------------------------------------------------------------------------------


def report(
    settings: TractorEasyConfig,
    summaries: Mapping[TractorPairing, LevelsSummary],
    curriculum: Curriculum,
    options_table: ReportTable,
) -> ExperimentReport:
    """Make the tables of accuracy, levels, abl and runs, and the learning curve."""
    pairs = [pairing for pairing in summaries if pairing.second != "kb"]
    ours = [pairing for pairing in pairs if pairing[:2] in PAPER_LEVELS]
    others = [pairing for pairing in pairs if pairing not in ours]
    tables = [
        options_table, _accuracy(curriculum.accuracy()),
        _table("levels", "Levels won (table 4.1)", summaries, ours, paper=True),
        _table("abl", "abl and EasyTractor, at equal steps", summaries, others),
        _table("kb", "Against kb, on the way", summaries, [pairing for pairing in summaries if pairing.second == "kb"]),
        _runs(curriculum),
    ]  # fmt: skip
    return ExperimentReport([table for table in tables if table.rows], [_learning_curve(settings, summaries)])


def _accuracy(accuracy: tuple[str, float] | None) -> ReportTable:
    rows: list[list[Cell]] = (
        [[accuracy[0].removeprefix("agreement with "), accuracy[1], PAPER_ACCURACY]] if accuracy else []
    )
    note = "Decisions with more than one option. The paper's games are those of another bot, and are not published."
    columns = ("held out", "chosen as kb did", "paper")
    return ReportTable("accuracy", "What supervised learning comes to", columns, rows, note, frozenset(columns[1:]))


def _table(
    name: str,
    title: str,
    summaries: Mapping[TractorPairing, LevelsSummary],
    meetings: Sequence[TractorPairing],
    paper: bool = False,
) -> ReportTable:
    columns: tuple[str, ...] = (
        "agent", "against", "stage", "games", "levels", "theirs", "won", "from", "to", "ahead by at least", "at most",
    )  # fmt: skip
    rows: list[list[Cell]] = []
    for meeting in meetings:
        summary = summaries[meeting]
        lead = summary.lead_interval or (None, None)
        row = [*meeting[:3], summary.num_games, *summary.levels, summary.win_rate, *summary.interval, *lead]
        rows.append([*row, *PAPER_LEVELS[meeting[:2]]] if paper else row)
    columns += ("paper: levels", "paper: theirs") if paper else ()
    note = "With 95 % intervals over deals, of the games won, and of the levels a game by which the first is ahead."
    return ReportTable(name, title, columns, rows, note, frozenset(columns[6:9]))


def _runs(curriculum: Curriculum) -> ReportTable:
    columns = ("run", "updates", "decisions", "minutes", "decisions a second", "entropy")
    rows: list[list[Cell]] = []
    for name in _FOLDERS:
        metrics = curriculum.metrics(name)
        if metrics:
            last = metrics[-1]
            pace = round(last["decisions"] / last["seconds"])
            rows.append([name, last["update"], last["decisions"], last["seconds"] / 60, pace, last["entropy"]])
    return ReportTable("runs", "The runs", columns, rows)


def _learning_curve(settings: TractorEasyConfig, summaries: Mapping[TractorPairing, LevelsSummary]) -> LinePlot:
    lines: dict[str, list[tuple[float, float]]] = {}
    bands: dict[str, list[tuple[float, float, float]]] = {}
    for meeting, summary in summaries.items():
        if meeting.second != "kb":
            continue
        names = (SUPERVISED_PPO,) if meeting.first == SUPERVISED else (meeting.first,)
        for name in names:
            steps = float(settings.decisions_after(meeting.stage))
            lines.setdefault(name, []).append((steps, summary.win_rate))
            bands.setdefault(name, []).append((steps, *summary.interval))
    count = numbers_text([summary.num_games for summary in summaries.values()] or [0], "games a point")
    return LinePlot(
        "steps", "Against kb while learning", Axis("self-play", "decisions"), share_axis("share of the games won"),
        lines, {}, bands, n=count, interval="95 % intervals over deals", reference=0.5,
    )  # fmt: skip


EXPERIMENT = Experiment(
    "EasyTractor: supervised, reinforced, or both (table 4.1), and abl beside it",
    TractorEasyConfig(),
    over_seeds(run),
    smoke={
        "decisions": 600, "stages": 1, "games": 8, "rounds": 8, "pretrain_episodes": 8, "steps": 2,
        "pretrain_decisions": 200,
        "abln_steps": 2, "num_envs": 8, "rollout_size": 256, "critic_warmup_updates": 1, "options": 4,
    },
)  # fmt: skip
