"""The joint abduction loop for a few minutes: progress from random weights, beside the shipped agent.

The agent meets the same opponents on the same deals before, during and after the loop. Its weights are saved at each
stage. The run continues in its folder until its minutes are used up, also after an interruption or with a larger number
of minutes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from abl_cards.agents import agent_fingerprint, check_agent_name, find_weights, rules_fingerprint
from abl_cards.core import (
    SEED_RANGE,
    Axis,
    ErrorCode,
    GameError,
    LinePlot,
    Plot,
    format_count,
    setting,
    settings_to_json,
    share_axis,
)
from abl_cards.experiments.agent_specs import AgentSpec, load_agents
from abl_cards.experiments.episodes import EpisodeSummary, measure_episodes
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import GameConfig
from abl_cards.experiments.seeds import SeedsConfig, over_seeds
from abl_cards.experiments.trained_agents import run_trainer
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.games import Engine

if TYPE_CHECKING:
    from abl_cards.training import TrainConfig as LoopSettings

FROM_NOTHING, FROM_PREFERENCES = "nothing", "preferences"
"""Initial policies without weights: all labels alike, or the costs of the preferences."""
_PRIOR_SCALE = {FROM_NOTHING: 0.0, FROM_PREFERENCES: None}


@dataclass(frozen=True)
class JointLoopConfig(GameConfig, SeedsConfig):
    """Start, duration and settings of the loop."""

    init_from: str = setting(
        FROM_NOTHING, f"initial policy: {FROM_NOTHING}, {FROM_PREFERENCES}, or an agent to train on", formerly="start"
    )
    reference_agent: str = setting("abl", "agent that plays the same opponents; nothing: none", formerly="beside")
    minutes: float = setting(3.0, "minutes of training")
    stages: int = setting(3, "stages of the training; the agent is measured after each")
    opponents: tuple[str, ...] = setting(("random", "greedy", "kb"), "opponents of the agent")
    episodes: int = setting(400, "episodes against each, every deal twice with the teams swapped")
    num_envs: int = setting(256, "tables played side by side", formerly="tables")
    rollout_size: int = setting(4096, "decisions with a choice between two updates", formerly="rows")
    minibatch_size: int = setting(512, "decisions in a step of learning", formerly="batch")
    learning_rate: float = setting(5e-4, "learning rate of PPO")
    critic_warmup_updates: int = setting(2, "updates at the start that train the critic alone", formerly="critic_first")
    ema_decay: float = setting(0.98, "decay of the running mean of weights that plays", formerly="averaged")
    preset: str = setting("small", "networks; an agent in init_from brings its own")
    seed: int = setting(0, "seed of deals and choices", SEED_RANGE)


class LoopPairing(NamedTuple):
    """Agent after a number of minutes, or the reference agent (None), and its opponent."""

    minutes: float | None
    opponent: str

    def __str__(self) -> str:
        return f"{'beside' if self.minutes is None else _time_text(self.minutes)} against {self.opponent}"


def run(settings: JointLoopConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Measure and train in turns, stage by stage; then measure the reference agent."""
    import torch

    torch.set_num_threads(1)  # small networks gain little from more, and threads that wait take time from others
    engine = settings.engine
    loop = _TrainedLoop(settings, workspace, engine)
    there = {player.name: player for player in load_agents(settings.opponents, engine)}
    beside = load_agents([settings.reference_agent], engine) if settings.reference_agent else []
    times = [settings.minutes * stage / settings.stages for stage in range(settings.stages + 1)]
    meetings = [LoopPairing(minutes, name) for minutes in [*times, *([None] if beside else [])] for name in there]
    workspace.plan_cells(len(meetings))

    def measure_pairing(meeting: LoopPairing) -> EpisodeSummary:
        agent = beside[0] if meeting.minutes is None else loop.agent_after(meeting.minutes)
        return measure_episodes(workspace, engine, (agent, there[meeting.opponent]), settings.episodes, settings.seed)

    def make_report(summaries: Mapping[LoopPairing, EpisodeSummary]) -> ExperimentReport:
        return report(settings, summaries, loop.metrics(), loop.final_weights)

    return make_report(workspace.measure_each(meetings, measure_pairing, make_report))


# --- the loop --------------------------------------------------------------------------------------------------------


