"""Networks on planes of cards: planes as in the paper, and options for legal labels."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.tables.decisions import Decisions
from abl_cards.learners.decision import InputTensors, PrivilegedTensors
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.plane_features import MAX_OPTIONS, PlaneFeatures, find_options
from abl_cards.learners.plane_resnet import PlanePolicyNetwork, SharedValueHead
from abl_cards.learners.presets import ESTIMATE, PRESETS, PlaneResNetConfig
from tests.effort import long


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load("tractor").engine()


@pytest.fixture(scope="module")
def decisions(engine: Engine) -> Decisions:
    """Return the first leads and some later plays."""
    kb, tables = make_agent("kb", engine), engine.start_matches(np.arange(6, dtype=np.uint64))
    for _ in range(200):
        giving = tables.rows_to_choose()
        if giving.size:
            tables.choose(giving, kb.choose(tables.choices(giving), tables.keys[giving]))
        tables_to_play = tables.rows_to_play()
        if tables_to_play.size == 6 and tables.num_decisions.min() > 3:
            break
        first = tables_to_play[: max(0, len(tables_to_play) - 2)]  # two tables stay at their leads
        if first.size:
            tables.play(first, kb.play(tables.decisions(first), tables.keys[first]))
    return tables.decisions(tables.rows_to_play())


def sample_inputs(decisions: Decisions) -> InputTensors:
    observation = torch.from_numpy(decisions.observe()).float()
    n, labels, kinds = len(observation), decisions.legal_mask.shape[0], decisions.view.hand.shape[1]
    nothing = torch.zeros(n, labels)
    return InputTensors(
        observation=observation,
        legal=torch.from_numpy(np.ascontiguousarray(decisions.legal_mask.T)).bool(),
        to_beat=torch.zeros(n, dtype=torch.int64),
        regret=nothing,
        plays_left=nothing,
        estimate=torch.zeros(n, 3, kinds),
        response_probs=torch.zeros(n, 3, labels),
        prior=torch.zeros(n, 3, kinds),
    )


def test_observation_has_380_planes_of_4_by_14(engine: Engine) -> None:
    networks = Networks(PRESETS["planes-paper"], GameShape.of(engine))
    decision = networks.decision
    assert isinstance(decision, PlanePolicyNetwork)
    assert (decision.plane_features.rows, decision.plane_features.columns) == (4, 14)
    assert decision.trunk.first.weight.shape == (512, 380, 3, 3)
    assert decision.trunk.first.stride == (2, 2)
    assert len(decision.trunk.blocks) == 8  # of two convolutions: with the first and the hidden layer eighteen
    assert isinstance(decision.policy, torch.nn.Linear)
    assert decision.policy.weight.shape == (180, 512)


def test_planes_hold_the_cards(engine: Engine, decisions: Decisions) -> None:
    pictures = PlaneFeatures(engine.planes, engine.observation_features)
    observation = torch.from_numpy(decisions.observe()).float()
    state = pictures.encode_state(observation)
    assert state.shape == (len(observation), 20, 56)
    assert torch.equal(pictures.compute_context(observation), torch.from_numpy(decisions.context).long())
    hands = torch.from_numpy(decisions.view.hand).float()
    assert torch.equal(state[:, 2:4].sum(dim=(1, 2)), hands.sum(dim=1))
    assert torch.equal(state[:, 2].sum(dim=1), (hands > 0).sum(dim=1))
    assert torch.equal(state[:, 0], state[:, 1])  # trumps are trumps, each copy of them
    jokers = [engine.rules.pack.index[kind] for kind in engine.rules.pack.kinds if "joker" in str(kind)]
    assert pictures._place[jokers].tolist() == [13, 27]
    assert bool((state[:, 0, [13, 27]] == 1).all())


def test_option_planes_hold_the_cards_of_the_label(engine: Engine, decisions: Decisions) -> None:
    pictures, inputs = PlaneFeatures(engine.planes, engine.observation_features), sample_inputs(decisions)
    options = find_options(inputs)
    shown = pictures.encode_options(inputs.observation, options)
    assert len(options.row) == int(inputs.legal.sum())
    cards = engine.rules.forms.label_min_cards[options.label.numpy()]
    assert bool((shown.sum(dim=1).numpy() >= cards).all())  # some labels are of one of several cards
    first = [options.slot[options.row == row].tolist() for row in range(len(inputs.legal))]
    assert all(slots == list(range(len(slots))) for slots in first)


def test_cheapest_options_are_kept_of_too_many(decisions: Decisions) -> None:
    inputs = sample_inputs(decisions)
    legal = torch.ones_like(inputs.legal)
    regret = torch.arange(legal.shape[1]).flip(0).float().expand(legal.shape)
    options = find_options(replace(inputs, legal=legal, regret=regret))
    assert len(options.row) == len(legal) * MAX_OPTIONS
    assert int(options.label.min()) == legal.shape[1] - MAX_OPTIONS


@pytest.mark.parametrize("name", ["planes-small", "planes-abl", "planes-paper"])
def test_policies_choose_only_legal_labels(engine: Engine, decisions: Decisions, name: str) -> None:
    preset = PRESETS[name]
    if name == "planes-paper" and preset.plane_resnet:
        preset = replace(preset, plane_resnet=replace(preset.plane_resnet, channels=(16, 16), hidden_width=16))
    networks, inputs = Networks(preset, GameShape.of(engine), seed=1), sample_inputs(decisions)
    with torch.inference_mode():
        chosen = networks.decision(inputs).exp()
    assert torch.allclose(chosen.sum(dim=1), torch.ones(len(chosen)), atol=1e-5)
    assert float(chosen[~inputs.legal].max()) < 1e-12
    assert networks.decision(replace(inputs, **{name: part[:0] for name, part in vars(inputs).items()})).shape[0] == 0


def test_policy_depends_on_the_estimate(engine: Engine, decisions: Decisions) -> None:
    networks, inputs = Networks(PRESETS["planes-abl"], GameShape.of(engine), seed=1), sample_inputs(decisions)
    assert isinstance(networks.decision, PlanePolicyNetwork)
    other = replace(inputs, estimate=torch.ones_like(inputs.estimate))
    with torch.inference_mode():
        assert not torch.allclose(networks.decision.compute_hidden(inputs), networks.decision.compute_hidden(other))
    twin = PRESETS["planes-abl"].without_abln()
    assert ESTIMATE not in twin.inputs
    assert Networks(twin, GameShape.of(engine)).abln is None


@pytest.mark.parametrize(("name", "reads"), [("planes-abl", True), ("planes-small", False)])
def test_policy_reads_what_is_not_on_planes_if_its_preset_says_so(
    engine: Engine, decisions: Decisions, name: str, reads: bool
) -> None:
    networks, inputs = Networks(PRESETS[name], GameShape.of(engine), seed=1), sample_inputs(decisions)
    assert isinstance(networks.decision, PlanePolicyNetwork)
    observation = inputs.observation.clone()
    observation[:, engine.observation_features["banker"]] = 1
    other = replace(inputs, observation=observation)
    with torch.inference_mode():
        hidden = [networks.decision.compute_hidden(each) for each in (inputs, other)]
    assert torch.equal(*hidden) != reads


def test_value_from_the_policy_follows_its_copies(engine: Engine, decisions: Decisions) -> None:
    preset = replace(PRESETS["planes-small"], plane_resnet=PlaneResNetConfig(channels=(16, 16), hidden_width=16))
    networks, inputs = Networks(preset, GameShape.of(engine), seed=1), sample_inputs(decisions)
    opened = PrivilegedTensors(*(torch.zeros(len(inputs.legal), 1) for _ in range(3)))
    other = deepcopy(networks)
    assert isinstance(other.critic, SharedValueHead)
    with torch.no_grad():
        for weights in networks.decision.parameters():
            weights.zero_()
        assert float(other.critic(inputs, opened).std()) > 1e-4
        assert float(networks.critic(inputs, opened).std()) < 1e-6


def test_planes_require_labels_of_one_card_set() -> None:
    with pytest.raises(GameError, match="no planes: some label"):
        Networks(PRESETS["planes-small"], GameShape.of(load("guandan").engine()))


_SHIPPED = (
    "abl", pytest.param("abl:no-abln", marks=long), "abl:preset=planes-small", "abl:preset=planes-small,supervised",
)  # fmt: skip


@pytest.mark.parametrize("profile", ["botzone", pytest.param("standard", marks=long)])
@pytest.mark.parametrize("name", _SHIPPED)
def test_shipped_weights_play_both_profiles(name: str, profile: str) -> None:
    """Use the same networks under rules with more tractors, since inputs are cards and not labels."""
    engine = load("tractor").engine(None, profile)
    player, tables = make_agent(name, engine), engine.start_matches(np.arange(2, dtype=np.uint64))
    played = 0
    while played < 3:
        giving = tables.rows_to_choose()
        if giving.size:
            tables.choose(giving, player.choose(tables.choices(giving), tables.keys[giving]))
        tables_to_play = tables.rows_to_play()
        if tables_to_play.size:
            tables.play(tables_to_play, player.play(tables.decisions(tables_to_play), tables.keys[tables_to_play]))
            played += 1
