"""Before self-play: ABLN learns from records and from the agent kb's own games, the decision model from records.

Every part is kept in the folder of the run, so that a run that was stopped here goes on here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from abl_cards.agents import agent
from abl_cards.games import Engine, Judge
from abl_cards.loop.checkpoint import SUFFIX, load_checkpoint, save_checkpoint, taken_up
from abl_cards.loop.pretraining import (
    Fit,
    Lessons,
    abln_fit,
    agreement,
    decision_fit,
    from_games,
    from_play,
    from_records,
    teach_abln,
    teach_decisions,
    with_estimates,
)
from abl_cards.loop.settings import Settings
from abl_cards.loop.trust import trust_of
from abl_cards.records import in_own_form, matches_of, readable
from learners.networks import Networks
from learners.store import Card, load_weights, save_networks
from learners.symmetry import Symmetries

Tell = Callable[[int, str], None]
"""Told how much is done, and what it is."""

KEEP_EVERY = 250  # steps


def prepare(settings: Settings, engine: Engine, networks: Networks, tell: Tell) -> None:
    """Give networks their supervised weights, made now or kept from before; raises GameError."""
    slips, trust = networks.preset.slips, networks.decision.trust
    if slips and trust is not None and settings.start is None and settings.trust is None:
        tell(0, "how far to trust the preferences")
        trust.data.fill_(trust_of(engine, slips, settings.seed))
    if settings.records is None and settings.own_player is None and not settings.own_games:
        return
    kept = settings.directory / "supervised.safetensors"
    if not kept.exists():
        Preparation(settings, engine, networks, tell).run(kept)
    load_weights(kept, networks)


class Preparation:
    """The supervised part of a run."""

    def __init__(self, settings: Settings, engine: Engine, networks: Networks, tell: Tell) -> None:
        """Teach these networks."""
        self._settings, self._engine, self._networks, self._tell = settings, engine, networks, tell
        self._symmetries = Symmetries.of(engine.symmetries, engine.observation)
        self._judge: Judge = engine.judge()

    def run(self, kept: Path) -> None:
        """Learn from records and own games, whatever there is, and keep the weights."""
        told, held_out = self._played() if self._settings.own_games else self._recorded()
        if self._networks.abln is not None:
            self._teach_abln(told)
        if told and held_out:
            told, held_out = (with_estimates(self._engine, self._networks, each) for each in (told, held_out))
            self._teach_decisions(told)
        self._keep(kept, held_out)

    def _recorded(self) -> tuple[Lessons, Lessons] | tuple[None, None]:
        """The lessons of the records, and those of their last matches, from which nothing is learned."""
        file = self._settings.records
        if file is None:
            return None, None
        self._tell(0, f"reading {file.name}")
        records = [in_own_form(self._engine, record) for record in readable(file)]
        lessons = from_records(self._engine, self._judge, records)
        match = matches_of(records)[lessons.source]
        last = match > match.max() - self._settings.held_out
        return lessons.at(~last), lessons.at(last)

    def _played(self) -> tuple[Lessons, Lessons]:
        """The lessons of an agent's own games, and those of every fifth table, from which nothing is learned."""
        settings = self._settings
        self._tell(0, f"playing {settings.own_games:,} episodes for lessons")
        player = agent(settings.own_player or "kb", self._engine)
        lessons = from_games(self._engine, self._judge, player, settings.own_games, settings.seed)
        last = lessons.source % 5 == 4
        return lessons.at(~last), lessons.at(last)

    def _teach_decisions(self, told: Lessons) -> None:
        fit = decision_fit(self._networks, self._symmetries, self._settings.decision_steps, self._settings.seed)
        with self._keeping(fit, "decisions") as progress:
            teach_decisions(self._networks, fit, told.examples, progress)

    def _teach_abln(self, recorded: Lessons | None) -> None:
        fit = abln_fit(self._networks, self._symmetries, self._settings.abln_steps, self._settings.seed)
        with self._keeping(fit, "hidden hands") as progress:
            if fit.over:
                return
            self._tell(0, "playing for lessons on hidden hands")
            player = agent(self._settings.own_player or "kb", self._engine)
            own = from_play(self._engine, self._judge, player, self._settings.own_lessons, self._settings.seed)
            lessons = [own] if recorded is None else [recorded, own]
            teach_abln(self._networks, fit, Lessons.joined(lessons).examples, progress)

    def _keeping(self, fit: Fit, name: str) -> Keeping:
        return Keeping(fit, name, self._settings.directory / f"{name.replace(' ', '-')}{SUFFIX}", self._tell)

    def _keep(self, kept: Path, held_out: Lessons | None) -> None:
        settings, results = self._settings, {}
        if held_out and len(held_out.examples):
            found = agreement(self._networks, held_out.examples, self._engine.traits.pass_label)
            held = f"{len(held_out.examples)} decisions of a fifth" if settings.own_games else "the last matches"
            results[f"agreement with {held}"] = {
                name: None if each is None else round(each, 4) for name, each in asdict(found).items()
            }
        card = Card(
            settings.game, settings.preset, settings.abln, settings.seed, self._data(), command=settings.command(),
            results=results,
        )  # fmt: skip
        save_networks(kept, self._networks, card)

    def _data(self) -> str:
        """What was learned from."""
        file, settings = self._settings.records, self._settings
        records = [f"{file.name} without its last {settings.held_out} matches"] if file else []
        if settings.own_games:
            records = [f"{settings.own_games} games of {settings.own_player or 'kb'} without a fifth"]
        own = [f"games of {settings.own_player or 'kb'} for ABLN"] if self._networks.abln is not None else []
        return " and ".join([*records, *own])


class Keeping:
    """Takes a training up, and puts it away every so many steps."""

    def __init__(self, fit: Fit, name: str, file: Path, tell: Tell) -> None:
        self._fit, self._name, self._file, self._tell = fit, name, file, tell

    def __enter__(self) -> Callable[[int, float], None]:
        state = load_checkpoint(self._file)
        if state is not None:
            with taken_up(self._file):
                self._fit.restore(state)
        return self._progress

    def __exit__(self, *problem: Any) -> None:
        if problem[0] is None:
            save_checkpoint(self._file, self._fit.state())

    def _progress(self, done: int, loss: float) -> None:
        self._tell(done, f"{self._name}: loss {loss:.3f}")
        if done % KEEP_EVERY == 0:
            save_checkpoint(self._file, self._fit.state())
