"""Training runs: a run lives in a folder, resumes from its checkpoint, and ends with weights and an agent.

A run depends on its settings alone: an interrupted run ends with the same weights as an uninterrupted one. This
requires workers with one thread each, so that sums are always made in the same order.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from abl_cards.agents import AblAgent, AgentName, make_network_agent
from abl_cards.core import (
    ErrorCode,
    GameError,
    check_functions,
    check_integer,
    check_number,
    read_working_directory,
    seed64,
)
from abl_cards.games import Engine, Game
from abl_cards.learners import ModelNetworks, load_networks
from abl_cards.training.abduction import ConsistencyFunction, ReasonerParts
from abl_cards.training.actor import create_policy
from abl_cards.training.callbacks import CallbackLike, call_all, check_callbacks
from abl_cards.training.checkpoint import CHECKPOINT_SUFFIX
from abl_cards.training.critic_finetuning import SelfPlayGames, create_critic_run
from abl_cards.training.distance import DistanceFunction
from abl_cards.training.joint_loop import run_joint_loop
from abl_cards.training.launcher import Launcher, LocalLauncher
from abl_cards.training.metrics import TrainingMetrics, load_metrics
from abl_cards.training.model_agent import TrainedAgent
from abl_cards.training.pretraining import Checkpointer, ProgressCallback
from abl_cards.training.reports import IterationStats, TrainingReport
from abl_cards.training.resumable_run import ResumableRun
from abl_cards.training.rollout_distillation import RolloutDistillation, list_student_networks
from abl_cards.training.run_lock import lock_run_folder
from abl_cards.training.run_parts import RunParts
from abl_cards.training.run_settings import check_config, resolve_config
from abl_cards.training.run_weights import (
    check_saved,
    copy_for_play,
    unsaved_models,
)
from abl_cards.training.settings import NO_LIMIT, TrainConfig
from abl_cards.training.worker_group import WorkerGroup
from abl_cards.training.workers import WorkerLost

if TYPE_CHECKING:
    from ablkit.learning import ABLModel

LOCAL_LAUNCHER = LocalLauncher()


class Trainer(ResumableRun):
    """A training run by the joint abduction loop: of the networks of a preset, or of custom networks.

    The folder of the run (``config.directory``) holds settings, checkpoint, metrics and weights. A trainer that is made
    for a folder with a checkpoint continues from it, however the run was stopped. Each part can be replaced on its own;
    parts that are not given are built in, and are trained too.

    >>> trainer = Trainer(load("guandan"), policy=MyPolicy(), config=TrainConfig(num_envs=512, gamma=0.996))
    ... # doctest: +SKIP
    >>> metrics = trainer.fit(minutes=3)  # doctest: +SKIP
    >>> trainer.agent()  # doctest: +SKIP

    Attributes:
        settings: The settings of the run.
        engine: The compiled game.
        networks: The networks that learn.
        num_updates: Updates so far.
        decisions: Decisions so far.
        seconds: Time so far in all parts of the run, in seconds.
        weights_path: File of the weights, with its card beside it.
        checkpoint_path: File that the run is resumed from.
        last_report: Measurements of the last update; None before the first.
    """

    def __init__(
        self,
        game: Game | Engine | str | Path,
        *,
        model: torch.nn.Module | None = None,
        policy: torch.nn.Module | ABLModel | None = None,
        critic: torch.nn.Module | ABLModel | None = None,
        abln: torch.nn.Module | ABLModel | None = None,
        reasoner: object = None,
        consistency: ConsistencyFunction | None = None,
        distance: DistanceFunction | None = None,
        config: TrainConfig | None = None,
        callbacks: Sequence[CallbackLike] = (),
        on_progress: ProgressCallback = lambda done, what: None,
        launcher: Launcher = LOCAL_LAUNCHER,
    ) -> None:
        """Begin a run, or resume the one in the folder of the settings.

        A custom network is trained in place. A new run begins with its weights; a resumed run replaces them. It is in
        training mode while it learns, in evaluation mode while it plays. In place of a module, an ``ABLModel``
        of ABLkit can be given, which is fitted to the decisions of each update.

        Args:
            game: A game, its name, the path of a rule folder, or an engine, whose profile is that of the run.
            model: One network for policy, value and hands: its ``forward`` takes a `Batch` and returns a
                `PolicyOutput`. It takes the place of all networks of the preset.
            policy: The policy: its ``forward`` takes a `Batch` and returns logits [n, labels].
            critic: The critic: its ``forward`` takes a `CriticBatch`, with the hidden hands, and returns values [n].
            abln: The estimate of the hidden hands: its ``forward`` takes a `HandsBatch` and returns expected copies
                [n, others, cards].
            reasoner: Realises labels as moves: a `Minimiser`, an object with the methods ``realise`` and ``choose`` of
                `Reasoner`, or a function, as ``consistency``. None for the preferences of the game.
            consistency: Function ``(decisions, lists) -> bool [moves]``, True for the consistent candidate moves.
                None for the constraints of the knowledge base alone.
            distance: Function ``(candidates: MoveCandidates) -> float [moves]``; the closest consistent move is made.
                None for the probability of the label, then the cost by the preferences.
            config: The settings; ``game`` and, with a model, ``preset`` are set by the other arguments. None for those
                of the preset that suits the game. With the default directory the run lies in ``runs/GAME-PRESET``, or
                in ``runs/GAME-CLASS`` of the first custom network.
            callbacks: Called during `fit`; see `TrainerCallback`.
            on_progress: Called with a count and a text during supervised pretraining.
            launcher: Starts the other processes of the run.

        Raises:
            GameError: A setting, a network, the reasoner or a callback is not usable, or the folder holds another run.
            KBError: The rules have errors.
            OSError: The folder, or the file of records, cannot be read.
        """
        own_callbacks = check_callbacks(callbacks)
        check_functions(is_optional=False, on_progress=on_progress)
        parts = RunParts(model, policy, critic, abln, ReasonerParts(reasoner, consistency, distance))
        settings = resolve_config(game, parts, config)
        check_config(settings, parts.networks)
        if settings.threads:
            torch.set_num_threads(settings.threads)
        torch.manual_seed(seed64(settings.seed))
        worker_group = WorkerGroup(launcher, settings)
        chosen, settings = settings, replace(settings, workers=launcher.count_workers(settings))
        parts.check(settings, worker_group.is_local)
        networks = parts.create_networks(settings, settings.load_engine())
        super().__init__(settings, networks, parts, worker_group, on_progress, chosen)
        self.last_report: TrainingReport | None = None
        self._callbacks, self.stop_requested = own_callbacks, False
        self._working_directory = read_working_directory()

    @classmethod
    def from_config(
        cls,
        config: TrainConfig,
        on_progress: ProgressCallback = lambda done, what: None,
        launcher: Launcher = LOCAL_LAUNCHER,
    ) -> Trainer:
        """Make the run of a preset from its settings, which name the game.

        Args:
            config: The settings.
            on_progress: Called with a count and a text during supervised pretraining.
            launcher: Starts the other processes of the run.
        """
        return cls(config.game, config=config, on_progress=on_progress, launcher=launcher)

    # --- training ----------------------------------------------------------------------------------------------------

    def fit(
        self,
        minutes: float | None = None,
        decisions: int | None = None,
        callbacks: Sequence[CallbackLike] = (),
    ) -> TrainingMetrics:
        """Train, and save checkpoint and weights; a run that was killed resumes from its last checkpoint.

        Args:
            minutes: Time to train from now on, in minutes; the current update is finished. None for no limit.
            decisions: Decisions of the whole run, including earlier calls; training ends with the update that reaches
                them. None for ``config.total_decisions``; with ``NO_LIMIT`` a learning rate still falls until these.
            callbacks: Called besides those of the trainer; see `TrainerCallback`.

        Returns:
            The measurements of the run so far, an array for each name.

        Raises:
            GameError: An argument is out of its range, a callback has a wrong type, or the network returned an invalid
                output. Or another process trains the run, or a worker was lost twice without a checkpoint between.
        """
        minutes = None if minutes is None else check_number("minutes", minutes)
        decisions = None if decisions is None else check_integer("decisions", decisions, 0)
        self._check_complete()
        self._check_directory()
        check_saved(self.networks)
        limit = self.settings.total_decisions if decisions is None else decisions
        if limit != NO_LIMIT:
            self.settings = replace(self.settings, total_decisions=limit)
        given, self._callbacks = self._callbacks, [*self._callbacks, *check_callbacks(callbacks)]
        self.stop_requested = False
        try:
            with lock_run_folder(self.settings.directory):
                self._checkpoint.check_unchanged()
                if self.decisions < limit or not self.checkpoint_path.exists():
                    self._fit_with_recovery(limit, None if minutes is None else self.seconds + 60 * minutes)
                self.save_weights(self.weights_path)
            call_all(self._callbacks, "on_fit_end", self.last_report.to_json() if self.last_report else {})
        finally:
            self._callbacks = given
        return self.metrics

    def stop(self) -> None:
        """End `fit` after the current update; to be called by callbacks."""
        self.stop_requested = True

    @property
    def metrics(self) -> TrainingMetrics:
        """The measurements of the run so far by name, each an array [updates]."""
        return load_metrics(self.settings.directory)

    @property
    def progress_text(self) -> str:
        """One line of text about the last update; empty before the first."""
        return self.last_report.summary() if self.last_report else ""

    def agent(self) -> AblAgent:
        """Return an agent with the weights learned so far.

        The agent uses the running mean of the weights (``config.ema_decay``) and the reasoner of the run. With the
        networks of a preset it looks ahead if their critic has been trained, as ``abl:weights=FILE`` does.
        """
        self._check_complete()
        self._check_directory()
        playing = copy_for_play(self.networks, self.learner.ema.weights).eval()
        if not isinstance(playing, ModelNetworks):
            if not unsaved_models(playing):
                self.save_weights(self.weights_path)
                playing = load_networks(self.weights_path, self.engine, playing.parts)
            if not self.reasoner and self.settings.clingo is None:
                return make_network_agent(AgentName("abl"), self.engine, playing)
        abduction = self.actor.actors[0].abduction
        return TrainedAgent(create_policy(self.engine, abduction.preference_model, playing), abduction)

    def _check_directory(self) -> None:
        """Raise GameError where the folder of the run is not the one that it was when the trainer was made."""
        directory, before = self.settings.directory, self._working_directory
        if not directory.is_absolute() and read_working_directory() != before:
            text = f"{directory}: a folder in {before}, which is no longer the working directory; change back to it"
            raise GameError(f"{text}, or set directory to an absolute path", ErrorCode.SETTING_CONFLICT)

    def _fit_with_recovery(self, limit: int, deadline: float | None) -> None:
        """Train; where a process is lost go back to the last checkpoint, unless there is none since the last loss."""
        if self.parts.networks and not self.checkpoint_path.exists():
            self._save_first_checkpoint()
        last_restored = -1
        while True:
            try:
                with self._write_metrics() as metrics, self.start_workers():
                    run_joint_loop(self, metrics, limit, deadline)
                return
            except WorkerLost as problem:
                state = self._checkpoint.load()
                if state is None or state["update"] <= last_restored:
                    raise
                last_restored = state["update"]
                print(f"note: {problem}; going on from update {last_restored}", file=sys.stderr)
                self._load_checkpoint(state)
                self.rollout_queue.discard(1)

    @contextmanager
    def start_workers(self) -> Iterator[None]:
        """Start the other workers, and end them after the block; raises GameError if one ends earlier."""
        self._check_complete()
        with self.worker_group.start(self):
            yield

    def step(self) -> TrainingReport:
        """Play until there are enough decisions, and make one update; nothing is saved.

        With several workers call it inside `start_workers`.

        Raises:
            RuntimeError: The run has several workers that are not started.
        """
        if not self.worker_group.is_complete:
            raise RuntimeError("this run has several workers, who are here `with trainer.start_workers():`")
        start_time = time.monotonic()
        progress = self.decisions / max(1, self.settings.total_decisions)
        stats = IterationStats.combine(self._call_all("run_iteration", progress))
        if self.num_updates % self.settings.snapshot_interval == 0:
            self._add_snapshot()
        seconds = time.monotonic() - start_time
        self.seconds += seconds
        self.decisions += stats.decisions
        self.last_report = TrainingReport(
            self.num_updates,
            self.decisions,
            self.seconds,
            stats.decisions / seconds,
            stats.score,
            stats.update_stats,
            stats.queue_stats,
        )
        return self.last_report

    def _on_checkpoint_written(self) -> None:
        """Call the callbacks with the checkpoint."""
        call_all(self._callbacks, "on_checkpoint", self.checkpoint_path)

    def report_update(self, report: TrainingReport) -> None:
        """Call the callbacks with the measurements of an update."""
        if self._callbacks:
            call_all(self._callbacks, "on_update", report.to_json())

    def finetune_critic(self, on_progress: ProgressCallback = lambda done, what: None) -> None:
        """Train the critic on games of the final policy if the settings require it, and save the weights.

        Only the critic changes in the run, which can be resumed.

        Args:
            on_progress: Called with a count and a text.
        """
        self._check_directory()
        check_saved(self.networks)
        settings = self.settings
        if not settings.critic_finetune_decisions:
            return
        playing = copy_for_play(self.networks, self.learner.ema.weights)
        num_decisions = settings.critic_finetune_decisions
        fit = create_critic_run(
            playing, self.learner.symmetries, num_decisions, settings.critic_finetune_steps, settings.seed
        )
        checkpoint_path = settings.directory / f"critic-{self.decisions}{CHECKPOINT_SUFFIX}"
        with lock_run_folder(settings.directory), Checkpointer(fit, "critic", checkpoint_path, on_progress) as progress:
            games = SelfPlayGames(self.engine, playing, self.ppo, settings.seed, settings.num_envs)
            errors = games.train_critic(fit, self.networks.critic.state_dict(), num_decisions, progress, on_progress)
            self.networks.critic.load_state_dict(playing.critic.state_dict())
            self.save_weights(self.weights_path, errors)

    def distill_rollout_network(self, on_progress: ProgressCallback = lambda done, what: None) -> None:
        """Train a rollout network on games of the final policy if the settings require it, and save its weights.

        An opponent model of the preset is trained in the same way. Nothing else changes, so the run can be resumed.

        Args:
            on_progress: Called with a count and a text.
        """
        self._check_directory()
        settings = self.settings
        if not settings.distill_decisions:
            return
        playing = copy_for_play(self.networks, self.learner.ema.weights)
        for student in list_student_networks(playing.preset, self.engine):
            games = RolloutDistillation(
                self.engine, playing, self.learner.symmetries, settings.seed, settings.num_envs, student.config
            )
            run = games.create_run(settings.distill_decisions)
            checkpoint_path = settings.directory / f"{student.name}-{self.decisions}{CHECKPOINT_SUFFIX}"
            checkpointer = Checkpointer(run, f"{student.name}s", checkpoint_path, on_progress)
            with lock_run_folder(settings.directory), checkpointer as progress:
                result = games.train(run, settings.distill_decisions, progress, on_progress)
                self.save_rollout_network(student.find_file(self.weights_path), run.model, result)


def fit_whole_run(trainer: Trainer, minutes: float, callbacks: Sequence[CallbackLike] = ()) -> None:
    """Train until a run has taken some minutes, including those before an interruption, whatever its decisions are.

    Args:
        trainer: The run.
        minutes: Minutes of the whole run; at least one update is made.
        callbacks: As in `Trainer.fit`.
    """
    left = minutes - trainer.seconds / 60
    if left > 0 or not trainer.decisions:
        trainer.fit(max(left, 0.0), NO_LIMIT, callbacks)
