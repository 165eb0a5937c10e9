"""Splitting hands by tagging their cards (Qiao et al.): a learner, rules that repair its tags, and both together.

As in the paper, a split is scored by the share of cards with the tag that they were played with. The hands are those of
the winners of held-out games. The first five active plays of each seat are also looked up in the split of the dealt
hand: the paper's Ph and Pg. Agents that play random deals are measured in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from abl_cards.core import SEED_RANGE, setting
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.report import ExperimentReport
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.seeds import SeedsConfig, over_seeds
from abl_cards.experiments.splitting_report import LEARNER_NAME, build_report
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback

if TYPE_CHECKING:
    from abl_cards.experiments.splitting_data import FirstPlays, SplitGames
    from abl_cards.learners import SplitterNetwork
    from abl_cards.reasoners.splits import Splits, Splitter

_EVAL_INTERVAL = 10


@dataclass(frozen=True)
class DoudizhuSplittingConfig(RulesConfig, SeedsConfig):
    """Training data and training time."""

    records: Path | None = setting(None, "games of DouZero; by default those beside the project")
    own_games: bool = setting(False, "learn from, and test on, games of kb against itself", formerly="own")
    games: int = setting(3500, "training games of kb against itself, with own_games=true")
    held_out: int = setting(500, "last games of the file, whose winners' hands are split")
    shares: tuple[float, ...] = setting(
        (0.003, 0.01, 0.03, 0.1, 0.3, 1.0), "shares of the games that have labels", is_required=True
    )
    loops: tuple[float, ...] = setting((0.003, 0.01, 0.1, 1.0), "shares at which the abduction loop runs too")
    preset: str = setting("small", "preset of the splitter")
    rounds: int = setting(100, "rounds of learning from labels alone")
    loop_rounds: int = setting(60, "rounds of the abduction loop")
    labelled: int = setting(640, "labelled hands a round, at most four times those available")
    unlabelled: int = setting(640, "hands without labels a round of the loop")
    weight: float = setting(12.0, "cost of a play in the loop's abductions, in nats")
    repair: float = setting(48.0, "cost of a play when answers are repaired, in nats")
    judges: tuple[str, ...] = setting(("kb",), "agents whose first active plays on random deals judge the splits")
    judge_deals: int = setting(1000, "random deals a judge", formerly="judged")
    unlabelled_rounds: int = setting(
        40, "rounds without labels, with and without the preference for few plays", formerly="collapse"
    )
    seed: int = setting(0, "seed of all random draws", SEED_RANGE)


def run(settings: DoudizhuSplittingConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Measure the baselines, the budgets, and training without labels."""
    from abl_cards.experiments.splitting_data import DEFAULT_PROFILE, load_recorded_games, play_kb_games
    from abl_cards.reasoners.splits import Splitter, load_split_rules

    rules = settings.kb, settings.profile or DEFAULT_PROFILE
    games = (
        play_kb_games(settings.games, settings.held_out, settings.seed, *rules)
        if settings.own_games and settings.records is None
        else load_recorded_games(settings.records, settings.held_out, *rules)
    )
    bench = _SplittingRunner(settings, workspace, games, Splitter.of(load_split_rules(*rules)))
    every = [BASELINES]
    every += [SplittingRun("labels alone", share) for share in settings.shares]
    every += [SplittingRun("loop", share) for share in settings.loops]
    every += [SplittingRun(name) for name in _UNLABELLED_RUNS if settings.unlabelled_rounds]
    every += [SplittingRun(name, is_judge=True) for name in settings.judges]
    workspace.plan_cells(len(every))

    def measure(splitting_run: SplittingRun) -> dict[str, Any]:
        if splitting_run == BASELINES:
            return bench.baselines()
        if splitting_run.is_judge:
            return bench.judge_splits(splitting_run.method)
        if splitting_run.method in _UNLABELLED_RUNS:
            return bench.train_unlabelled(_UNLABELLED_RUNS[splitting_run.method])
        return bench.train_splitter(splitting_run.share, loop=splitting_run.method == "loop")

    return report(workspace.measure_each(every, measure, report))


class SplittingRun(NamedTuple):
    """Cell of the experiment: a method with a share of the labels, or an agent whose games test the splits."""

    method: str
    share: float = 0.0
    is_judge: bool = False

    def __str__(self) -> str:
        if self.is_judge:
            return f"judged by {self.method}"
        return f"{self.method}, {self.share:.1%} of the labels" if self.share else self.method


BASELINES = SplittingRun("baselines")


def report(results: Mapping[SplittingRun, dict[str, Any]]) -> ExperimentReport:
    """Make the report of the finished cells; the baselines are always measured first."""
    taught, looped = (
        {splitting_run.share: result for splitting_run, result in results.items() if splitting_run.method == way}
        for way in ("labels alone", "loop")
    )
    collapse = {
        splitting_run.method: result
        for splitting_run, result in results.items()
        if splitting_run.method in _UNLABELLED_RUNS
    }
    judged = {splitting_run.method: result for splitting_run, result in results.items() if splitting_run.is_judge}
    return build_report(results[BASELINES], taught, looped, collapse, judged)


