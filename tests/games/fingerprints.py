"""What the games do, in a few words each: masks, lists, views, costs, results and courses of fifty matches a profile.

``python -m tests.games.fingerprints [GAME …]`` compares with what was written down before the games became folders;
``--write`` writes it down anew, which only a wanted change of behaviour may do.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import agent
from abl_cards.games import Decisions, Engine, Indices, Judge, Moves, Tables, game
from abl_cards.games.audience import Quiet
from abl_cards.streams import mix_all
from tests.games.random_play import match_keys

FILE = Path(__file__).with_name("fingerprints.json")
PLAYERS = {"random": 20, "greedy": 20, "kb": 10}
"""How many matches each agent plays against itself."""
PROFILES = {
    "big2": ("paper", "straight"),
    "doudizhu": ("rlcard", "botzone", "botzone_bidding", "contest", "douzero", "openspiel"),
    "guandan": ("standard", "danzero", "manual", "openguandan", "paper", "platform"),
}
ASPECTS = ("masks", "lists", "views", "costs", "results", "courses")
NO_CARD = 255
LISTED, JUDGED = 5, 25
"""Every so many steps the complete lists, and which preferences and constraints fire, are looked at."""


@dataclass
class Print(Quiet):
    """Digests of what happened so far, by aspect."""

    engine: Engine
    digests: dict[str, Any] = field(default_factory=lambda: {aspect: sha256() for aspect in ASPECTS})

    def add(self, aspect: str, *values: Any) -> None:
        """Take note of arrays and plain values."""
        for value in values:
            data = np.ascontiguousarray(value).tobytes() if isinstance(value, np.ndarray) else _text(value).encode()
            self.digests[aspect].update(data)

    def episode_began(self, tables: Any, which: Indices) -> None:
        """What is dealt."""
        self.add("courses", which, tables.open_hands(which, np.zeros(len(which), np.int8)))

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """What is laid down."""
        self.add("courses", which, tables.seat[which].astype(np.int8), [_laid(cards) for cards in moves.cards])

    def episode_ended(self, tables: Any, which: Indices) -> None:
        """What it is worth."""
        self.add("results", which, self.engine.rewards(tables, which).astype(np.float32))

    def words(self) -> dict[str, str]:
        """The digests in short."""
        return {aspect: digest.hexdigest()[:20] for aspect, digest in self.digests.items()}


def _laid(cards: NDArray[np.uint8]) -> list[int]:
    """The cards of a move, in the order in which they are laid down."""
    return cards[cards != NO_CARD].tolist()


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fingerprint(name: str, profile: str, share: int = 1) -> dict[str, str]:
    """Play the matches of a profile, or one in so many of them."""
    engine = game(name).engine(None, profile)
    printed = Print(engine)
    for player, matches in PLAYERS.items():
        _play(engine, player, matches // share, printed)
    return printed.words()


def _play(engine: Engine, player: str, matches: int, printed: Print) -> None:
    keys = match_keys(matches, 15)
    tables = engine.tables(keys, printed)
    mover, judge = agent(player, engine), engine.judge()
    for step in range(100_000):
        choosing, playing = tables.choosing(), tables.playing()
        if not choosing.size and not playing.size:
            break
        if choosing.size:
            choices = tables.choices(choosing)
            for row in range(len(choosing)):
                printed.add("lists", [str(each) for each in engine.look(choices, row).actions])
            tables.choose(choosing, mover.choose(choices, mix_all(tables.keys[choosing], tables.clock[choosing])))
        playing = tables.playing()
        if playing.size:
            decisions = tables.decisions(playing)
            _look(tables, decisions, judge, step, printed)
            tables.play(playing, mover.play(decisions, mix_all(tables.keys[playing], tables.clock[playing])))
    everything = np.arange(matches)
    printed.add("results", tables.outcome(everything), tables.winner, tables.episode, tables.clock)


def _look(tables: Tables, decisions: Decisions, judge: Judge, step: int, printed: Print) -> None:
    which = decisions.which
    printed.add("masks", which, decisions.legal.T.astype(np.uint8), decisions.label_to_beat.astype(np.int16))
    hidden = decisions.hidden()
    printed.add("views", decisions.observe(), hidden.unseen, hidden.left, hidden.at_least, hidden.at_most)
    printed.add("views", np.round(decisions.hints().astype(np.float64), 3) + 0.0, tables.open_hands(which))
    printed.add("results", tables.roles(which), tables.seat[which])
    if step % LISTED == 0:
        lists = decisions.moves()
        printed.add("lists", lists.start, decisions.labels_of(lists.form))
        printed.add("lists", [_laid(cards) for cards in lists.cards])
        printed.add("masks", decisions.ranking.astype(np.int32))
    if step % JUDGED == 0:
        for fired in _fired(judge, decisions):
            printed.add("costs", fired)


def _fired(judge: Judge, decisions: Decisions) -> Iterator[list[str]]:
    """Which preferences and constraints hold for each candidate of each decision."""
    names = [str(atom) for atom in judge.outputs]
    for _, portion in judge.fired(decisions, decisions.moves()):
        for column in portion.T:
            yield sorted(names[row] for row in np.flatnonzero(column))


def main(arguments: list[str]) -> int:
    """Compare, or write down; returns 1 where something differs."""
    write = "--write" in arguments
    names = [each for each in arguments if not each.startswith("-")] or list(PROFILES)
    known: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    differing = 0
    for name in names:
        for profile in PROFILES[name]:
            for kind, share in (("short", 10), ("all", 1)):
                found, key = fingerprint(name, profile, share), f"{name} {profile} {kind}"
                unlike = [aspect for aspect in ASPECTS if found[aspect] != known.get(key, {}).get(aspect)]
                differing += bool(unlike)
                print(key, "differs in " + ", ".join(unlike) if unlike else "is as it was", flush=True)
                known[key] = found if write else known.get(key)
    if write:
        FILE.write_text(json.dumps(known, indent=1) + "\n")
    return 0 if write else min(differing, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
