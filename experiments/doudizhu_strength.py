"""Equal strength (Xin and Li 2023): classes of difficulty from played deals, a network that tells them, deals to order.

Deals are played many times, clustered by what came of it, and numbered by how often the landlord won. A network learns
to tell the class from the cards, a generator deals until it is sure, and the generated deals are played out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from abl_cards.agents import agent, checked_name
from abl_cards.arena import wilson
from abl_cards.games import game
from abl_cards.games.counting.keys import counts_of
from abl_cards.loop.checkpoint import SUFFIX
from abl_cards.records import data_folder, read_records, readable, write_records
from abl_cards.settings import SEEDS, setting
from abl_cards.strength.difficulty import Deals, Difficulty, choose
from abl_cards.strength.judge import CLASSES, StrengthJudge, inputs_of, load_judge
from abl_cards.strength.orders import Order, fill
from abl_cards.strength.played import Sample, gather, play_out, read_pairing
from abl_cards.strength.rules import StrengthRules
from abl_cards.strength.training import HELD_OUT, Lessons, held_out, judged, train
from experiments.desk import Desk, Tell
from experiments.experiment import Experiment
from experiments.players import files_mark, rules_mark
from experiments.players import mark as mark_of
from experiments.report import Report
from experiments.rules import ByRules
from experiments.strength_tables import Findings, Results, report
from experiments.strength_views import VIEWS, silhouettes
from learners.clusters import Classes, Whitening
from learners.store import write_weights
from learners.strength import STRENGTH_PRESETS, StrengthCard

RECORDS = "doudizhu_douzero_selfplay.jsonl.gz"
RECORDED_BY = "douzero"  # the profile of the recorded games
_VARIANTS = (
    "kb",
    *(f"kb:without={group}" for group in ("control", "bombs", "partner", "passing", "leading", "following")),
)
PAIRINGS = (
    "kb", *[f"{one}/{_VARIANTS[(place + step) % 7]}" for place, one in enumerate(_VARIANTS) for step in (0, 1, 3)][1:],
    "greedy", "kb/greedy", "greedy/kb",
)  # fmt: skip
"""Landlord and peasants: every variant of kb against three, and greedy."""


@dataclass(frozen=True)
class Settings(ByRules):
    """What is played, learned, made and tried."""

    records: Path | None = setting(None, f"recorded games; by default {RECORDS} of ABL_CARDS_DATA, if it is there")
    games: int = setting(4_000, "recorded games at most")
    deals: int = setting(20_000, "random deals more")
    pairings: tuple[str, ...] = setting(PAIRINGS, "who plays each deal: LANDLORD/PEASANTS, or one for all")
    sample: int = setting(1_000, "deals that are clustered together")
    draws: int = setting(120, "samples that are tried")
    preset: str = setting("small", f"of the network: {', '.join(STRENGTH_PRESETS)}")
    epochs: int = setting(20, "of training")
    confidence: float = setting(0.9, "the least probability of the class of a generated deal")
    made: int = setting(1_000, "deals that are generated for each class, and played out")
    agents: tuple[str, ...] = setting(("kb", "greedy", "random"), "each plays the generated deals in all seats")
    seed: int = setting(0, "of deals, samples, weights and batches", SEEDS)


def run(settings: Settings, desk: Desk) -> Report:
    """Play, cluster, learn, make, and play again."""
    torch.set_num_threads(1)  # small networks gain nothing from threads, and results depend on nothing else
    engine = StrengthRules.of(settings.engine_of("doudizhu"))
    desk.plan(len(VIEWS) * 2 + 3 + CLASSES * (1 + len(settings.agents)))
    sample, mark = _gathered(settings, desk, engine)
    found = Findings(sample)
    desk.so_far(lambda: report(found))
    _views(settings, desk, sample, mark, found.views)
    found.difficulty, found.draws = _classes(settings, desk, engine, sample, mark)
    desk.so_far(lambda: report(found))
    label = found.difficulty.classes(sample.features)
    taught = _taught(settings, desk, engine, sample, label, {**mark, "classes": found.difficulty.won})
    found.taught = taught
    desk.so_far(lambda: report(found))
    judge, _ = load_judge(engine.game, engine.scorer, desk.folder / taught["weights"])
    for number in range(CLASSES):
        found.made.append(_made(settings, desk, engine, judge, number, taught["digest"]))
        desk.so_far(lambda: report(found))
    for each in found.made:
        found.played.append(_played(settings, desk, engine, each))
        desk.so_far(lambda: report(found))
    return report(found)


# --- played deals ----------------------------------------------------------------------------------------------------


def _gathered(settings: Settings, desk: Desk, engine: StrengthRules) -> tuple[Sample, dict[str, Any]]:
    """The played deals, and what they depend on."""
    file = settings.records or data_folder() / RECORDS
    records = readable(file)[: settings.games] if settings.games and (settings.records or file.is_file()) else []
    what = {
        "sample": settings.deals, "pairings": settings.pairings, "seed": settings.seed,
        "rules": rules_mark(engine.engine), "players": _marks(settings.pairings, engine),
        "records": files_mark([file]) if records else None, "games": len(records),
    }  # fmt: skip

    def work(tell: Tell) -> dict[str, str]:
        there = (game("doudizhu").engine(settings.kb, RECORDED_BY), records) if records else None
        sample = gather(engine, there, settings.deals, settings.pairings, settings.seed, tell)
        name = f"sample-{sample.digest()}{SUFFIX}"
        sample.save(desk.folder / name)
        return {"file": name}

    found = desk.cell(what, work, "deals played", len(settings.pairings))
    return Sample.load(desk.folder / found["file"]), {"sample": found["file"], "seed": settings.seed}


def _marks(pairings: Sequence[str], engine: StrengthRules) -> list[tuple[str, str]]:
    """Who plays by more than the rules, with the marks of that."""
    names, rules = sorted({name for pairing in pairings for name in read_pairing(pairing)}), rules_mark(engine.engine)
    marks = [(name, mark_of(checked_name(name), engine.engine)) for name in names]
    return [(name, mark) for name, mark in marks if mark != rules]


# --- clusters --------------------------------------------------------------------------------------------------------


def _views(
    settings: Settings, desk: Desk, sample: Sample, mark: Mapping[str, Any], found: dict[str, dict[str, Results]]
) -> None:
    """Find silhouettes by view, of means over games and of games played once."""
    sources = {"mean of all games": sample.features} | ({"one game a deal": sample.once} if len(sample.once) else {})
    for source, features in sources.items():
        rows = np.random.default_rng(settings.seed).permutation(len(features))[: settings.sample]
        for name in VIEWS:
            found.setdefault(source, {})[name] = _view(desk, source, name, features[rows], mark)


def _view(desk: Desk, source: str, name: str, features: NDArray[np.float64], mark: Mapping[str, Any]) -> dict[str, Any]:
    what = {"silhouettes": name, "source": source, "size": len(features), **mark}
    work = partial(silhouettes, features, CLASSES, VIEWS[name])
    return dict(desk.cell(what, lambda tell: work(), f"silhouettes, {source}, {name}"))


def seen(engine: StrengthRules, sample: Sample) -> NDArray[np.float64]:
    """[n, inputs] of each hand the points, the plays, the cards from the king on, and the bombs."""
    plays = engine.scorer.score(sample.hands.parts.ravel()).plays.reshape(-1, 3)
    counts = counts_of(sample.hands.parts)
    return np.concatenate(
        [sample.points, plays, counts[:, :, 10:].reshape(len(counts), -1), (counts == 4).sum(axis=2)], axis=1
    ).astype(np.float64)


def _classes(
    settings: Settings, desk: Desk, engine: StrengthRules, sample: Sample, mark: Mapping[str, Any]
) -> tuple[Difficulty, list[dict[str, Any]]]:
    """The classes, and a line on each of the samples that were tried."""

    def work(tell: Tell) -> dict[str, Any]:
        deals = Deals(sample.features, sample.outcomes.won, seen(engine, sample), sample.alike)
        best, every = choose(deals, settings.sample, CLASSES, settings.seed, settings.draws, tell)
        arrays = {
            "mean": best.classes.whitening.mean, "matrix": best.classes.whitening.matrix,
            "exemplars": best.classes.exemplars, "label": best.classes.label,
        }  # fmt: skip
        told = ("first", "silhouettes", "shares", "won", "sure")
        lines = [{name: getattr(each, name) for name in told} | {"chosen": each is best} for each in every]
        return {"classes": {name: array.tolist() for name, array in arrays.items()}, "draws": lines}

    found = desk.cell({"classes": settings.sample, "draws": settings.draws, **mark}, work, "classes", settings.draws)
    kept = {name: np.array(values) for name, values in found["classes"].items()}
    chosen = next(line for line in found["draws"] if line["chosen"])
    classes = Classes(Whitening(kept["mean"], kept["matrix"]), kept["exemplars"], kept["label"])
    (one, two), shares, won = chosen["silhouettes"], tuple(chosen["shares"]), tuple(chosen["won"])
    return Difficulty(classes, chosen["first"], (one, two), shares, won, tuple(map(tuple, chosen["sure"]))), found[
        "draws"
    ]


# --- the network -----------------------------------------------------------------------------------------------------


def _taught(
    settings: Settings, desk: Desk, engine: StrengthRules, sample: Sample, label: NDArray[np.int64],
    mark: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """Train, or take what was trained: the history, what the held-out deals show, and the file of the weights."""
    weights = f"doudizhu-strength-{settings.preset}.safetensors"

    def work(tell: Tell) -> dict[str, Any]:
        counts, told = inputs_of(engine.scorer, sample.hands)
        lessons = Lessons(counts, told, torch.from_numpy(label))
        checkpoint, began = desk.folder / f"training-{settings.preset}{SUFFIX}", process_time()
        network, history = train(
            lessons, STRENGTH_PRESETS[settings.preset], CLASSES, settings.epochs, settings.seed, checkpoint,
            lambda epoch: tell(epoch.epoch, epoch.remark()),
        )  # fmt: skip
        _, tested = lessons.split()
        shown = held_out(torch.softmax(judged(network, tested), dim=1).numpy(), tested.label.numpy())
        seconds = process_time() - began
        card = StrengthCard(
            engine.game, settings.preset, seed=settings.seed, epochs=settings.epochs, hours=seconds / 3600,
            data=f"{len(sample)} deals, each played in {len(settings.pairings)} pairings of our agents, "
            f"{len(sample.once)} of them by DouZero too; one deal in {HELD_OUT} held out",
            command="abl-cards run doudizhu_strength", results=shown,
        )  # fmt: skip
        write_weights(desk.folder / weights, network.state_dict(), card)
        checkpoint.unlink()
        return {"history": [asdict(epoch) for epoch in history], "shown": shown, "seconds": seconds}

    what = {"training": settings.preset, "epochs": settings.epochs, **mark}
    found = desk.cell(what, work, f"network {settings.preset}", settings.epochs)
    return {**found, "weights": weights, "digest": [json.dumps(what, sort_keys=True)]}


# --- deals to order --------------------------------------------------------------------------------------------------


def _made(
    settings: Settings, desk: Desk, engine: StrengthRules, judge: StrengthJudge, number: int, digest: Sequence[str]
) -> dict[str, Any]:
    """Deals of a class in a file, and what one took."""
    what = {
        "made": number, "deals": settings.made, "confidence": settings.confidence, "seed": settings.seed,
        "weights": list(digest), "rules": rules_mark(engine.engine),
    }  # fmt: skip

    def work(tell: Tell) -> dict[str, Any]:
        began = process_time()
        deals = fill(engine, judge, Order(number, settings.made, settings.confidence, settings.seed + number), tell)
        seconds = process_time() - began
        name = f"deals-{number}.jsonl"
        write_records(desk.folder / name, deals)
        return {"file": name, "milliseconds": 1e3 * seconds / len(deals), "first": deals[:2]}

    return {**desk.cell(what, work, f"deals of class {number}", settings.made), "what": what}


def _played(
    settings: Settings, desk: Desk, engine: StrengthRules, made: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """How often the landlord wins these deals, by agent."""
    found = {}
    for name in settings.agents:

        def work(tell: Tell, name: str = name) -> dict[str, Any]:
            deals = engine.read_deals(read_records(desk.folder / made["file"]))
            player = agent(name, engine.engine)
            won = play_out(engine.with_deals(deals), len(deals.bottom), (player, player), settings.seed).won
            return {"won": float(won.mean()), "interval": wilson(float(won.mean()), len(won))}

        what = {"played": name, "mark": mark_of(checked_name(name), engine.engine), **made["what"]}
        found[name] = desk.cell(what, work, f"{name} plays {made['file']}")
    return found


EXPERIMENT = Experiment(
    "Equal strength: classes of deals by difficulty, a network that tells them, deals to order and how they are won",
    Settings(),
    run,
    smoke={
        "games": 40, "deals": 360, "pairings": ("kb", "greedy"), "sample": 300, "draws": 1, "epochs": 2, "made": 4,
        "confidence": 0.0,
    },
)  # fmt: skip
