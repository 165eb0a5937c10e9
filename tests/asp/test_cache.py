"""The disk cache returns stored builds and circuits, and ignores damaged files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from abl_cards.asp import cache, serialization
from abl_cards.asp.build import BuildResult, build_program
from abl_cards.asp.errors import Diagnostic, KBError, Location, Severity
from abl_cards.asp.terms import Input
from abl_cards.circuit import knowledge_base
from abl_cards.circuit.circuit import Circuit
from abl_cards.circuit.compile import compile_circuit
from abl_cards.circuit.evaluation import evaluate
from abl_cards.circuit.knowledge_base import KnowledgeBase

Result = TypeVar("Result")

TEXT = """
#const top = 2.
#external held(R,N) : R = 1..3, N = 1..2.
legal(R) :- held(R,1), R <= top.
:- held(3,2).
unused(1).
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rules.lp"
    path.write_text(TEXT)
    return path


def load(file: Path, **settings: object) -> KnowledgeBase:
    inputs = [Input("held", ((1, 2, 3), (1, 2)))]
    return KnowledgeBase.load([file], inputs=inputs, outputs=[("legal", 1)], **settings)  # type: ignore[arg-type]


def results_of(monkeypatch: pytest.MonkeyPatch, work: Callable[..., Result]) -> list[Result]:
    """Record the results of a function that knowledge bases call."""
    done: list[Result] = []

    def counted(*args: object) -> Result:
        done.append(work(*args))
        return done[-1]

    monkeypatch.setattr(knowledge_base, work.__name__, counted)
    return done


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[BuildResult]:
    """Record the knowledge bases that are built and not loaded."""
    return results_of(monkeypatch, build_program)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Circuit]:
    """Record the circuits that are compiled and not loaded."""
    return results_of(monkeypatch, compile_circuit)


def test_second_load_reads_the_cache(file: Path, builds: list[BuildResult]) -> None:
    first, second = load(file), load(file)
    assert len(builds) == 1
    assert second.ground == first.ground
    assert (second.constraints, second.warnings) == (first.constraints, first.warnings)
    assert first.constraints[0].location.line == 5
    assert "unused/1" in str(first.warnings[0])


