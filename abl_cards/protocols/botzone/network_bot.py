"""Export of the agent abl as a zip for Botzone: programs, rules and weights; needs Python and numpy."""

from __future__ import annotations

import io
import json
import re
import zipfile
from importlib.resources import files
from typing import Any

import numpy as np

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.preferences import PreferenceModel
from abl_cards.learners import Networks, PlanePolicyNetwork
from abl_cards.protocols.botzone.adapter import find_adapter
from abl_cards.protocols.botzone.bot import template_source
from abl_cards.protocols.botzone.doudizhu_network import doudizhu_network_data, doudizhu_network_weights
from abl_cards.protocols.botzone.plain_python import inline_module, strip_annotations
from abl_cards.protocols.botzone.tractor import TRACTOR_ADAPTER
from abl_cards.protocols.botzone.tractor_bot import tractor_data
from abl_cards.protocols.botzone.weights_data import to_half_precision, to_npz

_IMPORT_LINE = re.compile(r"^from abl_cards\.protocols\.botzone\.\w+ import ", re.MULTILINE)
_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)  # fixed time stamp, so that equal bots have equal bytes


def build_network_bot(rules: CompiledGame, preferences: PreferenceModel, networks: Networks) -> bytes:
    """Return the zip of a bot; raises GameError for unsupported networks."""
    if find_adapter(rules) is TRACTOR_ADAPTER:
        return _make_zip(
            "tractor_bot", "network_bot_file.py", tractor_data(rules, preferences), tractor_network_weights(networks)
        )
    rules_json, weights = doudizhu_network_data(rules, preferences, networks), doudizhu_network_weights(networks)
    return _make_zip("landlord_bot", "doudizhu_network_file.py", rules_json, weights)


def _make_zip(module: str, program: str, rules_json: dict[str, Any], weights: bytes) -> bytes:
    """Return the zip of a program, the module that it imports, rules and weights."""
    source = "bot_file.py" if module == "landlord_bot" else f"{module}_file.py"
    contents = {
        "__main__.py": _program_source(program, module).encode(),
        f"{module}.py": template_source(source).encode(),
        "rules.json": json.dumps(rules_json, separators=(",", ":")).encode(),
        "weights.npz": weights,
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in contents.items():
            archive.writestr(zipfile.ZipInfo(name, _ZIP_EPOCH), data, zipfile.ZIP_DEFLATED, 9)
    return stream.getvalue()


def tractor_network_weights(networks: Networks) -> bytes:
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
    return to_npz(to_half_precision(decision) | tables)


def _program_source(name: str, module: str) -> str:
    """Return a program with ``network_parts`` inlined and other imports from the module of the zip."""
    source = inline_module((files(__package__) / name).read_text("utf-8"), "network_parts")
    return strip_annotations(_IMPORT_LINE.sub(f"from {module} import ", source))
