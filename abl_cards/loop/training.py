"""The joint abduction loop (Chen et al. 2025, algorithm 2): play, abduce, learn, again.

A run lives in a folder. It goes on from its checkpoint by itself; what it does depends on its settings alone, so a run
that was interrupted ends as one that was not (on one thread, where sums are always made in the same order).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from abl_cards.agents import Kb
from abl_cards.agents.mind import Mind
from abl_cards.games import GameError, game
from abl_cards.loop.checkpoint import load_checkpoint, save_checkpoint
from abl_cards.loop.experience import Experience
from abl_cards.loop.metrics import Metrics
from abl_cards.loop.players import Past, seating
from abl_cards.loop.preparation import Tell, prepare
from abl_cards.loop.selfplay import Score, SelfPlay
from abl_cards.loop.settings import Settings
from abl_cards.loop.updates import Trainer, Update
from learners.networks import GameShape, Networks
from learners.presets import PPO, PRESETS, Preset
from learners.store import Card, load_card, load_weights, save_networks
from learners.symmetry import Symmetries
from reasoners.minimiser import Minimiser

PRECISIONS = ("float32", "bfloat16")

Learn = Callable[[Experience], Update]
"""From decisions whose returns are known to what was seen in learning from them."""

PLAYERS = ("itself", "kb", "its past")
"""Whom the learner meets, in the order of the numbers of the players."""


@dataclass(frozen=True)
class Report:
    """How a run stands after an update."""

    update: int
    decisions: int
    seconds: float  # of the whole run
    pace: float  # decisions a second since the report before
    score: Score
    learned: Update

    def remark(self) -> str:
        """A line for who watches."""
        met = [(number, name) for number, name in enumerate(PLAYERS) if number and self.score.episodes[number]]
        wins = [f"{self.score.won[number] / self.score.episodes[number]:.1%} against {name}" for number, name in met]
        return f"{self.pace:,.0f} decisions/s  wins {', '.join(wins)}" if wins else f"{self.pace:,.0f} decisions/s"

    def to_json(self) -> dict[str, Any]:
        """Plain values, one level deep."""
        values: dict[str, Any] = {
            "update": self.update,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 1),
            "pace": round(self.pace, 1),
        }
        for number, name in enumerate(PLAYERS):
            episodes = int(self.score.episodes[number])
            if number and episodes:
                values[f"wins against {name}"] = round(int(self.score.won[number]) / episodes, 4)
                values[f"points against {name}"] = round(float(self.score.points[number]) / episodes, 4)
        return values | {name: round(value, 6) for name, value in asdict(self.learned).items()}


def preset_of(settings: Settings) -> Preset:
    """The preset of a run; raises GameError for a name that is none."""
    if settings.preset not in PRESETS:
        raise GameError(f"unknown preset '{settings.preset}' (there are: {', '.join(PRESETS)})")
    preset = PRESETS[settings.preset]
    return preset if settings.abln else preset.without_abln()


class Run:
    """A training run: what plays, what learns, and where it is kept."""

    def __init__(self, settings: Settings, tell: Tell = lambda done, what: None) -> None:
        """Begin, or take up, the run in the folder of the settings; raises GameError."""
        if settings.threads:
            torch.set_num_threads(settings.threads)
        torch.manual_seed(settings.seed)
        self.settings = settings
        self.engine = game(settings.game).engine()
        self.networks = (
            Networks(preset_of(settings), GameShape.of(self.engine), settings.seed).to(settings.device).eval()
        )
        if settings.precision not in PRECISIONS:
            raise GameError(f"unknown precision '{settings.precision}' (there are: {', '.join(PRECISIONS)})")
        self.networks.precision = settings.precision
        if settings.start:
            load_weights(settings.start, self.networks)
        if not self.checkpoint.exists():
            prepare(settings, self.engine, self.networks, tell)
        symmetries = Symmetries.of(self.engine.symmetries, self.engine.observation)
        self.ppo = _ppo(settings, self.networks.preset.ppo)
        self.trainer = Trainer(self.networks, symmetries, self.ppo, settings.averaged)
        self._rng = np.random.default_rng(settings.seed)
        self.past = deepcopy(self.networks)
        self.play = self._sit_down(0)
        self.learn: Learn = self.teach
        self.update, self.seconds, self._league = 0, 0.0, 0
        self._metrics_size, self._commands = 0, [settings.command()]
        self._take_up()

    @property
    def checkpoint(self) -> Path:
        """The file the run goes on from."""
        return self.settings.directory / "checkpoint.pt"

    @property
    def weights(self) -> Path:
        """The file that what plays is written to at the end."""
        return self.settings.directory / f"{self.settings.game}-{self.settings.preset}.safetensors"

    def _sit_down(self, update: int) -> SelfPlay:
        """Tables with cards that depend on the update before which they are dealt."""
        judge = self.engine.judge()
        opponents = Kb(Minimiser(judge)), Past(Mind(self.engine, judge, self.past))
        shares = self.settings.against_kb, self.settings.against_past
        seats = seating(self.settings.tables, int(self.engine.teams.max()) + 1, shares)
        mind = Mind(self.engine, judge, self.networks)
        seed, revealed = self.settings.seed + update, self.settings.revealed
        return SelfPlay(self.engine, mind, opponents, seats, self.ppo, seed, revealed)

    # --- the loop ----------------------------------------------------------------------------------------------------

    def go(self, tell: Callable[[Report], None] = lambda report: None, minutes: float | None = None) -> None:
        """Train until the decisions of the settings are made, or for minutes by the run's own count; then save."""
        until = None if minutes is None else self.seconds + 60 * minutes
        with Metrics(self.settings.directory, self._metrics_size, self.update) as metrics:
            while self.play.decisions < self.settings.decisions:
                report = self.advance()
                metrics.write(report.to_json())
                tell(report)
                late = until is not None and self.seconds >= until
                if self.update % self.settings.save_every == 0 or late:
                    self._save(metrics.size())
                if late:
                    break
            self._save(metrics.size())
        self.save_weights(self.weights)

    def advance(self) -> Report:
        """Play until there is enough to learn from, and learn; nothing is saved."""
        began, before = time.monotonic(), self.play.decisions
        rows = self.ppo.rows
        while self.play.memory.ready < rows:
            self.play.step()
        learned = self.learn(self.play.memory.take(rows))
        self.update += 1
        if self.update % self.settings.remember_every == 0:
            self._remember()
        score, self.play.score = self.play.score, Score.zero(len(PLAYERS))
        spent = time.monotonic() - began
        self.seconds += spent
        pace = (self.play.decisions - before) / spent
        return Report(self.update, self.play.decisions, self.seconds, pace, score, learned)

    def teach(self, rows: Experience) -> Update:
        """Let the networks learn from decisions; at the start the critic alone."""
        return self.trainer.update(rows, self._rng, critic_only=self.update < WARM_UP)

    def _remember(self) -> None:
        """Keep a copy of the learner, and let it meet one of the copies from now on."""
        self._league += 1
        save_checkpoint(self._copy(self._league), self.networks.state_dict())
        chosen = int(self._rng.integers(1, self._league + 1))
        self.past.load_state_dict(load_checkpoint(self._copy(chosen)) or {})

    def _copy(self, number: int) -> Path:
        return self.settings.directory / "past" / f"{number:04}.pt"

    # --- what is kept ------------------------------------------------------------------------------------------------

    def _save(self, metrics_size: int) -> None:
        hands = self.trainer.hands
        save_checkpoint(
            self.checkpoint,
            {
                "settings": _comparable(self.settings),
                "networks": self.networks.state_dict(),
                "past": self.past.state_dict(),
                "policy": self.trainer.policy.state_dict(),
                "average": self.trainer.average.state(),
                "hands": hands.state_dict() if hands else None,
                "rng": self._rng.bit_generator.state,
                "tables": self.play.tables.arrays(),
                "memory": self.play.memory.arrays(),
                "score": asdict(self.play.score),
                "decisions": self.play.decisions,
                "update": self.update,
                "seconds": self.seconds,
                "league": self._league,
                "metrics": metrics_size,
                "commands": self._commands,
            },
        )

    def _take_up(self) -> None:
        state = load_checkpoint(self.checkpoint)
        if state is None:
            return
        changed = [name for name, value in _comparable(self.settings).items() if state["settings"].get(name) != value]
        reseated = any(name in _SEATING for name in changed)
        if changed := [name for name in changed if name not in _SEATING]:
            what = " and ".join(changed)
            raise GameError(
                f"{self.checkpoint}: begun with another {what}; choose another folder, or the same settings"
            )
        self.networks.load_state_dict(state["networks"])
        self.past.load_state_dict(state["past"])
        self.trainer.resume(state["policy"])
        self.trainer.average.restore(state["average"])
        if self.trainer.hands:
            self.trainer.hands.load_state_dict(state["hands"])
        self._rng.bit_generator.state = state["rng"]
        if reseated:
            self.play = self._sit_down(state["update"])
        else:
            self._sit_down_again(state)
        self.play.decisions, self.update = state["decisions"], state["update"]
        self.seconds, self._league, self._metrics_size = state["seconds"], state["league"], state["metrics"]
        self._commands = list(dict.fromkeys([*state["commands"], *self._commands]))

    def _sit_down_again(self, state: dict[str, Any]) -> None:
        for name, array in self.play.tables.arrays().items():
            array[...] = state["tables"][name]
        self.play.memory.restore(state["memory"])
        self.play.score = Score(**state["score"])

    def save_weights(self, file: Path) -> None:
        """Write what plays, with its card."""
        settings = self.settings
        card = Card(
            game=settings.game,
            preset=settings.preset,
            abln=settings.abln,
            seed=settings.seed,
            data=self._data(),
            steps=self.play.decisions,
            hours=round(self.seconds / 3600, 2),
            command="; then ".join(self._commands),
        )
        playing = deepcopy(self.networks)
        playing.decision.load_state_dict(self.trainer.average.weights)
        save_networks(file, playing, card)

    def _data(self) -> str:
        settings = self.settings
        before = load_card(settings.start).data if settings.start else settings.records and settings.records.name
        return f"self-play, from {before}" if before else "self-play"


def _ppo(settings: Settings, preset: PPO) -> PPO:
    """The preset's, but for what the settings say."""
    asked = {name: getattr(settings, name) for name in ("learning_rate", "entropy", "rows")}
    return replace(preset, **{name: value for name, value in asked.items() if value is not None})


WARM_UP = 10
"""Updates at the start that teach the critic alone: before, it knows nothing, and would mislead the policy."""


def _comparable(settings: Settings) -> dict[str, Any]:
    """What must not change between two parts of a run."""
    values = {name: value for name, value in asdict(settings).items() if name not in _FREE}
    return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


_SEATING = ("tables", "against_kb", "against_past")
"""Where these change a run deals anew, and what was decided in the open episodes is lost."""

_FREE = ("directory", "decisions", "save_every", "device", "precision", "threads", "learning_rate", "entropy")
