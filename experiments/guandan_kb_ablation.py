"""What the knowledge base contributes to an agent: preferences, projection, looking ahead, the minimiser.

The agent plays against itself without one part at a time. A part pays its way when the whole interval of the win rate
lies above one half. ``--set agent=kb`` asks the same of the agent of logic alone, whose parts are the groups of
preferences, or with ``--set single=true`` every single one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from abl_cards.agents import checked_name
from abl_cards.agents.learned import weights_of
from abl_cards.agents.reasoning import judge_of
from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.settings import SEEDS, setting
from experiments.desk import Desk
from experiments.experiment import Experiment
from experiments.matches import Outcome, matches
from experiments.players import players, variant
from experiments.report import Bars, Cell, Report, Table
from experiments.rules import OfAnyGame
from learners.store import load_card

PARTS = {
    "no-projection": "the projection of the estimated hands",
    "no-lookahead": "trying the likely labels on imagined deals",
    "no-preferences": "the minimiser: any card set of the label instead",
}
"""What an agent with networks can do without, besides groups of preferences."""


@dataclass(frozen=True)
class Settings(OfAnyGame):
    """Whose parts are measured, and how long."""

    agent: str = setting("abl", "who plays against itself without a part")
    single: bool = setting(False, "every preference by itself, not whole groups")
    without: tuple[str, ...] = setting((), "groups or preferences, and parts; all of them by default")
    games: int = setting(2000, "whole matches a part, each deal twice with the teams swapped")
    seed: int = setting(0, "of the deals", SEEDS)


@dataclass(frozen=True)
class Part:
    """Something an agent can do without."""

    name: str
    what: str
    option: str  # of the agent that does without


def parts(agent: str, engine: Engine, single: bool = False) -> list[Part]:
    """All the parts of an agent, first the groups of preferences, or single ones."""
    name = checked_name(agent)
    learned = name.kind == "abl"
    estimates = learned and load_card(weights_of(name, engine)).abln  # beliefs fire for nobody else
    costs = judge_of(name, engine).preferences(estimated=estimates)
    if single:
        found = [Part(each, f"of {group}", f"without={each}") for each, group in sorted(costs.items())]
    else:
        sizes = Counter(costs.values())
        found = [Part(group, _preferences(sizes[group]), f"without={group}") for group in sorted(sizes)]
    return [*found, *(Part(word, what, word) for word, what in PARTS.items() if learned)]


def _preferences(number: int) -> str:
    return f"{number} preference{'s' if number > 1 else ''}"


def run(settings: Settings, desk: Desk) -> Report:
    """Play against every variant."""
    engine = settings.engine
    known = {part.name: part for part in parts(settings.agent, engine, settings.single)}
    unknown = [name for name in settings.without if name not in known]
    if unknown:
        raise GameError(f"agent '{settings.agent}' has no part '{unknown[0]}' (there are: {', '.join(known)})")
    wanted = [known[name] for name in settings.without or known]
    names = [settings.agent, *(variant(settings.agent, part.option) for part in wanted)]
    whole, *others = players(names, engine)
    desk.plan(len(others))
    by_name = {part.name: (part, other) for part, other in zip(wanted, others, strict=True)}

    def play(name: str) -> Outcome:
        return matches(desk, engine, (whole, by_name[name][1]), settings.games, settings.seed)

    def told(found: Mapping[str, Outcome]) -> Report:
        return report(whole.name, {by_name[name][0]: each for name, each in found.items()})

    return told(desk.each(by_name, play, told))


def report(whole: str, found: Mapping[Part, Outcome]) -> Report:
    """The parts by what is lost without them."""
    rows: list[list[Cell]] = [
        [part.name, part.what, each.games, each.rate, *each.interval]
        for part, each in sorted(found.items(), key=lambda item: -item[1].rate)
    ]
    columns = ("without", "what", "matches", "won", "from", "to")
    title = f"{whole} against itself without a part"
    table = Table("parts", title, columns, rows, percent=frozenset(columns[3:]), note="With 95 % intervals.")
    bars = {part.name: (each.rate, *each.interval) for part, each in found.items()}
    ordered = {str(row[0]): bars[str(row[0])] for row in rows}
    return Report([table], [Bars("parts", title, "share of the matches won", ordered, 0.5)])


EXPERIMENT = Experiment(
    "What each group of preferences, the projection, looking ahead and the minimiser contribute",
    Settings(),
    run,
    smoke={"games": 4, "agent": "kb", "without": ("passing",)},
)
