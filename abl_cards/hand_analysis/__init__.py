"""Splits of hands, strength classes of deals, and deals made to order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.hand_analysis.classifier import (
        DealClassPredictor,
        compute_classifier_inputs,
        find_classifier_weights,
        load_classifier,
    )
    from abl_cards.hand_analysis.classifier_training import (
        HELD_OUT_INTERVAL,
        DealDataset,
        compute_metrics,
        predict_logits,
        train_classifier,
    )
    from abl_cards.hand_analysis.deal_classes import DealClustering, DealFeatures, choose_clustering
    from abl_cards.hand_analysis.deal_requests import (
        DealRequest,
        analyse_hand,
        generate_deals,
        predict_class_probabilities,
        read_deal_ids,
    )
    from abl_cards.hand_analysis.deal_rules import NUM_CLASSES, DealRules
    from abl_cards.hand_analysis.simulated_deals import DealSample, collect_sample, parse_pairing, play_fixed_deals
    from abl_cards.hand_analysis.split_explanation import SplitExplanation, split_hand
    from abl_cards.hand_analysis.split_labels import PlayedGames, TaggedHands, play_games, read_played_games
    from abl_cards.hand_analysis.split_training import SplitBridge, SplitTrainConfig, compute_marginals

__all__ = [
    "HELD_OUT_INTERVAL",
    "NUM_CLASSES",
    "DealClassPredictor",
    "DealClustering",
    "DealDataset",
    "DealFeatures",
    "DealRequest",
    "DealRules",
    "DealSample",
    "PlayedGames",
    "SplitBridge",
    "SplitExplanation",
    "SplitTrainConfig",
    "TaggedHands",
    "analyse_hand",
    "choose_clustering",
    "collect_sample",
    "compute_classifier_inputs",
    "compute_marginals",
    "compute_metrics",
    "find_classifier_weights",
    "generate_deals",
    "load_classifier",
    "parse_pairing",
    "play_fixed_deals",
    "play_games",
    "predict_class_probabilities",
    "predict_logits",
    "read_deal_ids",
    "read_played_games",
    "split_hand",
    "train_classifier",
]

if not TYPE_CHECKING:  # otherwise type checkers would accept any name
    __getattr__ = lazy_exports(__name__)
