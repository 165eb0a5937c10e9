"""The joint abduction loop (Chen et al. 2025, algorithm 2): play, abduce, learn, again.

A run lives in a folder. It goes on from its checkpoint by itself; what it does depends on its settings alone, so a run
that was interrupted ends as one that was not (where its workers have one thread each, and sums are always made in the
same order).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

import torch

from abl_cards.errors import GameError
from abl_cards.files import write_text
from abl_cards.loop.checkpoint import SUFFIX, Checkpoint, taken_up
from abl_cards.loop.crew import Alone, Post
from abl_cards.loop.helpers import Helpers, Lost, hired
from abl_cards.loop.lock import only_here
from abl_cards.loop.metrics import Metrics
from abl_cards.loop.models import League
from abl_cards.loop.preparation import Keeping, Tell, prepare
from abl_cards.loop.samples import Pooled
from abl_cards.loop.selfplay import Score
from abl_cards.loop.settings import KEPT, Settings, name_of
from abl_cards.loop.staff import OnThisMachine, Staff, Troupe
from abl_cards.loop.updates import Update
from abl_cards.loop.valuing import OwnGames, critic_fit
from abl_cards.loop.worker import PLAYERS, State, Turn, Worker, networks_of
from abl_cards.parallel import alone
from abl_cards.seeds import seed64
from abl_cards.settings import written
from learners.networks import Networks
from learners.presets import PRESETS, Preset
from learners.store import Card, load_card, load_weights, save_networks

ON_THIS_MACHINE = OnThisMachine()


@dataclass(frozen=True)
class Report:
    """How a run stands after an update."""

    update: int
    decisions: int
    seconds: float  # of the whole run
    pace: float  # decisions a second since the report before
    score: Score
    learned: Update
    pooled: Pooled

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
                values[f"episodes against {name}"] = episodes
                values[f"wins against {name}"] = round(int(self.score.won[number]) / episodes, 4)
                values[f"points against {name}"] = round(float(self.score.points[number]) / episodes, 4)
        learned = asdict(self.learned).items()
        values |= {name: None if value is None else round(value, 6) for name, value in learned}
        return values | _told(self.pooled)


def _told(pooled: Pooled) -> dict[str, Any]:
    """What a line says of the sample pool."""
    staleness = pooled.staleness
    return {
        "staleness": None if staleness is None else round(staleness, 3),
        "thrown away, pool full": pooled.full,
        "thrown away, stale": pooled.stale,
        "thrown away, repeated": pooled.repeated,
        "actors lost": pooled.lost,
    }


def preset_of(settings: Settings) -> Preset:
    """The preset of a run; raises GameError for a name that is none."""
    if settings.preset not in PRESETS:
        raise GameError(f"unknown preset '{settings.preset}' (there are: {', '.join(PRESETS)})")
    preset = PRESETS[settings.preset]
    return preset if settings.abln else preset.without_abln()


class Run(Worker):
    """A training run: the first of its workers, which keeps what all of them learn."""

    def __init__(
        self, settings: Settings, tell: Tell = lambda done, what: None, staff: Staff = ON_THIS_MACHINE
    ) -> None:
        """Begin, or take up, the run in the folder of the settings; raises GameError.

        Whoever else works on it comes from the staff.
        """
        if settings.threads:
            torch.set_num_threads(settings.threads)
        torch.manual_seed(seed64(settings.seed))
        self._staff, self._actors, self._born = staff, staff.actors(settings), 0
        chosen, settings = settings, replace(settings, workers=staff.workers(settings))
        engine = settings.engine()
        networks = networks_of(settings, preset_of(settings), engine)
        self.checkpoint = settings.directory / f"checkpoint{SUFFIX}"  # what the run goes on from
        name = name_of(settings.game, settings.preset)
        self.weights = settings.directory / f"{name}.safetensors"  # what plays in the end
        if settings.start:
            load_weights(settings.start, networks)
        self._kept = Checkpoint(self.checkpoint)
        with only_here(settings.directory):
            state = self._kept.load()
            if state is None:
                _keep(chosen)
                prepare(settings, engine, networks, tell)
        super().__init__(settings, networks, Post(0, settings.workers or 1), plays=not self._actors)
        self.decisions, self.seconds = 0, 0.0
        self.league = League(settings.directory / "past")
        self._metrics_size, self._commands = 0, [settings.command()]
        self._helpers, self._troupe = Helpers(), cast("Troupe | None", None)
        self.foreign_model = False  # whether a model that the run cannot save has taken the place of its networks
        self._others: list[State] = [{} for _ in range(1, self.post.size)]
        """What the others go on from."""
        if state is not None:
            with taken_up(self.checkpoint):
                self._resume(state)
        _keep(chosen)

    # --- the loop ----------------------------------------------------------------------------------------------------

    def go(self, tell: Callable[[Report], None] = lambda report: None, minutes: float | None = None) -> None:
        """Train until the decisions of the settings are made, or for minutes by the run's own count; then save.

        Raises GameError where the learner is a model of the caller's, which the run could neither save nor resume.
        """
        self._check_model()
        with only_here(self.settings.directory):
            self._kept.confirm()
            if self.decisions < self.settings.decisions or not self.checkpoint.exists():
                self._go_on(tell, None if minutes is None else self.seconds + 60 * minutes)
            self.save_weights(self.weights)

    def _go_on(self, tell: Callable[[Report], None], until: float | None) -> None:
        """Train; where a process is lost go back to the last checkpoint, unless there is none since the last loss."""
        kept = -1
        while True:
            try:
                with Metrics(self.settings.directory, self._metrics_size, self.update) as metrics, self.together():
                    self._train(metrics, tell, until)
                return
            except Lost as problem:
                state = self._kept.load()
                if state is None or state["update"] <= kept:
                    raise
                kept = state["update"]
                print(f"note: {problem}; going on from update {kept}", file=sys.stderr)
                self._resume(state)
                self.samples.lose(1)

    def _train(self, metrics: Metrics, tell: Callable[[Report], None], until: float | None) -> None:
        late = False
        while self.decisions < self.settings.decisions and not late:
            report = self.advance()
            metrics.write(report.to_json())
            tell(report)
            late = until is not None and self.seconds >= until
            if self.update % self.settings.save_every == 0:
                self._save(metrics.size())
        self._save(metrics.size())

    @contextmanager
    def together(self) -> Iterator[None]:
        """Meanwhile the other workers are there; raises GameError when one of them ends before."""
        with hired(len(self._others), self._staff.hire) as self._helpers, ExitStack() as meanwhile:
            self.trainer.crew = self._helpers.begin(self.settings, self.networks.preset, self.common(), self._others)
            if self._others or self._actors:
                meanwhile.enter_context(alone())
                meanwhile.callback(torch.set_num_threads, torch.get_num_threads())
                torch.set_num_threads(self.settings.threads or 1)
            if self._actors:
                self._troupe = meanwhile.enter_context(self._staff.playing(self, self._actors, self._born))
                self.players = self._troupe
            yield
            _, *self._others = self._all("own")
            self.trainer.crew = Alone()

    def _all(self, name: str, *arguments: Any) -> list[Any]:
        """What a method gives, in this worker and then in the others."""
        self._helpers.ask(name, *arguments)
        return [getattr(self, name)(*arguments), *self._helpers.answers()]

    def advance(self) -> Report:
        """Play until there is enough to learn from, and learn; nothing is saved. For several workers: together."""
        if len(self._helpers) != len(self._others):
            raise RuntimeError("this run has several workers, who are here `with run.together():`")
        began = time.monotonic()
        turn = Turn.of_all(self._all("turn", self.decisions / max(1, self.settings.decisions)))
        if self.update % self.settings.remember_every == 0:
            self._remember()
        spent = time.monotonic() - began
        self.seconds += spent
        self.decisions += turn.decisions
        return Report(
            self.update, self.decisions, self.seconds, turn.decisions / spent, turn.score, turn.learned, turn.pooled
        )

    def _remember(self) -> None:
        """Keep a copy of the learner, and let it meet one of the copies from now on."""
        self.league.remember(self.networks.state_dict())
        chosen = self.league.drawn(self._rng)
        state = self.league.weights(chosen)
        with taken_up(chosen):
            self.meet(state)  # here first, where what is wrong with it can be said
        self._all("meet", state)

    # --- what is kept ------------------------------------------------------------------------------------------------

    def _check_model(self) -> None:
        if self.foreign_model:
            raise GameError(
                "this run's learner is your own model, which cannot be saved or resumed: train it with run.advance() "
                "inside run.together(), and save it yourself"
            )

    def _save(self, metrics_size: int) -> None:
        state = {
            "settings": _comparable(self.settings),
            "parts": self._all("own"),
            "decisions": self.decisions,
            "seconds": self.seconds,
            "league": self.league.size,
            "born": self._troupe.born if self._troupe else self._born,
            "metrics": metrics_size,
            "commands": self._commands,
        }
        self._kept.save(self.common() | state)

    def _resume(self, state: State) -> None:
        begun = _comparable(Settings(self.settings.directory)) | state["settings"]  # older runs knew fewer
        parts = state["parts"]
        changed = [name for name, value in _comparable(self.settings).items() if begun.get(name) != value]
        if any(name in _SEATING for name in changed):
            parts = [{"rng": parts[0]["rng"]}, *self._others]
        if changed := [name for name in changed if name not in _SEATING]:
            what = "; ".join(f"{name}: begun with {written(begun.get(name))}" for name in changed)
            raise GameError(f"{self.checkpoint}: {what}. Leave out what the run knows, or choose another folder")
        try:
            self.take_up(state, parts[0])
        except GameError as problem:  # other rules
            raise GameError(f"{self.checkpoint}: {problem}") from None
        self._others = parts[1:]
        self.decisions, self.seconds = state["decisions"], state["seconds"]
        self._born = state.get("born", 0)
        self.league.size, self._metrics_size = state["league"], state["metrics"]
        self._commands = list(dict.fromkeys([*state["commands"], *self._commands]))

    def value_positions(self, tell: Tell = lambda done, what: None) -> None:
        """Let the critic learn from games of what plays in the end, where the settings say so; then save the weights.

        Nothing but its critic is changed in the run, which can go on.
        """
        self._check_model()
        settings, playing = self.settings, self._playing()
        if not settings.critic_lessons:
            return
        fit = critic_fit(playing, self.trainer.symmetries, settings.critic_steps, settings.seed)
        kept = settings.directory / f"critic-{self.decisions}{SUFFIX}"
        with only_here(settings.directory), Keeping(fit, "critic", kept, tell) as progress:
            games = OwnGames(self.engine, playing, self.ppo, settings.seed, settings.tables)
            games.teach(fit, settings.critic_lessons, progress, tell)
            self.networks.critic.load_state_dict(playing.critic.state_dict())
            self.save_weights(self.weights)

    def save_weights(self, file: Path) -> None:
        """Write what plays, with its card; raises GameError where that is a model of the caller's."""
        self._check_model()
        settings = self.settings
        card = Card(
            game=settings.game,
            preset=settings.preset,
            abln=settings.abln,
            seed=settings.seed,
            data=self._data(),
            steps=self.decisions,
            hours=round(self.seconds / 3600, 2),
            profile=settings.profile,
            stray=settings.stray,
            command="; then ".join(self._commands),
        )
        save_networks(file, self._playing(), card)

    def _playing(self) -> Networks:
        """The networks with the running mean of the policy."""
        playing = deepcopy(self.networks)
        playing.decision.load_state_dict(self.trainer.average.weights)
        return playing

    def _data(self) -> str:
        settings = self.settings
        before = load_card(settings.start).data if settings.start else settings.records and settings.records.name
        if settings.own_games and not before:
            before = f"{settings.own_games} games of {settings.own_player or 'kb'}"
        return f"self-play, from {before}" if before else "self-play"


def _keep(settings: Settings) -> None:
    """Let the folder remember the settings: the same command without them goes on."""
    write_text(settings.directory / KEPT, json.dumps(settings.kept(), indent=2, ensure_ascii=False) + "\n")


def _comparable(settings: Settings) -> dict[str, Any]:
    """What must not change between two parts of a run."""
    values = {name: value for name, value in asdict(settings).items() if name not in _FREE}
    return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


_SEATING = ("workers", "tables", "against_kb", "against_past", "foresight", "also_share")
"""Where these change a run deals anew, and what was decided in the open episodes is lost."""

_FREE = (
    "directory", "kb", "profile", "decisions", "save_every", "device", "precision", "threads", "learning_rate",
    "entropy", "critic_first", "critic_lessons", "critic_steps", "trace", "pool", "stale", "actors",
    "foresight_deals", "foresight_temperature", "foresight_weight", "foresight_values", "stray",
)  # fmt: skip
"""What may change between two parts of a run; of the rules that is where they lie."""
