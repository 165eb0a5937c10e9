"""Dou dizhu bot with networks: numpy repeats the computations of the agent."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from abl_cards.agents.policy import NeuroSymbolicPolicy, PolicyInputs
from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.types import ONLY_TABLE
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.presets import PRESETS, RESPONSE_DEALS
from abl_cards.learners.weights_files import WeightsCard
from abl_cards.learners.weights_io import load_networks, save_networks
from abl_cards.protocols.botzone import bot_file, doudizhu_network_file, network_parts
from abl_cards.protocols.botzone.network_bot import doudizhu_network_data, doudizhu_network_weights
from abl_cards.protocols.botzone.registry import BotzoneGame
from abl_cards.protocols.botzone.session import BotzoneSession
from tests.effort import amount
from tests.games.random_play import match_keys
from tests.protocols.botzone.old_python import too_new

KEYS = np.zeros(1, np.uint64)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load("doudizhu").engine(profile="botzone")


@pytest.fixture(scope="module")
def file(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write weights with noise, so that every input changes the output."""
    networks = Networks(PRESETS["small-stakes"], GameShape.of(engine), seed=1)
    noise = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for weights in networks.parameters():
            weights.add_(0.02 * torch.randn(weights.shape, generator=noise))
    path = tmp_path_factory.mktemp("weights") / "some.safetensors"
    save_networks(path, networks, WeightsCard("doudizhu", "small-stakes", True, seed=1, profile="botzone"))
    return path


class RecordingPlayer(doudizhu_network_file.DoudizhuPlayer):
    """Player that keeps the inputs and scores of its last decision."""

    def scores(self, view: Any, regret: dict[int, int], plays: dict[int, int]) -> Any:
        scores = super().scores(view, regret, plays)
        observation = doudizhu_network_file.make_observation(view)
        hidden, following = self.estimate_hands(view, observation, view.rules["steps"])
        self.last = observation, hidden.both_hands(following), sorted(regret), scores
        return scores


def test_numpy_network_equals_the_agent(engine: Engine, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Observation, estimate and probabilities agree in up to two rounds; response probabilities go to the bot."""
    networks = load_networks(file, engine)
    rules = json.loads(json.dumps(doudizhu_network_data(engine.rules, engine.preference_model(), networks)))
    read = network_parts.read_npz(doudizhu_network_weights(networks))
    rules["best"] = player = RecordingPlayer(doudizhu_network_file.DoudizhuNetwork(read))
    policy, agent = (
        NeuroSymbolicPolicy(engine, engine.preference_model(), networks),
        make_agent(f"abl:no-lookahead,weights={file}", engine),
    )
    compared, most = 0, amount(12, 1000)
    for seed in range(2):
        session = BotzoneSession(engine.rules)
        tables = engine.start_matches(match_keys(1, 57 + seed), session)
        while not tables.num_episodes[0] and compared < most:
            decisions = tables.decisions(ONLY_TABLE)
            view, moves = policy.features(decisions), agent.play(decisions, KEYS)
            if len(view.open_rows):
                shares = view.response_counts[0].astype(np.float32) / RESPONSE_DEALS * view.legal[0]
                monkeypatch.setattr(doudizhu_network_file, "response_probabilities", lambda *_, shares=shares: shares)
                bot_file.answer(rules, json.loads(json.dumps(session.message())))
                _compare(player, view, policy.log_probs(view)[0])
                compared += 1
            tables.play(ONLY_TABLE, moves)
    assert compared > amount(10, 20)


def _compare(player: RecordingPlayer, view: PolicyInputs, expected: Any) -> None:
    observation, hands, labels, scores = player.last
    np.testing.assert_array_equal(observation, view.observation[0])
    np.testing.assert_allclose(hands, view.estimate[0], atol=2e-3)
    assert labels == np.flatnonzero(view.legal[0]).tolist()
    log_probs = scores[labels] - np.log(np.exp(scores[labels]).sum())
    np.testing.assert_allclose(log_probs, expected[labels], atol=2e-2)


def test_sampled_deals_are_possible(engine: Engine, file: Path) -> None:
    view: Any = SimpleNamespace(
        unseen=[2, 1, 3] + [0] * 12, sizes=[4, 2], bottom=[1] + [0] * 14, seat=1, acts=[], hand=[0] * 15
    )
    hidden = doudizhu_network_file.BotHiddenHands(view, np.full(15, 4, np.float32))
    hands = hidden.sample_hands(hidden.uniform_estimate(), np.random.RandomState(1))
    for following, previous in zip(hands[::2], hands[1::2], strict=True):
        assert sum(following) == 4
        assert previous[0] >= 1  # the landlord has shown this one
        assert [one + two for one, two in zip(following, previous, strict=True)] == view.unseen


def test_zip_requires_only_python_and_numpy(engine: Engine, file: Path, tmp_path: Path) -> None:
    data = BotzoneGame(engine).network_bot_zip(engine.preference_model(), load_networks(file, engine))
    bot = tmp_path / "bot.zip"
    bot.write_bytes(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert sorted(archive.namelist()) == ["__main__.py", "landlord_bot.py", "rules.json", "weights.npz"]
        sources = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")]
        assert len(data) < 4 << 20
    for source in sources:
        assert too_new(source) == []
        assert "from abl_cards" not in source
    first = {"history": [[], []], "own": list(range(20)), "publiccard": [0, 1, 2]}
    line = json.dumps({"requests": [first], "responses": []})
    command = [sys.executable, "-I", str(bot)]
    done = subprocess.run(command, input=line, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout)["response"]


def test_unsupported_networks_are_rejected(engine: Engine) -> None:
    with pytest.raises(GameError) as error:
        doudizhu_network_weights(Networks(PRESETS["small"].without_abln(), GameShape.of(engine)))
    assert error.value.code == ErrorCode.UNSUPPORTED_GAME
