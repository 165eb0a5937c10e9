"""The agent abl as a zip for Botzone: programs, rules and weights, for a Python with numpy and nothing else."""

from __future__ import annotations

import io
import json
import re
import zipfile
from importlib.resources import files
from typing import Any

import numpy as np

from abl_cards.errors import GameError
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Judge
from abl_cards.platforms.botzone.bot import bare_source
from abl_cards.platforms.botzone.dialect import dialect_of
from abl_cards.platforms.botzone.landlord_network import network_data, network_weights
from abl_cards.platforms.botzone.plain_python import with_module, without_annotations
from abl_cards.platforms.botzone.tractor import TRACTOR_GAME
from abl_cards.platforms.botzone.tractor_bot import tractor_data
from abl_cards.platforms.botzone.weights_data import halved, packed
from learners.looking import Looking
from learners.networks import Networks

_IMPORTED = re.compile(r"^from abl_cards\.platforms\.botzone\.\w+ import ", re.MULTILINE)
_BEGINNING = (1980, 1, 1, 0, 0, 0)  # of the time of zips: the same bot is the same bytes


def network_bot(rules: Rules, judge: Judge, networks: Networks) -> bytes:
    """The zip; raises GameError for networks that such a bot cannot be made of."""
    if dialect_of(rules) is TRACTOR_GAME:
        return _zipped("tractor_bot", "network_bot_file.py", tractor_data(rules, judge), weights_of(networks))
    told, weights = network_data(rules, judge, networks), network_weights(networks)
    return _zipped("landlord_bot", "landlord_network_file.py", told, weights)


def _zipped(module: str, program: str, told: dict[str, Any], weights: bytes) -> bytes:
    """A program and the module of the bot without networks, which it imports, with what they know."""
    source = "bot_file.py" if module == "landlord_bot" else f"{module}_file.py"
    parts = {
        "__main__.py": _program(program, module).encode(),
        f"{module}.py": bare_source(source).encode(),
        "rules.json": json.dumps(told, separators=(",", ":")).encode(),
        "weights.npz": weights,
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _BEGINNING), data, zipfile.ZIP_DEFLATED, 9)
    return stream.getvalue()


def weights_of(networks: Networks) -> bytes:
    """Weights of a decision model that looks, and the tables of its planes, as an .npz; raises GameError."""
    decision = networks.decision
    if not isinstance(decision, Looking) or not decision.by_one:
        raise GameError("a bot has room for networks of the presets planes-small and planes-abl alone")
    if networks.abln is not None:
        raise GameError("a bot estimates no hidden hands: name weights that were learned without (abln=false)")
    planes = networks.shape.planes()
    grid = np.array([planes.rows, planes.columns, planes.copies])
    tables = {"grid": grid, "place": planes.place, "named": planes.named, "labels": planes.labels}
    return packed(halved(decision) | tables)


def _program(name: str, module: str) -> str:
    """A program with what those with networks have in common; the rest it imports from a module beside it."""
    source = with_module((files(__package__) / name).read_text("utf-8"), "network_parts")
    return without_annotations(_IMPORTED.sub(f"from {module} import ", source))
