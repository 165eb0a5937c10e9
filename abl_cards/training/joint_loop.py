"""The joint abduction loop (Chen et al. 2025, algorithm 2): play, abduce, learn, again.

A run lives in a folder. It goes on from its checkpoint by itself; what it does depends on its settings alone, so a run
that was interrupted ends as one that was not (where its workers have one thread each, and sums are always made in the
same order).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

import torch

from abl_cards.core import GameError, current_keys, format_value, seed64, single_threaded, write_text
from abl_cards.learners import PRESETS, Networks, Preset, WeightsCard, load_card, load_weights, save_networks
from abl_cards.training.actor import OPPONENT_NAMES, StateDict
from abl_cards.training.checkpoint import CHECKPOINT_SUFFIX, CheckpointFile, translate_restore_errors
from abl_cards.training.critic_finetuning import SelfPlayGames, create_critic_run
from abl_cards.training.launcher import ActorPool, Launcher, LocalLauncher
from abl_cards.training.metrics import MetricsWriter
from abl_cards.training.model_pool import League
from abl_cards.training.pretraining import Checkpointer, ProgressCallback, pretrain
from abl_cards.training.process_group import ProcessRank, SingleProcess
from abl_cards.training.rollout_queue import QueueStats
from abl_cards.training.run_lock import lock_run_folder
from abl_cards.training.selfplay import Score
from abl_cards.training.settings import SETTINGS_FILE, TrainConfig, run_name
from abl_cards.training.updates import UpdateStats
from abl_cards.training.worker import IterationStats, TrainingWorker, create_networks
from abl_cards.training.workers import WorkerLost, WorkerPool, spawn

LOCAL_LAUNCHER = LocalLauncher()


@dataclass(frozen=True)
class TrainingReport:
    """How a run stands after an update."""

    update: int
    decisions: int
    seconds: float  # of the whole run
    decisions_per_second: float  # decisions a second since the report before
    score: Score
    update_stats: UpdateStats
    queue_stats: QueueStats

    def summary(self) -> str:
        """A line for who watches."""
        met = [(number, name) for number, name in enumerate(OPPONENT_NAMES) if number and self.score.episodes[number]]
        wins = [f"{self.score.won[number] / self.score.episodes[number]:.1%} against {name}" for number, name in met]
        return (
            f"{self.decisions_per_second:,.0f} decisions/s  wins {', '.join(wins)}"
            if wins
            else f"{self.decisions_per_second:,.0f} decisions/s"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values, one level deep."""
        values: dict[str, Any] = {
            "update": self.update,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 1),
            "pace": round(self.decisions_per_second, 1),
        }
        for number, name in enumerate(OPPONENT_NAMES):
            episodes = int(self.score.episodes[number])
            if number and episodes:
                values[f"episodes against {name}"] = episodes
                values[f"wins against {name}"] = round(int(self.score.won[number]) / episodes, 4)
                values[f"points against {name}"] = round(float(self.score.points[number]) / episodes, 4)
        learned = asdict(self.update_stats).items()
        values |= {name: None if value is None else round(value, 6) for name, value in learned}
        return values | _queue_metrics(self.queue_stats)


def _queue_metrics(stats: QueueStats) -> dict[str, Any]:
    """What a line says of the sample pool."""
    staleness = stats.staleness
    return {
        "staleness": None if staleness is None else round(staleness, 3),
        "thrown away, pool full": stats.dropped_full,
        "thrown away, stale": stats.dropped_stale,
        "thrown away, repeated": stats.dropped_repeated,
        "actors lost": stats.lost_actors,
    }


def get_preset(settings: TrainConfig) -> Preset:
    """The preset of a run; raises GameError for a name that is none."""
    if settings.preset not in PRESETS:
        raise GameError(f"unknown preset '{settings.preset}' (there are: {', '.join(PRESETS)})")
    preset = PRESETS[settings.preset]
    return preset if settings.abln else preset.without_abln()


