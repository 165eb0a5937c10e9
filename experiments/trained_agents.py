"""Agents that an experiment trains, in runs that can be resumed after an interruption."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from abl_cards.agents import rules_fingerprint
from abl_cards.core import format_count
from abl_cards.experiments.agent_specs import AgentSpec, load_agents
from abl_cards.experiments.rules import GameConfig
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.learners import UNTRAINED_PRESET

if TYPE_CHECKING:
    from abl_cards.training import TrainConfig, Trainer

QUICK_AGENT = "quick"
"""Name in reports of the agent that learns by the preset of games without shipped weights."""


def run_trainer(
    workspace: ExperimentWorkspace, config: TrainConfig, title: str, minutes: float | None = None
) -> Trainer:
    """Train until ``config.total_decisions`` or for some minutes; a run that has come so far is only loaded.

    A learning rate that falls does so until ``config.total_decisions`` in both cases.

    Args:
        workspace: Workspace whose log and progress bar are used.
        config: Settings of the run, with its folder.
        title: Name of the agent or the run, for messages.
        minutes: Minutes of the whole run, including those before an interruption; None for no limit.
    """
    from abl_cards.training import Trainer, fit_whole_run

    workspace.publish_partial()
    decisions = config.total_decisions if minutes is None else None
    length = f"{decisions:,} decisions" if minutes is None else format_count(minutes, "minute")
    with workspace.progress_bar(f"{title}, preparing", None) as tell:
        trainer = Trainer.from_config(config, tell)
    with workspace.progress_bar(f"{title}, {length}", decisions, done=trainer.decisions) as tell:
        callbacks = [lambda metrics: tell(trainer.decisions, trainer.progress_text)]
        if minutes is not None:
            fit_whole_run(trainer, minutes, callbacks)
        elif trainer.decisions < config.total_decisions:
            trainer.fit(callbacks=callbacks)
    taken = trainer.seconds / 60
    workspace.log(f"{title}: {trainer.num_updates} updates, {trainer.decisions} decisions, {taken:.1f} minutes")
    return trainer


def train_quick_agent(workspace: ExperimentWorkspace, game: GameConfig, decisions: int, seed: int) -> AgentSpec:
    """Train an agent by the preset for games without shipped weights, with one thread, so that it repeats exactly.

    Args:
        workspace: Workspace in whose folder the run lies.
        game: Game, rules and profile.
        decisions: Decisions of self-play.
        seed: Seed of weights, cards and choices.

    Returns:
        The agent, which looks ahead, named ``quick``.
    """
    from abl_cards.training import create_config

    engine = game.engine
    folder = workspace.folder / f"{QUICK_AGENT}-{rules_fingerprint(engine)}-{decisions}-{seed}"
    weights = folder / "trained.safetensors"
    if not weights.exists():
        config = replace(
            create_config(engine.game, UNTRAINED_PRESET), directory=folder, game=game.game, kb=game.kb,
            profile=game.profile, seed=seed, total_decisions=decisions, workers=1, threads=1,
        )  # fmt: skip
        run_trainer(workspace, config, QUICK_AGENT).save_weights(weights)
    (agent,) = load_agents([f"abl:weights={weights}"], engine)
    return replace(agent, name=QUICK_AGENT)  # wherever the folder lies
