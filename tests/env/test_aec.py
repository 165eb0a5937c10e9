"""The PettingZoo AEC environment: interface, rewards, masks, and equal deals for equal seeds."""

from __future__ import annotations

import doctest
import warnings
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.env import aec
from abl_cards.env.aec import CardGameEnv, aec_env
from abl_cards.env.factories import gymnasium_env
from abl_cards.env.vector_env import VectorEnv
from abl_cards.games.game import game_names, load
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types import features
from abl_cards.games.types.moves import Moves
from tests.effort import amount, long


@pytest.mark.parametrize("module", [aec, features])
def test_doctests_pass(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def act(table: Any, random: np.random.Generator) -> None:
    """Take a random legal action, or None for an agent that is done."""
    observation, _, terminated, truncated, _ = table.last()
    legal = np.flatnonzero(observation["action_mask"])
    table.step(None if terminated or truncated else int(random.choice(legal)))


def play_out(table: Any, random: np.random.Generator) -> dict[str, float]:
    """Play until all agents are done, and return the total reward of each."""
    total = dict.fromkeys(table.possible_agents, 0.0)
    for agent in table.agent_iter():
        if not table.terminations[agent]:
            act(table, random)
            for other, reward in table.unwrapped.rewards.items():
                total[other] += reward
        else:
            act(table, random)
    return total


EVERY_SETTING = ("guandan", "president")
SHORT = ("guandan", "president", "doudizhu", "big2", "whist")
"""Games that pass PettingZoo's tests in every run: bids, exchanges, bombs and tricks are among them."""
LONG = ("tractor", "bigtwo", "hearts", "spades")
"""Matches have thousands of decisions, or decisions thousands of labels; tests of these games play them through."""
SETTINGS: list[dict[str, Any]] = [{}, {"one_episode": True}, {"exchange": "agent"}]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        pytest.param(
            name, settings, marks=[long] if name not in SHORT or (settings and name not in EVERY_SETTING) else []
        )
        for name in game_names()
        for settings in SETTINGS
    ],
)
def test_pettingzoo_api_test_passes(name: str, settings: dict[str, Any]) -> None:
    """Pass PettingZoo's own tests, with no warnings except those for dictionary observations."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(aec_env(name, **settings), num_cycles=amount(12, 120))
        seed_test(partial(aec_env, name, **settings), num_cycles=amount(12, 120))
    messages = {str(warning.message) for warning in caught if "pettingzoo" in warning.filename}
    assert messages <= {
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    }


@pytest.mark.parametrize("name", [pytest.param(name, marks=[long] if name in LONG else []) for name in game_names()])
def test_complete_match_ends_all_agents_at_once(name: str) -> None:
    """Accept every action of the mask, share rewards in teams, and end all agents at once."""
    table = aec_env(name, seed=3)
    table.reset()
    teams = load(name).engine().teams
    total = play_out(table, np.random.default_rng(3))
    assert table.agents == []
    for agent, team in zip(table.possible_agents, teams, strict=True):
        assert total[agent] == total[table.possible_agents[int(np.flatnonzero(teams == team)[0])]]
    assert any(total.values())


def test_one_episode_ends_after_the_deal() -> None:
    """Stop after the episode with rewards ±1, ±2, ±3 and observations of the final hands."""
    for seed in range(amount(2, 5)):
        table = aec_env("guandan", seed=seed, one_episode=True)
        table.reset()
        random, rewards = np.random.default_rng(seed), dict[str, float]()
        while not any(table.terminations.values()):
            act(table, random)
            rewards = dict(table.unwrapped.rewards)
        assert rewards["seat_0"] == rewards["seat_2"] == -rewards["seat_1"] == -rewards["seat_3"]
        assert abs(rewards["seat_0"]) in (1, 2, 3)
        hands = [table.observe(agent)["observation"][20:74].sum() for agent in table.agents]
        assert 1 <= sum(cards == 0 for cards in hands) <= 3
        assert all(table.terminations.values())


def test_rewards_for_every_order_of_finish() -> None:
    """Give the rewards of table 3 of the paper for every order of finish."""
    orders = np.array([[0, 2, 1, 3], [2, 1, 0, 3], [0, 1, 3, 2], [1, 0, 2, 3], [3, 0, 1, 2], [1, 3, 2, 0]], np.int8)
    engine: Any = load("guandan").engine()
    tables = engine.start_matches(np.arange(6).astype(np.uint64))
    tables.state.finish_order[:] = orders
    tables.points[:], _, _ = tables.event_rules.score_episodes(tables.state, np.arange(6))
    rewards = engine.rewards(tables, np.arange(6))
    assert rewards[:, 0].tolist() == [3, 2, 1, -1, -2, -3]
    assert (rewards * [1, -1, 1, -1] == rewards[:, :1]).all()


def test_actions_are_labels_with_pass_last() -> None:
    """Offer 168 actions: no pass for the leader, and no action for a waiting seat."""
    table = aec_env("guandan", seed=1)
    table.reset()
    labels = load("guandan").engine().labels
    assert table.action_space("seat_0").n == len(labels) == 168
    leader = table.agent_selection
    masks = {agent: table.observe(agent)["action_mask"] for agent in table.agents}
    assert masks[leader][167] == 0
    assert masks[leader].any()
    assert all(not mask.any() for agent, mask in masks.items() if agent != leader)
    table.step(int(np.flatnonzero(masks[leader])[0]))
    assert labels[167] == "pass"
    assert table.last()[0]["action_mask"][167] == 1


def test_illegal_action_is_rejected_without_changes() -> None:
    """Reject a label outside of the mask without a change to the table."""
    table = aec_env("guandan", seed=1)
    table.reset()
    leader, before = table.agent_selection, table.render()
    with pytest.raises(GameError) as error:
        table.step(167)
    assert error.value.code == ErrorCode.ILLEGAL_ACTION
    assert (table.agent_selection, table.render()) == (leader, before)


def test_exchange_agent_offers_cards_as_actions() -> None:
    """With exchange="agent", offer cards after the labels, to the seat in turn."""
    table = aec_env("guandan", seed=5, exchange="agent")
    table.reset()
    random, num_exchanges = np.random.default_rng(5), 0
    assert table.action_space("seat_0").n == 168 + 54
    for _ in table.agent_iter(3000):
        observation, _, terminated, _, _ = table.last()
        mask = observation["action_mask"]
        if not terminated and mask[168:].any():
            num_exchanges += 1
            assert not mask[:168].any()
            hand = observation["observation"][20:74]
            assert (hand[mask[168:] == 1] > 0).all()
        act(table, random)
        if num_exchanges >= amount(2, 3000):
            break
    assert num_exchanges > 0


@pytest.mark.parametrize("seed", [np.int64(3), np.uint8(3), np.int32(-3), 2**200])
def test_seeds_can_be_any_integer_type(seed: Any) -> None:
    def cards(**settings: Any) -> str:
        table = aec_env("hearts", **settings)
        table.reset(**({} if settings else {"seed": seed}))
        return str(table.render())

    assert cards() == cards(seed=seed) == cards(seed=int(seed))


def test_non_integer_seed_raises_type_error() -> None:
    table = aec_env("hearts")
    with pytest.raises(TypeError, match=r"a seed is a whole number, and not 3\.5"):
        table.reset(seed=3.5)
    with pytest.raises(TypeError):
        aec_env("hearts", seed="3")  # not at the first deal only
    env = gymnasium_env("hearts")
    for seed in ("3", 3.5):
        with pytest.raises(TypeError):
            env.reset(seed=seed)  # type: ignore[arg-type]


def test_custom_realise_and_deterministic_seeds() -> None:
    """Accept a custom realisation of labels; deal anew at each reset, and the same for equal seeds."""
    seen: list[int] = []

    def last_set(decisions: Decisions, labels: np.ndarray) -> Moves:
        lists = decisions.moves(labels)
        seen.append(len(lists.form))
        return Moves(lists.form[-1:], lists.cards[-1:])

    table = aec_env("guandan", seed=2, realise=last_set, one_episode=True)
    table.reset()
    first = table.render()
    play_out(table, np.random.default_rng(0))
    assert max(seen) > 1
    table.reset()
    assert table.render() != first
    table.reset(seed=2)
    assert table.render() == first


def test_render_prints_for_humans(capsys: pytest.CaptureFixture[str]) -> None:
    table = CardGameEnv("guandan", render_mode="human")
    table.reset()
    assert table.render() is None
    assert "legal labels" in capsys.readouterr().out


@pytest.mark.parametrize("action", [True, 3.0, "3", [3], [[1], [1, 2]]])
def test_non_integer_actions_are_rejected(action: Any) -> None:
    table = CardGameEnv("president", seed=1)
    table.reset()
    before = table.render()
    with pytest.raises(GameError) as error:
        table.step(action)
    assert (error.value.code, table.render()) == (ErrorCode.INVALID_ACTIONS, before)


def test_unknown_seats_are_rejected() -> None:
    table = aec_env("president")
    table.reset()
    for see in (table.observe, table.observation_space, table.action_space):
        with pytest.raises(GameError) as error:
            see("nobody")
        assert error.value.code == ErrorCode.UNKNOWN_SEAT


def test_calls_before_reset_are_rejected() -> None:
    table = CardGameEnv("president")
    for use in (table.render, lambda: table.step(0), lambda: table.observe("seat_0")):
        with pytest.raises(GameError) as error:
            use()
        assert error.value.code == ErrorCode.NOT_RESET


def test_closed_environment_rejects_calls() -> None:
    table = aec_env("president")
    table.reset()
    table.close()
    for use in (table.reset, lambda: table.step(0), lambda: table.observe("seat_0")):
        with pytest.raises(GameError) as error:
            use()
        assert error.value.code == ErrorCode.CLOSED


@pytest.mark.parametrize("settings", [{"exchange": "agents"}, {"realise": "first"}, {"directory": 3}])
def test_settings_that_are_no_functions_or_paths_are_named(settings: dict[str, Any]) -> None:
    with pytest.raises(GameError, match=next(iter(settings))) as error:
        aec_env("president", **settings)
    assert error.value.code == ErrorCode.INVALID_VALUE


CHANGES: list[Any] = [
    lambda moves: None,
    lambda moves: Moves(moves.form[:0], moves.cards[:0]),
    lambda moves: Moves(moves.form, np.full_like(moves.cards, 200)),
    lambda moves: Moves(moves.form, np.full_like(moves.cards, 255)),
    lambda moves: Moves(moves.form * 0 + 30_000, moves.cards),
    lambda moves: Moves(moves.form.astype(float), moves.cards),
    lambda moves: 1 / 0,
]


@pytest.mark.parametrize("change", CHANGES)
def test_wrong_moves_of_a_function_are_rejected(change: Any) -> None:
    """Kernels check no bounds: a card that does not exist ended the process."""

    def realise(decisions: Decisions, labels: Any) -> Any:
        return change(decisions.first_moves(labels))

    table = aec_env("president", realise=realise)
    table.reset()
    with pytest.raises(GameError, match="realise") as error:
        table.step(int(table.last()[0]["action_mask"].argmax()))
    assert error.value.code == ErrorCode.INVALID_REASONER
    env = VectorEnv("president", 3, realise=realise)
    actions = env.reset().action_mask.argmax(axis=1)
    with pytest.raises(GameError, match="realise") as error:
        env.step(actions)
    assert error.value.code == ErrorCode.INVALID_REASONER


def test_cards_of_a_function_may_come_in_any_order() -> None:
    def reverse(decisions: Decisions, labels: Any) -> Moves:
        moves = decisions.first_moves(labels)
        return Moves(moves.form, moves.cards[:, ::-1])

    env, plain = VectorEnv("president", 3, realise=reverse), VectorEnv("president", 3)
    step, expected = env.reset(), plain.reset()
    for _ in range(60):
        actions = expected.action_mask.argmax(axis=1)
        step, expected = env.step(actions), plain.step(actions)
        assert np.array_equal(step.observation, expected.observation)


@pytest.mark.parametrize(
    "change", [lambda chosen: None, lambda chosen: chosen + 200, lambda chosen: chosen * 1.0, lambda chosen: chosen[:0]]
)
def test_wrong_options_of_a_function_are_rejected(change: Any) -> None:
    table = aec_env("guandan", seed=2, exchange=lambda choices: change(choices.options.argmax(axis=1)))
    table.reset()

    def play_on() -> None:
        for _ in range(400):  # the second deal begins with an exchange of cards
            table.step(int(table.last()[0]["action_mask"].argmax()))

    with pytest.raises(GameError, match="exchange") as error:
        play_on()
    assert error.value.code == ErrorCode.INVALID_REASONER