class Trainer(TrainingWorker):
    """A training run: the first of its workers, which keeps what all of them learn."""

    def __init__(
        self,
        settings: TrainConfig,
        on_progress: ProgressCallback = lambda done, what: None,
        launcher: Launcher = LOCAL_LAUNCHER,
    ) -> None:
        """Begin, or take up, the run in the folder of the settings; raises GameError.

        Whoever else works on it comes from the staff.
        """
        if settings.threads:
            torch.set_num_threads(settings.threads)
        torch.manual_seed(seed64(settings.seed))
        self._launcher, self._num_actors, self._num_started = launcher, launcher.count_actors(settings), 0
        chosen, settings = settings, replace(settings, workers=launcher.count_workers(settings))
        engine = settings.load_engine()
        networks = create_networks(settings, get_preset(settings), engine)
        self.checkpoint_path = settings.directory / f"checkpoint{CHECKPOINT_SUFFIX}"  # what the run goes on from
        name = run_name(settings.game, settings.preset)
        self.weights_path = settings.directory / f"{name}.safetensors"  # what plays in the end
        if settings.init_from:
            load_weights(settings.init_from, networks)
        self._checkpoint = CheckpointFile(self.checkpoint_path)
        with lock_run_folder(settings.directory):
            state = self._checkpoint.load()
            if state is None:
                _write_settings(chosen)
                pretrain(settings, engine, networks, on_progress)
        super().__init__(settings, networks, ProcessRank(0, settings.workers or 1), plays_locally=not self._num_actors)
        self.decisions, self.seconds = 0, 0.0
        self.league = League(settings.directory / "past")
        self._metrics_size, self._commands = 0, [settings.shell_command()]
        self._worker_pool, self._actor_pool = WorkerPool(), cast("ActorPool | None", None)
        self.has_foreign_model = False  # whether a model that the run cannot save has taken the place of its networks
        self._other_states: list[StateDict] = [{} for _ in range(1, self.process_rank.world_size)]
        """What the others go on from."""
        if state is not None:
            with translate_restore_errors(self.checkpoint_path):
                self._load_checkpoint(state)
        _write_settings(chosen)

    # --- the loop ----------------------------------------------------------------------------------------------------

    def train(
        self, on_progress: Callable[[TrainingReport], None] = lambda report: None, max_minutes: float | None = None
    ) -> None:
        """Train until the decisions of the settings are made, or for minutes by the run's own count; then save.

        Raises GameError where the learner is a model of the caller's, which the run could neither save nor resume.
        """
        self._check_own_model()
        with lock_run_folder(self.settings.directory):
            self._checkpoint.check_unchanged()
            if self.decisions < self.settings.total_decisions or not self.checkpoint_path.exists():
                self._train_with_recovery(on_progress, None if max_minutes is None else self.seconds + 60 * max_minutes)
            self.save_weights(self.weights_path)

    def _train_with_recovery(self, on_progress: Callable[[TrainingReport], None], deadline: float | None) -> None:
        """Train; where a process is lost go back to the last checkpoint, unless there is none since the last loss."""
        kept = -1
        while True:
            try:
                with (
                    MetricsWriter(self.settings.directory, self._metrics_size, self.num_updates) as metrics,
                    self.start_workers(),
                ):
                    self._train_updates(metrics, on_progress, deadline)
                return
            except WorkerLost as problem:
                state = self._checkpoint.load()
                if state is None or state["update"] <= kept:
                    raise
                kept = state["update"]
                print(f"note: {problem}; going on from update {kept}", file=sys.stderr)
                self._load_checkpoint(state)
                self.rollout_queue.discard(1)

    def _train_updates(
        self, metrics: MetricsWriter, on_progress: Callable[[TrainingReport], None], deadline: float | None
    ) -> None:
        late = False
        while self.decisions < self.settings.total_decisions and not late:
            report = self.step()
            metrics.write(report.to_json())
            on_progress(report)
            late = deadline is not None and self.seconds >= deadline
            if self.num_updates % self.settings.checkpoint_interval == 0:
                self._save_checkpoint(metrics.sync())
        self._save_checkpoint(metrics.sync())

    @contextmanager
    def start_workers(self) -> Iterator[None]:
        """Meanwhile the other workers are there; raises GameError when one of them ends before."""
        with (
            spawn(len(self._other_states), self._launcher.spawn_workers) as self._worker_pool,
            ExitStack() as meanwhile,
        ):
            self.learner.process_group = self._worker_pool.start(
                self.settings, self.networks.preset, self.shared_state(), self._other_states
            )
            if self._other_states or self._num_actors:
                meanwhile.enter_context(single_threaded())
                meanwhile.callback(torch.set_num_threads, torch.get_num_threads())
                torch.set_num_threads(self.settings.threads or 1)
            if self._num_actors:
                self._actor_pool = meanwhile.enter_context(
                    self._launcher.run_actors(self, self._num_actors, self._num_started)
                )
                self.rollout_source = self._actor_pool
            yield
            _, *self._other_states = self._call_all("local_state")
            self.learner.process_group = SingleProcess()

    def _call_all(self, name: str, *arguments: Any) -> list[Any]:
        """What a method gives, in this worker and then in the others."""
        self._worker_pool.call_method(name, *arguments)
        return [getattr(self, name)(*arguments), *self._worker_pool.collect_results()]

    def step(self) -> TrainingReport:
        """Play until there is enough to learn from, and learn; nothing is saved.

        Where there are several workers: inside ``start_workers``.
        """
        if len(self._worker_pool) != len(self._other_states):
            raise RuntimeError("this run has several workers, who are here `with trainer.start_workers():`")
        began = time.monotonic()
        turn = IterationStats.combine(
            self._call_all("run_iteration", self.decisions / max(1, self.settings.total_decisions))
        )
        if self.num_updates % self.settings.snapshot_interval == 0:
            self._add_snapshot()
        spent = time.monotonic() - began
        self.seconds += spent
        self.decisions += turn.decisions
        return TrainingReport(
            self.num_updates,
            self.decisions,
            self.seconds,
            turn.decisions / spent,
            turn.score,
            turn.update_stats,
            turn.queue_stats,
        )

    def _add_snapshot(self) -> None:
        """Keep a copy of the learner, and let it meet one of the copies from now on."""
        self.league.add_snapshot(self.networks.state_dict())
        chosen = self.league.sample_snapshot(self._rng)
        state = self.league.load_snapshot(chosen)
        with translate_restore_errors(chosen):
            self.set_opponent(state)  # here first, where what is wrong with it can be said
        self._call_all("set_opponent", state)

    # --- what is kept ------------------------------------------------------------------------------------------------

    def _check_own_model(self) -> None:
        if self.has_foreign_model:
            raise GameError(
                "this run's learner is your own model, which cannot be saved or resumed: train it with trainer.step() "
                "inside trainer.start_workers(), and save it yourself"
            )

    def _save_checkpoint(self, metrics_size: int) -> None:
        state = {
            "settings": _fixed_settings(self.settings),
            "parts": self._call_all("local_state"),
            "decisions": self.decisions,
            "seconds": self.seconds,
            "league": self.league.size,
            "born": self._actor_pool.num_started if self._actor_pool else self._num_started,
            "metrics": metrics_size,
            "commands": self._commands,
        }
        self._checkpoint.save(self.shared_state() | state)

    def _load_checkpoint(self, state: StateDict) -> None:
        saved = current_keys(TrainConfig, state["settings"])
        begun = _fixed_settings(TrainConfig(self.settings.directory)) | saved  # older runs knew fewer
        parts = state["parts"]
        changed = [name for name, value in _fixed_settings(self.settings).items() if begun.get(name) != value]
        if any(name in _REDEAL_SETTINGS for name in changed):
            parts = [{"rng": parts[0]["rng"]}, *self._other_states]
        if changed := [name for name in changed if name not in _REDEAL_SETTINGS]:
            what = "; ".join(f"{name}: begun with {format_value(begun.get(name))}" for name in changed)
            raise GameError(f"{self.checkpoint_path}: {what}. Leave out what the run knows, or choose another folder")
        try:
            self.load_state_dict(state, parts[0])
        except GameError as problem:  # other rules
            raise GameError(f"{self.checkpoint_path}: {problem}") from None
        self._other_states = parts[1:]
        self.decisions, self.seconds = state["decisions"], state["seconds"]
        self._num_started = state.get("born", 0)
        self.league.size, self._metrics_size = state["league"], state["metrics"]
        self._commands = list(dict.fromkeys([*state["commands"], *self._commands]))

    def finetune_critic(self, on_progress: ProgressCallback = lambda done, what: None) -> None:
        """Let the critic learn from games of what plays in the end, where the settings say so; then save the weights.

        Nothing but its critic is changed in the run, which can go on.
        """
        self._check_own_model()
        settings, playing = self.settings, self._copy_for_play()
        if not settings.critic_finetune_decisions:
            return
        fit = create_critic_run(playing, self.learner.symmetries, settings.critic_finetune_steps, settings.seed)
        kept = settings.directory / f"critic-{self.decisions}{CHECKPOINT_SUFFIX}"
        with lock_run_folder(settings.directory), Checkpointer(fit, "critic", kept, on_progress) as progress:
            games = SelfPlayGames(self.engine, playing, self.ppo, settings.seed, settings.num_envs)
            games.train_critic(fit, settings.critic_finetune_decisions, progress, on_progress)
            self.networks.critic.load_state_dict(playing.critic.state_dict())
            self.save_weights(self.weights_path)

    def save_weights(self, file: Path) -> None:
        """Write what plays, with its card; raises GameError where that is a model of the caller's."""
        self._check_own_model()
        settings = self.settings
        card = WeightsCard(
            game=settings.game,
            preset=settings.preset,
            abln=settings.abln,
            seed=settings.seed,
            data=self._describe_data(),
            steps=self.decisions,
            hours=round(self.seconds / 3600, 2),
            profile=settings.profile,
            choice_epsilon=settings.choice_epsilon,
            command="; then ".join(self._commands),
        )
        save_networks(file, self._copy_for_play(), card)

    def _copy_for_play(self) -> Networks:
        """The networks with the running mean of the policy."""
        playing = deepcopy(self.networks)
        playing.decision.load_state_dict(self.learner.ema.weights)
        return playing

    def _describe_data(self) -> str:
        settings = self.settings
        before = (
            load_card(settings.init_from).data if settings.init_from else settings.records and settings.records.name
        )
        if settings.pretrain_episodes and not before:
            before = f"{settings.pretrain_episodes} games of {settings.pretrain_agent or 'kb'}"
        return f"self-play, from {before}" if before else "self-play"


