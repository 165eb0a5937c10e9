"""A network learns to read pictures of cards by abduction: only the play that cards are, or what it beats, is given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import rules_fingerprint
from abl_cards.core import SEED_RANGE, ErrorCode, GameError, require_extra, setting, settings_to_json
from abl_cards.experiments.abduction_training import (
    Curve,
    ImageClassifier,
    report_curves,
    train_by_abduction,
    train_supervised,
)
from abl_cards.experiments.card_pictures import SIZE, draw_cards
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.report import ExperimentReport
from abl_cards.experiments.rules import GameConfig
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback

METHODS = ("rules", "ablkit", "few labels", "supervised")
FEEDBACK = ("label", "beats")


@dataclass(frozen=True, kw_only=True)
class CardReadingConfig(GameConfig):
    """Rules, feedback, and amount of data and training."""

    state: str = setting('{"level": "2"}', "JSON fields that decide the order of cards")
    methods: tuple[str, ...] = setting(METHODS, f"methods to compare: {', '.join(METHODS)}", is_required=True)
    feedback: str = setting("label", f"given beside each play: {' or '.join(FEEDBACK)}")
    sizes: tuple[int, ...] = setting((2, 3, 5), "numbers of cards of the plays", is_required=True)
    examples: int = setting(800, "plays to learn from")
    labelled: int = setting(2, "labelled pictures of each card", range(1000))
    loops: int = setting(15, "passes over the plays")
    test: int = setting(300, "plays to test with")
    revisions: int = setting(1, "most cards that plain ABLkit revises in a play", range(10))
    seeds: int = setting(3, "trainings of each method")
    seed: int = setting(0, "seed of the first training", SEED_RANGE)


@dataclass(frozen=True)
class _Plays:
    """Pictures of plays."""

    cards: list[NDArray[np.int64]]  # kinds of each play
    pictures: list[list[NDArray[np.float32]]]
    y: list[Any]


def draw_plays(kb: Any, settings: CardReadingConfig, count: int, random: np.random.Generator) -> _Plays:
    """Draw plays: a size, a label of this size, then cards of this label in any order."""
    cards, pictures, results = [], [], []
    for _ in range(count):
        sets = kb.finder.sets(int(random.choice(settings.sizes)))
        labels = np.unique(sets.label)
        rows = np.flatnonzero(sets.label == random.choice(labels))
        row = int(random.choice(rows))
        kinds = random.permutation(np.repeat(np.arange(sets.counts.shape[1]), sets.counts[row]))
        cards.append(kinds)
        pictures.append(list(draw_cards([kb.pseudo_label_list[kind] for kind in kinds], random)))
        results.append(_feedback(kb, settings, kinds, kb.engine.labels[sets.label[row]], random))
    return _Plays(cards, pictures, results)


def _feedback(
    kb: Any, settings: CardReadingConfig, kinds: NDArray[np.int64], label: str, random: np.random.Generator
) -> Any:
    """Return what is given of a play: its label, or whether it beats a pair, triple … of another rank."""
    if settings.feedback == "label":
        return label
    sets = kb.finder.sets(len(kinds))
    copies = kb.engine.rules.pack.copies - np.bincount(kinds, minlength=sets.counts.shape[1])
    possible = np.flatnonzero((sets.counts <= copies).all(axis=1))
    row = int(random.choice(possible))
    form = np.repeat(np.arange(sets.counts.shape[1]), sets.counts[row]).astype(np.uint8)
    other = kb.engine.notate_move(int(sets.form[row]), form).to_json()
    cards = [kb.pseudo_label_list[kind] for kind in kinds]
    return {"to_beat": other, "beats": kb.is_consistent(cards, {"to_beat": other, "beats": True})}


def train(settings: CardReadingConfig, method: str, seed: int, on_progress: ProgressCallback) -> Curve:
    """Train by one method; returns processor seconds, the share of cards and the share of plays that are read."""
    from ablkit.reasoning import KBBase, Reasoner

    from abl_cards.reasoners import HandKB, ProbabilityReasoner

    class PlaysByAblkit(KBBase):  # type: ignore[misc]  # ablkit has no types
        """ABLkit's search over the plays of a HandKB."""

        def logic_forward(self, pseudo_label: list[str]) -> Any:
            return kb.logic_forward(pseudo_label)

        def _check_equal(self, reasoning_result: Any, y: Any) -> bool:
            return bool(reasoning_result == y or (isinstance(reasoning_result, tuple) and y in reasoning_result))

    kb = HandKB(settings.engine, state=json.loads(settings.state))
    random = np.random.default_rng(seed)
    plays = draw_plays(kb, settings, settings.examples, random)
    test = draw_plays(kb, settings, settings.test, random)
    labelled = np.tile(np.arange(len(kb.pseudo_label_list)), settings.labelled)
    labelled_pictures = (
        list(draw_cards([kb.pseudo_label_list[kind] for kind in labelled], random)) if len(labelled) else []
    )
    model = ImageClassifier(len(kb.pseudo_label_list), SIZE, seed)
    test_pictures = [picture for pictures in test.pictures for picture in pictures]
    true_cards, ends = np.concatenate(test.cards), np.cumsum(list(map(len, test.cards)))

    def evaluate(model: ImageClassifier) -> list[float]:
        predicted = model.predict(test_pictures)
        read = [
            kb.logic_forward([kb.pseudo_label_list[kind] for kind in part])
            == kb.logic_forward([kb.pseudo_label_list[kind] for kind in truth])
            for part, truth in zip(np.split(predicted, ends[:-1]), test.cards, strict=True)
        ]
        return [float(np.mean(read)), float((predicted == true_cards).mean())]

    model.pretrain(labelled_pictures, labelled.tolist())
    if method in ("few labels", "supervised"):
        pictures = labelled_pictures if method == "few labels" else [p for row in plays.pictures for p in row]
        classes = labelled if method == "few labels" else np.concatenate(plays.cards)
        return train_supervised(model, pictures, classes.tolist(), settings.loops, evaluate, on_progress)
    reasoner = (
        ProbabilityReasoner(kb)
        if method == "rules"
        else Reasoner(PlaysByAblkit(kb.pseudo_label_list, use_cache=False), max_revision=settings.revisions)
    )
    return train_by_abduction(model, reasoner, plays.pictures, plays.y, settings.loops, evaluate, on_progress)


