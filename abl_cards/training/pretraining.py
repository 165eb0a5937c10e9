"""Supervised training before self-play: ABLN on records and on games of an agent, the policy on records.

Each part has a checkpoint in the folder of the run, from which a stopped run resumes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from abl_cards.agents import make_agent
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.learners import Networks, Symmetries, WeightsCard, load_weights, save_networks
from abl_cards.matches import find_held_out, normalise_record, read_numbered_records
from abl_cards.training.checkpoint import CHECKPOINT_SUFFIX, load_checkpoint, save_checkpoint, translate_restore_errors
from abl_cards.training.decision_dataset import (
    SupervisedDataset,
    collect_decisions,
    collect_episodes,
    dataset_from_records,
)
from abl_cards.training.prior_scale import estimate_prior_scale
from abl_cards.training.settings import TrainConfig, make_mismatch_error, read_config
from abl_cards.training.supervised import (
    SupervisedRun,
    add_estimates,
    compute_agreement,
    create_abln_run,
    create_policy_run,
    train_abln,
    train_policy,
)

ProgressCallback = Callable[[int, str], None]
"""Called with a count of what is done, and a text that names it."""

CHECKPOINT_STEPS = 250  # steps

PRETRAINED_WEIGHTS_FILE = "supervised.safetensors"
"""Name of the weights after supervised training in the folder of a run."""

_LEARNED_FILES = (PRETRAINED_WEIGHTS_FILE, f"decisions{CHECKPOINT_SUFFIX}", f"hidden-hands{CHECKPOINT_SUFFIX}")
_PRETRAINING_SETTINGS = (
    "game", "preset", "abln", "seed", "init_from", "prior_scale", "records", "held_out_matches", "pretrain_agent",
    "pretrain_decisions", "pretrain_episodes", "abln_pretrain_steps", "policy_pretrain_steps",
)  # fmt: skip


def pretrain(settings: TrainConfig, engine: Engine, networks: Networks, on_progress: ProgressCallback) -> None:
    """Load supervised weights into networks, from the folder of the run or by training them; raises GameError."""
    slips, trust = networks.preset.prior_error_rate, networks.decision.trust
    if slips and trust is not None and settings.init_from is None and settings.prior_scale is None:
        on_progress(0, "initial weight of the preferences")
        trust.data.fill_(estimate_prior_scale(engine, slips, settings.seed))
    if not _is_pretrained(settings):
        return
    weights_file = settings.directory / PRETRAINED_WEIGHTS_FILE
    if not weights_file.exists():
        Pretrainer(settings, engine, networks, on_progress).run(weights_file)
    load_weights(weights_file, networks)


def check_pretraining(settings: TrainConfig) -> None:
    """Check what was learned before self-play in the folder of a run that has no checkpoint yet.

    Args:
        settings: The settings of now.

    Raises:
        GameError: It was learned by other settings (code ``run-mismatch``).
    """
    learned = [file for name in _LEARNED_FILES if (file := settings.directory / name).exists()]
    begun = read_config(settings.directory) if learned and _is_pretrained(settings) else None
    if begun is None:
        return
    changed = [name for name in _PRETRAINING_SETTINGS if getattr(begun, name) != getattr(settings, name)]
    if changed:
        raise make_mismatch_error(learned[0], vars(begun), changed)


def _is_pretrained(settings: TrainConfig) -> bool:
    """Return whether a run learns from records or games before self-play."""
    return settings.records is not None or settings.pretrain_agent is not None or settings.pretrain_episodes > 0


class Pretrainer:
    """The supervised part of a run."""

    def __init__(
        self, settings: TrainConfig, engine: Engine, networks: Networks, on_progress: ProgressCallback
    ) -> None:
        """Prepare the supervised training of networks."""
        self._settings, self._engine, self._networks, self._on_progress = settings, engine, networks, on_progress
        self._symmetries = Symmetries.from_orders(engine.symmetries, engine.observation_features)
        self._judge: PreferenceModel = engine.preference_model()

    def run(self, weights_file: Path) -> None:
        """Train on records and own games, where there are any, and save the weights."""
        training, held_out = self._play_for_data() if self._settings.pretrain_episodes else self._read_recorded_data()
        if self._networks.abln is not None:
            self._train_abln(training)
        if training and held_out:
            training, held_out = (
                add_estimates(self._engine, self._networks, dataset) for dataset in (training, held_out)
            )
            self._train_policy(training)
        self._save_weights(weights_file, held_out)

    def _read_recorded_data(self) -> tuple[SupervisedDataset, SupervisedDataset] | tuple[None, None]:
        """Return the decisions of the records, and those of the last matches, which are held out."""
        file = self._settings.records
        if file is None:
            return None, None
        self._on_progress(0, f"reading {file.name}")
        lines, read = read_numbered_records(file)
        records = [normalise_record(self._engine, record) for record in read]
        held_out = find_held_out(records, self._settings.held_out_matches, file)
        lessons = dataset_from_records(self._engine, self._judge, records, file, lines)
        last = held_out[lessons.source]
        return lessons.at(~last), lessons.at(last)

    def _play_for_data(self) -> tuple[SupervisedDataset, SupervisedDataset]:
        """Return the decisions of an agent's own games, and those of every fifth table, which are held out."""
        settings = self._settings
        self._on_progress(0, f"playing {settings.pretrain_episodes:,} episodes for lessons")
        player = make_agent(settings.pretrain_agent or "kb", self._engine)
        lessons = collect_episodes(self._engine, self._judge, player, settings.pretrain_episodes, settings.seed)
        last = lessons.source % 5 == 4
        return lessons.at(~last), lessons.at(last)

    def _train_policy(self, dataset: SupervisedDataset) -> None:
        fit = create_policy_run(
            self._networks, self._symmetries, self._settings.policy_pretrain_steps, self._settings.seed
        )
        with self._create_checkpointer(fit, "decisions") as progress:
            train_policy(self._networks, fit, dataset.examples, progress)

    def _train_abln(self, dataset: SupervisedDataset | None) -> None:
        fit = create_abln_run(self._networks, self._symmetries, self._settings.abln_pretrain_steps, self._settings.seed)
        with self._create_checkpointer(fit, "hidden hands") as progress:
            if fit.is_done:
                return
            self._on_progress(0, "playing for lessons on hidden hands")
            lessons = [] if dataset is None else [dataset]
            if num_decisions := self._settings.pretrain_decisions:
                player = make_agent(self._settings.pretrain_agent or "kb", self._engine)
                lessons.append(collect_decisions(self._engine, self._judge, player, num_decisions, self._settings.seed))
            train_abln(self._networks, fit, SupervisedDataset.concatenate(lessons).examples, progress)

    def _create_checkpointer(self, supervised_run: SupervisedRun, name: str) -> Checkpointer:
        return Checkpointer(
            supervised_run,
            name,
            self._settings.directory / f"{name.replace(' ', '-')}{CHECKPOINT_SUFFIX}",
            self._on_progress,
        )

    def _save_weights(self, weights_file: Path, held_out: SupervisedDataset | None) -> None:
        settings, results = self._settings, {}
        if held_out and len(held_out.examples):
            agreement = compute_agreement(self._networks, held_out.examples, self._engine.label_traits.pass_label)
            held = (
                f"{len(held_out.examples)} decisions of a fifth" if settings.pretrain_episodes else "the last matches"
            )
            results[f"agreement with {held}"] = {
                name: None if value is None else round(value, 4) for name, value in asdict(agreement).items()
            }
        card = WeightsCard(
            settings.game, settings.preset, settings.abln, settings.seed, self._describe_data(),
            command=settings.shell_command(), results=results,
        )  # fmt: skip
        save_networks(weights_file, self._networks, card)

    def _describe_data(self) -> str:
        """Return a text about the data."""
        file, settings = self._settings.records, self._settings
        records = [f"{file.name} without its last {settings.held_out_matches} matches"] if file else []
        if settings.pretrain_episodes:
            records = [f"{settings.pretrain_episodes} games of {settings.pretrain_agent or 'kb'} without a fifth"]
        own = [f"games of {settings.pretrain_agent or 'kb'} for ABLN"] if self._networks.abln is not None else []
        return " and ".join([*records, *own])


class Checkpointer:
    """Restores a supervised run on entry, and saves it at intervals and on exit."""

    def __init__(self, supervised_run: SupervisedRun, name: str, file: Path, on_progress: ProgressCallback) -> None:
        self._supervised_run, self._name, self._file, self._on_progress = supervised_run, name, file, on_progress

    def __enter__(self) -> Callable[[int, float], None]:
        state = load_checkpoint(self._file)
        if state is not None:
            with translate_restore_errors(self._file):
                self._supervised_run.load_state_dict(state)
        return self._on_step

    def __exit__(self, *problem: Any) -> None:
        if problem[0] is None:
            save_checkpoint(self._file, self._supervised_run.state_dict())

    def _on_step(self, done: int, loss: float) -> None:
        self._on_progress(done, f"{self._name}: loss {loss:.3f}")
        if done % CHECKPOINT_STEPS == 0:
            save_checkpoint(self._file, self._supervised_run.state_dict())
