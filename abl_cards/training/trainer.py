"""Training runs: a run lives in a folder, resumes from its checkpoint, and ends with weights and an agent.

A run depends on its settings alone: an interrupted run ends with the same weights as an uninterrupted one. This
requires workers with one thread each, so that sums are always made in the same order.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import torch

from abl_cards.agents import AblAgent, AgentName, make_abl_agent
from abl_cards.core import (
    ErrorCode,
    GameError,
    current_keys,
    format_value,
    seed64,
    single_threaded,
)
from abl_cards.games import Game
from abl_cards.learners import (
    ModelNetworks,
    Networks,
    WeightsCard,
    load_card,
    load_model,
    load_weights,
    model_class_file,
    model_class_name,
    save_model,
    save_networks,
)
from abl_cards.training.actor import create_policy
from abl_cards.training.callbacks import CallbackLike, call_all
from abl_cards.training.checkpoint import CHECKPOINT_SUFFIX, CheckpointFile, translate_restore_errors
from abl_cards.training.critic_finetuning import SelfPlayGames, create_critic_run
from abl_cards.training.joint_loop import run_joint_loop
from abl_cards.training.launcher import ActorPool, Launcher, LocalLauncher
from abl_cards.training.metrics import MetricsWriter, TrainingMetrics, load_metrics
from abl_cards.training.model_agent import TrainedAgent
from abl_cards.training.model_pool import League
from abl_cards.training.pretraining import Checkpointer, ProgressCallback, pretrain
from abl_cards.training.process_group import ProcessRank, SingleProcess
from abl_cards.training.reports import IterationStats, TrainingReport
from abl_cards.training.rollout_queue import StateDict
from abl_cards.training.run_lock import lock_run_folder
from abl_cards.training.run_settings import (
    REDEAL_SETTINGS,
    fixed_settings,
    get_preset,
    resolve_config,
    wrap_model,
    write_settings,
)
from abl_cards.training.settings import TrainConfig, run_name
from abl_cards.training.worker import TrainingWorker, create_networks
from abl_cards.training.workers import WorkerLost, WorkerPool, fork_local, spawn

LOCAL_LAUNCHER = LocalLauncher()


class Trainer(TrainingWorker):
    """A training run by the joint abduction loop: of the networks of a preset, or of a network of one's own.

    The folder of the run (``config.directory``) holds settings, checkpoint, metrics and weights. A trainer that is made
    for a folder with a checkpoint goes on from it, whenever and however the run before was stopped.

    >>> trainer = Trainer(load("guandan"), model=MyPolicy(), config=TrainConfig(num_envs=512, gamma=0.996))
    ... # doctest: +SKIP
    >>> metrics = trainer.fit(minutes=3)  # doctest: +SKIP
    >>> trainer.agent()  # doctest: +SKIP

    Attributes:
        settings: The settings of the run.
        engine: The compiled game.
        networks: The networks that learn.
        num_updates: Updates so far.
        decisions: Decisions so far.
        seconds: Time so far, in all parts of the run.
        weights_path: File of the weights, with its card beside it.
        checkpoint_path: File that the run goes on from.
        last_report: Measurements of the last update; None before the first.
    """

    def __init__(
        self,
        game: Game | str,
        *,
        model: torch.nn.Module | None = None,
        reasoner: object = None,
        config: TrainConfig | None = None,
        callbacks: Sequence[CallbackLike] = (),
        on_progress: ProgressCallback = lambda done, what: None,
        launcher: Launcher = LOCAL_LAUNCHER,
    ) -> None:
        """Begin a run, or go on with the one in the folder of the settings.

        Args:
            game: The game, or its name or folder.
            model: A network of one's own, trained in place: its ``forward`` takes a `Batch` and returns a
                `PolicyOutput`. A new run begins with its weights; a run that goes on replaces them. It is in training
                mode while it learns, in evaluation mode while it plays. None for the preset of the config.
            reasoner: Makes moves of labels: a `Minimiser`, an object with the methods ``realise`` and ``choose`` of
                `Reasoner`, or a function ``(decisions, lists) -> bool [moves]`` that says which candidate moves are
                consistent. None for the preferences of the game.
            config: The settings; ``game`` and, with a model, ``preset`` are set by the other arguments. None for those
                of the preset that suits the game. With the default directory the run lies in ``runs/GAME-PRESET``.
            callbacks: Called during `fit`; see `TrainerCallback`.
            on_progress: Called with a count and a text during supervised pretraining.
            launcher: Starts the other processes of the run.

        Raises:
            GameError: A setting, the network or the reasoner is not usable, or the folder holds another run.
            KBError: The rules have errors.
        """
        settings = resolve_config(game, model, config)
        if settings.threads:
            torch.set_num_threads(settings.threads)
        torch.manual_seed(seed64(settings.seed))
        self._reasoner, self._callbacks, self.stop_requested = reasoner, list(callbacks), False
        self.last_report: TrainingReport | None = None
        self._launcher, self._num_actors, self._num_started = launcher, launcher.count_actors(settings), 0
        chosen, settings = settings, replace(settings, workers=launcher.count_workers(settings))
        engine = settings.load_engine()
        networks = (
            create_networks(settings, get_preset(settings), engine)
            if model is None
            else wrap_model(settings, model, engine)
        )
        if model is not None or reasoner is not None:
            self._check_local(settings)
        self.checkpoint_path = settings.directory / f"checkpoint{CHECKPOINT_SUFFIX}"
        self.weights_path = settings.directory / f"{run_name(settings.game, settings.preset)}.safetensors"
        if settings.init_from and isinstance(networks, ModelNetworks):
            load_model(settings.init_from, networks.module)
        elif settings.init_from:
            load_weights(settings.init_from, networks)
        self._checkpoint = CheckpointFile(self.checkpoint_path)
        with lock_run_folder(settings.directory):
            state = self._checkpoint.load()
            if state is None:
                write_settings(chosen)
                if model is None:
                    pretrain(settings, engine, networks, on_progress)
        rank = ProcessRank(0, settings.workers or 1)
        super().__init__(settings, networks, rank, plays_locally=not self._num_actors, reasoner=reasoner)
        self.decisions, self.seconds = 0, 0.0
        self.league = League(settings.directory / "past")
        self._metrics_size, self._commands = 0, [self._describe_command()]
        self._worker_pool, self._actor_pool = WorkerPool(), cast("ActorPool | None", None)
        self.has_foreign_model = False  # whether a model that the run cannot save has replaced its networks
        self._other_states: list[StateDict] = [{} for _ in range(1, self.process_rank.world_size)]
        """States of the other workers, from which they go on."""
        if state is not None:
            with translate_restore_errors(self.checkpoint_path):
                self._load_checkpoint(state)
        write_settings(chosen)

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
        """Train, and save checkpoint and weights; a run that was killed goes on from its last checkpoint.

        Args:
            minutes: Time to train from now on; the update that is running then is finished. None for no limit.
            decisions: Decisions of the whole run, those of earlier calls among them, after which it ends with the next
                update; None for ``config.total_decisions``.
            callbacks: Called besides those of the trainer; see `TrainerCallback`.

        Returns:
            The measurements of the run so far, an array for each name.

        Raises:
            GameError: The network returned a wrong or infinite output, another process is at work on the run, or a
                worker was lost twice without a checkpoint in between.
        """
        self._check_own_model()
        if decisions is not None:
            self.settings = replace(self.settings, total_decisions=decisions)
        given, self._callbacks = self._callbacks, [*self._callbacks, *callbacks]
        self.stop_requested = False
        try:
            with lock_run_folder(self.settings.directory):
                self._checkpoint.check_unchanged()
                if self.decisions < self.settings.total_decisions or not self.checkpoint_path.exists():
                    self._fit_with_recovery(None if minutes is None else self.seconds + 60 * minutes)
                self.save_weights(self.weights_path)
            call_all(self._callbacks, "on_fit_end", self.last_report.to_json() if self.last_report else {})
        finally:
            self._callbacks = given
        return self.metrics

    def stop(self) -> None:
        """End `fit` after the update that is running; for callbacks."""
        self.stop_requested = True

    @property
    def metrics(self) -> TrainingMetrics:
        """The measurements of the run so far by name, each an array [updates]."""
        return load_metrics(self.settings.directory)

    @property
    def progress_text(self) -> str:
        """One line about the last update for users; empty before the first."""
        return self.last_report.summary() if self.last_report else ""

    def agent(self) -> AblAgent:
        """Return an agent that plays by what has been learned so far.

        It plays by the running mean of the weights (``config.ema_decay``), and by the reasoner of the run. With the
        networks of a preset it looks ahead where their critic has learned, as ``abl:weights=FILE`` does.
        """
        if isinstance(self.networks, ModelNetworks):
            abduction = self.actor.actors[0].abduction
            policy = create_policy(self.engine, abduction.preference_model, self._copy_for_play().eval())
            return TrainedAgent(policy, abduction)
        self.save_weights(self.weights_path)
        agent = make_abl_agent(AgentName("abl", (("weights", str(self.weights_path)),)), self.engine)
        if self._reasoner is None and self.settings.clingo is None:
            return agent
        abduction = self.actor.actors[0].abduction
        policy = create_policy(self.engine, abduction.preference_model, agent.policy.networks)
        return TrainedAgent(policy, abduction)

    def _fit_with_recovery(self, deadline: float | None) -> None:
        """Train; where a process is lost go back to the last checkpoint, unless there is none since the last loss."""
        if isinstance(self.networks, ModelNetworks) and not self.checkpoint_path.exists():
            self._save_first_checkpoint()
        last_restored = -1
        while True:
            try:
                with (
                    MetricsWriter(self.settings.directory, self._metrics_size, self.num_updates) as metrics,
                    self.start_workers(),
                ):
                    run_joint_loop(self, metrics, deadline)
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
        """Start the other workers and end them afterwards; raises GameError where one ends before."""
        spawn_function = (
            self._launcher.spawn_workers
            if not isinstance(self.networks, ModelNetworks) and self._reasoner is None
            else partial(
                fork_local,
                networks=self.networks if isinstance(self.networks, ModelNetworks) else None,
                reasoner=self._reasoner,
            )
        )
        with (
            spawn(len(self._other_states), spawn_function) as self._worker_pool,
            ExitStack() as stack,
        ):
            self.learner.process_group = self._worker_pool.start(
                self.settings, self.networks.preset, self.shared_state(), self._other_states
            )
            if self._other_states or self._num_actors:
                stack.enter_context(single_threaded())
                stack.callback(torch.set_num_threads, torch.get_num_threads())
                torch.set_num_threads(self.settings.threads or 1)
            if self._num_actors:
                self._actor_pool = stack.enter_context(
                    self._launcher.run_actors(self, self._num_actors, self._num_started)
                )
                self.rollout_source = self._actor_pool
            yield
            _, *self._other_states = self._call_all("local_state")
            self.learner.process_group = SingleProcess()

    def _call_all(self, name: str, *arguments: Any) -> list[Any]:
        """Call a method of this worker and of the others; returns the results in that order."""
        self._worker_pool.call_method(name, *arguments)
        return [getattr(self, name)(*arguments), *self._worker_pool.collect_results()]

    def step(self) -> TrainingReport:
        """Play until there is enough to learn from, and learn; nothing is saved.

        With several workers it is called inside `start_workers`.
        """
        if len(self._worker_pool) != len(self._other_states):
            raise RuntimeError("this run has several workers, who are here `with trainer.start_workers():`")
        start_time = time.monotonic()
        stats = IterationStats.combine(
            self._call_all("run_iteration", self.decisions / max(1, self.settings.total_decisions))
        )
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

    def report_update(self, report: TrainingReport) -> None:
        """Call the callbacks with the measurements of an update."""
        if self._callbacks:
            call_all(self._callbacks, "on_update", report.to_json())

    def _add_snapshot(self) -> None:
        """Keep a copy of the learner, and play against one of the copies from now on."""
        self.league.add_snapshot(self.networks.state_dict())
        chosen = self.league.sample_snapshot(self._rng)
        state = self.league.load_snapshot(chosen)
        with translate_restore_errors(chosen):
            self.set_opponent(state)  # here first, where an error can be reported
        self._call_all("set_opponent", state)

    # --- checkpoints and weights -------------------------------------------------------------------------------------

    def _check_own_model(self) -> None:
        if self.has_foreign_model:
            raise GameError(
                "this run's learner is your own ABLkit model, which cannot be saved or resumed: train it with "
                "trainer.step() inside trainer.start_workers(), and save it yourself",
                ErrorCode.SETTING_CONFLICT,
            )

    def _check_local(self, settings: TrainConfig) -> None:
        """Raise GameError where a network or reasoner of one's own would have to be sent to other machines."""
        if not isinstance(self._launcher, LocalLauncher):
            message = "a network or reasoner of your own trains on this machine only: leave out Ray"
            raise GameError(message, ErrorCode.SETTING_CONFLICT)
        if self._reasoner is not None and settings.second_profile is not None:
            message = "second_profile: a reasoner of your own plays by one profile; leave one out"
            raise GameError(message, ErrorCode.SETTING_CONFLICT)

    def _save_first_checkpoint(self) -> None:
        """Save the first weights of a network of one's own: a run that is killed early begins with them again."""
        states = [self.local_state(), *self._other_states]
        self._write_checkpoint(states, 0)

    def save_checkpoint(self, metrics_size: int) -> None:
        """Save the state of all workers.

        Args:
            metrics_size: Bytes of the metrics file that belong to it.
        """
        self._metrics_size = metrics_size
        self._write_checkpoint(self._call_all("local_state"), metrics_size)

    def _write_checkpoint(self, local_states: list[Any], metrics_size: int) -> None:
        state = {
            "settings": fixed_settings(self.settings),
            "parts": local_states,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "league": self.league.size,
            "born": self._actor_pool.num_started if self._actor_pool else self._num_started,
            "metrics": metrics_size,
            "commands": self._commands,
        }
        if isinstance(self.networks, ModelNetworks):
            state["model"] = model_class_name(self.networks.module)
        self._checkpoint.save(self.shared_state() | state)
        call_all(self._callbacks, "on_checkpoint", self.checkpoint_path)

    def _load_checkpoint(self, state: StateDict) -> None:
        saved = current_keys(TrainConfig, state["settings"])
        begun = fixed_settings(TrainConfig(self.settings.directory)) | saved  # older runs had fewer settings
        parts = state["parts"]
        changed = [name for name, value in fixed_settings(self.settings).items() if begun.get(name) != value]
        if any(name in REDEAL_SETTINGS for name in changed):
            parts = [{"rng": parts[0]["rng"]}, *self._other_states]
        if changed := [name for name in changed if name not in REDEAL_SETTINGS]:
            what = "; ".join(f"{name}: begun with {format_value(begun.get(name))}" for name in changed)
            raise GameError(
                f"{self.checkpoint_path}: {what}. Leave out what the run knows, or choose another folder",
                ErrorCode.RUN_MISMATCH,
            )
        self._check_model_class(state.get("model"))
        try:
            self.load_state_dict(state, parts[0])
        except GameError as problem:  # other rules
            raise GameError(f"{self.checkpoint_path}: {problem}", problem.code) from None
        self._other_states = parts[1:]
        self.decisions, self.seconds = state["decisions"], state["seconds"]
        self._num_started = state.get("born", 0)
        self.league.size, self._metrics_size = state["league"], state["metrics"]
        self._commands = list(dict.fromkeys([*state["commands"], *self._commands]))

    def _check_model_class(self, saved: str | None) -> None:
        """Raise GameError where the run was begun with a network of another class."""
        if isinstance(self.networks, ModelNetworks) and saved is not None:
            name = model_class_name(self.networks.module)
            if saved.rpartition(".")[2] != name.rpartition(".")[2]:
                message = f"{self.checkpoint_path}: begun with the network {saved}, not {name}; choose another folder"
                raise GameError(message, ErrorCode.RUN_MISMATCH)

    def finetune_critic(self, on_progress: ProgressCallback = lambda done, what: None) -> None:
        """Train the critic on games of the final policy if the settings require it, and save the weights.

        Only the critic changes in the run, which can be resumed.

        Args:
            on_progress: Called with a count and a text.
        """
        self._check_own_model()
        settings, playing = self.settings, self._copy_for_play()
        if not settings.critic_finetune_decisions:
            return
        fit = create_critic_run(playing, self.learner.symmetries, settings.critic_finetune_steps, settings.seed)
        checkpoint_path = settings.directory / f"critic-{self.decisions}{CHECKPOINT_SUFFIX}"
        with lock_run_folder(settings.directory), Checkpointer(fit, "critic", checkpoint_path, on_progress) as progress:
            games = SelfPlayGames(self.engine, playing, self.ppo, settings.seed, settings.num_envs)
            games.train_critic(fit, settings.critic_finetune_decisions, progress, on_progress)
            self.networks.critic.load_state_dict(playing.critic.state_dict())
            self.save_weights(self.weights_path)

    def save_weights(self, file: Path) -> None:
        """Save the weights that an agent plays by, and the card beside them.

        Args:
            file: File with the suffix ``.safetensors``.

        Raises:
            GameError: An ABLkit model has replaced the networks.
        """
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
        if isinstance(self.networks, ModelNetworks):
            module = self.networks.module
            card = replace(card, model_class=model_class_name(module), model_file=model_class_file(module))
            save_model(file, self.learner.ema.weights, card)
        else:
            save_networks(file, self._copy_for_play(), card)

    def _copy_for_play(self) -> Networks:
        """Return the networks with the running mean of the policy."""
        playing = deepcopy(self.networks)
        policy = playing.module if isinstance(playing, ModelNetworks) else playing.decision
        policy.load_state_dict(self.learner.ema.weights)
        return playing

    def _describe_command(self) -> str:
        """Return the command, or the expression in Python, that makes such a run."""
        if not isinstance(self.networks, ModelNetworks):
            return self.settings.shell_command()
        changed = [field for field in fields(TrainConfig)[3:] if getattr(self.settings, field.name) != field.default]
        values = ", ".join(f"{field.name}={getattr(self.settings, field.name)!r}" for field in changed)
        name = model_class_name(self.networks.module)
        return f"Trainer({self.settings.game!r}, model={name}(…), config=TrainConfig({values}))"

    def _describe_data(self) -> str:
        settings = self.settings
        before = (
            load_card(settings.init_from).data if settings.init_from else settings.records and settings.records.name
        )
        if settings.pretrain_episodes and not before:
            before = f"{settings.pretrain_episodes} games of {settings.pretrain_agent or 'kb'}"
        return f"self-play, from {before}" if before else "self-play"
