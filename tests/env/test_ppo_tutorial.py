"""The tutorial program: it runs, learns and stays short."""

from __future__ import annotations

import contextlib
import io
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tests.effort import long

pytest.importorskip("torch")
PROGRAM = Path(__file__).parents[2] / "docs" / "tutorials" / "ppo_vector_env.py"
MAX_LINES = 60


@pytest.fixture(scope="module")
def program() -> ModuleType:
    spec = spec_from_file_location("ppo_vector_env", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed_points(program: ModuleType, capsys: pytest.CaptureFixture[str], game: str, **settings: int) -> list[float]:
    """Return the points per deal that training prints."""
    import torch

    torch.manual_seed(0)
    program.train(game, **settings)
    return [float(points) for points in re.findall(r"updates +([-+][0-9.]+) points", capsys.readouterr().out)]


def test_program_is_short() -> None:
    assert len(PROGRAM.read_text("utf-8").splitlines()) <= MAX_LINES


def test_program_runs(program: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(Path(__file__).parents[1] / "games" / "vocabulary" / "numbers")
    assert len(printed_points(program, capsys, folder, updates=1, num_envs=8, num_steps=32, deals=250)) == 1


def test_code_blocks_of_the_page_print_the_shown_output() -> None:
    """The Python blocks of the page print the output blocks after them."""
    page = PROGRAM.with_name("ppo.md").read_text("utf-8")
    for code, expected in re.findall(r"^```python\n(.*?)^```\n\n```output\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, "ppo.md", "exec"), {})
        assert printed.getvalue() == expected
    assert "{literalinclude} ppo_vector_env.py" in page


@long
def test_program_improves_the_policy(program: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = printed_points(program, capsys, "doudizhu", updates=10, num_envs=128)
    assert after > before + 0.3
