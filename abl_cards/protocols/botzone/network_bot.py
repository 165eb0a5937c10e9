"""Export of the agent abl as a zip for Botzone: programs, rules and weights; needs Python and numpy."""

from __future__ import annotations

import io
import json
import re
import zipfile
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import OBSERVATION_PARTS, fluents_by_name
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import FluentColumns, fluent_columns
from abl_cards.games.types import ObservationFeature
from abl_cards.learners import (
    ESTIMATE,
    LEGAL,
    PLAYS_LEFT,
    REGRET,
    RESPONSES,
    TO_BEAT,
    Networks,
    PlanePolicyNetwork,
    PolicyNetwork,
)
from abl_cards.protocols.botzone.adapter import find_adapter
from abl_cards.protocols.botzone.bot import template_source
from abl_cards.protocols.botzone.bot_data import bot_data
from abl_cards.protocols.botzone.plain_python import inline_module, strip_annotations
from abl_cards.protocols.botzone.tractor import TRACTOR_ADAPTER

Arrays = dict[str, NDArray[Any]]
"""Arrays by name."""
_IMPORT_LINE = re.compile(r"^from abl_cards\.protocols\.botzone\.\w+ import ", re.MULTILINE)
_TRICK_SEATS = "leader", "owner"
"""Features that are seats of the trick, in the order in which a bot has them after the fluents."""
_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)  # fixed time stamp, so that equal bots have equal bytes
_INPUTS = (ESTIMATE, RESPONSES, LEGAL, TO_BEAT, REGRET, PLAYS_LEFT)
_KNOWN_FEATURES = {
    "after_landlord", "hand", "bottom", "unseen", "sizes", "played", "bid", "doublings", "recent", "recent_seat",
}  # fmt: skip


def build_network_bot(rules: CompiledGame, preferences: PreferenceModel, networks: Networks) -> bytes:
    """Return the zip of a bot; raises GameError for unsupported networks."""
    if find_adapter(rules) is TRACTOR_ADAPTER:
        module, program = "tractor_bot", "network_bot_file.py"
        data = bot_data(rules, preferences, tractor_observed_slots(rules, networks))
        weights = tractor_network_weights(rules, networks)
    else:
        module, program = "landlord_bot", "doudizhu_network_file.py"
        data, weights = doudizhu_network_data(rules, preferences, networks), doudizhu_network_weights(networks)
    source = inline_module((files(__package__) / program).read_text("utf-8"), "network_parts")
    contents = {
        "__main__.py": strip_annotations(_IMPORT_LINE.sub(f"from {module} import ", source)).encode(),
        f"{module}.py": template_source(rules).encode(),
        "rules.json": json.dumps(data, separators=(",", ":")).encode(),
        "weights.npz": weights,
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name, _ZIP_EPOCH), content, zipfile.ZIP_DEFLATED, 9)
    return stream.getvalue()


def tractor_observed_slots(rules: CompiledGame, networks: Networks) -> frozenset[int]:
    """Return the slots of the fluents that a network of card planes reads; raises GameError for other features."""
    slots = _other_feature_columns(rules, networks)["other_slots"]
    return frozenset(slots[(slots >= 0) & (slots < len(rules.fluents))].tolist())


def _other_feature_columns(rules: CompiledGame, networks: Networks) -> Arrays:
    """Return the columns of the features that are no counts of cards; leader and owner are slots after the fluents."""
    decision, seats = networks.decision, rules.seating.seats
    columns = [FluentColumns(np.zeros((seats, 0), np.int64), np.zeros((seats, 0), np.int64), is_equal=True)]
    if isinstance(decision, PlanePolicyNetwork) and decision.trunk.others is not None:
        columns += [
            _feature_columns(rules, feature)
            for feature in networks.shape.observation.features
            if not feature.has_card_axis
        ]
    slots, numbers = (np.concatenate(parts, axis=1) for parts in zip(*[part[:2] for part in columns], strict=True))
    is_equal = np.repeat([part.is_equal for part in columns], [part.slots.shape[1] for part in columns])
    return {"other_slots": slots, "other_numbers": numbers, "other_is_equal": is_equal}


def _feature_columns(rules: CompiledGame, feature: ObservationFeature) -> FluentColumns:
    """Return the columns of a feature; raises GameError for one that a bot lacks."""
    seats = rules.seating.seats
    if feature.name in _TRICK_SEATS:
        slot = len(rules.fluents) + _TRICK_SEATS.index(feature.name)
        return FluentColumns(np.full((seats, seats), slot), rules.seating.play_order, is_equal=True)
    fluent = fluents_by_name(rules.fluents, OBSERVATION_PARTS).get(feature.name)
    if fluent is not None and not fluent.is_private:
        columns = fluent_columns(rules, fluent)
        if columns.slots.shape[1] == feature.size:
            return columns
    raise GameError(
        f"a bot has no {feature.name}: leave it out of the facts sees/2 and sees/3", ErrorCode.UNSUPPORTED_GAME
    )


def tractor_network_weights(rules: CompiledGame, networks: Networks) -> bytes:
    """Return the weights of a network of card planes, and the tables of the planes, as an .npz; raises GameError."""
    decision = networks.decision
    if not isinstance(decision, PlanePolicyNetwork) or not decision.scores_each_option:
        raise GameError(
            "only networks of the presets planes-small and planes-abl can become a bot", ErrorCode.UNSUPPORTED_GAME
        )
    if networks.abln is not None:
        raise GameError(
            "a bot does not estimate hidden hands: use weights trained without it (abln=false)",
            ErrorCode.UNSUPPORTED_GAME,
        )
    planes = networks.shape.load_planes()
    grid = np.array([planes.rows, planes.columns, planes.max_copies])
    tables = {"grid": grid, "place": planes.cell_index, "named": planes.named_planes, "labels": planes.label_cards}
    return _to_npz(_to_half_precision(decision) | tables | _other_feature_columns(rules, networks))


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
    data = bot_data(rules, preferences)
    return data | {
        "features": [[feature.name, list(feature.shape)] for feature in features],
        "steps": next(feature.shape[0] for feature in features if feature.name == "recent"),
        "pass": int(rules.forms.label_of[rules.forms.pass_form]),
        "doubling": doubling_labels,
        "doubling_sizes": sorted({data["sizes"][label] for label in doubling_labels}),
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
    return _to_npz(_to_half_precision(decision, "decision.") | _to_half_precision(abln, "abln.") | tables)


def _to_half_precision(module: nn.Module, prefix: str = "") -> Arrays:
    """Return the parameters of a network in half precision by name."""
    parameters = module.state_dict().items()
    return {prefix + name: tensor.detach().cpu().numpy().astype(np.float16) for name, tensor in parameters}


def _to_npz(arrays: Arrays) -> bytes:
    """Return arrays as an .npz."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()
