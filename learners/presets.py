"""Presets: sizes and settings of the networks by name.

``paper`` is Chen et al. 2025, sections 2.1-2.3 and table 4; fields that the paper omits are marked. ``small`` is
made for two processor cores: a shorter history encoder, narrower layers, and the costs of the preferences as inputs
of the decision model. ``quick`` is for new games: it learns from random weights within minutes. Its look-ahead plays
deals to their end, because so few decisions do not train a critic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

ESTIMATE, RESPONSES, LEGAL, TO_BEAT, REGRET, PLAYS_LEFT = "estimate", "replies", "legal", "to_beat", "regret", "plays"
"""Names of the inputs of a policy besides the observation."""

ESTIMATE_INPUTS = (ESTIMATE, RESPONSES)
"""Inputs that need an estimate of the hidden hands."""
RESPONSE_DEALS = 8
"""Deals that are sampled from an estimate to count which labels each other seat could answer."""


@dataclass(frozen=True)
class EncoderConfig:
    """Sizes of the encoder of observations."""

    state_layers: int = 4  # fully connected layers over the state features
    state_width: int = 512
    state_out: int = 216  # d_o
    history_layers: int = 6  # attention layers over the last acts
    history_width: int = 256  # d_attn
    history_heads: int = 4  # the paper is silent
    history_out: int = 216  # d_tau

    @property
    def out_size(self) -> int:
        """Size of the encoded vector."""
        return self.state_out + self.history_out


@dataclass(frozen=True)
class PPOConfig:
    """Proximal policy optimisation (Schulman et al. 2017), table 4."""

    learning_rate: float = 1e-4
    anneal_lr: bool = False  # whether the learning rate falls evenly over a run, to a tenth at its end
    clip_coef: float = 0.2
    gamma: float = 0.996
    gae_lambda: float = 0.98  # lambda of the generalised advantage
    minibatch_size: int = 16_384
    rollout_size: int = 16_384  # decisions with a choice between two updates
    num_epochs: int = 2  # the paper is silent, here and below
    num_value_epochs: int = 2  # of these, those in which the critic learns
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    terminal_share: float = 1.0  # factor of an episode's reward; the rest is left to trick rewards
    trick_point_reward: float = 0.0  # reward for each trick point (worth/2), to the side that takes the trick
    max_prob_for_update: float = 1.0  # greatest probability of a chosen label that the policy learns from
    reward_exponent: float = 1.0  # power of an episode's points; 0: won or lost


@dataclass(frozen=True)
class PlaneResNetConfig:
    """Sizes of a policy on planes of cards; see ``learners.plane_resnet``."""

    channels: tuple[int, ...] = (64, 64)  # of the first convolution, then of each stage of residual blocks
    blocks_per_stage: int = 1  # in each stage
    hidden_width: int = 256  # width of the layer that policy and value share
    option_width: int = 128  # width of the scorer of options; 0: options are channels, as in the paper
    reads_other_features: bool = False  # whether the hidden layer also reads what is no count of cards
    has_value_head: bool = True  # whether the value is a head of the policy; else a critic reads all hands


END_OF_EPISODE = 1_000_000
"""Depth of rollouts to the end: more decisions than any episode has."""


@dataclass(frozen=True)
class RolloutConfig:
    """Sizes of a rollout network, and of the look-ahead that uses it; see ``learners.rollout_network``."""

    is_compiled: bool = False  # whether one compiled loop plays tables on, by positions instead of costs, plays left
    hidden: tuple[int, int] = (256, 128)  # widths of the layers, multiples of 4
    num_tables: int = 256  # simulated tables of a decision, divided among its labels
    num_determinizations: int = 128  # deals of a label at most
    depths: tuple[int, ...] = (16,)  # decisions with a choice before the critic values the position; the mean counts
    timed_depths: tuple[int, ...] = ()  # the same with a time limit; empty for the same as without one
    likelihood_exponent: float = 0.0  # power of the likelihood of the others' acts by which deals are weighted; 0: none
    opponent_hidden: tuple[int, int] | None = None  # widths of a network for these weights; None: the same network
    pool_size: int = 512  # deals that are drawn and weighted at a decision; those that are simulated are resampled
    top_k: int = 8  # labels that are evaluated at most, the most probable ones
    min_prob: float = 0.001  # probability below which a label is not evaluated

    def __post_init__(self) -> None:
        """Check the widths, which compiled functions read four at a time; raises ValueError."""
        for name, widths in (("hidden", self.hidden), ("opponent_hidden", self.opponent_hidden or ())):
            if any(width <= 0 or width % 4 for width in widths):
                raise ValueError(f"{name}: the widths of a rollout network are multiples of 4, not {widths}")

    @property
    def opponent_model(self) -> RolloutConfig | None:
        """Sizes of the network of positions that only weights deals; None where there is none."""
        return None if self.opponent_hidden is None else RolloutConfig(is_compiled=True, hidden=self.opponent_hidden)


@dataclass(frozen=True)
class Preset:
    """Sizes, inputs and training settings of networks; seats share their weights (the paper is silent)."""

    name: str
    encoder: EncoderConfig = EncoderConfig()
    abln_hidden: tuple[int, ...] = (512, 512, 512)
    abln_uses_prior: bool = False  # whether ABLN reads the prior by counts, facts and hints of the knowledge base
    policy_width: int = 512  # the paper is silent on the decision network
    policy_blocks: int = 2  # residual blocks
    critic_width: int = 512
    critic_reads_labels: bool = True  # whether the critic reads legal labels and possible leads of each hand
    prior_error_rate: float = 0.0  # share of sampled labels that kb would not choose, at first; 0: costs as they are
    inputs: tuple[str, ...] = (ESTIMATE,)  # of the decision model, besides the encoded observation
    ppo: PPOConfig = PPOConfig()
    supervised_learning_rate: float = 4e-6  # lr_sl, of ABLN
    dropout: float = 0.0  # dropout of the decision model in supervised training
    input_dropout: float = 0.0  # dropout of its observations
    abln_train_share: float = 1.0  # share of the decisions that ABLN learns from
    search_temperature: float = 0.1  # points that weigh as much as a factor e of probability in a look-ahead
    num_determinizations: int = 16  # deals that looking ahead evaluates each label on
    depth: int = 0  # decisions that are played on each deal before the critic values the position
    rollout_with_kb: bool = False  # play them by the preferences, where there are any, instead of by the policy
    top_k: int = 5  # labels that looking ahead evaluates at most, the most probable ones
    min_prob: float = 0.01  # probability below which a label is not evaluated
    endgame_cards: int = 0  # cards in all hands below which the endgame is solved; 0: never
    endgame_nodes: int = 30_000  # positions that are searched at a decision of an endgame at most
    belief_reweighting: bool = False  # whether sampled deals are weighted by the last acts of the others
    plane_resnet: PlaneResNetConfig | None = None  # sizes of a policy on planes of cards; None for label inputs
    rollout: RolloutConfig = RolloutConfig()  # of the rollout network, where there are weights of one

    def without_abln(self) -> Preset:
        """Return the twin without an estimate of the hidden hands."""
        return replace(self, inputs=tuple(name for name in self.inputs if name not in ESTIMATE_INPUTS))

    def with_abln(self) -> Preset:
        """Return the twin whose policy reads an estimate of the hidden hands."""
        return self if self.uses_abln else replace(self, inputs=(ESTIMATE, *self.inputs))

    @property
    def uses_abln(self) -> bool:
        """Return whether the policy reads an estimate of the hidden hands."""
        return ESTIMATE in self.inputs

    @property
    def uses_responses(self) -> bool:
        """Return whether the policy reads which labels the other seats could respond to."""
        return RESPONSES in self.inputs


_PLANES_PPO = PPOConfig(
    learning_rate=2e-4, gae_lambda=0.8, minibatch_size=2_048, rollout_size=8_192, num_epochs=2, num_value_epochs=2,
    ent_coef=0.002, terminal_share=0.25, trick_point_reward=0.01, max_prob_for_update=0.98,
)  # fmt: skip

_SMALL = EncoderConfig(
    state_layers=2, state_width=256, state_out=192, history_layers=1, history_width=48, history_heads=4, history_out=64,
)  # fmt: skip

PRESETS: dict[str, Preset] = {
    "paper": Preset("paper"),
    "small": Preset(
        "small",
        encoder=_SMALL,
        abln_hidden=(256, 256),
        abln_uses_prior=True,
        policy_width=384,
        critic_width=256,
        inputs=(ESTIMATE, RESPONSES, LEGAL, TO_BEAT, REGRET, PLAYS_LEFT),
        ppo=PPOConfig(
            learning_rate=1.5e-4, gae_lambda=0.8, minibatch_size=4_096, rollout_size=32_768, num_epochs=2,
            num_value_epochs=1, ent_coef=0.0005, max_prob_for_update=0.95,
        ),
        supervised_learning_rate=5e-4,
        dropout=0.35,
        input_dropout=0.15,
        abln_train_share=0.25,
        search_temperature=0.05,
        endgame_cards=22,
        endgame_nodes=15_000,
        rollout=RolloutConfig(
            is_compiled=True, hidden=(256, 64), num_tables=16, depths=(8,), timed_depths=(0, 8, END_OF_EPISODE),
            likelihood_exponent=0.4, pool_size=48, top_k=5, min_prob=0.01,
        ),
    ),
    "quick": Preset(
        "quick",
        encoder=EncoderConfig(state_layers=1, state_out=128, history_layers=0, history_width=16, history_out=16),
        policy_width=128,
        policy_blocks=1,
        critic_width=128,
        inputs=(REGRET, PLAYS_LEFT),
        critic_reads_labels=False,
        prior_error_rate=0.3,
        ppo=PPOConfig(
            learning_rate=2e-3, anneal_lr=True, gae_lambda=0.9, minibatch_size=1_024, rollout_size=8_192, num_epochs=2,
            num_value_epochs=2, ent_coef=0.003, max_prob_for_update=0.98, reward_exponent=0.5,
        ),
        num_determinizations=32,
        depth=40,
        rollout_with_kb=True,
        top_k=13,
        min_prob=1e-6,
        belief_reweighting=True,
        search_temperature=0.015,
    ),
    "small-stakes": Preset(
        "small-stakes",
        encoder=_SMALL,
        abln_hidden=(256, 256),
        abln_uses_prior=True,
        policy_width=384,
        critic_width=224,
        inputs=(ESTIMATE, RESPONSES, LEGAL, TO_BEAT, REGRET, PLAYS_LEFT),
        ppo=PPOConfig(
            learning_rate=3e-4, gae_lambda=0.9, minibatch_size=1_024, rollout_size=8_192, num_epochs=2,
            num_value_epochs=2, ent_coef=0.002, max_prob_for_update=0.98, reward_exponent=0.25,
        ),
        supervised_learning_rate=5e-4,
        dropout=0.35,
        input_dropout=0.15,
        abln_train_share=0.25,
        search_temperature=0.03,
        num_determinizations=16,
        depth=4,
        endgame_cards=20,
        rollout=RolloutConfig(likelihood_exponent=0.8, opponent_hidden=(256, 64)),
    ),
    "planes-paper": Preset(
        "planes-paper",
        inputs=(),
        ppo=PPOConfig(
            learning_rate=3e-5, gae_lambda=0.95, minibatch_size=256, rollout_size=2_048, num_epochs=2,
            terminal_share=0.25, trick_point_reward=0.01,
        ),
        plane_resnet=PlaneResNetConfig(
            channels=(512, 512, 256, 128, 64), blocks_per_stage=2, hidden_width=512, option_width=0
        ),
    ),
    "planes-small": Preset(
        "planes-small",
        encoder=EncoderConfig(history_out=0),
        critic_width=192,
        inputs=(),
        ppo=_PLANES_PPO,
        dropout=0.1,
        plane_resnet=PlaneResNetConfig(has_value_head=False),
    ),
    "planes-abl": Preset(
        "planes-abl",
        encoder=EncoderConfig(state_layers=2, state_width=192, state_out=192, history_out=0),
        abln_hidden=(192,),
        abln_uses_prior=True,
        critic_width=192,
        inputs=(ESTIMATE, REGRET),
        ppo=replace(_PLANES_PPO, learning_rate=5e-4),
        supervised_learning_rate=5e-4,
        abln_train_share=0.25,
        search_temperature=0.005,
        num_determinizations=8,
        depth=8,
        rollout_with_kb=True,
        min_prob=0.0001,
        plane_resnet=PlaneResNetConfig(reads_other_features=True, has_value_head=False),
    ),
}  # fmt: skip
"""The presets by name."""


WEIGHTS_FOLDER = Path(__file__).parent / "weights"
"""Folder of the weights that come with the package."""
DEFAULT_PRESETS = ("small", "planes-abl", "small-stakes")
"""Presets of an agent that names none, in order: the first with weights for the game."""
UNTRAINED_PRESET = "quick"
"""Preset of a game without shipped weights."""


def default_preset(game: str) -> str:
    """Return the preset of the shipped weights of a game; ``quick`` if there are none.

    Args:
        game: Name of the game.
    """
    shipped = list_shipped_presets(game)
    return next((name for name in DEFAULT_PRESETS if name in shipped), UNTRAINED_PRESET)


def list_shipped_presets(game: str) -> list[str]:
    """Return the presets whose weights for a game come with the package, in the order of `PRESETS`.

    Args:
        game: Name of the game.
    """
    shipped = {file.stem for file in WEIGHTS_FOLDER.glob("*.safetensors")}  # no file beside a folder of rules
    return [name for name in PRESETS if f"{game}-{name}" in shipped]


@dataclass(frozen=True)
class SplitterPreset:
    """Sizes and training settings of a splitter, a BiLSTM-CRF; the paper's table 3 is not in its text."""

    name: str
    card_width: int = 32  # of the vector of a card
    hidden_width: int = 64  # of each direction of the LSTM
    num_layers: int = 2
    dropout: float = 0.3  # dropout between the layers and before the tags
    learning_rate: float = 6e-3  # at its peak
    weight_decay: float = 0.01  # of the weights
    batch_size: int = 128  # hands


SPLITTER_PRESETS: dict[str, SplitterPreset] = {
    "small": SplitterPreset("small"),
    "large": SplitterPreset("large", card_width=64, hidden_width=128, batch_size=256, learning_rate=3e-3),
}
"""The splitters by name; ``large`` is for millions of games."""
