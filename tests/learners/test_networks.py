"""Networks: their sizes, inputs and symmetries."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.learners import batches
from abl_cards.learners.abln import ABLN
from abl_cards.learners.decision import InputTensors, PolicyNetwork, PrivilegedCritic, PrivilegedTensors
from abl_cards.learners.model_inputs import ModelInputs, PrivilegedInputs
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS, RESPONSE_DEALS, Preset
from abl_cards.learners.symmetry import Symmetries
from tests.games.guandan.states import decide
from tests.learners.tiny import TINY


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load("guandan").engine()


@pytest.fixture(scope="module")
def shape(engine: Engine) -> GameShape:
    return GameShape.of(engine)


def widths(layers: nn.Sequential) -> list[int]:
    linear = [layer for layer in layers if isinstance(layer, nn.Linear)]
    return [linear[0].in_features, *(layer.out_features for layer in linear)]


def test_paper_preset_has_the_sizes_of_the_paper(shape: GameShape) -> None:
    networks = Networks(PRESETS["paper"], shape)
    abln = networks.abln
    assert isinstance(abln, ABLN)
    assert widths(abln.encoder.state) == [13 + 4 + 3 + 54 + 4 * 54 + 4 * 54, 512, 512, 512, 216]
    assert abln.encoder.history is not None
    assert abln.encoder.history.embed.in_features == 54 + 4
    assert len(abln.encoder.history.blocks) == 6
    assert abln.encoder.history.embed.out_features == 256
    assert widths(abln.estimate) == [432, 512, 512, 512, 162]
    assert isinstance(networks.decision, PolicyNetwork)
    assert networks.decision.policy.out_features == 168


def test_observation_without_history_is_all_state() -> None:
    """The state fills the whole observation of Big2, which has no history."""
    decision = Networks(TINY, GameShape.of(load("big2").engine())).decision
    assert isinstance(decision, PolicyNetwork)
    encoder = decision.encoder
    assert encoder.history is None
    assert encoder(torch.zeros(3, encoder.layout.size)).shape == (3, TINY.encoder.state_out + TINY.encoder.history_out)


def rows(shape: GameShape, n: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(seed)
    observation = torch.from_numpy(rng.integers(0, 3, (n, shape.observation.size))).float()
    return observation, torch.from_numpy(rng.random((n, shape.num_others, shape.num_cards), np.float32) * 2)


@pytest.mark.parametrize("preset", ["paper", "small"])
def test_estimates_lie_between_none_and_both_copies(shape: GameShape, preset: str) -> None:
    abln = Networks(PRESETS[preset], shape).abln
    assert abln is not None
    estimate = abln(*rows(shape, 5))
    assert estimate.shape == (5, 3, 54)
    assert bool(((estimate >= 0) & (estimate <= 2)).all())


def test_untrained_estimator_returns_its_prior(shape: GameShape) -> None:
    abln = Networks(PRESETS["small"], shape).abln
    observation, prior = rows(shape, 5)
    assert abln is not None
    torch.testing.assert_close(abln(observation, prior), prior, atol=3e-3, rtol=0)


def sample_inputs(shape: GameShape, n: int = 6) -> InputTensors:
    rng = np.random.default_rng(1)
    observation, estimate = rows(shape, n)
    legal = torch.from_numpy(rng.random((n, shape.num_labels)) < 0.2)
    legal[:, 0] = True
    cost = torch.from_numpy(rng.random((n, shape.num_labels), np.float32) * 100)
    plays = torch.from_numpy(rng.integers(1, 12, (n, shape.num_labels))).float()
    to_beat = torch.from_numpy(rng.integers(-1, shape.num_labels, n))
    replies = torch.from_numpy(rng.random((n, shape.num_others, shape.num_labels), np.float32))
    return InputTensors(observation, legal, to_beat, cost, plays, estimate, replies, torch.zeros(()))


def model_inputs(shape: GameShape, n: int = 64) -> ModelInputs:
    rng = np.random.default_rng(2)
    return ModelInputs(
        observation=rng.integers(0, 3, (n, shape.observation.size), np.uint8),
        legal=rng.random((n, shape.num_labels)) < 0.2,
        to_beat=rng.integers(-1, shape.num_labels, n).astype(np.int16),
        regret=rng.random((n, shape.num_labels), np.float32) * 100,
        plays_left=rng.integers(1, 12, (n, shape.num_labels), np.uint8),
        estimate=rng.random((n, shape.num_others, shape.num_cards), np.float32) * 2,
        response_counts=rng.integers(0, RESPONSE_DEALS + 1, (n, shape.num_others, shape.num_labels), np.uint8),
        prior=rng.random((n, shape.num_others, shape.num_cards), np.float32) * 2,
    )


def test_inputs_in_half_precision_give_the_outputs_of_rounding_later(shape: GameShape) -> None:
    """Outputs are the same for inputs rounded before or within the products."""
    networks = Networks(PRESETS["small"], shape).eval()
    full = networks.decision(batches.to_input_tensors(model_inputs(shape), networks.device))
    networks.precision = "bfloat16"
    with torch.inference_mode(), networks.autocast():
        rounded, at_once = (
            networks.decision(batches.to_input_tensors(model_inputs(shape), networks.device, numbers))
            for numbers in (torch.float32, networks.dtype)
        )
    torch.testing.assert_close(rounded, at_once, atol=0.02, rtol=0)
    torch.testing.assert_close(full.exp(), at_once.exp(), atol=0.02, rtol=0)
    assert not torch.equal(full, at_once)


@pytest.mark.parametrize(
    "preset", [PRESETS["paper"], PRESETS["paper"].without_abln(), PRESETS["small"], TINY, TINY.without_abln()]
)
def test_illegal_labels_have_probability_zero(shape: GameShape, preset: Preset) -> None:
    inputs = sample_inputs(shape)
    probabilities = Networks(preset, shape).decision(inputs).exp()
    assert bool((probabilities[~inputs.legal] == 0).all())
    torch.testing.assert_close(probabilities.sum(dim=1), torch.ones(6))


def test_twin_does_not_depend_on_the_estimate(shape: GameShape) -> None:
    inputs = sample_inputs(shape)
    other = replace(inputs, estimate=inputs.estimate + 1, response_probs=1 - inputs.response_probs)
    twin = Networks(TINY.without_abln(), shape).decision
    torch.testing.assert_close(twin(inputs), twin(other))


def test_outputs_do_not_depend_on_costs_of_illegal_labels(shape: GameShape) -> None:
    inputs = sample_inputs(shape)
    regret = torch.where(inputs.legal, inputs.regret, torch.full((), torch.inf))
    other = replace(inputs, regret=regret)
    model = Networks(TINY, shape).decision
    torch.testing.assert_close(model(inputs), model(other))


def test_seed_determines_weights_and_keeps_the_global_generator(shape: GameShape) -> None:
    before = torch.get_rng_state()
    first, second, other = (Networks(TINY, shape, seed).state_dict() for seed in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert any(not torch.equal(first[name], other[name]) for name in first)


def test_symmetries_permute_only_cards(engine: Engine) -> None:
    symmetries = Symmetries.from_orders(engine.symmetries, engine.observation_features)
    tables = engine.start_matches(np.arange(40, dtype=np.uint64))
    decisions = tables.decisions(tables.rows_to_play())
    seen = torch.from_numpy(decisions.observe())
    assert len(symmetries) == 6
    for number in range(6):
        moved = symmetries.permute_observation(number, seen)
        assert torch.equal(moved[:, :20], seen[:, :20])
        hand = engine.observation_features["hand"]
        assert torch.equal(moved[:, hand], symmetries.permute_hands(number, seen[:, hand]))
        ranks = [hands[:, :52].reshape(-1, 13, 4).sum(dim=2) for hands in (moved[:, hand], seen[:, hand])]
        assert torch.equal(*ranks)
        left = engine.observation_features["sizes"]
        assert torch.equal(moved[:, left], seen[:, left])


def test_symmetries_keep_the_legal_labels(engine: Engine) -> None:
    tables = engine.start_matches(np.arange(60, dtype=np.uint64))
    hands = tables.decisions(tables.rows_to_play()).view.hand
    level, leading = np.full(60, 5, np.int8), np.full(60, -1, np.int16)
    straight_flushes = [label.startswith("straight_flush") for label in engine.labels]
    for order in engine.symmetries:
        swapped = decide(engine.rules, hands[:, order], level, leading).legal_mask
        assert np.array_equal(swapped, decide(engine.rules, hands, level, leading).legal_mask)
    assert any(straight_flushes)


def opened(shape: GameShape, n: int) -> PrivilegedInputs:
    rng = np.random.default_rng(3)
    return PrivilegedInputs(
        hands=rng.integers(0, 3, (n, shape.num_others, shape.num_cards), np.uint8),
        hidden_plays_left=rng.integers(0, 9, (n, shape.num_others), np.uint8),
        lead_mask=rng.integers(0, 256, (n, shape.num_others + 1, -(-shape.num_labels // 8)), np.uint8),
    )


def critic_values(networks: Networks, inputs: InputTensors, shown: PrivilegedInputs) -> torch.Tensor:
    value: torch.Tensor = networks.critic(inputs, batches.to_privileged_tensors(shown, networks.device))
    return value


def test_critic_depends_on_passes_but_not_on_past_plays(shape: GameShape) -> None:
    networks, inputs, shown = Networks(TINY, shape), sample_inputs(shape), opened(shape, 6)
    value, table = critic_values(networks, inputs, shown), shape.observation

    def with_other(name: str, numbers: float) -> torch.Tensor:
        other = inputs.observation.clone()
        other[:, table[name]] = numbers
        return critic_values(networks, replace(inputs, observation=other), shown)

    assert torch.equal(with_other("played", 1), value)
    assert torch.equal(with_other("recent", 2), with_other("recent", 1))
    for changed in (with_other("recent", 0), with_other("recent_seat", 1), with_other("hand", 1)):
        assert not torch.isclose(changed, value).all()


def test_critic_reads_all_lead_masks(shape: GameShape) -> None:
    """With equal weights the critic returns the number of set bits."""
    networks, inputs, shown = Networks(TINY, shape), sample_inputs(shape), opened(shape, 6)
    assert isinstance(networks.critic, PrivilegedCritic)
    first, last = networks.critic.value[0], networks.critic.value[-1]
    openings = (shape.num_others + 1) * shape.num_labels
    with torch.no_grad():
        for layer in networks.critic.value:
            if isinstance(layer, nn.Linear):
                layer.weight.zero_()
                layer.bias.zero_()
        first.weight[0, -openings:] = 1  # type: ignore[operator]
        networks.critic.value[2].weight[0, 0] = 1  # type: ignore[operator]
        last.weight[0, 0] = 1  # type: ignore[operator]
    bits = np.unpackbits(shown.lead_mask, axis=2)[..., : shape.num_labels].reshape(6, -1).sum(axis=1)
    assert critic_values(networks, inputs, shown).tolist() == bits.tolist()


def test_critic_accepts_fractional_hands(shape: GameShape) -> None:
    """Accept abduced hands, with fractional numbers of cards, as open hands."""
    networks, shown = Networks(TINY, shape), batches.to_privileged_tensors(opened(shape, 6), torch.device("cpu"))
    halves = PrivilegedTensors(shown.hands.float() / 2, shown.plays_left, shown.lead_mask)
    assert networks.critic(sample_inputs(shape), halves).shape == (6,)


def test_copied_networks_share_the_game_shape() -> None:
    shape = GameShape.of(load("president").engine())
    assert deepcopy(Networks(TINY, shape)).shape is shape