@dataclass
class _TrainedLoop:
    """Training run of the experiment, with its agent at each stage."""

    settings: JointLoopConfig
    workspace: ExperimentWorkspace
    engine: Engine

    @cached_property
    def loop_config(self) -> LoopSettings:
        """Return the settings of the run; the name of its folder is a digest of all inputs."""
        from abl_cards.training import TrainConfig as LoopSettings

        settings, start = self.settings, self._initial_weights()
        relevant = {
            name: value for name, value in settings_to_json(settings).items() if name not in _UNRELATED_SETTINGS
        }
        depends = [
            relevant,
            rules_fingerprint(self.engine),
            agent_fingerprint(check_agent_name(settings.init_from), self.engine) if start else "",
        ]
        name = hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:16]
        preset, abln = _read_preset(start) if start else (settings.preset, True)
        return LoopSettings(
            directory=self.workspace.folder / f"loop-{name}", game=self.engine.game, preset=preset, abln=abln,
            seed=settings.seed, num_envs=settings.num_envs, init_from=start,
            prior_scale=None if start else _PRIOR_SCALE[settings.init_from],
            rollout_size=settings.rollout_size, minibatch_size=settings.minibatch_size,
            learning_rate=settings.learning_rate,
            critic_warmup_updates=settings.critic_warmup_updates, ema_decay=settings.ema_decay, checkpoint_interval=5,
            kb=settings.kb,
            profile=settings.profile,
        )  # fmt: skip

    def _initial_weights(self) -> Path | None:
        """Return the initial weights; raises GameError."""
        if self.settings.init_from in _PRIOR_SCALE:
            return None
        name = check_agent_name(self.settings.init_from)
        if name.kind != "abl":
            raise GameError(
                f"agent '{name}' does not learn: start from {FROM_NOTHING}, {FROM_PREFERENCES}, or abl:weights=FILE",
                ErrorCode.AGENT_NOT_APPLICABLE,
            )
        return find_weights(name, self.engine)

    @property
    def final_weights(self) -> Path:
        """Path of the final weights."""
        return self._weights_file(self.settings.minutes)

    def agent_after(self, minutes: float) -> AgentSpec:
        """Return the policy after some minutes of training, without look-ahead: the critic is too young for it."""
        file = self._weights_file(minutes)
        if not file.exists():
            run_trainer(self.workspace, self.loop_config, "joint abduction loop", minutes).save_weights(file)
        (player,) = load_agents([f"abl:no-lookahead,weights={file}"], self.engine)
        return replace(player, name=_time_text(minutes))  # wherever the folder lies

    def _weights_file(self, minutes: float) -> Path:
        return self.loop_config.directory / f"after-{minutes:g}-minutes.safetensors"

    def metrics(self) -> list[dict[str, Any]]:
        """Return the metrics of the run so far."""
        from abl_cards.training import read_metrics

        file = self.loop_config.directory / "metrics.jsonl"
        return read_metrics(self.loop_config.directory) if file.exists() else []


_UNRELATED_SETTINGS = ("kb", "profile", "reference_agent", "minutes", "stages", "opponents", "episodes", "seeds")
"""Settings that leave what is learned as it is; of the rules their contents count."""


def _read_preset(file: Path) -> tuple[str, bool]:
    from abl_cards.learners import load_card

    card = load_card(file)
    return card.preset, card.abln


# --- the report ------------------------------------------------------------------------------------------------------


def report(
    settings: JointLoopConfig,
    summaries: Mapping[LoopPairing, EpisodeSummary],
    metrics: Sequence[Mapping[str, Any]],
    weights: Path,
) -> ExperimentReport:
    """Make the tables of episodes and of the training, and curves of both."""
    training = [_training(metrics, weights)] if metrics else []
    return ExperimentReport([_table(settings, summaries), *training], _plots(settings, summaries, metrics))


def _table(settings: JointLoopConfig, summaries: Mapping[LoopPairing, EpisodeSummary]) -> ReportTable:
    columns = ("agent", "against", "episodes", "won", "from", "to", "points an episode")
    rows: list[list[Cell]] = [
        [
            _agent_name(settings, pairing),
            pairing.opponent,
            result.num_episodes,
            result.win_rate,
            *result.interval,
            result.mean_points,
        ]
        for pairing, result in summaries.items()
    ]
    note = "Intervals of 95 % over the deals. All have played the same deals, from the beginning of a match."
    return ReportTable(
        "episodes", "Before, on the way, and after", columns, rows, note, frozenset(columns[3:6]),
        paired_column="won", paired_within=("against",),
    )  # fmt: skip


def _agent_name(settings: JointLoopConfig, meeting: LoopPairing) -> str:
    return settings.reference_agent if meeting.minutes is None else _time_text(meeting.minutes)


def _time_text(minutes: float) -> str:
    return f"after {format_count(minutes, 'minute')}"


def _training(metrics: Sequence[Mapping[str, Any]], weights: Path) -> ReportTable:
    last = metrics[-1]
    columns = ("updates", "decisions", "minutes", "decisions a second", "weights")
    row: list[Cell] = [
        last["update"], last["decisions"], last["seconds"] / 60, round(last["decisions"] / last["seconds"]),
        str(weights) if weights.exists() else None,
    ]  # fmt: skip
    return ReportTable("training", "The joint abduction loop", columns, [row])


def _plots(
    settings: JointLoopConfig, summaries: Mapping[LoopPairing, EpisodeSummary], metrics: Sequence[Mapping[str, Any]]
) -> list[Plot]:
    from abl_cards.training import build_curves

    return [_strength_curve(settings, summaries), *build_curves(metrics)]


def _strength_curve(settings: JointLoopConfig, summaries: Mapping[LoopPairing, EpisodeSummary]) -> LinePlot:
    """Plot win rates with intervals by minutes; the reference agent is a horizontal line."""
    lines: dict[str, list[tuple[float, float]]] = {}
    levels: dict[str, list[tuple[float, float]]] = {}
    bands: dict[str, list[tuple[float, float, float]]] = {}
    for meeting, result in summaries.items():
        beside, name = meeting.minutes is None, f"against {meeting.opponent}"
        times = [0.0, settings.minutes] if meeting.minutes is None else [meeting.minutes]
        into, name = (levels, f"{settings.reference_agent} {name}") if beside else (lines, name)
        into.setdefault(name, []).extend((minutes, result.win_rate) for minutes in times)
        bands.setdefault(name, []).extend((minutes, *result.interval) for minutes in times)
    return LinePlot(
        "learned", "Wins of the agent as it learns", Axis("training", "min"), share_axis("share of the episodes won"),
        lines, levels, bands, n=f"{settings.episodes:,} episodes a point", interval="95 % intervals over deals",
        reference=0.5,
    )  # fmt: skip


EXPERIMENT = Experiment(
    "The joint abduction loop for some minutes, from nothing: what the agent gains, and the shipped one beside it",
    JointLoopConfig(),
    over_seeds(run),
    smoke={
        "minutes": 0.02, "stages": 1, "episodes": 8, "num_envs": 64, "rollout_size": 512, "opponents": ("random",),
        "reference_agent": "kb",
    },
)  # fmt: skip
