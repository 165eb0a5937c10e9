"""What the knowledge base contributes to an agent: preferences, projection, looking ahead, the minimiser.

The agent plays against itself without one part at a time. A part pays its way when the whole interval of the win rate
lies above one half. ``--set agent=kb`` asks the same of the agent of logic alone, whose parts are the groups of
preferences, or with ``--set single=true`` every single one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from abl_cards.agents import agent_variant, check_agent_name, find_weights, preference_model_from_name
from abl_cards.core import SEED_RANGE, ErrorBarPlot, GameError, setting
from abl_cards.experiments.agent_specs import load_agents
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.matches import MatchSummary, measure_matches
from abl_cards.experiments.report import Cell, ExperimentReport, ReportTable
from abl_cards.experiments.rules import GameConfig
from abl_cards.experiments.workspace import ExperimentWorkspace
from abl_cards.games import Engine
from abl_cards.learners import load_card

NETWORK_PARTS = {
    "no-projection": "the projection of the estimated hands",
    "no-lookahead": "trying the likely labels on imagined deals",
    "no-preferences": "the minimiser: any card set of the label instead",
}
"""What an agent with networks can do without, besides groups of preferences."""


@dataclass(frozen=True)
class GuandanKbAblationConfig(GameConfig):
    """Whose parts are measured, and how long."""

    agent: str = setting("abl", "who plays against itself without a part")
    single: bool = setting(False, "every preference by itself, not whole groups")
    without: tuple[str, ...] = setting((), "groups or preferences, and parts; all of them by default")
    games: int = setting(2000, "whole matches a part, each deal twice with the teams swapped")
    seed: int = setting(0, "of the deals", SEED_RANGE)


@dataclass(frozen=True)
class AblationPart:
    """Something an agent can do without."""

    name: str
    description: str
    option: str  # of the agent that does without


def list_parts(agent: str, engine: Engine, single: bool = False) -> list[AblationPart]:
    """All the parts of an agent, first the groups of preferences, or single ones."""
    name = check_agent_name(agent)
    learned = name.kind == "abl"
    estimates = learned and load_card(find_weights(name, engine)).abln  # beliefs fire for nobody else
    costs = preference_model_from_name(name, engine).preferences(with_estimate=estimates)
    if single:
        found = [AblationPart(each, f"of {group}", f"without={each}") for each, group in sorted(costs.items())]
    else:
        sizes = Counter(costs.values())
        found = [AblationPart(group, _preferences(sizes[group]), f"without={group}") for group in sorted(sizes)]
    return [*found, *(AblationPart(word, what, word) for word, what in NETWORK_PARTS.items() if learned)]


def _preferences(number: int) -> str:
    return f"{number} preference{'s' if number > 1 else ''}"


def run(settings: GuandanKbAblationConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Play against every variant."""
    engine = settings.engine
    known = {part.name: part for part in list_parts(settings.agent, engine, settings.single)}
    unknown = [name for name in settings.without if name not in known]
    if unknown:
        raise GameError(f"agent '{settings.agent}' has no part '{unknown[0]}' (there are: {', '.join(known)})")
    wanted = [known[name] for name in settings.without or known]
    names = [settings.agent, *(agent_variant(settings.agent, part.option) for part in wanted)]
    whole, *others = load_agents(names, engine)
    workspace.plan_cells(len(others))
    by_name = {part.name: (part, other) for part, other in zip(wanted, others, strict=True)}

    def play(name: str) -> MatchSummary:
        return measure_matches(workspace, engine, (whole, by_name[name][1]), settings.games, settings.seed)

    def told(found: Mapping[str, MatchSummary]) -> ExperimentReport:
        return report(whole.name, {by_name[name][0]: each for name, each in found.items()})

    return told(workspace.measure_each(by_name, play, told))


def report(agent_name: str, outcomes: Mapping[AblationPart, MatchSummary]) -> ExperimentReport:
    """The parts by what is lost without them."""
    rows: list[list[Cell]] = [
        [part.name, part.description, each.num_games, each.win_rate, *each.interval]
        for part, each in sorted(outcomes.items(), key=lambda item: -item[1].win_rate)
    ]
    columns = ("without", "what", "matches", "won", "from", "to")
    title = f"{agent_name} against itself without a part"
    table = ReportTable(
        "parts", title, columns, rows, percent_columns=frozenset(columns[3:]), note="With 95 % intervals."
    )
    bars = {part.name: (each.win_rate, *each.interval) for part, each in outcomes.items()}
    ordered = {str(row[0]): bars[str(row[0])] for row in rows}
    return ExperimentReport([table], [ErrorBarPlot("parts", title, "share of the matches won", ordered, 0.5)])


EXPERIMENT = Experiment(
    "What each group of preferences, the projection, looking ahead and the minimiser contribute",
    GuandanKbAblationConfig(),
    run,
    smoke={"games": 4, "agent": "kb", "without": ("passing",)},
)
