"""How often agents choose the label that was played: ``python -m experiments.record_agreement RECORDS``."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from abl_cards.agents import agent
from abl_cards.games import GameError, game
from abl_cards.logic import KBError
from experiments.recorded import agreement, readable


@dataclass(frozen=True)
class Settings:
    """What is compared."""

    file: Path
    agents: tuple[str, ...] = ("kb", "greedy", "random")
    last: int = 40  # matches at the end of the file
    game: str = "guandan"
    profile: str | None = None
    as_json: bool = False


def run(settings: Settings) -> dict[str, dict[str, float]]:
    """Measure; returns decisions and share by agent. Raises GameError for a file that cannot be read."""
    engine = game(settings.game).engine(None, settings.profile)
    records = readable(settings.file)
    results = {}
    for name in settings.agents:
        found = agreement(engine, records, agent(name, engine), settings.last)
        results[name] = {"decisions": found.decisions, "share": round(found.share, 4)}
    return results


def main() -> int:
    """The command; exit 1 for a file that cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m experiments.record_agreement", description=__doc__)
    parser.add_argument("file", type=Path, help="records as JSON lines, .gz too")
    parser.add_argument("--agents", nargs="+", default=list(Settings.agents))
    parser.add_argument("--game", default=Settings.game)
    parser.add_argument("--profile", help="of the rules that the records follow")
    parser.add_argument("--last", type=int, default=Settings.last, help="matches at the end of the file")
    parser.add_argument("--json", action="store_true", dest="as_json")
    chosen = parser.parse_args()
    try:
        results = run(Settings(**vars(chosen) | {"agents": tuple(chosen.agents)}))
    except (GameError, KBError, OSError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    if chosen.as_json:
        print(json.dumps(results))
        return 0
    print(f"{'agent':<28} {'decisions':>9}  the recorded label")
    for name, result in results.items():
        print(f"{name:<28} {result['decisions']:>9,}  {result['share']:>8.2%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
