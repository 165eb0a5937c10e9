"""Export of the agent kb as a program in one file."""

from __future__ import annotations

import base64
import json
import zlib
from importlib.resources import files

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.preferences import PreferenceModel
from abl_cards.protocols.botzone.adapter import find_adapter
from abl_cards.protocols.botzone.bot_data import bot_data
from abl_cards.protocols.botzone.plain_python import inline_module, strip_annotations
from abl_cards.protocols.botzone.tractor import TRACTOR_ADAPTER


def bot_source(rules: CompiledGame, preferences: PreferenceModel) -> str:
    """Return the source of a bot in one file, which plays by rules and preferences and needs only Python."""
    values = json.dumps(bot_data(rules, preferences), separators=(",", ":")).encode()
    data = base64.b64encode(zlib.compress(values, 9)).decode()
    return template_source(rules).replace('DATA = ""', f'DATA = "{data}"')


def template_source(rules: CompiledGame) -> str:
    """Return the program of a game without its data: the runtime inlined, no annotations."""
    name = "tractor_bot_file.py" if find_adapter(rules) is TRACTOR_ADAPTER else "bot_file.py"
    return strip_annotations(inline_module((files(__package__) / name).read_text("utf-8"), "bot_runtime"))
