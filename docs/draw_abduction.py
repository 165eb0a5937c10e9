"""Draw docs/pictures/abduction.png: one play read by abduction, and the curves of the experiment card_reading.

Run it after `abl-cards run card_reading --dir docs/results/card_reading`; it trains a network for two passes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from abl_cards.experiments.abduction_training import ImageClassifier, train_by_abduction
from abl_cards.experiments.card_pictures import SIZE, draw_cards
from abl_cards.experiments.card_reading import CardReadingConfig, draw_plays
from abl_cards.reasoners import HandKB, ProbabilityReasoner

DOCS = Path(__file__).parent
PASSES = 2
_SIGNS = {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}
_COLOURS = {"rules": "tab:blue", "ablkit": "tab:orange", "few labels": "tab:gray", "supervised": "tab:green"}
_NAMES = {
    "rules": "plays alone, HandKB", "ablkit": "plays alone, plain ABLkit",
    "few labels": "2 labelled pictures of a card", "supervised": "all cards labelled",
}  # fmt: skip


def find_example(settings: CardReadingConfig) -> tuple[Any, list[str], list[str], list[str], Any]:
    """Return pictures, guess, abduced and true cards, and label of the first play whose ranks abduction reads right."""
    kb = HandKB(settings.engine, state=json.loads(settings.state))
    random = np.random.default_rng(settings.seed)
    plays = draw_plays(kb, settings, settings.examples, random)
    cards = list(kb.pseudo_label_list)
    model = ImageClassifier(len(cards), SIZE, settings.seed)
    labelled = np.tile(np.arange(len(cards)), settings.labelled)
    model.pretrain(list(draw_cards([cards[kind] for kind in labelled], random)), labelled.tolist())
    reasoner = ProbabilityReasoner(kb)
    train_by_abduction(model, reasoner, plays.pictures, plays.y, PASSES, lambda model: [0.0], lambda loop, text: None)
    new = draw_plays(kb, settings, 200, random)
    for pictures, kinds, label in zip(new.pictures, new.cards, new.y, strict=True):
        probabilities = model.predict_proba(pictures)
        guess = [cards[kind] for kind in probabilities.argmax(axis=1)]
        abduced = [cards[kind] for kind in kb.abduce_batch([probabilities], [label])[0, 0]]
        truth = [cards[kind] for kind in kinds]
        if len(kinds) == 5 and kb.logic_forward(guess) is None and ranks(abduced) == ranks(truth):
            return pictures, guess, abduced, truth, label
    raise SystemExit("no example is read right")


def ranks(cards: list[str]) -> list[str]:
    """Return the ranks of cards."""
    return [card[1:] for card in cards]


def main() -> None:
    """Draw the figure."""
    import matplotlib.pyplot as plt

    pictures, guess, abduced, truth, label = find_example(CardReadingConfig())
    figure = plt.figure(figsize=(9.6, 3.0), dpi=110)
    grid = figure.add_gridspec(1, 2, width_ratios=[1.15, 1], wspace=0.22, left=0.015, right=0.985, top=0.9, bottom=0.15)
    rows = grid[0].subgridspec(2, 5, wspace=0.1, height_ratios=[1, 0.5])
    for index, picture in enumerate(pictures):
        axes = figure.add_subplot(rows[0, index])
        axes.imshow(1 - picture, cmap="gray", vmin=0, vmax=1)
        axes.set_xticks([])
        axes.set_yticks([])
        right = guess[index] == truth[index]
        axes.text(0.5, -0.1, text_of(guess[index]), transform=axes.transAxes, ha="center", va="top",
                  color="black" if right else "tab:red", fontsize=13)  # fmt: skip
        axes.text(0.5, -0.36, text_of(abduced[index]), transform=axes.transAxes, ha="center", va="top",
                  color="tab:blue", fontsize=13)  # fmt: skip
    figure.text(0.02, 0.94, f"given: the play is {label}", fontsize=11)
    note = "first row: guess of the network, red where wrong  ·  blue: most probable cards that are the play"
    figure.text(0.015, 0.03, note, fontsize=7.5)
    axes = figure.add_subplot(grid[1])
    results = json.loads((DOCS / "results/card_reading/results.json").read_text("utf-8"))
    for name, points in results["plots"]["curves"]["lines"].items():
        x, y = zip(*points, strict=True)
        axes.plot(x, [100 * value for value in y], color=_COLOURS[name], label=_NAMES[name])
    axes.set_xlabel("processor seconds", fontsize=9)
    axes.set_title("new plays read, %", fontsize=10)
    axes.tick_params(labelsize=8)
    axes.set_ylim(0, 100)
    axes.legend(fontsize=7, loc="lower right", bbox_to_anchor=(1, 0.08), frameon=False)
    figure.savefig(DOCS / "pictures/abduction.png")


def text_of(card: str) -> str:
    """Return the sign of the suit and the rank of a card."""
    return _SIGNS[card[0]] + card[1:] if card[0] in _SIGNS and card[1:] not in ("B", "R") else card


if __name__ == "__main__":
    main()
