"""Deals of Big2 with few or many cards, and games of two agents with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.games import game
from abl_cards.games.big2.engine import Big2Engine
from abl_cards.games.big2.knowledge import RANK_COUNT
from abl_cards.games.race import Race
from abl_cards.streams import key_of

_HERE = np.zeros(1, np.int64)


def engine() -> Big2Engine:
    """The game by the rules of the paper."""
    return cast(Big2Engine, game("big2").engine())


def deal(seed: int, cards: int, number: int) -> NDArray[np.uint8]:
    """[2, 13] the hands of a deal: so many cards each out of one pack."""
    deck = np.random.default_rng([seed, cards, number]).permutation(4 * RANK_COUNT) // 4
    hands = [np.bincount(deck[first : first + cards], minlength=RANK_COUNT) for first in (0, cards)]
    return np.stack(hands).astype(np.uint8)


def race_of(hands: NDArray[np.uint8]) -> Race:
    """The first hand leads."""
    return Race(tuple(hands[0].tolist()), tuple(hands[1].tolist()))


def play(rules: Big2Engine, hands: NDArray[np.uint8], agents: tuple[Agent, Agent]) -> float:
    """What the first agent, who leads, wins with these hands."""
    tables = rules.resume(hands[None])
    while tables.playing().size:
        key = np.array([key_of(int(tables.clock[0]))], np.uint64)
        tables.play(_HERE, agents[int(tables.seat[0])].play(tables.decisions(_HERE), key))
    return float(tables.outcome(_HERE)[0, 0])


def kept(file: Path) -> list[dict[str, Any]]:
    """The results that an earlier run has written, one a line; none where there is no file."""
    if not file.is_file():
        return []
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def keep(file: Path, result: dict[str, Any]) -> dict[str, Any]:
    """Add a result to the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(result) + "\n")
    return result
