"""Ablate parts that are learned: twins of equal budget over several seeds, with other deals for each seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from abl_cards.ablation.parts import PLAYED_PARTS, AblationPart, select_parts
from abl_cards.ablation.results import Ablation, AblationRow, TrainingSummary
from abl_cards.ablation.shards import ShardStore, StoredMatch
from abl_cards.ablation.trained import (
    LearnedPart,
    TrainingProgress,
    TwinTrainer,
    changes_training,
    create_twin_config,
    find_learned_part,
    list_learned_parts,
)
from abl_cards.agents import AgentName, agent_variant, check_agent_name
from abl_cards.core import ErrorCode, GameError, check_integer, check_number
from abl_cards.games import Engine

DEFAULT_SEEDS = 3
MATCH_SEED_OFFSET = 1 << 32
"""Added to the seed of a training for that of its matches: they have other deals than the training."""


@dataclass(frozen=True)
class TrainingPlan:
    """Budget of the trainings of an ablation.

    Attributes:
        minutes: Time of the first training; its decisions are the budget of all.
        seeds: Most seeds; each has trainings and deals of its own.
        decisions: Budget in decisions instead of ``minutes``.
        settings: Settings of the trainings that differ from ``SHORT_RUN``.
    """

    minutes: float
    seeds: int = DEFAULT_SEEDS
    decisions: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def planned_looks(seeds: int) -> list[int]:
    """Return the numbers of seeds after which the interval is computed: 3, 6, 12 … and the last one.

    >>> planned_looks(3), planned_looks(10)
    ([3], [3, 6, 10])

    Args:
        seeds: Most seeds.
    """
    looks, number = [], DEFAULT_SEEDS
    while number < seeds:
        looks.append(number)
        number *= 2
    return [*looks, seeds]


def ablate_trained(
    engine: Engine,
    agent: str,
    names: Sequence[str] | None,
    num_deals: int,
    seed: int,
    level: float,
    plan: TrainingPlan,
    folder: Path,
    on_progress: Callable[[AblationPart | LearnedPart, int, int], None],
    on_training: TrainingProgress,
) -> Ablation:
    """Measure learned parts over seeds; a part is dropped as soon as it is decided.

    Args:
        engine: Compiled game.
        agent: Options of agent ``abl`` for play, without weights.
        names: Parts: of ``LEARNED_PARTS``, ``SETTING=VALUE``, or parts of play; None for the learned ones.
        num_deals: Deals of a part and seed.
        seed: First seed.
        level: Level of the intervals, over all looks together.
        plan: Budget of the trainings.
        folder: Folder of trainings and shards.
        on_progress: Called with a part, its finished games of this seed and all of them.
        on_training: Called while a training runs.

    Returns:
        One row a part.

    Raises:
        GameError: A part, a setting, a number or an option is not usable.
    """
    _check_plan(agent, plan)
    config = create_twin_config(engine, plan.settings)
    parts = _select(engine, config, names)
    trainer = TwinTrainer(engine, config, folder, plan.minutes, plan.decisions, seed, on_training)
    store, looks = ShardStore(folder), planned_looks(plan.seeds)
    look_level = 1 - (1 - level) / len(looks)  # Bonferroni over the looks
    matches: dict[str, list[StoredMatch]] = {name: [] for name in parts}
    rows: dict[str, AblationRow] = {}
    minutes = list[float]()
    for number, training_seed in enumerate(range(seed, seed + plan.seeds), 1):
        left = {name: part for name, part in parts.items() if name not in rows or not rows[name].decided}
        if not left:
            break
        twin = trainer.train(None, training_seed)
        minutes.append(twin.minutes)
        whole = agent_variant(agent, f"weights={twin.weights}")
        for name in left:
            part = parts[name] or select_parts(engine, whole, [name])[0]
            parts[name] = part
            if isinstance(part, LearnedPart):
                other = agent_variant(agent, f"weights={trainer.train(part, training_seed).weights}")
            else:
                other = part.variant_of(whole)
            match = StoredMatch(engine, (whole, other), training_seed + MATCH_SEED_OFFSET, store)
            total = num_deals * match.games_per_deal
            while len(match.scores) < num_deals:
                on_progress(part, match.scores.size, total)
                match.extend(num_deals)
            on_progress(part, match.scores.size, total)
            matches[name].append(match)
        if number in looks:
            made = ((name, parts[name]) for name in left)
            rows |= {name: _row(part, agent, matches[name], look_level) for name, part in made if part}
    per_deal = len(engine.agent_seatings)
    summary = TrainingSummary(trainer.budget, round(float(np.mean(minutes)), 2), plan.seeds, len(looks))
    return Ablation(
        engine.game, agent, tuple(rows[name] for name in parts), num_deals * per_deal, seed, level, training=summary
    )


def _check_plan(agent: str, plan: TrainingPlan) -> None:
    """Raise GameError where the agent is not one that is trained here, or a number is out of range."""
    if not isinstance(plan, TrainingPlan):
        raise GameError(f"training={plan!r:.60}: give a TrainingPlan, or None", ErrorCode.INVALID_VALUE)
    name = check_agent_name(agent)
    taken = [key for key, _ in name.options if key in ("weights", "preset", "no-abln", "supervised")]
    if name.kind != "abl" or taken:
        problem = f"agent '{name}': trained parts are those of abl, without {', '.join(taken) or 'another kind'}"
        raise GameError(problem, ErrorCode.AGENT_NOT_APPLICABLE)
    check_integer("seeds", plan.seeds, 1)
    if plan.decisions is not None:
        check_integer("decisions", plan.decisions, 1)
    elif not check_number("minutes", plan.minutes):
        raise GameError("train for more than 0 minutes", ErrorCode.INVALID_VALUE)


def _select(engine: Engine, config: Any, names: Sequence[str] | None) -> dict[str, LearnedPart | AblationPart | None]:
    """Return parts by name; None stands for a part of play, which is made when there are weights."""
    if names is None:
        return {part.name: part for part in list_learned_parts(config)}
    parts: dict[str, LearnedPart | AblationPart | None] = {}
    known = f"learned parts: {', '.join(part.name for part in list_learned_parts(config))}, SETTING=VALUE"
    for name in dict.fromkeys(names):
        part = find_learned_part(name, config)
        if part is not None and not changes_training(part, config):
            message = f"part '{name}': the agent is trained in that way itself; {known}"
            raise GameError(message, ErrorCode.UNKNOWN_PART)
        if part is None and name not in PLAYED_PARTS:
            try:
                select_parts(engine, "kb", [name])
            except GameError as problem:
                raise GameError(f"{problem}; {known}", problem.code) from None
        parts[name] = part
    return parts


def _row(part: LearnedPart | AblationPart, agent: str, matches: Sequence[StoredMatch], level: float) -> AblationRow:
    if isinstance(part, LearnedPart):
        variant = f"trained with {', '.join(f'{key}={value}' for key, value in part.settings.items())}"
    else:
        name = AgentName.parse(agent)
        variant = part.variant_of(str(name))
    return AblationRow.from_seeds(
        part.name, part.description, variant, [match.scores for match in matches],
        any(match.differs for match in matches), sum(match.episodes for match in matches), level,
    )  # fmt: skip
