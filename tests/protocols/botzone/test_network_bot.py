"""Bots with networks: numpy computes the probabilities of torch, and the zip needs Python and numpy only."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from abl_cards.agents.policy import NeuroSymbolicPolicy
from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.types import ONLY_TABLE
from abl_cards.learners.networks import GameShape, Networks
from abl_cards.learners.plane_resnet import PlanePolicyNetwork
from abl_cards.learners.presets import PRESETS
from abl_cards.learners.weights_files import WeightsCard
from abl_cards.learners.weights_io import load_networks, save_networks
from abl_cards.protocols.botzone import network_bot_file, network_parts, tractor_bot_file
from abl_cards.protocols.botzone.bot_data import bot_data
from abl_cards.protocols.botzone.network_bot import tractor_network_weights, tractor_observed_slots
from abl_cards.protocols.botzone.network_parts import find_best_moves
from abl_cards.protocols.botzone.registry import BotzoneGame
from abl_cards.protocols.botzone.session import BotzoneSession
from tests.cli_runs import run
from tests.effort import amount
from tests.games.random_play import match_keys
from tests.protocols.botzone.old_python import too_new

KEYS = np.zeros(1, np.uint64)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load("tractor").engine(profile="botzone")


@pytest.fixture(scope="module", params=["planes-small", "planes-abl"])
def file(request: pytest.FixtureRequest, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write weights with noise, so that every input changes the output."""
    preset = PRESETS[request.param].without_abln()
    networks = Networks(preset, GameShape.of(engine), seed=1)
    noise = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for weights in networks.decision.parameters():
            weights.add_(0.02 * torch.randn(weights.shape, generator=noise))
    path = tmp_path_factory.mktemp("weights") / f"{request.param}.safetensors"
    save_networks(path, networks, WeightsCard("tractor", preset.name, abln=False, seed=1))
    return path


def test_numpy_probabilities_equal_torch(engine: Engine, file: Path) -> None:
    """They agree at the decisions of a round that have a choice."""
    networks = load_networks(file, engine)
    assert isinstance(networks.decision, PlanePolicyNetwork)
    network = network_bot_file.TractorNetwork(network_parts.read_npz(tractor_network_weights(engine.rules, networks)))
    slots = tractor_observed_slots(engine.rules, networks)
    rules = json.loads(json.dumps(bot_data(engine.rules, engine.preference_model(), slots)))
    rules["best"] = network_bot_file.TractorPlayer(network)
    policy = NeuroSymbolicPolicy(engine, engine.preference_model(), networks)
    player = make_agent(f"abl:no-lookahead,weights={file}", engine)
    session = BotzoneSession(engine.rules)
    tables = engine.start_matches(match_keys(1, 57), session)
    compared = 0
    while not tables.num_episodes[0] and compared < amount(4, 25):
        if tables.rows_to_choose().size:
            tables.choose(ONLY_TABLE, player.choose(tables.choices(ONLY_TABLE), KEYS))
            continue
        decisions = tables.decisions(ONLY_TABLE)
        moves = player.play(decisions, KEYS)
        if not tables.state.is_composing[0]:
            view = policy.features(decisions)
            if len(view.open_rows):
                labels, log_probs = _log_probabilities(rules, network, json.loads(json.dumps(session.message())))
                expected = policy.log_probs(view)[0]
                assert labels == np.flatnonzero(view.legal[0]).tolist()
                assert np.abs(expected[labels] - log_probs).max() < 1e-5
                compared += 1
        tables.play(ONLY_TABLE, moves)
    assert compared


def _log_probabilities(rules: Any, network: network_bot_file.TractorNetwork, message: Any) -> tuple[list[int], Any]:
    """Return the labels and log probabilities at the first step of the requested play."""
    results: list[Any] = []

    def note(view: tractor_bot_file.TractorView, moves: Any) -> int:
        if not results:
            results.append(network_bot_file.log_probabilities(network, view, find_best_moves(view, moves)))
        chosen: int = rules["best"](view, moves)
        return chosen

    tractor_bot_file.answer({**rules, "best": note}, message)
    result: tuple[list[int], Any] = results[0]
    return result


def test_zip_requires_only_python_and_numpy(engine: Engine, file: Path, tmp_path: Path) -> None:
    judge, networks = engine.preference_model(), load_networks(file, engine)
    data = BotzoneGame(engine).network_bot_zip(judge, networks)
    assert data == BotzoneGame(engine).network_bot_zip(judge, networks)
    bot = tmp_path / "bot.zip"
    bot.write_bytes(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sources = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")]
        assert len(archive.read("weights.npz")) < 4 << 20
    assert len(sources) == 2
    for source in sources:
        assert too_new(source) == []
        assert "abl_cards" not in source.split('"""', 2)[2]
    first = {"stage": "deal", "deliver": [4], "playerpos": 0, "global": {
        "level": "2", "first_round": True, "banking": {"called": -1, "snatched": -1, "major": "", "banker": -1},
    }}  # fmt: skip
    command = [sys.executable, "-I", str(bot)]
    line = json.dumps({"requests": [first], "responses": []})
    done = subprocess.run(command, input=line, capture_output=True, text=True, check=True, timeout=60)
    assert isinstance(json.loads(done.stdout)["response"], list)


def test_unsupported_networks_are_rejected(engine: Engine) -> None:
    shape = GameShape.of(engine)
    for preset in (PRESETS["planes-abl"], PRESETS["small"].without_abln()):
        with pytest.raises(GameError) as error:
            tractor_network_weights(engine.rules, Networks(preset, shape))
        assert error.value.code == ErrorCode.UNSUPPORTED_GAME


def test_bot_command_writes_the_zip(file: Path, tmp_path: Path) -> None:
    bot = tmp_path / "bot.zip"
    words = ["bot", "tractor", str(bot), "--profile", "botzone", "--agent", f"abl:weights={file}"]
    answer = run(*words)
    assert answer.exit_code == 0, answer.output
    assert sorted(zipfile.ZipFile(bot).namelist()) == ["__main__.py", "rules.json", "tractor_bot.py", "weights.npz"]
    answer = run("bot", "doudizhu", str(bot), "--profile", "botzone", "--agent", "abl")
    assert answer.exit_code == 0, answer.output
    assert sorted(zipfile.ZipFile(bot).namelist()) == ["__main__.py", "landlord_bot.py", "rules.json", "weights.npz"]
