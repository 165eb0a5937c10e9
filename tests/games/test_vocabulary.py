"""Every predicate of the reference occurs in a small folder that is not a shipped game.

The folders of ``vocabulary`` were written from the documentation alone. Their cases specify each predicate; these tests
cover the rest.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from abl_cards.agents.baselines import RandomAgent
from abl_cards.asp.terms import Signature
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.rule_errors import TableError
from abl_cards.games.description.inputs import INPUTS
from abl_cards.games.description.loading import FACT_NAMES, OUTPUT_NAMES
from abl_cards.games.description.variants import parse_files
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.notation import spell
from abl_cards.games.tables.tables import Tables
from abl_cards.rulelab.testing.cases import find_failures, read_cases
from abl_cards.rulelab.testing.games import step_tables
from tests.effort import amount

HOME = Path(__file__).parent / "vocabulary"
FOLDERS = sorted(folder.name for folder in HOME.iterdir() if folder.is_dir())
ELSEWHERE = {"platform/1"}
"""Met by tests of the protocols that they name."""


@cache
def engine_of(name: str, profile: str | None = None) -> Engine:
    """A folder, compiled."""
    engine = load(str(HOME / name)).engine(None, profile)
    assert isinstance(engine, Engine)
    return engine


def begin(name: str, tables: int = 6) -> Tables:
    """Matches that have just begun."""
    return engine_of(name).start_matches(splitmix64_array(np.arange(tables).astype(np.uint64), 5))


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_pass_their_cases_and_play(name: str) -> None:
    cases = read_cases(HOME / name)
    assert cases
    assert not [str(failure) for failure in find_failures(cases, lambda profile: engine_of(name, profile))]
    tables = begin(name, amount(2, 6))
    for _ in range(400):
        if tables.num_episodes.min() > 0 or not step_tables(tables, RandomAgent()):
            break
    assert tables.num_episodes.max() > 0 or tables.winner.max() >= 0


def test_every_predicate_occurs_in_a_folder() -> None:
    """Derived, read or declared in the text of a folder."""
    files = [file for name in FOLDERS for file in (HOME / name).rglob("*.lp")]
    used: set[str] = set()
    for file in files:
        parsed = parse_files([file])
        used |= {str(use.signature) for use in (*parsed.heads, *parsed.bodies, *parsed.externals, *parsed.facts)}
    assert {*FACT_NAMES, *OUTPUT_NAMES, *map(str, INPUTS)} - used == ELSEWHERE


def test_observation_follows_sees_and_recent() -> None:
    """The observation follows ``sees/2``, ``sees/3`` and ``recent/1``."""
    names = [feature.name for feature in engine_of("numbers").observation_features.features]
    assert [name.partition("[")[0].split()[0] for name in names][:2] == ["hand", "to_beat"]
    assert engine_of("numbers").rules.history_length == 2


def test_texts_of_values_without_letters() -> None:
    """``sort/4``, ``word/3``, ``word/4``."""
    assert spell(engine_of("numbers").rules, "force", 5, "en") == "the top"
    assert engine_of("numbers").argument_types[Signature("strength", 2)][1] == "force"
    assert spell(engine_of("numbers").rules, "card", "fool", "en") == "the fool"
    assert spell(engine_of("numbers").rules, "card", "fool", "zh") == "鬼"


def test_constraints_and_beliefs_follow_the_rules() -> None:
    """Hidden hands follow ``has``, ``lacks`` and ``belief`` with ``laid``, ``led`` and ``passed_over``."""
    tables = begin("hints", 60)
    bounded = believed = False
    for _ in range(40):
        playing = tables.rows_to_play()
        if playing.size:
            known = tables.information_set(playing)
            truth = tables.hidden_hands(playing)
            assert (known.min_copies <= truth).all()
            assert (truth <= known.max_copies).all()
            bounded |= bool((known.min_copies > 0).any())
            believed |= bool((tables.belief_log_odds(playing) != 0).any())
        step_tables(tables, RandomAgent())
    assert bounded
    assert believed


def test_roles_sides_and_secret_stages() -> None:
    """``role/2``, ``side/2``, ``secret/1``, ``takes_aside/1``."""
    engine = engine_of("kitty")
    assert len(engine.roles) > 1
    assert engine.rules.secret_stages
    tables = begin("kitty", 20)
    while tables.rows_to_choose().size:
        step_tables(tables, RandomAgent())
    playing = tables.rows_to_play()
    assert (tables.roles(playing).max(axis=1) > 0).any()
    assert len(np.unique(tables.sides(playing), axis=0)) > 1


def test_composed_play_beyond_composes_raises() -> None:
    """``composes/1``: the table stops a play of more cards than declared before an array overflows."""
    rules = replace(engine_of("throws").rules)
    rules.__dict__["max_play_cards"] = 1  # as by composes(1)
    tables = Tables.begin(rules, splitmix64_array(np.arange(60).astype(np.uint64), 5))
    assert tables.state.top_cards.shape == (60, 1)
    with pytest.raises(TableError, match="composes/1"):
        all(step_tables(tables, RandomAgent()) for _ in range(40))
