"""Golden transcripts: whole rounds before Botzone's judge, entry by entry as its log has them.

``python -m tests.platforms.botzone.transcripts`` plays and writes them anew.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.agents import Keys, agent
from abl_cards.games import Engine, game
from abl_cards.platforms.botzone.dialect import HERE
from abl_cards.platforms.botzone.script import BotzoneScript
from abl_cards.streams import mix_all
from tests.games.random_play import match_keys

HERE_LIE = Path(__file__).parent


def played(engine: Engine, dealt: Keys, name: str, silent: bool = False, rounds: int = 1) -> list[dict[str, Any]]:
    """The last of some rounds in which this agent has all seats; silent ones choose the last option."""
    logs = list[dict[str, Any]]()
    script, player = BotzoneScript(engine.rules, write=logs.append), agent(name, engine)
    tables, keys = engine.tables(dealt, script), match_keys(1, 0)
    while len(logs) < rounds:
        if tables.choosing().size:
            choices = tables.choices(HERE)
            tables.choose(HERE, choices.moves().cards[-1:, 0] if silent else player.choose(choices, keys))
        else:
            keys = mix_all(keys, tables.clock)
            tables.play(HERE, player.play(tables.decisions(HERE), keys))
    return [{"initdata": logs[-1]["initdata"]}, *logs[-1]["log"]]


@dataclass(frozen=True)
class Transcript:
    """What is played."""

    game: str
    profile: str
    seed: int
    agent: str
    silent: bool = False
    rounds: int = 1

    def engine(self) -> Engine:
        """By whose rules."""
        return game(self.game).engine(profile=self.profile)

    def make(self, dealt: Keys | None = None) -> list[dict[str, Any]]:
        """Initdata, and the entries of the log, one a line; what the cards are dealt from hangs on the seed."""
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
    """As they are written."""
    return [json.dumps(entry, separators=(",", ":")) for entry in entries]


def read(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Initdata and log."""
    first, *log = map(json.loads, (HERE_LIE / name).read_text("utf-8").splitlines())
    return first["initdata"], log