def _write_settings(settings: TrainConfig) -> None:
    """Let the folder remember the settings: the same command without them goes on."""
    write_text(settings.directory / SETTINGS_FILE, json.dumps(settings.to_json(), indent=2, ensure_ascii=False) + "\n")


def _fixed_settings(settings: TrainConfig) -> dict[str, Any]:
    """What must not change between two parts of a run."""
    values = {name: value for name, value in asdict(settings).items() if name not in _CHANGEABLE_SETTINGS}
    return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


_REDEAL_SETTINGS = (
    "workers", "num_envs", "kb_opponent_share", "past_opponent_share", "lookahead_share", "second_profile_share",
)  # fmt: skip
"""Where these change a run deals anew, and what was decided in the open episodes is lost."""

_CHANGEABLE_SETTINGS = (
    "directory", "kb", "profile", "total_decisions", "checkpoint_interval", "device", "precision", "threads",
    "learning_rate", "ent_coef", "critic_warmup_updates", "critic_finetune_decisions", "critic_finetune_steps",
    "gae_lambda", "queue_capacity", "max_policy_lag", "actors", "lookahead_deals", "lookahead_temperature",
    "lookahead_loss_weight", "lookahead_value_share", "choice_epsilon",
)  # fmt: skip
"""What may change between two parts of a run; of the rules that is where they lie."""