_UNLABELLED_RUNS = {"rules alone": 0.0, "rules and few plays": None}
"""Runs without labels by what the reasoner heeds: the weight of a play, None for that of the settings."""


@dataclass(frozen=True)
class _SplittingRunner:
    """Trainer and scorer of splitters, with results in a workspace."""

    settings: DoudizhuSplittingConfig
    workspace: ExperimentWorkspace
    games: SplitGames
    splitter: Splitter

    def baselines(self) -> dict[str, dict[str, float]]:
        """Return the scores of the baselines without a learner."""
        what = {"what": "baselines"} | self._fingerprints()
        scores: dict[str, dict[str, float]] = self.workspace.measure_cell(
            what, lambda tell: {name: self._scores(split) for name, split in self._split_methods().items()}, "baselines"
        )
        return scores

    def _split_methods(self) -> dict[str, Callable[[Any], Splits]]:
        from abl_cards.reasoners.splits import split_greedily

        return {
            "40 orders": partial(split_greedily, self.splitter),
            "fewest pieces": self.splitter.fewest_pieces,
            "preferences alone": self.splitter.best_by_rules,
        }

    def judge_splits(self, name: str) -> dict[str, Any]:
        """Measure how many of the agent's first active plays on random deals are part of each split."""
        from abl_cards.experiments.agent_specs import load_agents

        (player,) = load_agents([name], self.splitter.rules.engine)
        share, settings = max(self.settings.shares), self.settings
        self.train_splitter(share, loop=False)
        what = {"judge": name, "mark": player.fingerprint, "deals": settings.judge_deals, "share": share,
        "rounds": settings.rounds,
                "preset": settings.preset, "labelled": settings.labelled, "repair": settings.repair,
                "seed": settings.seed}  # fmt: skip

        def work(tell: ProgressCallback) -> dict[str, float]:
            from abl_cards.experiments.splitting_data import FirstPlays
            from abl_cards.hand_analysis import play_games

            rules = self.splitter.rules
            first = FirstPlays.from_games(rules, play_games(rules, player.agent, settings.judge_deals, settings.seed))
            ways = self._split_methods() | {
                LEARNER_NAME: partial(self._repaired_splits, self._load_network(share, tell), settings.repair)
            }
            return {way: first.recall(split(first.hands)) for way, split in ways.items()}

        result: dict[str, Any] = self.workspace.measure_cell(what | self._fingerprints(), work, f"judged by {name}")
        return result

    def _load_network(self, share: float, on_progress: ProgressCallback) -> SplitterNetwork:
        """Load the splitter of a share of the labels; train it first if its file is missing."""
        from abl_cards.learners import load_splitter

        file = self._weights_file(f"labels-{share:g}", self.settings.rounds)
        if not file.exists():
            self._train(f"labels-{share:g}", share, self.settings.rounds, 0, self.settings.weight, on_progress)
        return load_splitter(file)[0]

    def _weights_file(self, name: str, rounds: int) -> Path:
        folder = self.workspace.folder / f"{name}-{self.settings.preset}-{rounds}-{self.settings.seed}"
        return folder / f"doudizhu-splitter-{self.settings.preset}.safetensors"

    def train_splitter(self, share: float, loop: bool) -> dict[str, Any]:
        """Train a splitter with a share of the labels; measure it with and without repair."""
        settings = self.settings
        rounds = settings.loop_rounds if loop else settings.rounds
        name = f"{'loop' if loop else 'labels'}-{share:g}"
        what = {
            "what": name, "rounds": rounds, "preset": settings.preset, "labelled": settings.labelled,
            "unlabelled": settings.unlabelled if loop else 0, "weight": settings.weight, "repair": settings.repair,
            "seed": settings.seed,
        }  # fmt: skip
        work = partial(self._train, name, share, rounds, settings.unlabelled if loop else 0, settings.weight)
        text = f"{'loop' if loop else 'labels alone'}, {share:.1%} of the labels"
        result: dict[str, Any] = self.workspace.measure_cell(what | self._fingerprints(), work, text, rounds)
        return result

    def train_unlabelled(self, weight: float | None) -> dict[str, Any]:
        """Train the loop without labels."""
        settings = self.settings
        used = settings.weight if weight is None else weight
        name, rounds = f"unlabelled-{used:g}", settings.unlabelled_rounds
        what = {"what": name, "rounds": rounds, "preset": settings.preset, "unlabelled": settings.unlabelled,
                "weight": used, "seed": settings.seed}  # fmt: skip
        work = partial(self._train, name, 0.0, rounds, settings.unlabelled, used)
        result: dict[str, Any] = self.workspace.measure_cell(
            what | self._fingerprints(), work, f"no labels, weight {used:g}", rounds
        )
        return result

    def _fingerprints(self) -> dict[str, Any]:
        """Return the digests of all inputs of the results."""
        from abl_cards.agents import knowledge_fingerprint

        return {"games": self.games.fingerprint, "held out": len(self.games.held_out),
                "rules": knowledge_fingerprint(self.splitter.rules.kb)}  # fmt: skip

    def _train(
        self, name: str, share: float, rounds: int, unlabelled: int, weight: float, on_progress: ProgressCallback
    ) -> dict[str, Any]:
        from abl_cards.hand_analysis import SplitBridge, SplitTrainConfig
        from abl_cards.learners import SplitterCard, save_splitter
        from abl_cards.training import read_metrics

        settings = self.settings
        labelled, unlabelled_games = self.games.draw_labelled(share, settings.seed)
        file = self._weights_file(name, rounds)
        chosen = SplitTrainConfig(
            directory=file.parent, preset=settings.preset, rounds=rounds,
            labelled_per_round=min(settings.labelled, 4 * len(labelled)), unlabelled_per_round=unlabelled,
            play_cost=weight, seed=settings.seed, eval_interval=_EVAL_INTERVAL,
        )  # fmt: skip
        bridge = SplitBridge(chosen, self.splitter, labelled, unlabelled_games)
        bridge.train(evaluate=self._evaluate, on_progress=on_progress)
        scores = self._network_scores(bridge.network)
        hands = rounds * (chosen.labelled_per_round + chosen.unlabelled_per_round)
        card = SplitterCard(
            "doudizhu", settings.preset, settings.seed, settings.repair,
            f"games {self.games.fingerprint}, {len(labelled)} hands with labels", hands, round(bridge.seconds / 3600,
            3),
            "abl-cards run doudizhu_splitting", scores,
        )  # fmt: skip
        save_splitter(file, bridge.network, card)
        lines = [line for line in read_metrics(file.parent) if "accuracy" in line]
        return {"hands": len(labelled), "scores": scores, "path": lines}

    def _evaluate(self, network: SplitterNetwork) -> dict[str, float]:
        """Evaluate the learner alone during training."""
        from abl_cards.experiments.splitting_data import single_share, tag_accuracy

        truth = self.games.held_out.tag_winning_hands()
        tags = _most_probable_tags(network, truth.hands)
        return {
            "accuracy": tag_accuracy(tags, truth),
            "singles": single_share(tags, truth),
            "consistent": float(self.splitter.consistent(truth.hands, tags).mean()),
        }

    def _network_scores(self, network: SplitterNetwork) -> dict[str, dict[str, float]]:
        alone = self._scores(None, lambda hands: _most_probable_tags(network, hands))
        return {
            "alone": alone,
            "by the rules": self._scores(partial(self._repaired_splits, network, 0.0)),
            "repaired": self._scores(partial(self._repaired_splits, network, self.settings.repair)),
        }

    def _repaired_splits(self, network: SplitterNetwork, weight: float, hands: Any) -> Splits:
        from abl_cards.hand_analysis import compute_marginals

        return self.splitter.best(hands, np.log(np.maximum(compute_marginals(network, hands), 1e-5)), weight)

    def _scores(
        self, split: Callable[[Any], Splits] | None, tag: Callable[[Any], Any] | None = None
    ) -> dict[str, float]:
        """Compute the accuracy, the share of consistent tags, and the recall of first plays."""
        from abl_cards.experiments.splitting_data import FirstPlays, tag_accuracy

        truth = self.games.held_out.tag_winning_hands()
        tags = split(truth.hands).tags if split else tag(truth.hands)  # type: ignore[misc]
        scores = {"accuracy": tag_accuracy(tags, truth)}
        scores["consistent"] = float(self.splitter.consistent(truth.hands, tags).mean())
        first: FirstPlays = FirstPlays.from_games(self.splitter.rules, self.games.held_out)
        if split:
            return scores | {"first plays": first.recall(split(first.hands))}
        return scores


def _most_probable_tags(network: SplitterNetwork, hands: Any) -> Any:
    """Return the most probable tags [n, 20] of the network (Viterbi)."""
    from abl_cards.games.min_plays import key_counts
    from abl_cards.learners import CardSequences
    from abl_cards.reasoners.splits import NO_TAG

    tags = network.decode(CardSequences.from_counts(key_counts(hands))).numpy()
    return np.where(tags < 0, NO_TAG, tags).astype(np.uint8)


EXPERIMENT = Experiment(
    "Splitting Dou dizhu hands: BiLSTM-CRF, repair by rules, abduction loop, from few labels and many",
    DoudizhuSplittingConfig(),
    over_seeds(run),
    smoke={
        "own_games": True, "games": 60, "held_out": 20, "shares": (0.1, 1.0), "loops": (0.1,), "rounds": 3,
        "loop_rounds": 3,
        "labelled": 64, "unlabelled": 64, "unlabelled_rounds": 2, "judge_deals": 20,
    },
)  # fmt: skip
