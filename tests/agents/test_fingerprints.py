"""Fingerprints of rules and agents, and results that were stored under former fingerprints."""

import hashlib
import shutil
from pathlib import Path

import pytest

from abl_cards.agents import agent_fingerprint, check_agent_name, files_fingerprint, rules_fingerprint
from abl_cards.cli.kb import NEW_GAME
from abl_cards.core import find_stored_inputs, former_fingerprint, result_key
from abl_cards.games.game import load

KB = check_agent_name("kb")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the game of ``kb new``."""
    return Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))


def test_rules_fingerprint_depends_on_the_ground_program(folder: Path) -> None:
    engine = load(str(folder)).engine()
    before, agent = rules_fingerprint(engine), agent_fingerprint(KB, engine)
    assert len(before) == 16
    file = folder / "rules.lp"
    text = file.read_text("utf-8")
    file.write_text(f"% Another comment.\n{text}", "utf-8")
    engine = load(str(folder)).engine()
    assert (rules_fingerprint(engine), agent_fingerprint(KB, engine)) == (before, agent)
    file.write_text(f"{text}barred(pair(3)) :- label(pair(3)).\n", "utf-8")
    engine = load(str(folder)).engine()
    assert rules_fingerprint(engine) != before
    assert agent_fingerprint(KB, engine) != agent


def test_rules_that_clingo_solves_count(folder: Path) -> None:
    engine, name = load(str(folder)).engine(), check_agent_name(f"kb:clingo={folder}")
    found = {agent_fingerprint(KB, engine), agent_fingerprint(name, engine)}
    with (folder / "rules.lp").open("a", encoding="utf-8") as stream:
        stream.write("barred(pair(3)) :- label(pair(3)).\n")
    found.add(agent_fingerprint(name, engine))
    assert len(found) == 3


def test_results_under_former_fingerprints_are_found(folder: Path) -> None:
    engine = load(str(folder)).engine()
    files = engine.preference_model().kb.files
    former = hashlib.sha256(b"\0".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()[:16]
    assert former == files_fingerprint(files) == former_fingerprint(rules_fingerprint(engine))
    assert former_fingerprint(agent_fingerprint(KB, engine)) == former
    inputs = {"match": ["kb", "kb"], "marks": [agent_fingerprint(KB, engine)], "rules": rules_fingerprint(engine)}
    stored = {**inputs, "marks": [former], "rules": former}
    assert find_stored_inputs({}, inputs) == find_stored_inputs({result_key(inputs): 1}, inputs) == inputs
    assert find_stored_inputs({result_key(stored): 1}, inputs) == stored
    assert find_stored_inputs({result_key(inputs): 1, result_key(stored): 2}, inputs) == inputs


@pytest.mark.parametrize("part", ["", "-rollout", "-opponents"])
def test_networks_beside_the_weights_count(tmp_path: Path, part: str) -> None:
    """A look-ahead plays imagined tables on by them, so other results follow."""
    engine, name = load("doudizhu").engine(), check_agent_name(f"abl:weights={tmp_path / 'some.safetensors'}")
    (tmp_path / "some.safetensors").write_bytes(b"weights")
    file, found = tmp_path / f"some{part}.safetensors", [agent_fingerprint(name, engine)]
    for content in (b"first", b"second of another length"):
        file.write_bytes(content)
        found.append(agent_fingerprint(name, engine))
    assert len(set(found)) == 3
