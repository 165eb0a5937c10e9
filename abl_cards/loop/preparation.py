"""Before self-play: ABLN learns from records and from the agent kb's own games, the decision model from records.

Every part is kept in the folder of the run, so that a run that was stopped here goes on here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from abl_cards.agents import Kb
from abl_cards.games import Engine, Judge
from abl_cards.loop.checkpoint import load_checkpoint, save_checkpoint
from abl_cards.loop.pretraining import (
    Fit,
    Lessons,
    abln_fit,
    agreement,
    decision_fit,
    from_play,
    from_records,
    teach_abln,
    teach_decisions,
    with_estimates,
)
from abl_cards.loop.settings import Settings
from abl_cards.records import matches_of, readable
from learners.networks import Networks
from learners.store import Card, load_weights, save_networks
from learners.symmetry import Symmetries
from reasoners.minimiser import Minimiser

Tell = Callable[[int, str], None]
"""Told how much is done, and what it is."""

KEEP_EVERY = 250  # steps


def prepare(settings: Settings, engine: Engine, networks: Networks, tell: Tell) -> None:
    """Give networks their supervised weights, made now or kept from before; raises GameError."""
    if settings.records is None:
        return
    kept = settings.directory / "supervised.safetensors"
    if not kept.exists():
        Preparation(settings, engine, networks, tell).run(settings.records, kept)
    load_weights(kept, networks)


class Preparation:
    """The supervised part of a run."""

    def __init__(self, settings: Settings, engine: Engine, networks: Networks, tell: Tell) -> None:
        """Teach these networks."""
        self._settings, self._engine, self._networks, self._tell = settings, engine, networks, tell
        self._symmetries = Symmetries.of(engine.symmetries, engine.observation)
        self._judge: Judge = engine.judge()

    def run(self, file: Path, kept: Path) -> None:
        """Learn from a file of records and keep the weights."""
        self._tell(0, f"reading {file.name}")
        records = readable(file)
        lessons = from_records(self._engine, self._judge, records)
        match = matches_of(records)[lessons.source]
        last = match > match.max() - self._settings.held_out
        if self._networks.abln is not None:
            self._teach_abln(lessons.at(~last))
            lessons = with_estimates(self._engine, self._networks, lessons)
        fit = decision_fit(self._networks, self._symmetries, self._settings.decision_steps, self._settings.seed)
        examples = lessons.at(~last).examples
        with self._keeping(fit, "decisions") as progress:
            teach_decisions(self._networks, fit, examples, progress)
        self._keep(file, kept, lessons.at(last))

    def _teach_abln(self, recorded: Lessons) -> None:
        fit = abln_fit(self._networks, self._symmetries, self._settings.abln_steps, self._settings.seed)
        with self._keeping(fit, "hidden hands") as progress:
            if fit.over:
                return
            self._tell(0, "playing for lessons on hidden hands")
            player = Kb(Minimiser(self._judge))
            own = from_play(self._engine, self._judge, player, self._settings.own_lessons, self._settings.seed)
            teach_abln(self._networks, fit, Lessons.joined([recorded, own]).examples, progress)

    def _keeping(self, fit: Fit, name: str) -> _Keeping:
        return _Keeping(fit, name, self._settings.directory / f"{name.replace(' ', '-')}.pt", self._tell)

    def _keep(self, file: Path, kept: Path, held_out: Lessons) -> None:
        settings, results = self._settings, {}
        if len(held_out.examples):
            found = agreement(self._networks, held_out.examples, self._engine.traits.pass_label)
            results["agreement with the last matches"] = {name: round(each, 4) for name, each in asdict(found).items()}
        data = f"{file.name} without its last {settings.held_out} matches"
        card = Card(
            settings.game, settings.preset, settings.abln, settings.seed, data, command=settings.command(),
            results=results,
        )  # fmt: skip
        save_networks(kept, self._networks, card)


class _Keeping:
    """Takes a training up, and puts it away every so many steps."""

    def __init__(self, fit: Fit, name: str, file: Path, tell: Tell) -> None:
        self._fit, self._name, self._file, self._tell = fit, name, file, tell

    def __enter__(self) -> Callable[[int, float], None]:
        state = load_checkpoint(self._file)
        if state:
            self._fit.restore(state)
        return self._progress

    def __exit__(self, *problem: Any) -> None:
        if problem[0] is None:
            save_checkpoint(self._file, self._fit.state())

    def _progress(self, done: int, loss: float) -> None:
        self._tell(done, f"{self._name}: loss {loss:.3f}")
        if done % KEEP_EVERY == 0:
            save_checkpoint(self._file, self._fit.state())
