"""Digests of each game: masks, lists, views, costs, results and courses of fifty matches a profile.

``python -m tests.games.fingerprints [GAME …]`` compares with the digests stored before the games became folders;
``--write`` stores new ones, only after an intended change of behaviour.
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

from abl_cards.agents.registry import make_agent
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.preferences.preference_model import PreferenceModel
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import Indices, Moves
from tests.games.random_play import match_keys

FILE = Path(__file__).with_name("fingerprints.json")
PLAYERS = {"random": 20, "greedy": 20, "kb": 10}
"""Number of matches that each agent plays against itself."""
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
class DigestListener(NullListener):
    """Digests of what happened so far, by aspect."""

    engine: Engine
    digests: dict[str, Any] = field(default_factory=lambda: {aspect: sha256() for aspect in ASPECTS})

    def add(self, aspect: str, *values: Any) -> None:
        """Take note of arrays and plain values."""
        for value in values:
            data = np.ascontiguousarray(value).tobytes() if isinstance(value, np.ndarray) else _text(value).encode()
            self.digests[aspect].update(data)

    def on_episode_start(self, tables: Any, rows: Indices) -> None:
        """Record the deal."""
        self.add("courses", rows, tables.open_hands(rows, np.zeros(len(rows), np.int8)))

    def on_play(self, tables: Any, rows: Indices, moves: Moves) -> None:
        """Record the play."""
        self.add("courses", rows, tables.seat[rows].astype(np.int8), [_card_list(cards) for cards in moves.cards])

    def on_episode_end(self, tables: Any, rows: Indices) -> None:
        """Record the result."""
        self.add("results", rows, self.engine.rewards(tables, rows).astype(np.float32))

    def words(self) -> dict[str, str]:
        """The digests in short."""
        return {aspect: digest.hexdigest()[:20] for aspect, digest in self.digests.items()}


def _card_list(cards: NDArray[np.uint8]) -> list[int]:
    """Return the cards of a move in the order of play."""
    return cards[cards != NO_CARD].tolist()


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fingerprint(name: str, profile: str, share: int = 1) -> dict[str, str]:
    """Play all matches of a profile, or a share of them."""
    engine = load(name).engine(None, profile)
    listener = DigestListener(engine)
    for player, matches in PLAYERS.items():
        _play(engine, player, matches // share, listener)
    return listener.words()


def _play(engine: Engine, player: str, matches: int, listener: DigestListener) -> None:
    keys = match_keys(matches, 15)
    tables = engine.start_matches(keys, listener)
    mover, judge = make_agent(player, engine), engine.preference_model()
    for step in range(100_000):
        choosing, playing = tables.rows_to_choose(), tables.rows_to_play()
        if not choosing.size and not playing.size:
            break
        if choosing.size:
            choices = tables.choices(choosing)
            for row in range(len(choosing)):
                listener.add("lists", [str(action) for action in engine.decision_point_at(choices, row).actions])
            tables.choose(
                choosing, mover.choose(choices, splitmix64_array(tables.keys[choosing], tables.num_decisions[choosing]))
            )
        playing = tables.rows_to_play()
        if playing.size:
            decisions = tables.decisions(playing)
            _digest_decisions(tables, decisions, judge, step, listener)
            tables.play(
                playing, mover.play(decisions, splitmix64_array(tables.keys[playing], tables.num_decisions[playing]))
            )
    everything = np.arange(matches)
    listener.add("results", tables.match_returns(everything), tables.winner, tables.num_episodes, tables.num_decisions)


def _digest_decisions(
    tables: Tables, decisions: Decisions, judge: PreferenceModel, step: int, listener: DigestListener
) -> None:
    rows = decisions.rows
    listener.add("masks", rows, decisions.legal_mask.T.astype(np.uint8), decisions.label_to_beat.astype(np.int16))
    hidden = decisions.information_set()
    listener.add("views", decisions.observe(), hidden.unseen, hidden.cards_left, hidden.min_copies, hidden.max_copies)
    listener.add("views", np.round(decisions.belief_log_odds().astype(np.float64), 3) + 0.0, tables.open_hands(rows))
    listener.add("results", tables.roles(rows), tables.seat[rows])
    if step % LISTED == 0:
        lists = decisions.moves()
        listener.add("lists", lists.start, decisions.labels_of(lists.form))
        listener.add("lists", [_card_list(cards) for cards in lists.cards])
        listener.add("masks", decisions.ranking.astype(np.int32))
    if step % JUDGED == 0:
        for fired in _firing_costs(judge, decisions):
            listener.add("costs", fired)


def _firing_costs(judge: PreferenceModel, decisions: Decisions) -> Iterator[list[str]]:
    """Yield the preferences and constraints that hold for each candidate of each decision."""
    names = [str(atom) for atom in judge.outputs]
    for _, portion in judge.evaluate(decisions, decisions.moves()):
        for column in portion.T:
            yield sorted(names[row] for row in np.flatnonzero(column))


def main(arguments: list[str]) -> int:
    """Compare with the stored fingerprints or write new ones; return 1 if something differs."""
    write = "--write" in arguments
    names = [argument for argument in arguments if not argument.startswith("-")] or list(PROFILES)
    known: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    differing = 0
    for name in names:
        for profile in PROFILES[name]:
            for kind, share in (("short", 10), ("all", 1)):
                digests, key = fingerprint(name, profile, share), f"{name} {profile} {kind}"
                unlike = [aspect for aspect in ASPECTS if digests[aspect] != known.get(key, {}).get(aspect)]
                differing += bool(unlike)
                print(key, "differs in " + ", ".join(unlike) if unlike else "is as it was", flush=True)
                known[key] = digests if write else known.get(key)
    if write:
        FILE.write_text(json.dumps(known, indent=1) + "\n")
    return 0 if write else min(differing, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
