"""Agents that an experiment trains itself, in runs that go on after an interruption."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from abl_cards.agents import rules_fingerprint
from abl_cards.experiments.agent_specs import AgentSpec, load_agents
from abl_cards.experiments.rules import GameConfig
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.learners import UNTRAINED_PRESET

if TYPE_CHECKING:
    from abl_cards.training import TrainConfig, Trainer

QUICK_AGENT = "quick"
"""Name in reports of the agent that learns by the preset of games without shipped weights."""


def run_trainer(workspace: ExperimentWorkspace, config: TrainConfig, title: str) -> Trainer:
    """Train until ``config.total_decisions``, or return at once where a run has made them.

    Args:
        workspace: Workspace whose log and progress bar are used.
        config: Settings of the run, with its folder.
        title: Name of the agent for people.
    """
    from abl_cards.training import Trainer

    workspace.publish_partial()
    decisions = config.total_decisions
    with workspace.progress_bar(f"{title}, {decisions:,} decisions", decisions) as tell:
        trainer = Trainer.from_config(config, tell)
        if trainer.decisions < decisions:
            trainer.fit(callbacks=[lambda metrics: tell(trainer.decisions, trainer.progress_text)])
    minutes = trainer.seconds / 60
    workspace.log(f"{title}: {trainer.num_updates} updates, {trainer.decisions} decisions, {minutes:.1f} minutes")
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