def test_copied_folder_reuses_the_cache_with_its_own_paths(
    tmp_path: Path, builds: list[BuildResult], private_cache: Path
) -> None:
    """The paths of its files are a prefix of each other."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "rules.lp").write_text(TEXT + '#include "rules.lp.lp".\n')
        (tmp_path / folder / "rules.lp.lp").write_text("\n\nidle(2).\n")
    one, other = (load(tmp_path / folder / "rules.lp") for folder in "ab")
    assert len(builds) == 1
    assert other.ground == one.ground
    texts = [repr((kb.constraints, kb.warnings)) for kb in (one, other)]
    assert texts[0] != texts[1] == texts[0].replace(str(tmp_path / "a"), str(tmp_path / "b"))
    assert {Path(warning.location.file).name for warning in other.warnings if warning.location} == {
        "rules.lp",
        "rules.lp.lp",
    }
    afresh = load(tmp_path / "b" / "rules.lp", cache=False)  # whose text was walked over in the other folder
    assert repr((afresh.constraints, afresh.warnings)) == texts[1]
    (tmp_path / "b" / "rules.lp").rename(tmp_path / "b" / "other.lp")
    assert load(tmp_path / "b" / "other.lp").ground == one.ground
    assert len(builds) == 3


def test_content_and_constants_change_the_key(file: Path, builds: list[BuildResult]) -> None:
    assert len(load(file).circuit("legal/1").outputs) == 2
    assert len(load(file, constants={"top": 3}).circuit("legal/1").outputs) == 3
    file.write_text(TEXT.replace("R <= top", "R = 1"))
    assert len(load(file).circuit("legal/1").outputs) == 1
    assert len(builds) == 3


def test_circuits_are_compiled_once(file: Path, compiled: list[Circuit]) -> None:
    file.write_text(TEXT + "reached(1). reached(R) :- legal(R), reached(1).  reached(1) :- reached(2), held(1,1).\n")
    first, second = load(file).circuit("legal/1", "reached/1"), load(file).circuit("reached/1", "legal/1")
    assert len(compiled) == 1
    assert (second.inputs, second.outputs, second.stats) == (first.inputs, first.outputs, first.stats)
    rows = np.random.default_rng(0).integers(0, 2, (len(first.inputs), 200), np.uint8)
    assert (evaluate(first, rows) == evaluate(second, rows)).all()
    assert [atom.name for atom in load(file).circuit("legal/1").outputs] == ["legal", "legal"]
    assert len(compiled) == 2
    load(file, cache=False).circuit("legal/1")
    assert len(compiled) == 3


def test_damaged_circuit_is_compiled_again(file: Path, compiled: list[Circuit], private_cache: Path) -> None:
    load(file).circuit("legal/1")
    good = {path: path.read_bytes() for path in private_cache.glob("*.kb")}
    assert len(good) == 2
    for path in good:
        path.write_bytes(b"nonsense")
    load(file).circuit("legal/1")
    assert len(compiled) == 2
    assert {path: path.read_bytes() for path in private_cache.glob("*.kb")} == good


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\0" * 5000])
def test_damaged_files_are_built_again(
    file: Path, builds: list[BuildResult], private_cache: Path, damage: bytes
) -> None:
    load(file)
    (stored,) = private_cache.glob("*.kb")
    good = stored.read_bytes()
    for content in (damage, good[:-1], good[:40] + b"x" + good[41:]):
        stored.write_bytes(content)
        assert load(file).ground.num_rules > 0
        assert stored.read_bytes() == good
    assert len(builds) == 4


def test_misnamed_cache_files_are_built_again(
    file: Path, builds: list[BuildResult], compiled: list[Circuit], private_cache: Path
) -> None:
    load(file, constants={"top": 1}).circuit("legal/1")
    others = {path.read_bytes() for path in private_cache.glob("*.kb")}
    load(file).circuit("legal/1")
    good = {path: path.read_bytes() for path in private_cache.glob("*.kb")}
    for path, content in good.items():
        path.write_bytes(next(other for other in others if (len(other) > 900) == (len(content) > 900)))
    assert [str(atom) for atom in load(file).circuit("legal/1").outputs] == ["legal(1)", "legal(2)"]
    assert (len(builds), len(compiled)) == (3, 3)


@pytest.mark.parametrize("strange", ["folder", "pipe", "link to itself", "link to a device"])
def test_special_files_in_the_cache_are_ignored(
    file: Path, builds: list[BuildResult], private_cache: Path, strange: str
) -> None:
    load(file)
    (stored,) = private_cache.glob("*.kb")
    stored.unlink()
    if strange == "folder":
        (stored / "below").mkdir(parents=True)
    elif strange == "pipe":
        os.mkfifo(stored)
    else:
        stored.symlink_to("/dev/zero" if strange == "link to a device" else stored.name)
    for _ in range(2):
        assert load(file).circuit("legal/1").inputs
    assert len(builds) >= 2


def test_unusable_cache_folder_is_ignored(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "a_file"
    blocked.write_text("")
    for folder in (blocked, blocked / "below", "/proc/nowhere"):
        monkeypatch.setenv("ABL_CARDS_CACHE", str(folder))
        assert load(file).circuit("legal/1").inputs


def test_errors_are_not_stored(file: Path, private_cache: Path) -> None:
    file.write_text("legal(1) :- nonsense.")
    for _ in range(2):
        with pytest.raises(KBError):
            load(file)
    assert not list(private_cache.iterdir())


def test_packed_builds_round_trip(file: Path) -> None:
    kb = load(file, cache=False)
    built = BuildResult(kb.ground, kb.constraints, kb.warnings)
    assert serialization.unpack_build(serialization.pack_build(built)) == built


def test_paths_within_messages_are_relocated() -> None:
    here, there = ("/a/rules.lp", "/a/rules.lp.lp"), ("/b/rules.lp", "/c/rules.lp.lp")

    def built(first: str, second: str) -> BuildResult:
        message = f"see {second}:3:1-2 and {first}:1:1-2; not /b/a/rules.lp, nor /a/rules.lp.old."
        return BuildResult(
            None, (), (Diagnostic(Severity.WARNING, Location(first, 1, 2, 1, 3), message, f"edit {first}"),)
        )

    assert serialization.unpack_build(serialization.pack_build(built(*here), here), there) == built(*there)
    assert serialization.unpack_build(serialization.pack_build(built(*here))) == built(*here)


def test_oldest_files_are_evicted(file: Path, private_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(file)
    (first,) = private_cache.glob("*.kb")
    os.utime(first, (0, 0))
    monkeypatch.setattr(cache, "MAX_CACHE_BYTES", first.stat().st_size * 3 // 2)
    load(file, constants={"top": 1})
    assert first not in list(private_cache.glob("*.kb"))
    assert len(list(private_cache.iterdir())) == 1
