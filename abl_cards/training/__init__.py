"""The joint abduction loop: self-play, abduction, and learning from the abduced labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.training.abduction import ConsistencyFunction, Reasoner
    from abl_cards.training.ablkit_base import ABLkitBridge
    from abl_cards.training.actor import Actor, ActorSlot
    from abl_cards.training.callbacks import MlflowCallback, TrainerCallback, WandbCallback
    from abl_cards.training.checkpoint import (
        CHECKPOINT_SUFFIX,
        CheckpointFile,
        load_checkpoint,
        save_checkpoint,
        translate_restore_errors,
    )
    from abl_cards.training.decision_batch import BatchRow, DecisionBatch
    from abl_cards.training.distance import DistanceFunction, MoveCandidates
    from abl_cards.training.experience import Experience
    from abl_cards.training.ipc import from_plain, to_plain
    from abl_cards.training.launcher import Launcher, LocalLauncher
    from abl_cards.training.metrics import MetricsWriter, TrainingMetrics, load_metrics, read_metrics
    from abl_cards.training.model_agent import TrainedAgent, load_model_agent, make_model_agent
    from abl_cards.training.plots import PlotWriter, build_curves
    from abl_cards.training.process_group import LOCALHOST, GlooProcessGroup, PeerLost
    from abl_cards.training.reports import TrainingReport
    from abl_cards.training.rollout_queue import Rollout, StateDict
    from abl_cards.training.run_lock import lock_run_folder
    from abl_cards.training.run_rules import RuleDigests, check_same_rules, compute_rule_digests
    from abl_cards.training.run_settings import get_preset
    from abl_cards.training.selfplay import Score
    from abl_cards.training.setting_dependencies import reset_unused_settings
    from abl_cards.training.settings import NO_LIMIT, TrainConfig, create_config, read_config, run_name
    from abl_cards.training.supervised import create_abln_run
    from abl_cards.training.trainer import Trainer, fit_whole_run
    from abl_cards.training.worker import TrainingWorker, create_networks, resolve_ppo
    from abl_cards.training.workers import WorkerInit, WorkerLost, WorkerPool, create_worker

__all__ = [
    "CHECKPOINT_SUFFIX",
    "LOCALHOST",
    "NO_LIMIT",
    "ABLkitBridge",
    "Actor",
    "ActorSlot",
    "BatchRow",
    "CheckpointFile",
    "ConsistencyFunction",
    "DecisionBatch",
    "DistanceFunction",
    "Experience",
    "GlooProcessGroup",
    "Launcher",
    "LocalLauncher",
    "MetricsWriter",
    "MlflowCallback",
    "MoveCandidates",
    "PeerLost",
    "PlotWriter",
    "Reasoner",
    "Rollout",
    "RuleDigests",
    "Score",
    "StateDict",
    "TrainConfig",
    "TrainedAgent",
    "Trainer",
    "TrainerCallback",
    "TrainingMetrics",
    "TrainingReport",
    "TrainingWorker",
    "WandbCallback",
    "WorkerInit",
    "WorkerLost",
    "WorkerPool",
    "build_curves",
    "check_same_rules",
    "compute_rule_digests",
    "create_abln_run",
    "create_config",
    "create_networks",
    "create_worker",
    "fit_whole_run",
    "from_plain",
    "get_preset",
    "load_checkpoint",
    "load_metrics",
    "load_model_agent",
    "lock_run_folder",
    "make_model_agent",
    "read_config",
    "read_metrics",
    "reset_unused_settings",
    "resolve_ppo",
    "run_name",
    "save_checkpoint",
    "to_plain",
    "translate_restore_errors",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
