"""A plain install: each command works, or names in one line the extra that it needs."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

from abl_cards.cli.app import app
from abl_cards.core.extras import EXTRAS, install_command
from tests.cli.test_cli import commands
from tests.conftest import ROOT
from tests.plain_install import make_environment, needed, run_in

NEEDS: dict[str, tuple[str, str]] = {
    "ablate": ("hearts --agent kb --list", ""),
    "bench": ("--help", ""),
    "bot": ("doudizhu bot.zip --agent abl", "learning"),
    "deal": ("doudizhu --class 0", "learning"),
    "demo": ("", "learning"),
    "explain": ("hearts no-record.jsonl", ""),
    "join": ("ws://127.0.0.1:1 --agent greedy", "web"),
    "judge": ("doudizhu", ""),
    "kb check": ("hearts", ""),
    "kb copy": ("hearts copied", ""),
    "kb diff": ("--help", ""),
    "kb new": ("mine", ""),
    "kb solve": ("--help", ""),
    "kb test": ("--help", ""),
    "kb verify": ("--help", ""),
    "kb describe": ("hearts", ""),
    "legal": ("hearts", ""),
    "lsp": ("", "lsp"),
    "match": ("hearts abl random --games 1", "learning"),
    "picture": ("hearts no-record.jsonl", "picture"),
    "replay": ("hearts no-record.jsonl", ""),
    "review": ("hearts no-record.jsonl", ""),
    "run": ("joint_loop", "learning"),
    "serve": ("hearts", "web"),
    "solve": ("--help", ""),
    "split": ("33344455", "learning"),
    "strength": ("doudizhu", "learning"),
    "train": ("big2 --minutes 0.01", "learning"),
    "web": ("", "web"),
}
"""Command: arguments with which it gets as far as its libraries, and the extra that it needs."""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return make_environment(tmp_path_factory.mktemp("plain") / "packages")


def test_every_command_is_covered() -> None:
    assert NEEDS.keys() == {" ".join(path) for path, _ in commands(get_command(app))}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if extra else pytest.mark.long) for name, (_, extra) in NEEDS.items()]
)
def test_commands_without_extras_work_or_name_the_extra(plain: list[str], tmp_path: Path, name: str) -> None:
    words, extra = NEEDS[name]
    done = run_in(plain, *name.split(), *words.split(), cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1, 2)
    last = (done.stderr.strip().splitlines() or [""])[-1]
    assert ("pip install" in last) == bool(extra), done.stderr
    if extra:
        assert last.endswith(f"pip install 'abl-cards[{extra}]'")


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, (_, extra) in NEEDS.items() if extra])
def test_named_extra_suffices(tmp_path: Path, name: str) -> None:
    """With it alone, another one is named at most."""
    words, extra = NEEDS[name]
    paths = make_environment(tmp_path / "packages", [extra])
    if name in ("web", "serve", "lsp", "demo", "train", "run"):
        words = "--help"  # these would go on for long
    done = run_in(paths, *name.split(), *words.split(), cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert f"[{extra}]" not in done.stderr


def test_extras_provide_their_modules() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(EXTRAS.values()) <= set(project["optional-dependencies"])
    brought = {"sklearn": "scikit-learn"}
    for module, extra in EXTRAS.items():
        assert install_command(module) == f"pip install 'abl-cards[{extra}]'"
        lines = " ".join(project["optional-dependencies"][extra])
        assert brought.get(module, module) in lines or brought.get(module, module) in needed([extra])
