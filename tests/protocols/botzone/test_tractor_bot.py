"""Tractor bot in one file: it plays the moves of kb, on old Pythons, with the standard library only."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.tables.tables import Tables
from abl_cards.games.tables.tricks import apply_trick_plays
from abl_cards.games.types import ONLY_TABLE
from abl_cards.games.types.arrays import copy_rows
from abl_cards.protocols.botzone import tractor_bot_file
from abl_cards.protocols.botzone.bot_data import bot_data
from abl_cards.protocols.botzone.registry import BotzoneGame
from abl_cards.protocols.botzone.session import BotzoneSession
from abl_cards.protocols.botzone.tractor import tractor_numbering
from tests.cli_runs import run
from tests.effort import amount
from tests.games.random_play import match_keys
from tests.protocols.botzone.old_python import too_new
from tests.protocols.botzone.transcripts import read


def engine_of() -> Engine:
    return load("tractor").engine(profile="botzone")


KEYS = np.zeros(1, np.uint64)


def kinds(cards: list[int]) -> list[int]:
    return sorted(card % 54 for card in cards)


def test_bot_plays_the_moves_of_kb() -> None:
    """Decisions of a round agree for all four seats, forced ones included: every seventh one, or all with --long."""
    engine = engine_of()
    rules, kb = json.loads(json.dumps(bot_data(engine.rules, engine.preference_model()))), make_agent("kb", engine)
    logs = list[dict[str, Any]]()
    tables = engine.start_matches(match_keys(1, 51), BotzoneSession(engine.rules, write=logs.append))
    while not logs:
        if tables.rows_to_choose().size:
            tables.choose(ONLY_TABLE, kb.choose(tables.choices(ONLY_TABLE), KEYS))
        else:
            tables.play(ONLY_TABLE, kb.play(tables.decisions(ONLY_TABLE), KEYS))
    for entry in logs:
        log = entry["log"]
        messages: dict[str, dict[str, list[Any]]] = {str(seat): {"requests": [], "responses": []} for seat in range(4)}
        for number, (entry_output, answered) in enumerate(zip(log[:-1:2], log[1::2], strict=True)):
            ((seat, request),) = entry_output["output"]["content"].items()
            message = messages[seat]
            message["requests"].append(request)
            response = answered[seat]["response"]
            if number % amount(7, 1) == 0:
                assert kinds(tractor_bot_file.answer(rules, json.loads(json.dumps(message)))) == kinds(response)
            message["responses"].append(response)


def test_bot_plays_like_kb_among_random_agents() -> None:
    """Random agents throw, and throws fail; some decisions are compared with kb."""
    engine = engine_of()
    rules, kb = json.loads(json.dumps(bot_data(engine.rules, engine.preference_model()))), make_agent("kb", engine)
    logs, keys = list[dict[str, Any]](), KEYS
    session = BotzoneSession(engine.rules, write=logs.append)
    tables, at_random = engine.start_matches(match_keys(1, 53), session), make_agent("random", engine)
    while not logs:
        keys = splitmix64_array(keys, tables.num_decisions)
        if tables.rows_to_choose().size:
            tables.choose(ONLY_TABLE, at_random.choose(tables.choices(ONLY_TABLE), keys))
            continue
        if not tables.state.is_composing[0] and tables.state.num_acts[0] % amount(7, 3) == 0:
            response = tractor_bot_file.answer(rules, json.loads(json.dumps(session.message())))
            assert kinds(response) == _kb_play(engine.rules, kb, tables)
        tables.play(ONLY_TABLE, at_random.play(tables.decisions(ONLY_TABLE), keys))


def _kb_play(rules: Any, kb: Any, tables: Tables) -> list[int]:
    """Return the play of kb, composed part by part, as Botzone's numbers in the first pack."""
    copy = Tables(rules, 1)
    copy_rows(tables.state, ONLY_TABLE, copy.state)
    seat, before = copy.seat[0], copy.state.hands[0].copy()
    while True:
        move = kb.play(copy.decisions(ONLY_TABLE), KEYS)
        apply_trick_plays(rules, copy.state, ONLY_TABLE, move, None)
        if not copy.state.is_composing[0]:
            break
    numbers = tractor_numbering(rules)
    gone = before[seat] - copy.state.hands[0, seat]
    return sorted(numbers.kind_of.index(kind) for kind in np.repeat(np.arange(len(gone)), gone))


def test_bot_source_is_compatible_with_old_pythons() -> None:
    """It runs on Python 3.6, and is shorter than four million bytes."""
    engine = engine_of()
    platform = BotzoneGame.from_engine(engine)
    assert platform
    source = platform.bot_source(engine.preference_model())
    assert too_new(source, (3, 6)) == []
    assert "abl_cards.protocols" not in source
    assert len(source) < 4_000_000


def test_bot_file_runs_without_other_modules(tmp_path: Path) -> None:
    """A file that the command has written runs in a Python without other modules."""
    file = tmp_path / "bot.py"
    assert run("bot", "tractor", str(file), "--profile", "botzone").exit_code == 0
    _, log = read("tractor.jsonl")
    requests = [
        next(iter(entry["output"]["content"].values())) for entry in log[:-1:2] if "1" in entry["output"]["content"]
    ]
    responses = [entry["1"]["response"] for entry in log[1::2] if "1" in entry]
    message = json.dumps({"requests": requests[:40], "responses": responses[:39]})
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(file)], input=message, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["response"]


def test_unsupported_preferences_are_rejected(tmp_path: Path) -> None:
    """The error is raised when the bot is written."""
    folder = tmp_path / "tractor"
    shutil.copytree(load("tractor").folder.path, folder)
    with (folder / "preferences.lp").open("a", encoding="utf-8") as more:
        more.write(
            "#external acts(N) : N = 3.\npreference(late, economy).\n"
            'says(late, en, "Late.").\nsays(late, zh, "晚。").\ncost(late, 1) :- acts(3), play(pass).\n'
        )
    engine = engine_of()
    with pytest.raises(GameError, match=r"acts\(3\)") as error:
        bot_data(engine.rules, engine.preference_model((), folder))
    assert error.value.code == ErrorCode.UNSUPPORTED_GAME
