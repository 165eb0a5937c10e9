"""Build the zip of a Dou dizhu bot with networks: rules as JSON, and weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.preferences import PreferenceModel
from abl_cards.learners import ESTIMATE, LEGAL, PLAYS_LEFT, REGRET, RESPONSES, TO_BEAT, Networks, PolicyNetwork
from abl_cards.protocols.botzone.bot import bot_data
from abl_cards.protocols.botzone.weights_data import to_half_precision, to_npz

_INPUTS = (ESTIMATE, RESPONSES, LEGAL, TO_BEAT, REGRET, PLAYS_LEFT)
_KNOWN_FEATURES = {
    "after_landlord",
    "hand",
    "bottom",
    "unseen",
    "sizes",
    "played",
    "bid",
    "doublings",
    "recent",
    "recent_seat",
}


def doudizhu_network_data(rules: CompiledGame, preferences: PreferenceModel, networks: Networks) -> dict[str, Any]:
    """Return the rule data of a bot with networks; raises GameError if it lacks a feature of the networks."""
    features = networks.shape.observation.features
    unknown = {feature.name for feature in features} - _KNOWN_FEATURES
    if unknown:
        raise GameError(
            f"a bot has no {', '.join(sorted(unknown))}: leave these out of the facts sees/2 and sees/3",
            ErrorCode.UNSUPPORTED_GAME,
        )
    doubling_forms = {str(form) for (form,) in rules.kb.facts("doubles", 1)}
    doubling_labels = [index for index, label in enumerate(rules.labels) if label in doubling_forms]
    main, steps = (
        bot_data(rules, preferences),
        next(feature.shape[0] for feature in features if feature.name == "recent"),
    )
    return {
        **main,
        "features": [[feature.name, list(feature.shape)] for feature in features],
        "steps": steps,
        "pass": int(rules.forms.label_of[rules.forms.pass_form]),
        "doubling": doubling_labels,
        "doubling_sizes": sorted({sum(main["main"][label]) for label in doubling_labels}),
    }


def doudizhu_network_weights(networks: Networks) -> bytes:
    """Return the weights of estimate and decision as an .npz; raises GameError for other networks."""
    decision, abln = networks.decision, networks.abln
    if not isinstance(decision, PolicyNetwork) or abln is None or decision.inputs != _INPUTS:
        raise GameError(
            "only networks with ABLN of the presets small and small-stakes can become a bot",
            ErrorCode.UNSUPPORTED_GAME,
        )
    copies = np.array(networks.shape.copies, np.float32)
    tables = {"copies": copies, "heads": np.array([networks.preset.encoder.history_heads])}
    return to_npz(to_half_precision(decision, "decision.") | to_half_precision(abln, "abln.") | tables)
