"""What each group of preferences is worth: ``python -m experiments.preference_ablation``.

The agent ``kb`` plays against itself without one group at a time, every deal twice with the teams swapped. A group pays
its way when the whole interval of the win rate lies above one half. Results are kept as JSON lines, one a group, so
that an interrupted run goes on where it stopped; an edited knowledge base is measured anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abl_cards.agents import agent, judge
from abl_cards.arena import play_match
from abl_cards.cli.console import progress
from abl_cards.games import Engine, GameError, game
from abl_cards.logic import KBError, KnowledgeBase

AGENT = "kb"


@dataclass(frozen=True)
class Settings:
    """What is played, and where the results go."""

    games: int = 2000  # whole matches a group
    seed: int = 0
    groups: tuple[str, ...] = ()  # all of them by default
    directory: Path | None = None  # of an edited knowledge base
    out: Path = Path("runs/preference_ablation")
    game: str = "guandan"


def run(settings: Settings) -> list[dict[str, Any]]:
    """Play what has not been played yet; a result a group, the dearest first. Raises GameError, KBError, OSError."""
    engine = game(settings.game).engine(settings.directory)
    kb = judge(AGENT, engine).kb
    sizes = Counter(kb.groups.values())
    marks = {"rules": digest(kb), "games": settings.games, "seed": settings.seed}
    kept = settings.out / "results.jsonl"
    known = {result["group"]: result for result in _read(kept) if marks.items() <= result.items()}
    wanted = settings.groups or tuple(sorted(sizes))
    for group in wanted:  # a wrong name comes to light before the first match, not after hours
        judge(f"{AGENT}:without={group}", engine)
    settings.out.mkdir(parents=True, exist_ok=True)
    for group in wanted:
        if group not in known:
            known[group] = {"group": group, "preferences": sizes[group]} | marks | _measure(engine, group, settings)
            with kept.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(known[group]) + "\n")
    results = sorted((known[group] for group in wanted), key=lambda result: -float(result["rate"]))
    (settings.out / "table.md").write_text(table(results), "utf-8")
    return results


def digest(kb: KnowledgeBase) -> str:
    """Of the rule files' contents: a result belongs to the rules it was measured with."""
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in kb.files)).hexdigest()[:16]


def table(results: Sequence[dict[str, Any]]) -> str:
    """The results as a table in Markdown."""
    lines = ["| without | preferences | matches | win rate of `kb` | 95 % interval |", "|---|---|---|---|---|"]
    for each in results:
        low, high = each["interval"]
        lines.append(
            f"| `{each['group']}` | {each['preferences']} | {each['games']:,} | {each['rate']:.1%} "
            f"| {low:.1%} – {high:.1%} |"
        )
    return "\n".join(lines) + "\n"


def _measure(engine: Engine, group: str, settings: Settings) -> dict[str, Any]:
    names = (AGENT, f"{AGENT}:without={group}")
    with progress(" : ".join(names), settings.games) as tell:
        return play_match(
            engine, names, (agent(names[0], engine), agent(names[1], engine)), settings.games, settings.seed,
            lambda done, wins: tell(done, f"{wins[0]} : {wins[1]}"),
        ).to_json()  # fmt: skip


def _read(file: Path) -> list[dict[str, Any]]:
    """The results kept so far; a line that was cut off when the run was killed is played again."""
    results = []
    for line in file.read_text("utf-8").splitlines() if file.exists() else []:
        try:
            results.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; exit 1 for rules or groups that cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m experiments.preference_ablation", description=__doc__)
    parser.add_argument("--games", type=int, default=Settings.games, help="whole matches a group")
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--groups", nargs="+", default=[], help="only these groups of preferences")
    parser.add_argument("--kb", type=Path, dest="directory", help="an edited copy of the rule files")
    parser.add_argument("--out", type=Path, default=Settings.out, help="where results.jsonl and table.md go")
    parser.add_argument("--json", action="store_true", dest="as_json")
    chosen = parser.parse_args(arguments)
    if chosen.games < 1:
        parser.error("--games: at least 1")
    settings = Settings(chosen.games, chosen.seed, tuple(chosen.groups), chosen.directory, chosen.out)
    try:
        results = run(settings)
    except (GameError, KBError, OSError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    print(json.dumps(results) if chosen.as_json else table(results), end="\n" if chosen.as_json else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
