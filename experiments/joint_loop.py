"""The joint abduction loop for a few minutes: what an agent that knows nothing learns by it, beside the shipped one.

The agent meets the same opponents on the same deals before the loop, on the way and at the end. Its weights are kept
each time, and the run goes on in its folder until it has had its minutes: the same command after an interruption trains
no longer than it should, and with more minutes goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from abl_cards.agents import checked_name
from abl_cards.agents.learned import weights_of
from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.settings import SEEDS, plain, setting
from experiments.desk import Desk
from experiments.episodes import Episodes, episodes
from experiments.experiment import Experiment
from experiments.players import Player, mark, players, rules_mark
from experiments.report import Cell, Curves, Plot, Report, Table
from experiments.rules import OfAnyGame

if TYPE_CHECKING:
    from abl_cards.loop.settings import Settings as LoopSettings
    from abl_cards.loop.training import Run

NOTHING, PREFERENCES = "nothing", "preferences"
"""Where a loop can begin without weights: with all labels alike, or with what the preferences say of them."""
_TRUST = {NOTHING: 0.0, PREFERENCES: None}


@dataclass(frozen=True)
class Settings(OfAnyGame):
    """Where the loop begins, how long it goes, and how its steps are made."""

    start: str = setting(NOTHING, f"where it begins: {NOTHING}, {PREFERENCES}, or an agent to train on")
    beside: str = setting("abl", "an agent that meets the same opponents; nothing for nobody")
    minutes: float = setting(3.0, "of training")
    stages: int = setting(3, "parts of it, after each of which the agent is measured")
    opponents: tuple[str, ...] = setting(("random", "greedy", "kb"), "whom the agent meets")
    episodes: int = setting(400, "against each, always on the same deals, each deal twice with the teams swapped")
    tables: int = setting(256, "played side by side")
    rows: int = setting(4096, "decisions with a choice between two updates")
    batch: int = setting(512, "of these, in a step")
    learning_rate: float = setting(5e-4, "of the steps")
    critic_first: int = setting(2, "updates that teach the critic alone")
    averaged: float = setting(0.98, "memory of the running mean of the weights, which plays")
    preset: str = setting("small", "the sizes of the networks; those of the agent that it begins with")
    seed: int = setting(0, "of deals and choices", SEEDS)


class Meeting(NamedTuple):
    """The agent after so many minutes, or the one beside it (None), and whom it meets."""

    minutes: float | None
    opponent: str

    def __str__(self) -> str:
        return f"{'beside' if self.minutes is None else _after(self.minutes)} against {self.opponent}"


def run(settings: Settings, desk: Desk) -> Report:
    """Measure, train, measure, as often as the settings say; then the agent beside."""
    import torch

    torch.set_num_threads(1)  # small networks gain little from more, and threads that wait take time from others
    engine = settings.engine
    loop = _Loop(settings, desk, engine)
    there = {player.name: player for player in players(settings.opponents, engine)}
    beside = players([settings.beside], engine) if settings.beside else []
    times = [settings.minutes * stage / settings.stages for stage in range(settings.stages + 1)]
    meetings = [Meeting(minutes, name) for minutes in [*times, *([None] if beside else [])] for name in there]
    desk.plan(len(meetings))

    def meet(meeting: Meeting) -> Episodes:
        agent = beside[0] if meeting.minutes is None else loop.agent(meeting.minutes)
        return episodes(desk, engine, (agent, there[meeting.opponent]), settings.episodes, settings.seed)

    def told(found: Mapping[Meeting, Episodes]) -> Report:
        return report(settings, found, loop.metrics(), loop.weights)

    return told(desk.each(meetings, meet, told))


# --- the loop --------------------------------------------------------------------------------------------------------


@dataclass
class _Loop:
    """The run of an experiment, and what its agent knew at some times."""

    settings: Settings
    desk: Desk
    engine: Engine

    @cached_property
    def chosen(self) -> LoopSettings:
        """The settings of the run; its folder is named by all that it depends on."""
        from abl_cards.loop.settings import Settings as LoopSettings

        settings, start = self.settings, self._start()
        asked = {name: value for name, value in plain(settings).items() if name not in _NOT_OF_THE_LOOP}
        depends = [asked, rules_mark(self.engine), mark(checked_name(settings.start), self.engine) if start else ""]
        name = hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:16]
        preset, abln = _of_weights(start) if start else (settings.preset, True)
        return LoopSettings(
            directory=self.desk.folder / f"loop-{name}", game=self.engine.game, preset=preset, abln=abln,
            seed=settings.seed, tables=settings.tables, start=start, trust=None if start else _TRUST[settings.start],
            rows=settings.rows, batch=settings.batch, learning_rate=settings.learning_rate,
            critic_first=settings.critic_first, averaged=settings.averaged, save_every=5, kb=settings.kb,
            profile=settings.profile,
        )  # fmt: skip

    def _start(self) -> Path | None:
        """The weights that it begins with; raises GameError."""
        if self.settings.start in _TRUST:
            return None
        name = checked_name(self.settings.start)
        if name.kind != "abl":
            raise GameError(f"agent '{name}' does not learn: start from {NOTHING}, {PREFERENCES}, or abl:weights=FILE")
        return weights_of(name, self.engine)

    @property
    def weights(self) -> Path:
        """What plays in the end."""
        return self._at(self.settings.minutes)

    def agent(self, minutes: float) -> Player:
        """Who plays by what was learned in so many minutes: the policy, whose critic is too young to look ahead by."""
        file = self._at(minutes)
        if not file.exists():
            self._train(minutes, file)
        (player,) = players([f"abl:no-lookahead,weights={file}"], self.engine)
        return replace(player, name=_after(minutes))  # wherever the folder lies

    def _at(self, minutes: float) -> Path:
        return self.chosen.directory / f"after-{minutes:g}-minutes.safetensors"

    def _train(self, minutes: float, file: Path) -> None:
        from abl_cards.loop.training import Run

        self.desk.tell()
        with self.desk.bar(f"joint abduction loop, {minutes:g} minutes", None) as tell:
            loop = Run(self.chosen, tell)
            left = minutes - loop.seconds / 60
            if left > 0:
                loop.go(lambda report: tell(report.decisions, report.remark()), left)
            loop.save_weights(file)
        self._note(loop)

    def _note(self, loop: Run) -> None:
        self.desk.log(f"{loop.update} updates, {loop.decisions} decisions, {loop.seconds / 60:.1f} minutes")

    def metrics(self) -> list[dict[str, Any]]:
        """What the run has measured of itself so far."""
        from abl_cards.loop.metrics import read_metrics

        file = self.chosen.directory / "metrics.jsonl"
        return read_metrics(self.chosen.directory) if file.exists() else []


_NOT_OF_THE_LOOP = ("kb", "profile", "beside", "minutes", "stages", "opponents", "episodes")
"""Settings that leave what is learned as it is; of the rules their contents count."""


def _of_weights(file: Path) -> tuple[str, bool]:
    from learners.store import load_card

    card = load_card(file)
    return card.preset, card.abln


# --- the report ------------------------------------------------------------------------------------------------------


def report(
    settings: Settings, found: Mapping[Meeting, Episodes], metrics: Sequence[Mapping[str, Any]], weights: Path
) -> Report:
    """Episodes by time, the training, and curves of both."""
    training = [_training(metrics, weights)] if metrics else []
    return Report([_table(settings, found), *training], _plots(settings, found, metrics))


def _table(settings: Settings, found: Mapping[Meeting, Episodes]) -> Table:
    columns = ("agent", "against", "episodes", "won", "from", "to", "points an episode")
    rows: list[list[Cell]] = [
        [_name(settings, each), each.opponent, result.count, result.won, *result.bounds, result.points]
        for each, result in found.items()
    ]
    note = "With 95 % intervals. All have played the same deals, from the beginning of a match."
    return Table("episodes", "Before, on the way, and after", columns, rows, note, frozenset(columns[3:6]))


def _name(settings: Settings, meeting: Meeting) -> str:
    return settings.beside if meeting.minutes is None else _after(meeting.minutes)


def _after(minutes: float) -> str:
    return f"after {_minutes(minutes)}"


def _minutes(number: float) -> str:
    return "1 minute" if number == 1 else f"{number:g} minutes"


def _training(metrics: Sequence[Mapping[str, Any]], weights: Path) -> Table:
    last = metrics[-1]
    columns = ("updates", "decisions", "minutes", "decisions a second", "weights")
    row: list[Cell] = [
        last["update"], last["decisions"], last["seconds"] / 60, round(last["decisions"] / last["seconds"]),
        str(weights) if weights.exists() else None,
    ]  # fmt: skip
    return Table("training", "The joint abduction loop", columns, [row])


def _plots(settings: Settings, found: Mapping[Meeting, Episodes], metrics: Sequence[Mapping[str, Any]]) -> list[Plot]:
    from abl_cards.loop.curves import curves_of

    return [_strength(settings, found), *curves_of(metrics)]


def _strength(settings: Settings, found: Mapping[Meeting, Episodes]) -> Curves:
    """Shares by minutes with their intervals; who stands beside as a level."""
    lines: dict[str, list[tuple[float, float]]] = {}
    levels: dict[str, list[tuple[float, float]]] = {}
    bands: dict[str, list[tuple[float, float, float]]] = {}
    for meeting, result in found.items():
        beside, name = meeting.minutes is None, f"against {meeting.opponent}"
        times = [0.0, settings.minutes] if meeting.minutes is None else [meeting.minutes]
        into, name = (levels, f"{settings.beside} {name}") if beside else (lines, name)
        into.setdefault(name, []).extend((minutes, result.won) for minutes in times)
        bands.setdefault(name, []).extend((minutes, *result.bounds) for minutes in times)
    title = "What was learned"
    return Curves("learned", title, "minutes of training", "share of the episodes won", lines, levels, bands)


EXPERIMENT = Experiment(
    "The joint abduction loop for some minutes, from nothing: what the agent gains, and the shipped one beside it",
    Settings(),
    run,
    smoke={
        "minutes": 0.02, "stages": 1, "episodes": 8, "tables": 64, "rows": 512, "opponents": ("random",),
        "beside": "kb",
    },
)  # fmt: skip
