"""Tests of the style of the page's scripts: line lengths, components per file, ESLint and Prettier."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from abl_cards.web.static_files import STATIC_FOLDER

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(path for path in STATIC_FOLDER.rglob("*.js") if "vendor" not in path.parts)
MAX_LINE_LENGTH = 120
COMPONENT = re.compile(r"^(?:export )?(?:function|const) ([A-Z]\w*[a-z]\w*)\b", re.MULTILINE)
"""A top-level function or constant in PascalCase; constants in capitals are none."""
STATE = re.compile(r"const \[(\w*), (\w+)\] = useState\b")


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


@pytest.mark.parametrize("path", SCRIPTS, ids=[path.relative_to(STATIC_FOLDER).as_posix() for path in SCRIPTS])
def test_scripts_have_short_lines_and_one_component_per_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    long_lines = [number for number, line in enumerate(text.split("\n"), 1) if len(line) > MAX_LINE_LENGTH]
    assert not long_lines
    components = COMPONENT.findall(text)
    assert len(components) <= 1
    if components and components[0] != "Section":  # a section's entry is section.js in its folder
        assert path.stem == _snake_case(components[0])
    for value, setter in STATE.findall(text):
        assert not value or setter == f"set{value[0].upper()}{value[1:]}"


def test_components_are_found() -> None:
    files = [path for path in SCRIPTS if COMPONENT.search(path.read_text(encoding="utf-8"))]
    assert len(files) > 40


@pytest.mark.parametrize("script", ["eslint/bin/eslint.js", "prettier/bin/prettier.cjs"], ids=["eslint", "prettier"])
def test_scripts_pass_the_linters(script: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node: the linters of the page's scripts are tools of developers")
    tool = ROOT / "node_modules" / script
    if not tool.is_file():
        pytest.skip("no node_modules: run npm ci in the root of the checkout")
    command = [node, str(tool), *(["--check", "."] if "prettier" in script else [])]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
