"""Networks, presets and weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.learners.abln import ABLN, hands_loss
    from abl_cards.learners.batches import (
        Examples,
        TrainingBatch,
        to_input_tensors,
        to_privileged_tensors,
        to_training_batch,
    )
    from abl_cards.learners.clustering import (
        AFFINITY_PREFERENCE,
        ExemplarClassifier,
        TwoStageClustering,
        Whitening,
        affinity_propagation,
        cluster_two_stage,
        dbscan,
        estimate_class_probs,
        k_means,
        merge_clusters,
        quantile_classes,
        silhouette_score,
    )
    from abl_cards.learners.decision import (
        MAX_REGRET,
        REGRET_UNIT,
        InputTensors,
        PolicyNetwork,
        lookahead_loss,
        mean_entropy,
        ppo_loss,
    )
    from abl_cards.learners.model_inputs import (
        ModelInputs,
        PrivilegedInputs,
        apply_reward_exponent,
        pad_inputs,
        pad_rows,
    )
    from abl_cards.learners.model_interface import (
        Batch,
        CriticBatch,
        HandsBatch,
        PolicyOutput,
        masked_log_probs,
        to_batch,
    )
    from abl_cards.learners.model_networks import (
        MODEL_PRESET,
        ModelNetworks,
        load_model,
        save_model,
    )
    from abl_cards.learners.network_parts import (
        NO_PARTS,
        AblnPart,
        CriticPart,
        NetworkPart,
        NetworkParts,
        PolicyPart,
    )
    from abl_cards.learners.networks import GameShape, HandsNetwork, Networks
    from abl_cards.learners.output_checks import check_output
    from abl_cards.learners.own_classes import class_file, class_name, describe_parts
    from abl_cards.learners.own_parts import FittedPart, InputRow, wrap_parts
    from abl_cards.learners.plane_features import MAX_OPTIONS
    from abl_cards.learners.plane_resnet import PlanePolicyNetwork
    from abl_cards.learners.presets import (
        ESTIMATE,
        LEGAL,
        PLAYS_LEFT,
        PRESETS,
        REGRET,
        RESPONSE_DEALS,
        RESPONSES,
        SPLITTER_PRESETS,
        TO_BEAT,
        UNTRAINED_PRESET,
        WEIGHTS_FOLDER,
        PPOConfig,
        Preset,
        RolloutConfig,
        default_preset,
        list_shipped_presets,
    )
    from abl_cards.learners.rollout_network import RolloutNetwork, RolloutWeights, choose_candidates, choose_label
    from abl_cards.learners.splitter import CardSequences, SplitterCard, SplitterNetwork, load_splitter, save_splitter
    from abl_cards.learners.strength import (
        STRENGTH_PRESETS,
        DealClassifier,
        StrengthCard,
        StrengthPreset,
        compute_hand_features,
        fit_temperature,
    )
    from abl_cards.learners.symmetry import Symmetries
    from abl_cards.learners.weights_io import (
        WeightsCard,
        find_shipped_weights,
        load_card,
        load_networks,
        load_rollout_network,
        load_weights,
        read_card,
        read_weights,
        rollout_weights_file,
        save_networks,
        write_weights,
    )

__all__ = [
    "ABLN",
    "AFFINITY_PREFERENCE",
    "ESTIMATE",
    "LEGAL",
    "MAX_OPTIONS",
    "MAX_REGRET",
    "MODEL_PRESET",
    "NO_PARTS",
    "PLAYS_LEFT",
    "PRESETS",
    "REGRET",
    "REGRET_UNIT",
    "RESPONSES",
    "RESPONSE_DEALS",
    "SPLITTER_PRESETS",
    "STRENGTH_PRESETS",
    "TO_BEAT",
    "UNTRAINED_PRESET",
    "WEIGHTS_FOLDER",
    "AblnPart",
    "Batch",
    "CardSequences",
    "CriticBatch",
    "CriticPart",
    "DealClassifier",
    "Examples",
    "ExemplarClassifier",
    "FittedPart",
    "GameShape",
    "HandsBatch",
    "HandsNetwork",
    "InputRow",
    "InputTensors",
    "ModelInputs",
    "ModelNetworks",
    "NetworkPart",
    "NetworkParts",
    "Networks",
    "PPOConfig",
    "PlanePolicyNetwork",
    "PolicyNetwork",
    "PolicyOutput",
    "PolicyPart",
    "Preset",
    "PrivilegedInputs",
    "RolloutConfig",
    "RolloutNetwork",
    "RolloutWeights",
    "SplitterCard",
    "SplitterNetwork",
    "StrengthCard",
    "StrengthPreset",
    "Symmetries",
    "TrainingBatch",
    "TwoStageClustering",
    "WeightsCard",
    "Whitening",
    "affinity_propagation",
    "apply_reward_exponent",
    "check_output",
    "choose_candidates",
    "choose_label",
    "class_file",
    "class_name",
    "cluster_two_stage",
    "compute_hand_features",
    "dbscan",
    "default_preset",
    "describe_parts",
    "estimate_class_probs",
    "find_shipped_weights",
    "fit_temperature",
    "hands_loss",
    "k_means",
    "list_shipped_presets",
    "load_card",
    "load_model",
    "load_networks",
    "load_rollout_network",
    "load_splitter",
    "load_weights",
    "lookahead_loss",
    "masked_log_probs",
    "mean_entropy",
    "merge_clusters",
    "pad_inputs",
    "pad_rows",
    "ppo_loss",
    "quantile_classes",
    "read_card",
    "read_weights",
    "rollout_weights_file",
    "save_model",
    "save_networks",
    "save_splitter",
    "silhouette_score",
    "to_batch",
    "to_input_tensors",
    "to_privileged_tensors",
    "to_training_batch",
    "wrap_parts",
    "write_weights",
]

if not TYPE_CHECKING:  # else any name would be right to type checkers
    __getattr__ = lazy_exports(__name__)
