"""Golden transcripts: whole rounds before Botzone's judge, entry by entry as its log has them.

``python -m tests.platforms.botzone.transcripts`` plays and writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from abl_cards.agents import agent
from abl_cards.games import Engine
from abl_cards.platforms.botzone.dialect import HERE
from abl_cards.platforms.botzone.script import BotzoneScript
from abl_cards.streams import mix_all
from tests.games.doudizhu.decided import engine_of
from tests.games.random_play import match_keys

HERE_LIE = Path(__file__).parent


def _play(profile: str, seed: int, name: str, silent: bool = False) -> list[dict[str, Any]]:
    """A round in which this agent has all seats; silent ones choose the last option, which bids nothing."""
    engine: Engine = engine_of(None, profile)
    script, player = BotzoneScript(engine.rules), agent(name, engine)
    tables, keys = engine.tables(match_keys(1, seed), script), match_keys(1, 0)
    while tables.winner[0] < 0:
        if tables.choosing().size:
            choices = tables.choices(HERE)
            tables.choose(HERE, choices.moves().cards[-1:, 0] if silent else player.choose(choices, keys))
        else:
            keys = mix_all(keys, tables.clock)
            tables.play(HERE, player.play(tables.decisions(HERE), keys))
    return [{"initdata": script.initdata}, *script.log]


TRANSCRIPTS: dict[str, tuple[str, Callable[[], list[dict[str, Any]]]]] = {
    "doudizhu.jsonl": ("botzone", lambda: _play("botzone", 11, "kb")),
    "doudizhu_random.jsonl": ("botzone", lambda: _play("botzone", 12, "random")),
    "doudizhu_bids.jsonl": ("botzone_bidding", lambda: _play("botzone_bidding", 13, "kb")),
    "doudizhu_no_bids.jsonl": ("botzone_bidding", lambda: _play("botzone_bidding", 14, "greedy", silent=True)),
}
"""The profile of each, and who makes it: initdata, and the entries of the log, one a line."""


def lines(entries: list[dict[str, Any]]) -> list[str]:
    """As they are written."""
    return [json.dumps(entry, separators=(",", ":")) for entry in entries]


def read(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Initdata and log."""
    first, *log = map(json.loads, (HERE_LIE / name).read_text("utf-8").splitlines())
    return first["initdata"], log
