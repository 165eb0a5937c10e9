"""Observations are divided into state and history wherever rules put the acts."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from abl_cards.games import game_names, load
from abl_cards.games.types import FeatureTable, ObservationFeature
from abl_cards.learners import GameShape, Networks
from abl_cards.learners.decision import PolicyNetwork
from abl_cards.learners.encoders import ObservationLayout
from tests.learners.tiny import TINY

NUM_KINDS, NUM_SEATS = 5, 3


@st.composite
def feature_tables(draw: st.DrawFn) -> FeatureTable:
    """Return the features of an observation in any order, with any numbers of acts or none."""
    shapes: dict[str, tuple[int, ...]] = {"hand": (NUM_KINDS,), "recently_led": (2,), "trick": (NUM_SEATS, NUM_KINDS)}
    if draw(st.booleans()):
        shapes["played"] = (NUM_SEATS, NUM_KINDS)
    for name, width in (("recent", NUM_KINDS), ("recent_seat", NUM_SEATS)):
        if steps := draw(st.integers(0, 4)):
            shapes[name] = (steps, width)
    names = draw(st.permutations(sorted(shapes)))
    return FeatureTable(tuple(ObservationFeature(name, shapes[name], "") for name in names))


@given(feature_tables())
def test_features_are_split_into_state_and_history(table: FeatureTable) -> None:
    layout = ObservationLayout.of(table)
    observation = torch.arange(1.0, 2 * table.size + 1).reshape(2, table.size)
    columns = {name: observation[:, part] for name, part in table.slices.items()}
    history = [name for name in ("recent", "recent_seat") if name in columns]
    state_names = [feature.name for feature in table.features if feature.name not in history]
    assert layout.state_size == sum(columns[name].shape[1] for name in state_names)
    parts = [columns[name] for name in state_names if name != "played"]
    current = torch.cat([part.float() for part in layout.current_features(observation)], dim=1)
    assert current.shape[1] == layout.current_size
    assert torch.equal(current[:, : sum(part.shape[1] for part in parts)], torch.cat(parts, dim=1))
    if not history:
        return
    state, steps = layout.split_history(observation)
    assert torch.equal(state, torch.cat([columns[name] for name in state_names], dim=1))
    assert steps.shape == (2, layout.num_steps, layout.step_size)
    first = 0
    for name in history:
        acts = columns[name].reshape(2, -1, NUM_KINDS if name == "recent" else NUM_SEATS)
        shown = steps[:, :, first : first + acts.shape[2]]
        assert torch.equal(shown[:, layout.num_steps - acts.shape[1] :], acts)
        assert not shown[:, : layout.num_steps - acts.shape[1]].any()
        first += acts.shape[2]


def test_current_features_mark_acts_with_cards() -> None:
    table = FeatureTable((ObservationFeature("recent", (2, NUM_KINDS), ""), ObservationFeature("hand", (1,), "")))
    observation = torch.zeros(1, table.size)
    observation[0, NUM_KINDS] = observation[0, -1] = 1
    hand, acts = ObservationLayout.of(table).current_features(observation)
    assert hand.tolist() == [[1]]
    assert acts.tolist() == [[False, True]]


@pytest.mark.parametrize("name", game_names())
def test_networks_accept_observations_of_every_game(name: str) -> None:
    shape = GameShape.of(load(name).engine())
    decision = Networks(TINY, shape).decision
    assert isinstance(decision, PolicyNetwork)
    encoded = decision.encoder(torch.zeros(3, shape.observation.size))
    assert encoded.shape == (3, TINY.encoder.state_out + TINY.encoder.history_out)
