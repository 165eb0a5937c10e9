"""Golden transcripts: whole rounds at Botzone's judge as entries of its log.

``python -m tests.protocols.botzone.transcripts`` plays and writes them again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.agents.base import RandomKeys
from abl_cards.agents.registry import make_agent
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.types import ONLY_TABLE
from abl_cards.protocols.botzone.session import BotzoneSession
from tests.games.random_play import match_keys

HERE_LIE = Path(__file__).parent


def played(engine: Engine, dealt: RandomKeys, name: str, silent: bool = False, rounds: int = 1) -> list[dict[str, Any]]:
    """Return the last of several rounds with one agent at all seats; silent agents choose the last option."""
    logs = list[dict[str, Any]]()
    script, player = BotzoneSession(engine.rules, write=logs.append), make_agent(name, engine)
    tables, keys = engine.start_matches(dealt, script), match_keys(1, 0)
    while len(logs) < rounds:
        if tables.rows_to_choose().size:
            choices = tables.choices(ONLY_TABLE)
            tables.choose(ONLY_TABLE, choices.moves().cards[-1:, 0] if silent else player.choose(choices, keys))
        else:
            keys = splitmix64_array(keys, tables.num_decisions)
            tables.play(ONLY_TABLE, player.play(tables.decisions(ONLY_TABLE), keys))
    return [{"initdata": logs[-1]["initdata"]}, *logs[-1]["log"]]


@dataclass(frozen=True)
class Transcript:
    """Settings of a transcript."""

    game: str
    profile: str
    seed: int
    agent: str
    silent: bool = False
    rounds: int = 1

    def engine(self) -> Engine:
        """Return the engine of the rules."""
        return load(self.game).engine(profile=self.profile)

    def make(self, dealt: RandomKeys | None = None) -> list[dict[str, Any]]:
        """Play the rounds; return initdata and the entries of the log. Cards are dealt by the seed by default."""
        dealt = match_keys(1, self.seed) if dealt is None else dealt
        return played(self.engine(), dealt, self.agent, self.silent, self.rounds)


TRANSCRIPTS = {
    "doudizhu.jsonl": Transcript("doudizhu", "botzone", 11, "kb"),
    "doudizhu_random.jsonl": Transcript("doudizhu", "botzone", 12, "random"),
    "doudizhu_bids.jsonl": Transcript("doudizhu", "botzone_bidding", 13, "kb"),
    "doudizhu_no_bids.jsonl": Transcript("doudizhu", "botzone_bidding", 14, "greedy", silent=True),
    "tractor.jsonl": Transcript("tractor", "botzone", 15, "random"),
    "tractor_second_round.jsonl": Transcript("tractor", "botzone", 16, "greedy", rounds=2),
    "tractor_nobody_declares.jsonl": Transcript("tractor", "botzone", 17, "greedy", silent=True),
    "tractor_standard.jsonl": Transcript("tractor", "standard", 18, "random"),
}


def lines(entries: list[dict[str, Any]]) -> list[str]:
    """Return entries as lines of a file."""
    return [json.dumps(entry, separators=(",", ":")) for entry in entries]


def read(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return initdata and log of a transcript."""
    first, *log = map(json.loads, (HERE_LIE / name).read_text("utf-8").splitlines())
    return first["initdata"], log
