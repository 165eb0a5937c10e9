"""The settings of a training run, which its folder remembers."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from abl_cards.core import (
    NUM_THREADS,
    SEED_RANGE,
    UNIT_INTERVAL,
    ErrorCode,
    FloatRange,
    GameError,
    SettingError,
    apply_settings,
    format_value,
    read_json_file,
    setting,
    settings_to_json,
)
from abl_cards.games import Engine, game_names, load

PRESET_OVERRIDES: dict[str, dict[str, Any]] = {
    "quick": {
        "total_decisions": 8_000_000,
        "num_envs": 512,
        "critic_warmup_updates": 3,
        "kb_opponent_share": 0.4,
        "past_opponent_share": 0.1,
    }
}
"""What a preset changes of the settings of a run that do not say otherwise."""
NON_NEGATIVE, POSITIVE = range(1 << 31), range(1, 1 << 31)
"""What there may be none of, and what there is at least one of."""
WEIGHT_RANGE = FloatRange(0, 1e9)
"""What is multiplied by it counts for as much, and never against."""
NO_DIRECTORY = Path()
"""The directory of settings that name none."""
SETTINGS_FILE = "settings.json"
"""The file of a run's folder that remembers them."""


@dataclass(frozen=True)
class TrainConfig:
    """The settings of a training run: ``abl-cards train GAME --settings`` lists them with their meaning.

    Where a field is None the preset decides, or the default of a network of one's own
    (``learners.model_networks.MODEL_PPO``).
    """

    directory: Path = NO_DIRECTORY  # folder of checkpoint, metrics and weights; by default runs/GAME-PRESET
    game: str = "guandan"
    preset: str = setting(
        "small",
        "the networks: quick, small, paper; planes-small, planes-paper, planes-abl see planes of cards",
    )
    abln: bool = setting(True, "estimate the hidden hands; false trains the twin that decides by what it sees")
    seed: int = setting(0, "of weights, cards and choices", SEED_RANGE)
    total_decisions: int = setting(
        10_000_000, "of self-play; the run ends at the first update after them", range(1 << 62), formerly="decisions"
    )
    num_envs: int = setting(
        2048,
        "played side by side; a run may go on with more, or with other opponents at them",
        POSITIVE,
        formerly="tables",
    )
    kb_opponent_share: float = setting(
        0.25, "share of the tables where the learner meets the agent kb", UNIT_INTERVAL, formerly="against_kb"
    )
    past_opponent_share: float = setting(
        0.25, "share of the tables where it meets its own past", UNIT_INTERVAL, formerly="against_past"
    )
    snapshot_interval: int = setting(
        100, "updates between two copies of the learner for the league", POSITIVE, formerly="remember_every"
    )
    checkpoint_interval: int = setting(5, "updates between two checkpoints", POSITIVE, formerly="save_every")
    labelled_fraction: float = setting(
        1.0,
        "share of the episodes whose hands are shown to ABLN; the others' are abduced",
        UNIT_INTERVAL,
        formerly="revealed",
    )
    init_from: Path | None = setting(
        None, "weights to start from; those of a twin without ABLN will do", formerly="start"
    )
    prior_scale: float | None = setting(
        None,
        "in the preferences, without start=: what the policy begins with is 1, from nothing at all is 0",
        WEIGHT_RANGE,
        formerly="trust",
    )
    records: Path | None = setting(None, "records to learn from before self-play")
    held_out_matches: int = setting(
        40, "matches at the end of the records that nothing is learned from", NON_NEGATIVE, formerly="held_out"
    )
    pretrain_agent: str | None = setting(
        None, "whose own games ABLN learns from first; kb where there are records", formerly="own_player"
    )
    pretrain_decisions: int = setting(240_000, "decisions of these games", NON_NEGATIVE, formerly="own_lessons")
    pretrain_episodes: int = setting(
        0,
        "episodes of own_player that the decision model learns from, but for a fifth of them",
        NON_NEGATIVE,
        formerly="own_games",
    )
    abln_pretrain_steps: int = setting(3_000, "steps of ABLN before self-play", NON_NEGATIVE, formerly="abln_steps")
    policy_pretrain_steps: int = setting(
        3_500,
        "steps of the decision model on the records; 0 where start= has learned them",
        NON_NEGATIVE,
        formerly="decision_steps",
    )
    critic_warmup_updates: int = setting(
        10,
        "updates at the start that teach the critic alone: what knows nothing would mislead the policy",
        NON_NEGATIVE,
        formerly="critic_first",
    )
    critic_finetune_decisions: int = setting(
        0,
        "decisions of its own games that the critic learns from when self-play is over; for looking ahead",
        NON_NEGATIVE,
        formerly="critic_lessons",
    )
    critic_finetune_steps: int = setting(3_000, "steps that it learns from them", NON_NEGATIVE, formerly="critic_steps")
    learning_rate: float | None = setting(
        None, "of PPO; none is the preset's. A run may go on with another one", UNIT_INTERVAL
    )
    ent_coef: float | None = setting(None, "weight of the policy's entropy, likewise", WEIGHT_RANGE, formerly="entropy")
    gamma: float | None = setting(None, "discount of rewards for each decision; none is the preset's", UNIT_INTERVAL)
    gae_lambda: float | None = setting(
        None, "lambda of the advantages and of what the critic learns, likewise", UNIT_INTERVAL, formerly="trace"
    )
    trick_point_reward: float | None = setting(
        None, "reward for each point of a trick, as the folder's worth/2 has it, likewise", formerly="worth"
    )
    clip_coef: float | None = setting(None, "clip range of PPO's probability ratio; none is the preset's", WEIGHT_RANGE)
    vf_coef: float | None = setting(None, "weight of the value loss; none is the preset's", WEIGHT_RANGE)
    max_grad_norm: float | None = setting(None, "greatest norm of the gradients; none is the preset's", WEIGHT_RANGE)
    num_epochs: int | None = setting(None, "passes over the decisions of an update; none is the preset's", POSITIVE)
    lookahead_share: float = setting(
        0.0,
        "share of the learner's decisions with a choice in which it looks ahead, to learn what comes of that",
        UNIT_INTERVAL,
        formerly="foresight",
    )
    lookahead_deals: int = setting(
        1,
        "deals that it looks ahead on: the one that lies there, the others are imagined",
        POSITIVE,
        formerly="foresight_deals",
    )
    lookahead_temperature: float = setting(
        0.5, "points that outweigh a factor e between two probabilities there", formerly="foresight_temperature"
    )
    lookahead_loss_weight: float = setting(
        0.5, "of what was foreseen beside PPO, in the loss of the policy", WEIGHT_RANGE, formerly="foresight_weight"
    )
    lookahead_value_share: float = setting(
        0.0, "share of the foreseen value in what the critic learns there", UNIT_INTERVAL, formerly="foresight_values"
    )
    rollout_size: int | None = setting(
        None, "decisions with a choice between two updates; none is the preset's", POSITIVE, formerly="rows"
    )
    minibatch_size: int | None = setting(
        None,
        "of these, in a step of learning, likewise; smaller steps learn more from little",
        POSITIVE,
        formerly="batch",
    )
    ema_decay: float = setting(
        0.998,
        "memory of the running mean of the decision model, which is what plays in the end",
        UNIT_INTERVAL,
        formerly="averaged",
    )
    kb: Path | None = setting(None, "the rules, from another folder; the same as --kb")
    profile: str | None = setting(None, "a file of its folder profiles, by default the game's; the same as --profile")
    second_profile: str | None = setting(
        None, "another profile, by which a share of the tables play: one player for both", formerly="also"
    )
    second_profile_share: float = setting(
        0.5, "of the tables, where also= names a profile", UNIT_INTERVAL, formerly="also_share"
    )
    choice_epsilon: float = setting(
        0.0,
        "share of the choices (bids, cards to give) made at random: who bids else what kb bids",
        UNIT_INTERVAL,
        formerly="stray",
    )
    clingo: Path | None = setting(
        None, "a folder with choices, disjunctions or negative loops: clingo judges the learner's moves by it; slow"
    )
    device: str = setting("cpu", "cpu or cuda")
    precision: str = setting("float32", "of matrix products: float32, or bfloat16, faster where the hardware has it")
    queue_capacity: int | None = setting(
        None,
        "decisions with a choice for which the sample pool has room; none is three updates and the open episodes",
        POSITIVE,
        formerly="pool",
    )
    max_policy_lag: int | None = setting(
        None,
        "updates after which the learner throws away what an older model has played; none is never",
        NON_NEGATIVE,
        formerly="stale",
    )
    actors: int | None = setting(
        None,
        "processes of Ray that play while this one learns; none is one a processor, 0 has all play and learn",
        NON_NEGATIVE,
    )
    workers: int | None = setting(
        None,
        "processes that play and learn together; none is one a processor, or one alone where threads= is given",
        POSITIVE,
    )
    threads: int | None = setting(None, "of torch in each; a single worker repeats exactly with one", POSITIVE)

    @property
    def num_processes(self) -> int:
        """How many processes train: as many as it says, or as pay."""
        several = self.device == "cpu" and self.threads is None
        return max(1, min(self.workers or (NUM_THREADS if several else 1), self.num_envs))

    def load_engine(self) -> Engine:
        """The game by the rules of the run; raises KBError, GameError."""
        return load(self.game).engine(self.kb, self.profile)

    def shell_command(self) -> str:
        """What to type for such a run."""
        changed = [each for each in fields(self)[2:] if getattr(self, each.name) != each.default]
        words = (f"--set {shlex.quote(f'{each.name}={format_value(getattr(self, each.name))}')}" for each in changed)
        return " ".join([f"abl-cards train {self.game}", *words])

    def to_json(self) -> dict[str, object]:
        """What is remembered; the rules by a path that holds everywhere."""
        found = replace(self, kb=self.kb and self.kb.absolute(), clingo=self.clingo and self.clingo.absolute())
        return {name: value for name, value in settings_to_json(found).items() if name != "directory"}

    def with_absolute_paths(self) -> TrainConfig:
        """The same for a process that may be elsewhere: with whole paths to rules."""
        found = replace(self, kb=self.kb and self.kb.absolute(), clingo=self.clingo and self.clingo.absolute())
        ours = self.game in game_names()
        return found if ours else replace(found, game=str(Path(self.game).absolute()))


def create_config(game: str, preset: str) -> TrainConfig:
    """The settings of a run in no folder yet, as its preset brings them."""
    return replace(TrainConfig(Path(), game=game, preset=preset), **PRESET_OVERRIDES.get(preset, {}))


def run_name(game: str, preset: str) -> str:
    """What a run and its weights are called; a game may be the path of its folder."""
    return f"{Path(game).resolve().name}-{preset}"


def read_config(directory: Path) -> TrainConfig | None:
    """The settings of the run in a folder; None where there is none. Raises GameError for a damaged file."""
    file = directory / SETTINGS_FILE
    try:
        values = read_json_file(file)
        words = [f"{name}={'none' if value is None else value}" for name, value in values.items()]
        return apply_settings(TrainConfig(directory), words, ("directory",))
    except FileNotFoundError:
        return None
    except (GameError, ValueError, AttributeError, SettingError) as problem:
        raise GameError(
            f"{file}: not the settings of a run ({problem}); move it away and say them again", ErrorCode.INVALID_JSON
        ) from None
