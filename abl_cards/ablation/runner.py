"""Play an agent against itself without its parts, in shards that are stored, until the results are decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from abl_cards.ablation.firing import SkippedPart, skip_idle_parts
from abl_cards.ablation.parts import AblationPart, make_variant_part, select_parts
from abl_cards.ablation.results import Ablation, AblationRow
from abl_cards.ablation.seed_runner import TrainingPlan, ablate_trained
from abl_cards.ablation.sequential import sequential_interval
from abl_cards.ablation.shards import ShardStore, StoredMatch
from abl_cards.ablation.trained import LearnedPart, TrainingProgress
from abl_cards.agents import check_agent_name
from abl_cards.core import ErrorCode, GameError, check_functions, check_integer, check_list, check_path, check_seed
from abl_cards.games import Engine, Game, compile_engine

AblationProgress = Callable[[AblationPart | LearnedPart, int, int], None]
"""Called with a part, its finished games and the most games it may take (of a training seed, where there are some)."""


def ablate(
    game: Game | Engine | str,
    agent: str = "abl",
    parts: Sequence[str] | None = None,
    games: int = 400,
    seed: int = 1,
    *,
    variants: Sequence[str] = (),
    training: TrainingPlan | None = None,
    level: float = 0.95,
    folder: Path | str | None = None,
    on_progress: AblationProgress | None = None,
    on_training: TrainingProgress | None = None,
) -> Ablation:
    """Measure parts of an agent: it plays against itself without one part at a time.

    Every deal is played once for every way to seat the two. After each shard of deals the interval of the win rate
    is computed, and play stops when it excludes one half. The interval is valid over all these looks together
    (see ``sequential_interval``); each part has an interval of its own level.

    With ``training`` the agent and twins without learned parts are trained first, for several seeds. The interval then
    covers seeds and deals (see ``combine_seeds``). After 3, 6, 12 … seeds, a part that is decided needs no further
    ones; the level holds over these looks together.

    Args:
        game: Game, its name, the path of a rule folder, or a compiled game (for another profile).
        agent: ``kb`` or ``abl``, with options; any agent if only ``variants`` are measured.
        parts: Names of parts as ``list_parts`` returns them; also ``kb:PREFERENCE`` for a single preference. With
            ``training`` also those of ``LEARNED_PARTS`` and ``SETTING=VALUE``. None for all parts that apply to this
            folder and agent, without groups that never hold for any move. With ``variants`` or ``training``, None
            means only the variants or the learned parts.
        games: Most games a part, and a seed; rounded down to whole deals.
        seed: Seed of deals and decisions, and the first seed of trainings; equal seeds give equal results.
        variants: Agents that are measured as if they were the agent without a part.
        training: Budget of the trainings; None to train nothing.
        level: Level of the intervals.
        folder: Folder where finished shards and trainings are stored; a later call with the same rules, weights and
            seed continues from them. None to store nothing.
        on_progress: Called after each shard.
        on_training: Called while a training runs.

    Returns:
        One row a part, with the interval and whether the part is decided.

    Raises:
        GameError: The game, the agent or a part is unknown, the agent has no parts, or a number is out of range.
        KBError: The rules or the preferences do not compile.
        OSError: The folder cannot be written.
    """
    parts = None if parts is None else check_list("parts", parts, is_ordered=False)
    if wrong := [part for part in parts or () if not isinstance(part, str)]:
        raise GameError(f"parts: {wrong[0]!r:.60} is no name of a part", ErrorCode.UNKNOWN_PART)
    variants = check_list("variants", variants, is_ordered=False)
    folder = None if folder is None else check_path("folder", folder)
    games, seed = check_integer("games", games), check_seed(seed)
    check_functions(on_progress=on_progress, on_training=on_training)
    engine = compile_engine(game)
    games_per_deal = len(engine.agent_seatings)
    num_deals = games // games_per_deal
    if num_deals < 1:
        problem = f"games={games}: a deal of {engine.game} is {games_per_deal} games, one for each way to seat two"
        raise GameError(problem, ErrorCode.INVALID_VALUE)
    sequential_interval(np.zeros(0), level)  # raises for a level out of range
    name = str(check_agent_name(agent))
    tell = on_progress or (lambda part, done, total: None)
    if training is not None:
        if variants:
            raise GameError("variants are agents that are trained already: leave one out", ErrorCode.INVALID_VALUE)
        with TemporaryDirectory() as scratch:
            return ablate_trained(
                engine, name, parts, num_deals, seed, level, training, folder or Path(scratch), tell,
                on_training or (lambda training, done, total, remark: None),
            )  # fmt: skip
    chosen, skipped = _choose_parts(engine, name, parts, variants, seed)
    store = ShardStore(folder)
    rows = [_measure(engine, name, part, num_deals, seed, level, store, tell) for part in chosen]
    return Ablation(engine.game, name, tuple(rows), num_deals * games_per_deal, seed, level, tuple(skipped))


def _choose_parts(
    engine: Engine, agent: str, names: Sequence[str] | None, variants: Sequence[str], seed: int
) -> tuple[list[AblationPart], list[SkippedPart]]:
    """Select parts and variants; groups that never hold are skipped where no part is named."""
    others = list(dict.fromkeys(make_variant_part(variant, agent) for variant in variants))
    if names is not None:
        return [*select_parts(engine, agent, list(names)), *others], []
    if others:
        return others, []
    parts = select_parts(engine, agent, None)
    if not parts:
        problem = f"'{agent}' of {engine.game} has no part to leave out: write preferences, or name another agent"
        raise GameError(problem, ErrorCode.UNKNOWN_PART)
    return skip_idle_parts(engine, agent, parts, seed)


def _measure(
    engine: Engine, agent: str, part: AblationPart, num_deals: int, seed: int, level: float, store: ShardStore,
    on_progress: AblationProgress,
) -> AblationRow:  # fmt: skip
    """Play shards until the interval excludes one half, or all deals are played."""
    match = StoredMatch(engine, (agent, part.variant_of(agent)), seed, store)
    while True:
        on_progress(part, match.scores.size, num_deals * match.games_per_deal)
        low, high = sequential_interval(match.scores.mean(axis=1), level)
        if len(match.scores) == num_deals or low > 0.5 or high < 0.5:
            return AblationRow.from_scores(part, agent, match.scores, match.differs, match.episodes, level)
        match.extend(num_deals)