def report(curves: Mapping[tuple[str, int], Curve]) -> ExperimentReport:
    """Report the shares of cards and plays that are read, by method."""
    note = (
        "All begin with a few labelled pictures of each card. rules: the most probable cards that are the given play, "
        "by HandKB; ablkit: KBBase over equal plays, with a bound on revisions; few labels: nothing else; supervised: "
        "all cards are given. Suits matter to few plays, so a play can be read without its suits."
    )
    return report_curves(
        curves, ("plays", "cards"), "Pictures of cards read after learning from plays", note, "plays read"
    )


def run(settings: CardReadingConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Train all methods by seeds, or use stored results."""
    require_extra("learning")
    require_extra("plots")  # for its fonts
    if unknown := [method for method in settings.methods if method not in METHODS]:
        raise GameError(f"methods: {unknown[0]!r} is none of {', '.join(METHODS)}", ErrorCode.INVALID_SETTING)
    if settings.feedback not in FEEDBACK:
        raise GameError(f"feedback: {settings.feedback!r} is none of {', '.join(FEEDBACK)}", ErrorCode.INVALID_SETTING)
    methods = [method for method in settings.methods if method != "ablkit" or settings.feedback == "label"]
    seeds = range(settings.seed, settings.seed + settings.seeds)
    items = [(method, seed) for seed in seeds for method in methods]
    workspace.plan_cells(len(items))
    varying = ("methods", "seeds", "seed", "kb", "profile")
    same = {name: value for name, value in settings_to_json(settings).items() if name not in varying}
    rules = rules_fingerprint(settings.engine)

    def measure(item: tuple[str, int]) -> Curve:
        what = {"card_reading": same, "method": item[0], "seed": item[1], "rules": rules}
        text = f"{item[0]}, seed {item[1]}"
        curve: Curve = workspace.measure_cell(what, lambda tell: train(settings, *item, tell), text, settings.loops)
        return curve

    return report(workspace.measure_each(items, measure, report, lambda item: f"{item[0]} {item[1]}"))


EXPERIMENT = Experiment(
    "Cards read from pictures, learned by abduction from the plays alone, beside supervised learning and plain ABLkit",
    CardReadingConfig(),
    run,
    smoke={"examples": 8, "test": 8, "loops": 1, "seeds": 1, "sizes": (2,), "state": '{"level": "2"}'},
)
