"""Splitting hands by tagging their cards (Qiao et al.): the learner, the rules that repair it, and both together.

A split is scored as in the paper, by the share of cards with the tag that they were played with. The hands are those of
the winners of held-out games. Beside that stands how much of what the seats led with, in their first five active plays,
is there in the split of the hand as dealt: the paper's Ph and Pg. Agents that play random deals judge splits likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from abl_cards.settings import SEEDS, setting
from experiments.desk import Desk, Tell
from experiments.experiment import Experiment
from experiments.report import Report
from experiments.rules import ByRules
from experiments.splitting_report import LEARNER, report_of

if TYPE_CHECKING:
    from experiments.splitting_data import FirstPlays, Games
    from learners.splitter import SplitNetwork
    from reasoners.splits import Splits, Splitter

_EVERY = 10


@dataclass(frozen=True)
class Settings(ByRules):
    """What is learned from, and for how long."""

    records: Path | None = setting(None, "games of DouZero; by default those beside the project")
    own: bool = setting(False, "learn from games of kb against itself instead, and hold some of these out")
    games: int = setting(3500, "of kb against itself to learn from, with own=true")
    held_out: int = setting(500, "the last games of the file, whose winners' hands are split")
    shares: tuple[float, ...] = setting((0.003, 0.01, 0.03, 0.1, 0.3, 1.0), "of the games that have labels")
    loops: tuple[float, ...] = setting((0.003, 0.01, 0.1, 1.0), "shares at which the abduction loop is run as well")
    preset: str = setting("small", "of the splitter")
    rounds: int = setting(100, "of learning from labels alone")
    loop_rounds: int = setting(60, "of the abduction loop")
    labelled: int = setting(640, "hands with labels a round, at most four times as many as there are")
    unlabelled: int = setting(640, "hands without labels a round of the loop")
    weight: float = setting(12.0, "what a play weighs in the loop's abductions, in nats")
    repair: float = setting(48.0, "what it weighs when answers are repaired; chosen on training games without labels")
    judges: tuple[str, ...] = setting(("kb",), "agents whose first active plays on random deals judge the splits")
    judged: int = setting(1000, "random deals a judge")
    collapse: int = setting(40, "rounds without any labels, with the preference for few plays and without it")
    seed: int = setting(0, "of what is drawn", SEEDS)


def run(settings: Settings, desk: Desk) -> Report:
    """The baselines, the budgets, and what becomes of the loop without its preference."""
    from experiments.splitting_data import PROFILE, kb_games, recorded_games
    from reasoners.split_rules import rules_of
    from reasoners.splits import Splitter

    rules = settings.kb, settings.profile or PROFILE
    games = (
        kb_games(settings.games, settings.held_out, settings.seed, *rules)
        if settings.own
        else recorded_games(settings.records, settings.held_out, *rules)
    )
    bench = _Bench(settings, desk, games, Splitter.of(rules_of(*rules)))
    every = [BASELINES]
    every += [Training("labels alone", share) for share in settings.shares]
    every += [Training("loop", share) for share in settings.loops]
    every += [Training(name) for name in _COLLAPSE if settings.collapse]
    every += [Training(name, judging=True) for name in settings.judges]
    desk.plan(len(every))

    def measure(wanted: Training) -> dict[str, Any]:
        if wanted == BASELINES:
            return bench.baselines()
        if wanted.judging:
            return bench.judged(wanted.way)
        if wanted.way in _COLLAPSE:
            return bench.collapse(_COLLAPSE[wanted.way])
        return bench.taught(wanted.share, loop=wanted.way == "loop")

    return report(desk.each(every, measure, report))


class Training(NamedTuple):
    """A way to learn, or not to, and the share of the labels that there are; or an agent whose games judge."""

    way: str
    share: float = 0.0
    judging: bool = False

    def __str__(self) -> str:
        if self.judging:
            return f"judged by {self.way}"
        return f"{self.way}, {self.share:.1%} of the labels" if self.share else self.way


BASELINES = Training("baselines")


def report(found: Mapping[Training, dict[str, Any]]) -> Report:
    """The baselines are measured first; of the others those that are there."""
    taught, looped = (
        {each.share: result for each, result in found.items() if each.way == way} for way in ("labels alone", "loop")
    )
    collapse = {each.way: result for each, result in found.items() if each.way in _COLLAPSE}
    judged = {each.way: result for each, result in found.items() if each.judging}
    return report_of(found[BASELINES], taught, looped, collapse, judged)


_COLLAPSE = {"rules alone": 0.0, "rules and few plays": None}
"""Runs without labels by what the reasoner heeds: the weight of a play, None for that of the settings."""


@dataclass(frozen=True)
class _Bench:
    """Teaches and scores splitters; everything it finds is kept at the desk."""

    settings: Settings
    desk: Desk
    games: Games
    splitter: Splitter

    def baselines(self) -> dict[str, dict[str, float]]:
        """What needs no learner."""
        what = {"what": "baselines"} | self._marks()
        found: dict[str, dict[str, float]] = self.desk.cell(
            what, lambda tell: {name: self._scores(split) for name, split in self._ways().items()}, "baselines"
        )
        return found

    def _ways(self) -> dict[str, Callable[[Any], Splits]]:
        from reasoners.split_orders import by_orders

        return {
            "40 orders": partial(by_orders, self.splitter),
            "fewest pieces": self.splitter.fewest,
            "preferences alone": self.splitter.preferred,
        }

    def judged(self, name: str) -> dict[str, Any]:
        """The share of an agent's first active plays on random deals that are in each split; the learner is taught."""
        from experiments.players import players

        (player,) = players([name], self.splitter.rules.engine)
        share, settings = max(self.settings.shares), self.settings
        self.taught(share, loop=False)
        what = {"judge": name, "mark": player.mark, "deals": settings.judged, "share": share, "rounds": settings.rounds,
                "preset": settings.preset, "labelled": settings.labelled, "repair": settings.repair,
                "seed": settings.seed}  # fmt: skip

        def work(tell: Tell) -> dict[str, float]:
            from abl_cards.loop.split_labels import own_games
            from experiments.splitting_data import FirstPlays

            rules = self.splitter.rules
            first = FirstPlays.of(rules, own_games(rules, player.agent, settings.judged, settings.seed))
            ways = self._ways() | {LEARNER: partial(self._repaired, self._network(share, tell), settings.repair)}
            return {way: first.found_in(split(first.hands)) for way, split in ways.items()}

        found: dict[str, Any] = self.desk.cell(what | self._marks(), work, f"judged by {name}")
        return found

    def _network(self, share: float, tell: Tell) -> SplitNetwork:
        """The learner of this share of the labels: the one that was kept, or taught again where none was."""
        from learners.splitter import load_splitter

        file = self._weights(f"labels-{share:g}", self.settings.rounds)
        if not file.exists():
            self._teach(f"labels-{share:g}", share, self.settings.rounds, 0, self.settings.weight, tell)
        return load_splitter(file)[0]

    def _weights(self, name: str, rounds: int) -> Path:
        folder = self.desk.folder / f"{name}-{self.settings.preset}-{rounds}-{self.settings.seed}"
        return folder / f"doudizhu-splitter-{self.settings.preset}.safetensors"

    def taught(self, share: float, loop: bool) -> dict[str, Any]:
        """A splitter taught with a share of the labels, alone and repaired, and how it came there."""
        settings = self.settings
        rounds = settings.loop_rounds if loop else settings.rounds
        name = f"{'loop' if loop else 'labels'}-{share:g}"
        what = {
            "what": name, "rounds": rounds, "preset": settings.preset, "labelled": settings.labelled,
            "unlabelled": settings.unlabelled if loop else 0, "weight": settings.weight, "repair": settings.repair,
            "seed": settings.seed,
        }  # fmt: skip
        work = partial(self._teach, name, share, rounds, settings.unlabelled if loop else 0, settings.weight)
        text = f"{'loop' if loop else 'labels alone'}, {share:.1%} of the labels"
        found: dict[str, Any] = self.desk.cell(what | self._marks(), work, text, rounds)
        return found

    def collapse(self, weight: float | None) -> dict[str, Any]:
        """The loop without any labels."""
        settings = self.settings
        used = settings.weight if weight is None else weight
        name, rounds = f"unlabelled-{used:g}", settings.collapse
        what = {"what": name, "rounds": rounds, "preset": settings.preset, "unlabelled": settings.unlabelled,
                "weight": used, "seed": settings.seed}  # fmt: skip
        work = partial(self._teach, name, 0.0, rounds, settings.unlabelled, used)
        found: dict[str, Any] = self.desk.cell(what | self._marks(), work, f"no labels, weight {used:g}", rounds)
        return found

    def _marks(self) -> dict[str, Any]:
        """What every result depends on."""
        from experiments.players import files_mark

        return {"games": self.games.mark, "held out": len(self.games.held_out),
                "rules": files_mark(self.splitter.rules.kb.files)}  # fmt: skip

    def _teach(
        self, name: str, share: float, rounds: int, unlabelled: int, weight: float, tell: Tell
    ) -> dict[str, Any]:
        from abl_cards.loop.metrics import read_metrics
        from abl_cards.loop.splitting import SplitBridge, SplitSettings
        from learners.splitter import SplitterCard, save_splitter

        settings = self.settings
        labelled, rest = self.games.budget(share, settings.seed)
        file = self._weights(name, rounds)
        chosen = SplitSettings(
            directory=file.parent, preset=settings.preset, rounds=rounds,
            labelled=min(settings.labelled, 4 * len(labelled)), unlabelled=unlabelled,
            weight=weight, seed=settings.seed, measure_every=_EVERY,
        )  # fmt: skip
        bridge = SplitBridge(chosen, self.splitter, labelled, rest)
        bridge.train(measure=self._measure, tell=tell)
        scores = self._network_scores(bridge.network)
        hands = rounds * (chosen.labelled + chosen.unlabelled)
        card = SplitterCard(
            "doudizhu", settings.preset, settings.seed, settings.repair,
            f"games {self.games.mark}, {len(labelled)} hands with labels", hands, round(bridge.seconds / 3600, 3),
            "abl-cards run doudizhu_splitting", scores,
        )  # fmt: skip
        save_splitter(file, bridge.network, card)
        lines = [line for line in read_metrics(file.parent) if "accuracy" in line]
        return {"hands": len(labelled), "scores": scores, "path": lines}

    def _measure(self, network: SplitNetwork) -> dict[str, float]:
        """How the learner does alone, on the way."""
        from experiments.splitting_data import accuracy, share_of_singles

        truth = self.games.held_out.won()
        tags = _best(network, truth.hands)
        return {
            "accuracy": accuracy(tags, truth),
            "singles": share_of_singles(tags, truth),
            "consistent": float(self.splitter.consistent(truth.hands, tags).mean()),
        }

    def _network_scores(self, network: SplitNetwork) -> dict[str, dict[str, float]]:
        alone = self._scores(None, lambda hands: _best(network, hands))
        return {
            "alone": alone,
            "by the rules": self._scores(partial(self._repaired, network, 0.0)),
            "repaired": self._scores(partial(self._repaired, network, self.settings.repair)),
        }

    def _repaired(self, network: SplitNetwork, weight: float, hands: Any) -> Splits:
        from abl_cards.loop.splitting import marginals

        return self.splitter.best(hands, np.log(np.maximum(marginals(network, hands), 1e-5)), weight)

    def _scores(
        self, split: Callable[[Any], Splits] | None, tag: Callable[[Any], Any] | None = None
    ) -> dict[str, float]:
        """Accuracy, the share of hands whose tags are a split, and of first plays that are found."""
        from experiments.splitting_data import FirstPlays, accuracy

        truth = self.games.held_out.won()
        tags = split(truth.hands).tags if split else tag(truth.hands)  # type: ignore[misc]
        found = {"accuracy": accuracy(tags, truth)}
        found["consistent"] = float(self.splitter.consistent(truth.hands, tags).mean())
        first: FirstPlays = FirstPlays.of(self.splitter.rules, self.games.held_out)
        if split:
            return found | {"first plays": first.found_in(split(first.hands))}
        return found


def _best(network: SplitNetwork, hands: Any) -> Any:
    """[n, 20] the learner's own most probable tags (Viterbi)."""
    from abl_cards.games.counting.keys import counts_of
    from learners.splitter import Sequences
    from reasoners.split_kernels import NO_TAG

    found = network.best(Sequences.of(counts_of(hands))).numpy()
    return np.where(found < 0, NO_TAG, found).astype(np.uint8)


EXPERIMENT = Experiment(
    "Splitting Dou dizhu hands: BiLSTM-CRF, repair by rules, abduction loop, from few labels and many",
    Settings(),
    run,
    smoke={
        "own": True, "games": 60, "held_out": 20, "shares": (0.1, 1.0), "loops": (0.1,), "rounds": 3, "loop_rounds": 3,
        "labelled": 64, "unlabelled": 64, "collapse": 2, "judged": 20,
    },
)  # fmt: skip
