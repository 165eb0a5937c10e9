"""Equal strength (Xin and Li 2023): difficulty classes from played deals, a classifier, and generated deals.

Deals are played many times, clustered by their results, and numbered by how often the landlord won. A network learns
the class from the cards, a generator samples deals until the network is confident, and these deals are played out.
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

from abl_cards.agents import agent_fingerprint as mark_of
from abl_cards.agents import check_agent_name, files_fingerprint, make_agent, rules_fingerprint
from abl_cards.core import SEED_RANGE, setting
from abl_cards.experiments.experiment import Experiment
from abl_cards.experiments.report import ExperimentReport
from abl_cards.experiments.rules import RulesConfig
from abl_cards.experiments.seeds import SeedsConfig, over_seeds
from abl_cards.experiments.strength_tables import Results, StrengthFindings, report
from abl_cards.experiments.strength_views import VIEWS, compute_silhouettes
from abl_cards.experiments.workspace import ExperimentWorkspace, ProgressCallback
from abl_cards.games import load
from abl_cards.games.min_plays import key_counts
from abl_cards.hand_analysis import (
    HELD_OUT_INTERVAL,
    NUM_CLASSES,
    DealClassPredictor,
    DealClustering,
    DealDataset,
    DealFeatures,
    DealRequest,
    DealRules,
    DealSample,
    choose_clustering,
    collect_sample,
    compute_classifier_inputs,
    compute_metrics,
    generate_deals,
    load_classifier,
    parse_pairing,
    play_fixed_deals,
    predict_logits,
    train_classifier,
)
from abl_cards.learners import STRENGTH_PRESETS, ExemplarClassifier, StrengthCard, Whitening, write_weights
from abl_cards.matches import data_folder, read_records, read_valid_records, wilson_interval, write_records
from abl_cards.training import CHECKPOINT_SUFFIX

RECORDS_FILE = "doudizhu_douzero_selfplay.jsonl.gz"
RECORDS_PROFILE = "douzero"  # the profile of the recorded games
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
class DoudizhuStrengthConfig(RulesConfig, SeedsConfig):
    """Settings of playing, learning, generating and evaluating."""

    records: Path | None = setting(None, f"recorded games; default: {RECORDS_FILE} of ABL_CARDS_DATA, if present")
    games: int = setting(4_000, "most recorded games")
    deals: int = setting(20_000, "further random deals")
    pairings: tuple[str, ...] = setting(
        PAIRINGS, "agents of each deal: LANDLORD/PEASANTS, or one for all", is_required=True
    )
    sample: int = setting(1_000, "deals that are clustered together")
    draws: int = setting(120, "samples to cluster, of which the best is kept")
    preset: str = setting("small", f"preset of the network: {', '.join(STRENGTH_PRESETS)}")
    epochs: int = setting(20, "epochs of training")
    confidence: float = setting(0.9, "least probability of the class of a generated deal")
    generated_deals: int = setting(1_000, "generated deals of each class, which are played out", formerly="made")
    agents: tuple[str, ...] = setting(
        ("kb", "greedy", "random"), "agents, each of which plays the generated deals in all seats"
    )
    seed: int = setting(0, "seed of deals, samples, weights and batches", SEED_RANGE)


def run(settings: DoudizhuStrengthConfig, workspace: ExperimentWorkspace) -> ExperimentReport:
    """Play deals, cluster them, train the classifier, generate deals, and play those."""
    torch.set_num_threads(1)  # small networks gain nothing from threads, and results depend on nothing else
    engine = DealRules.from_engine(settings.load_engine("doudizhu"))
    workspace.plan_cells(len(VIEWS) * 2 + 3 + NUM_CLASSES * (1 + len(settings.agents)))
    sample, mark = _sample_deals(settings, workspace, engine)
    findings = StrengthFindings(sample)
    workspace.set_partial_report(lambda: report(findings))
    _measure_views(settings, workspace, sample, mark, findings.silhouettes)
    findings.difficulty, findings.clusterings = _cluster(settings, workspace, engine, sample, mark)
    workspace.set_partial_report(lambda: report(findings))
    label = findings.difficulty.classes(sample.features)
    taught = _train_network(settings, workspace, engine, sample, label, {**mark, "classes": findings.difficulty.won})
    findings.training = taught
    workspace.set_partial_report(lambda: report(findings))
    judge, _ = load_classifier(engine.game, engine.hand_scorer, workspace.folder / taught["weights"])
    for number in range(NUM_CLASSES):
        findings.generated.append(_generate_deals(settings, workspace, engine, judge, number, taught["digest"]))
        workspace.set_partial_report(lambda: report(findings))
    for deals in findings.generated:
        findings.outcomes.append(_play_deals(settings, workspace, engine, deals))
        workspace.set_partial_report(lambda: report(findings))
    return report(findings)


# --- played deals ----------------------------------------------------------------------------------------------------


def _sample_deals(
    settings: DoudizhuStrengthConfig, workspace: ExperimentWorkspace, engine: DealRules
) -> tuple[DealSample, dict[str, Any]]:
    """Play the sample of deals; returns it and the inputs that it depends on."""
    file = settings.records or data_folder() / RECORDS_FILE
    records = (
        read_valid_records(file)[: settings.games] if settings.games and (settings.records or file.is_file()) else []
    )
    what = {
        "sample": settings.deals, "pairings": settings.pairings, "seed": settings.seed,
        "rules": rules_fingerprint(engine.engine), "players": _agent_fingerprints(settings.pairings, engine),
        "records": files_fingerprint([file]) if records else None, "games": len(records),
    }  # fmt: skip

    def work(tell: ProgressCallback) -> dict[str, str]:
        there = (load("doudizhu").engine(settings.kb, RECORDS_PROFILE), records) if records else None
        sample = collect_sample(engine, there, settings.deals, settings.pairings, settings.seed, tell)
        name = f"sample-{sample.digest()}{CHECKPOINT_SUFFIX}"
        sample.save(workspace.folder / name)
        return {"file": name}

    result = workspace.measure_cell(what, work, "deals played", len(settings.pairings))
    return DealSample.load(workspace.folder / result["file"]), {"sample": result["file"], "seed": settings.seed}


def _agent_fingerprints(pairings: Sequence[str], engine: DealRules) -> list[tuple[str, str]]:
    """Return the agents that depend on more than the rules, with their digests."""
    names, rules = (
        sorted({name for pairing in pairings for name in parse_pairing(pairing)}),
        rules_fingerprint(engine.engine),
    )
    marks = [(name, mark_of(check_agent_name(name), engine.engine)) for name in names]
    return [(name, mark) for name, mark in marks if mark != rules]


# --- clusters --------------------------------------------------------------------------------------------------------


def _measure_views(
    settings: DoudizhuStrengthConfig,
    workspace: ExperimentWorkspace,
    sample: DealSample,
    mark: Mapping[str, Any],
    views: dict[str, dict[str, Results]],
) -> None:
    """Find silhouettes by view, of means over games and of games played once."""
    sources = {"mean of all games": sample.features} | (
        {"one game a deal": sample.recorded_features} if len(sample.recorded_features) else {}
    )
    for source, features in sources.items():
        rows = np.random.default_rng(settings.seed).permutation(len(features))[: settings.sample]
        for name in VIEWS:
            views.setdefault(source, {})[name] = _measure_view(workspace, source, name, features[rows], mark)


def _measure_view(
    workspace: ExperimentWorkspace, source: str, name: str, features: NDArray[np.float64], mark: Mapping[str, Any]
) -> dict[str, Any]:
    what = {"silhouettes": name, "source": source, "size": len(features), **mark}
    work = partial(compute_silhouettes, features, NUM_CLASSES, VIEWS[name])
    return dict(workspace.measure_cell(what, lambda tell: work(), f"silhouettes, {source}, {name}"))


def visible_features(engine: DealRules, sample: DealSample) -> NDArray[np.float64]:
    """Compute the features [n, inputs] of each hand: points, plays, high cards from the king on, and bombs."""
    plays = engine.hand_scorer.score(sample.deals.hand_keys.ravel()).plays.reshape(-1, 3)
    counts = key_counts(sample.deals.hand_keys)
    return np.concatenate(
        [sample.hand_points, plays, counts[:, :, 10:].reshape(len(counts), -1), (counts == 4).sum(axis=2)], axis=1
    ).astype(np.float64)


def _cluster(
    settings: DoudizhuStrengthConfig,
    workspace: ExperimentWorkspace,
    engine: DealRules,
    sample: DealSample,
    mark: Mapping[str, Any],
) -> tuple[DealClustering, list[dict[str, Any]]]:
    """Cluster the deals; returns the classes and the statistics of each tried sample."""

    def work(tell: ProgressCallback) -> dict[str, Any]:
        deals = DealFeatures(
            sample.features, sample.outcomes.won, visible_features(engine, sample), sample.self_play_wins
        )
        best, every = choose_clustering(deals, settings.sample, NUM_CLASSES, settings.seed, settings.draws, tell)
        arrays = {
            "mean": best.classes.whitening.mean, "matrix": best.classes.whitening.matrix,
            "exemplars": best.classes.exemplars, "label": best.classes.exemplar_class,
        }  # fmt: skip
        columns = ("first", "silhouettes", "shares", "won", "sure")
        lines = [{name: getattr(draw, name) for name in columns} | {"chosen": draw is best} for draw in every]
        return {"classes": {name: array.tolist() for name, array in arrays.items()}, "draws": lines}

    result = workspace.measure_cell(
        {"classes": settings.sample, "draws": settings.draws, **mark}, work, "classes", settings.draws
    )
    class_arrays = {name: np.array(values) for name, values in result["classes"].items()}
    chosen = next(line for line in result["draws"] if line["chosen"])
    classes = ExemplarClassifier(
        Whitening(class_arrays["mean"], class_arrays["matrix"]), class_arrays["exemplars"], class_arrays["label"]
    )
    (one, two), shares, won = chosen["silhouettes"], tuple(chosen["shares"]), tuple(chosen["won"])
    return DealClustering(classes, chosen["first"], (one, two), shares, won, tuple(map(tuple, chosen["sure"]))), result[
        "draws"
    ]


# --- the network -----------------------------------------------------------------------------------------------------


def _train_network(
    settings: DoudizhuStrengthConfig, workspace: ExperimentWorkspace, engine: DealRules, sample: DealSample,
    label: NDArray[np.int64],
    mark: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """Train, or take what was trained: the history, what the held-out deals show, and the file of the weights."""
    weights = f"doudizhu-strength-{settings.preset}.safetensors"

    def work(tell: ProgressCallback) -> dict[str, Any]:
        counts, inputs = compute_classifier_inputs(engine.hand_scorer, sample.deals)
        lessons = DealDataset(counts, inputs, torch.from_numpy(label))
        checkpoint, began = workspace.folder / f"training-{settings.preset}{CHECKPOINT_SUFFIX}", process_time()
        network, history = train_classifier(
            lessons, STRENGTH_PRESETS[settings.preset], NUM_CLASSES, settings.epochs, settings.seed, checkpoint,
            lambda epoch: tell(epoch.epoch, epoch.summary()),
        )  # fmt: skip
        _, tested = lessons.split()
        shown = compute_metrics(torch.softmax(predict_logits(network, tested), dim=1).numpy(), tested.labels.numpy())
        seconds = process_time() - began
        card = StrengthCard(
            engine.game, settings.preset, seed=settings.seed, epochs=settings.epochs, hours=seconds / 3600,
            data=f"{len(sample)} deals, each played in {len(settings.pairings)} pairings of our agents, "
            f"{len(sample.recorded_features)} of them by DouZero too; one deal in {HELD_OUT_INTERVAL} held out",
            command="abl-cards run doudizhu_strength", results=shown,
        )  # fmt: skip
        write_weights(workspace.folder / weights, network.state_dict(), card)
        checkpoint.unlink()
        return {"history": [asdict(epoch) for epoch in history], "shown": shown, "seconds": seconds}

    what = {"training": settings.preset, "epochs": settings.epochs, **mark}
    result = workspace.measure_cell(what, work, f"network {settings.preset}", settings.epochs)
    return {**result, "weights": weights, "digest": [json.dumps(what, sort_keys=True)]}


# --- generated deals -------------------------------------------------------------------------------------------------


def _generate_deals(
    settings: DoudizhuStrengthConfig,
    workspace: ExperimentWorkspace,
    engine: DealRules,
    judge: DealClassPredictor,
    number: int,
    digest: Sequence[str],
) -> dict[str, Any]:
    """Generate deals of a class into a file, and measure the time per deal."""
    what = {
        "made": number, "deals": settings.generated_deals, "confidence": settings.confidence, "seed": settings.seed,
        "weights": list(digest), "rules": rules_fingerprint(engine.engine),
    }  # fmt: skip

    def work(tell: ProgressCallback) -> dict[str, Any]:
        began = process_time()
        deals = generate_deals(
            engine,
            judge,
            DealRequest(number, settings.generated_deals, settings.confidence, settings.seed + number),
            tell,
        )
        seconds = process_time() - began
        name = f"deals-{number}.jsonl"
        write_records(workspace.folder / name, deals)
        return {"file": name, "milliseconds": 1e3 * seconds / len(deals), "first": deals[:2]}

    return {**workspace.measure_cell(what, work, f"deals of class {number}", settings.generated_deals), "what": what}


def _play_deals(
    settings: DoudizhuStrengthConfig, workspace: ExperimentWorkspace, engine: DealRules, generated: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the landlord's share of wins on these deals, by agent."""
    results = {}
    for name in settings.agents:

        def work(tell: ProgressCallback, name: str = name) -> dict[str, Any]:
            deals = engine.read_deals(read_records(workspace.folder / generated["file"]))
            player = make_agent(name, engine.engine)
            won = play_fixed_deals(
                engine.with_deals(deals), len(deals.bottom_keys), (player, player), settings.seed
            ).won
            return {"won": float(won.mean()), "interval": wilson_interval(float(won.mean()), len(won))}

        what = {"played": name, "mark": mark_of(check_agent_name(name), engine.engine), **generated["what"]}
        results[name] = workspace.measure_cell(what, work, f"{name} plays {generated['file']}")
    return results


EXPERIMENT = Experiment(
    "Equal strength: classes of deals by difficulty, a network that tells them, deals to order and how they are won",
    DoudizhuStrengthConfig(),
    over_seeds(run),
    smoke={
        "games": 40, "deals": 360, "pairings": ("kb", "greedy"), "sample": 300, "draws": 1, "epochs": 2,
        "generated_deals": 4,
        "confidence": 0.0,
    },
)  # fmt: skip
