"""The attention LSTM on deals."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from abl_cards.learners.strength import STRENGTH_PRESETS, DealClassifier, compute_hand_features, fit_temperature


def deals(n: int = 6) -> tuple[torch.Tensor, torch.Tensor]:
    """Return random deals as inputs of the network."""
    random = np.random.default_rng(0)
    deck = np.repeat(np.arange(15), [4] * 13 + [1, 1])
    counts = np.zeros((n, 3, 15), np.int64)
    for deal in range(n):
        for part, cards in enumerate(np.split(random.permutation(deck), [20, 37])):
            counts[deal, part] = np.bincount(cards, minlength=15)
    features = compute_hand_features(
        random.normal(20, 5, (n, 3)).astype(np.float32), random.integers(5, 10, (n, 3)).astype(np.uint8)
    )
    return torch.from_numpy(counts), torch.from_numpy(features)


@pytest.mark.parametrize("name", STRENGTH_PRESETS)
def test_presets_distinguish_deals(name: str) -> None:
    network = DealClassifier(STRENGTH_PRESETS[name], 5, seed=1).eval()
    counts, features = deals()
    with torch.no_grad():
        logits = network(counts, features)
        assert logits.shape == (6, 5)
        assert len({tuple(row) for row in logits.tolist()}) == 6
        torch.testing.assert_close(network(counts[2:3], features[2:3]), logits[2:3])
        steps = 15 if STRENGTH_PRESETS[name].by_rank else 54
        assert network.cards(counts).shape[:2] == (6, steps)


def test_paper_preset_equals_table_6() -> None:
    paper = STRENGTH_PRESETS["paper"]
    values = (paper.learning_rate, paper.embedding, paper.hidden, paper.dropout, paper.batch_size)
    assert values == (0.01, 15, 128, 0.5, 500)
    assert DealClassifier(paper, 5).lstm.num_layers == 1


def test_seed_determines_weights() -> None:
    one, same, other = (DealClassifier(STRENGTH_PRESETS["small"], 5, seed) for seed in (1, 1, 2))
    weights = [network.attention.weight for network in (one, same, other)]
    torch.testing.assert_close(weights[0], weights[1])
    assert not torch.allclose(weights[0], weights[2])


def test_fitted_temperature_calibrates_probabilities() -> None:
    """Divide logits that are three times too large by about three."""
    torch.manual_seed(0)
    honest = torch.randn(4000, 5)
    label = torch.multinomial(torch.softmax(honest, dim=1), 1)[:, 0]
    assert fit_temperature(3 * honest, label) == pytest.approx(3, rel=0.1)
