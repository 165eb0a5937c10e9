"""The BiLSTM-CRF against enumeration of all tag sequences, and its weight files."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
import torch

from abl_cards.core.errors import GameError
from abl_cards.learners import weights_files
from abl_cards.learners.crf import ConditionalRandomField
from abl_cards.learners.presets import SPLITTER_PRESETS
from abl_cards.learners.splitter import (
    MAX_HAND_CARDS,
    CardSequences,
    SplitterCard,
    SplitterNetwork,
    load_splitter,
    save_splitter,
)


@pytest.fixture
def field() -> ConditionalRandomField:
    torch.manual_seed(1)
    random_field = ConditionalRandomField(4)
    with torch.no_grad():
        for weights in random_field.parameters():
            weights.normal_()
    return random_field


def score_by_hand(field: ConditionalRandomField, emissions: torch.Tensor, tags: tuple[int, ...]) -> float:
    start, end, follow = (weights.detach() for weights in (field.start, field.end, field.follow))
    total = float(start[tags[0]] + end[tags[-1]])
    total += sum(float(emissions[place, tag]) for place, tag in enumerate(tags))
    return total + sum(float(follow[a, b]) for a, b in pairwise(tags))


def test_likelihood_marginals_and_viterbi_equal_enumeration(field: ConditionalRandomField) -> None:
    emissions, lengths = torch.randn(3, 5, 4), torch.tensor([5, 3, 1])
    tags_given = torch.randint(0, 4, (3, 5))
    loss, shares = field(emissions, lengths, tags_given).detach(), field.marginals(emissions, lengths)
    best = field.decode(emissions, lengths)
    for row, length in enumerate(lengths.tolist()):
        every = list(product(range(4), repeat=length))
        scores = torch.tensor([score_by_hand(field, emissions[row], tags) for tags in every])
        chances = torch.softmax(scores, 0)
        mine = every.index(tuple(tags_given[row, :length].tolist()))
        assert float(loss[row]) == pytest.approx(-float(torch.log(chances[mine])), abs=1e-4)
        assert best[row].tolist() == [*every[int(scores.argmax())], *[-1] * (5 - length)]
        for place in range(5):
            expected = [
                sum(float(chance) for tags, chance in zip(every, chances, strict=True) if tags[place] == tag)
                if place < length else 0.0
                for tag in range(4)
            ]  # fmt: skip
            assert shares[row, place].tolist() == pytest.approx(expected, abs=1e-4)


def test_likelihood_passes_gradcheck(field: ConditionalRandomField) -> None:
    emissions = torch.randn(2, 6, 4, dtype=torch.float64, requires_grad=True)
    lengths, tags = torch.tensor([6, 4]), torch.randint(0, 4, (2, 6))
    assert torch.autograd.gradcheck(lambda given: field.double()(given, lengths, tags), emissions)


def test_card_sequences_of_hands() -> None:
    counts = np.zeros((2, 15), np.int64)
    counts[0, [0, 1, 14]] = 1, 3, 1
    counts[1] = [4] * 5 + [0] * 10
    sequences = CardSequences.from_counts(counts)
    assert sequences.length.tolist() == [5, 20]
    assert sequences.rank[0, :6].tolist() == [0, 1, 1, 1, 14, -1]
    assert sequences.rank_count[0, :6].tolist() == [0, 2, 2, 2, 0, 0]
    assert sequences.copy_index[0, :6].tolist() == [0, 0, 1, 2, 0, 0]
    features = sequences.to_features()
    assert features.shape == (2, MAX_HAND_CARDS, 23)
    assert features.sum(dim=(1, 2)).tolist() == [15, 60]


def network() -> SplitterNetwork:
    torch.manual_seed(2)
    return SplitterNetwork(replace(SPLITTER_PRESETS["small"], card_width=8, hidden_width=8)).eval()


def test_tags_do_not_depend_on_other_hands() -> None:
    random, deck = np.random.default_rng(0), np.repeat(np.arange(15), [4] * 13 + [1, 1])
    counts = np.array([np.bincount(random.permutation(deck)[:size], minlength=15) for size in (20, 17, 3, 1)])
    together = network().marginals(CardSequences.from_counts(counts))
    for row in range(4):
        alone = network().marginals(CardSequences.from_counts(counts[row : row + 1]))
        torch.testing.assert_close(alone[0], together[row], atol=1e-5, rtol=1e-4)
    assert together[0].sum(dim=1).tolist() == pytest.approx([1.0] * 20, abs=1e-5)


def test_saved_weights_round_trip_with_their_card(tmp_path: Path) -> None:
    file, known = tmp_path / "some.safetensors", SplitterNetwork(SPLITTER_PRESETS["small"])
    card = SplitterCard("doudizhu", "small", 3, 12.0, hands=7, results={"accuracy": 0.5})
    save_splitter(file, known, card)
    loaded, loaded_card = load_splitter(file)
    assert loaded_card == card
    assert not loaded.training
    for name, tensor in known.state_dict().items():
        torch.testing.assert_close(loaded.state_dict()[name], tensor, atol=2e-3, rtol=2e-3)
    described = file.with_suffix(".json")
    for change, message in (
        ({"preset": "huge"}, "unknown preset 'huge'"),
        ({"preset": "large"}, "not weights of such a splitter"),
        ({"colour": "red"}, "no card of weights"),
    ):
        described.write_text(json.dumps(json.loads(described.read_text()) | change))
        with pytest.raises(GameError, match=message):
            load_splitter(file)
        save_splitter(file, known, card)


def test_shipped_splitter_card_has_command_and_results() -> None:
    loaded, card = load_splitter(weights_files.find_shipped_weights("doudizhu", "splitter", "small"))
    assert loaded.preset.name == "small"
    assert card.command
    assert card.results
