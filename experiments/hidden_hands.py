"""How far estimates are from the hidden hands: ``python -m experiments.hidden_hands [RECORDS]``.

The squared error is summed over the other seats and all cards, and averaged over decisions: all of them, and those
where the observer holds 27, 20, 10 and 5 cards. The last matches of the records are measured, or games that an agent
plays against itself.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, agent
from abl_cards.games import Engine, GameError, Indices, Moves, Tables, game
from abl_cards.games.audience import Quiet
from abl_cards.games.hidden import Constraints
from abl_cards.logic import KBError
from abl_cards.records import matches_of, readable
from abl_cards.streams import below_all, key_of, mix_all
from reasoners.hands import Estimate, counting, expected, project, reckon

CARDS_LEFT = (27, 20, 10, 5)


@dataclass(frozen=True)
class Settings:
    """What is measured."""

    file: Path | None = None  # records; without them an agent plays against itself
    last: int = 40  # matches at the end of the file
    player: str = "kb"
    decisions: int = 20_000  # of the agent's
    seed: int = 0
    game: str = "guandan"
    exact: bool = False  # measure the mean of all consistent deals too, which is slow
    as_json: bool = False


@dataclass(frozen=True)
class Views:
    """Decisions as their seats see them, and what they do not see."""

    observation: NDArray[np.uint8]  # [n, features]
    constraints: Constraints
    hints: NDArray[np.float32]  # [n, others, cards]
    truth: NDArray[np.uint8]  # [n, others, cards]
    cards: NDArray[np.int64]  # [n] the observer's own

    def __len__(self) -> int:
        return len(self.cards)

    @classmethod
    def joined(cls, parts: Sequence[Views]) -> Views:
        """One after the other."""
        names = [field.name for field in fields(cls) if field.name != "constraints"]
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(constraints=Constraints.joined([part.constraints for part in parts]), **arrays)


Estimator = Callable[[Views], Estimate]
ESTIMATORS: dict[str, Estimator] = {
    "counting": lambda views: counting(views.constraints.without_facts()),
    "counting, projected": lambda views: project(counting(views.constraints.without_facts()), views.constraints),
    "facts": lambda views: project(counting(views.constraints), views.constraints),
    "facts, hints": lambda views: reckon(views.constraints, views.hints),
}
"""What is estimated without learning, from the first to the last step of hands.lp."""
EXACT: dict[str, Estimator] = {
    "facts, mean deal": lambda views: expected(counting(views.constraints), views.constraints)
}


def look(tables: Tables, which: Indices, own: slice) -> Views:
    """What the seats to decide see, and what they do not; own: where their cards lie in an observation."""
    seen = tables.observe(which)
    return Views(
        seen, tables.hidden(which), tables.hints(which), tables.others(which), seen[:, own].sum(axis=1, dtype=np.int64)
    )


@dataclass
class Watcher(Quiet):
    """Listens to tables and keeps what the seats to decide see at some of them."""

    engine: Engine
    wanted: NDArray[np.bool_]  # [tables]

    def __post_init__(self) -> None:
        self.parts: list[Views] = []

    def played(self, tables: Any, which: Indices, moves: Moves) -> None:
        """Look before the cards are laid down."""
        chosen = which[self.wanted[which]]
        if chosen.size:
            self.parts.append(look(tables, chosen, self.engine.observation["hand"]))


def from_records(engine: Engine, records: Sequence[Mapping[str, Any]], wanted: NDArray[np.bool_]) -> Views:
    """Every decision of the wanted ones among some records."""
    watcher = Watcher(engine, wanted)
    engine.replay(records, watcher)
    return Views.joined(watcher.parts)


def from_play(engine: Engine, player: Agent, decisions: int, seed: int, tables: int = 512) -> Views:
    """About so many decisions of an agent that plays against itself, one in five of a match that runs on."""
    keys = mix_all(np.full(tables, key_of(seed), np.uint64), np.arange(tables))
    playing, parts, found = engine.tables(keys), list[Views](), 0
    while found < decisions:
        over = np.flatnonzero(playing.winner != -1)
        if over.size:
            playing.begin_match(over, mix_all(playing.keys[over], 1))
        giving = playing.exchanging()
        if giving.size:
            drawn = mix_all(playing.keys[giving], playing.clock[giving])
            playing.give(giving, player.give(playing.exchanges(giving), drawn))
        which = playing.playing()
        drawn = mix_all(playing.keys[which], playing.clock[which])
        chosen = which[(below_all(mix_all(drawn, seed), 5) == 0) & (playing.episode[which] > 0)]
        if chosen.size:
            parts.append(look(playing, chosen, engine.observation["hand"]))
            found += len(chosen)
        playing.play(which, player.play(playing.decisions(which), drawn))
    return Views.joined(parts)


def errors(views: Views, estimate: Estimate) -> dict[str, float]:
    """The mean squared error over all decisions, and by the observer's cards where there are such decisions."""
    error = ((estimate - views.truth.astype(np.float32)) ** 2).sum(axis=(1, 2), dtype=np.float64)
    found = {"all": float(error.mean())}
    there = [left for left in CARDS_LEFT if (views.cards == left).any()]
    return found | {str(left): float(error[views.cards == left].mean()) for left in there}


def run(settings: Settings) -> dict[str, dict[str, float]]:
    """Measure; returns the errors by estimator. Raises GameError for a file that cannot be read."""
    engine = game(settings.game).engine()
    if settings.file is None:
        views = from_play(engine, agent(settings.player, engine), settings.decisions, settings.seed)
    else:
        records = readable(settings.file)
        match = matches_of(records)
        views = from_records(engine, records, match > match[-1] - settings.last)
    chosen = ESTIMATORS | (EXACT if settings.exact else {})
    return {name: errors(views, estimator(views)) for name, estimator in chosen.items()}


def table(results: Mapping[str, Mapping[str, float]]) -> str:
    """The errors as Markdown; the last columns compare with counting and with the facts."""
    columns = ["all", *map(str, CARDS_LEFT)]
    lines = [f"| estimate | {' | '.join(columns)} | below counting | below facts |", "|---|" + "---:|" * 7]
    for name, found in results.items():
        less = [f"{1 - found['all'] / results[other]['all']:.1%}" for other in ("counting", "facts")]
        cells = [f"{found[column]:.2f}" if column in found else "–" for column in columns]
        lines.append(f"| {' | '.join([name, *cells, *less])} |")
    return "\n".join(lines)


def main() -> int:
    """The command; exit 1 for a file that cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m experiments.hidden_hands", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="records as JSON lines, .gz too")
    parser.add_argument("--last", type=int, default=Settings.last, help="matches at the end of the file")
    parser.add_argument("--player", default=Settings.player, help="who plays against itself where no file is given")
    parser.add_argument("--decisions", type=int, default=Settings.decisions)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--exact", action="store_true", help="the mean of all consistent deals too")
    parser.add_argument("--json", action="store_true", dest="as_json")
    try:
        settings = Settings(**vars(parser.parse_args()))
        results = run(settings)
    except (GameError, KBError, OSError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    print(json.dumps(results) if settings.as_json else table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
