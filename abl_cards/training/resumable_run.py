"""A run whose state lies in its folder: checkpoint, league of former weights, and the weights that it ends with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from abl_cards.core import ErrorCode, GameError
from abl_cards.learners import Networks, student_weights_files, write_weights
from abl_cards.training.checkpoint import CHECKPOINT_SUFFIX, START_ANEW_HINT, translate_restore_errors
from abl_cards.training.critic_finetuning import CriticErrors
from abl_cards.training.metrics import METRICS_FILE, MetricsWriter
from abl_cards.training.model_pool import League
from abl_cards.training.pretraining import PRETRAINED_WEIGHTS_FILE, ProgressCallback, check_pretraining, pretrain
from abl_cards.training.process_group import ProcessRank
from abl_cards.training.rollout_distillation import ImitationResult
from abl_cards.training.rollout_queue import StateDict
from abl_cards.training.run_checkpoint import RunCheckpoint, missing_part_message
from abl_cards.training.run_lock import lock_run_folder
from abl_cards.training.run_parts import RunParts
from abl_cards.training.run_settings import write_settings
from abl_cards.training.run_weights import (
    check_saved,
    copy_for_play,
    describe_command,
    make_card,
    save_run_weights,
)
from abl_cards.training.settings import TrainConfig, run_name
from abl_cards.training.worker import TrainingWorker
from abl_cards.training.worker_group import WorkerGroup


class ResumableRun(TrainingWorker):
    """The first process of a run, and the state of the run in its folder."""

    def __init__(
        self,
        settings: TrainConfig,
        networks: Networks,
        parts: RunParts,
        worker_group: WorkerGroup,
        on_progress: ProgressCallback,
        written_settings: TrainConfig,
    ) -> None:
        """Begin a run, or resume the one in the folder of the settings.

        Args:
            settings: The settings, with the number of workers.
            networks: The networks with their first weights.
            parts: User-defined parts of the run.
            worker_group: The other processes, not started yet.
            on_progress: Called with a count and a text during supervised pretraining.
            written_settings: The settings that the folder keeps.

        Raises:
            GameError: The folder holds another run, or its files are damaged.
        """
        self.parts, self.worker_group = parts, worker_group
        self.checkpoint_path = settings.directory / f"checkpoint{CHECKPOINT_SUFFIX}"
        self.weights_path = settings.directory / f"{run_name(settings.game, settings.preset)}.safetensors"
        self._checkpoint = RunCheckpoint(self.checkpoint_path)
        with lock_run_folder(settings.directory):
            state = self._checkpoint.load()
            if state is None:
                self._check_new_folder()
                check_pretraining(settings)
                write_settings(written_settings)
                if parts.model is None:
                    pretrain(settings, settings.load_engine(), networks, on_progress)
        rank = ProcessRank(0, settings.workers or 1)
        super().__init__(settings, networks, rank, not worker_group.num_actors, parts.reasoner)
        self.decisions, self.seconds = 0, 0.0
        self.league = League(settings.directory / "past")
        self._metrics_size, self._commands = 0, [describe_command(settings, parts)]
        worker_group.other_states = [{} for _ in range(1, rank.world_size)]
        self._awaited: StateDict | None = None  # a state whose models that fit themselves a bridge is to give
        if state is not None:
            self._load_checkpoint(state, may_wait=True)
        write_settings(written_settings)

    def _check_new_folder(self) -> None:
        """Raise GameError for a folder with weights and metrics of a run that has lost its checkpoint."""
        folder = self.checkpoint_path.parent
        metrics, trained = folder / METRICS_FILE, {*folder.glob("*.safetensors")} - {folder / PRETRAINED_WEIGHTS_FILE}
        if trained and metrics.exists() and metrics.stat().st_size:
            message = f"{self.checkpoint_path}: missing beside {min(trained).name} of an earlier run; {START_ANEW_HINT}"
            raise GameError(message, ErrorCode.CHECKPOINT_NOT_READABLE)

    def _call_all(self, name: str, *arguments: Any) -> list[Any]:
        """Call a method of this worker and of the others; returns the results in that order."""
        return self.worker_group.call_all(self, name, *arguments)

    def _add_snapshot(self) -> None:
        """Keep a copy of the learner, and play against one of the copies from now on."""
        self.league.add_snapshot(self.networks.state_dict())
        chosen = self.league.sample_snapshot(self._rng)
        state = self.league.load_snapshot(chosen)
        with translate_restore_errors(chosen):
            self.set_opponent(state)  # here first, where an error can be reported
        self._call_all("set_opponent", state)

    def replace_networks(self, policy: object = None, critic: object = None, abln: object = None) -> None:
        """Replace networks of a new run, or of a resumed run that was begun with networks of these classes.

        Args:
            policy: A policy as in `Trainer`; None for that of the run.
            critic: A critic as in `Trainer`; None for that of the run.
            abln: An estimate of the hidden hands as in `Trainer`; None for that of the run.

        Raises:
            GameError: The run has already learned without them (code ``run-mismatch``), or they do not fit it.
        """
        if self.num_updates:
            made = f"{self.checkpoint_path}: the run has made {self.num_updates} updates"
            raise GameError(
                f"{made}, and your own model would begin afresh: choose another folder", ErrorCode.RUN_MISMATCH
            )
        self.parts = self.parts.replace_networks(policy, critic, abln)
        self.parts.check(self.settings, self.worker_group.is_local)
        networks = self.parts.create_networks(self.settings, self.engine)
        if self._awaited is None and self.parts.model is None:
            pretrain(self.settings, self.engine, networks, lambda done, what: None)
        self._begin_with(networks)
        self._commands = [describe_command(self.settings, self.parts)]
        awaited, self._awaited = self._awaited, None
        if awaited is not None:
            self._load_checkpoint(awaited)

    def _check_complete(self) -> None:
        """Raise GameError where the run goes on with a model that no bridge has given yet."""
        if self._awaited is not None:
            saved = self._awaited["own_parts"]
            message = missing_part_message(self.checkpoint_path, saved, sorted(saved))
            raise GameError(message, ErrorCode.MODEL_CLASS_NEEDED)

    def save_checkpoint(self, metrics_size: int) -> None:
        """Save the state of all workers.

        Args:
            metrics_size: Bytes of the metrics file that belong to it.
        """
        self._metrics_size = metrics_size
        self._write_checkpoint(self._call_all("local_state"), metrics_size)

    def _save_first_checkpoint(self) -> None:
        """Save the first weights of custom networks: a run that is killed early begins with them again."""
        self._write_checkpoint([self.local_state(), *self.worker_group.other_states], 0)

    def _write_checkpoint(self, local_states: list[Any], metrics_size: int) -> None:
        state = {
            "parts": local_states,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "league": self.league.size,
            "born": self.worker_group.count_started(),
            "metrics": metrics_size,
            "commands": self._commands,
        }
        self._checkpoint.save_run(self.settings, self.networks, self.shared_state() | state)
        self._on_checkpoint_written()

    @contextmanager
    def _write_metrics(self) -> Iterator[MetricsWriter]:
        """Open the metrics file; its lines stay where the run goes on in memory, as after an interruption."""
        with MetricsWriter(self.settings.directory, self._metrics_size, self.num_updates) as metrics:
            try:
                yield metrics
            finally:
                self._metrics_size = metrics.size

    def _on_checkpoint_written(self) -> None:
        """Handle a checkpoint that has just been written; for subclasses."""

    def _load_checkpoint(self, state: StateDict, may_wait: bool = False) -> None:
        """Go on from a state; it may wait for the models of a bridge."""
        with translate_restore_errors(self.checkpoint_path):
            if may_wait and self._checkpoint.awaits_bridge(state, self.networks):
                self._awaited = state
                return
            deals_anew, parts = self._checkpoint.check(state, self.settings, self.networks), state["parts"]
            if deals_anew:
                parts = [{"rng": parts[0]["rng"]}, *self.worker_group.other_states]
            try:
                self.load_state_dict(state, parts[0])
            except GameError as problem:  # other rules
                raise GameError(f"{self.checkpoint_path}: {problem}", problem.code) from None
            self.worker_group.other_states = parts[1:]
            self.decisions, self.seconds = state["decisions"], state["seconds"]
            self.worker_group.num_started = state["born"]
            self.league.size, self._metrics_size = state["league"], state["metrics"]
            self._commands = list(dict.fromkeys([*state["commands"], *self._commands]))

    def save_weights(self, file: Path, critic_errors: CriticErrors | None = None) -> None:
        """Save the weights that an agent plays by, and the card beside them.

        Args:
            file: File with the suffix ``.safetensors``.
            critic_errors: Errors of the critic before and after fine-tuning; None without.

        Raises:
            GameError: A custom model has no weights that can be saved.
        """
        self._check_complete()
        check_saved(self.networks)
        playing = copy_for_play(self.networks, self.learner.ema.weights)
        card = make_card(self.settings, self.networks, self.decisions, self.seconds, self._commands)
        if critic_errors:
            card = replace(
                card,
                critic_finetune_decisions=self.settings.critic_finetune_decisions if critic_errors.is_better else 0,
                results={"squared error of the critic on other games": asdict(critic_errors)},
            )
        save_run_weights(file, playing, card)
        for light in student_weights_files(file):
            light.unlink(missing_ok=True)  # of an earlier policy

    def save_rollout_network(self, file: Path, network: torch.nn.Module, result: ImitationResult) -> None:
        """Save a rollout network or an opponent model.

        Args:
            file: The file, beside the weights that it imitates.
            network: The network.
            result: How well it imitates the policy.
        """
        card = make_card(self.settings, self.networks, self.decisions, self.seconds, self._commands)
        data = f"{self.settings.distill_decisions} decisions of games of the policy of these weights"
        card = replace(card, data=data, results={"imitation of the policy in other games": asdict(result)})
        write_weights(file, network.state_dict(), card)
