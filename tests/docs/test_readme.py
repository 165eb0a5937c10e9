"""The README is short, and the index of the documents links the central topics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MAX_LINES, MAX_COLUMNS, MAX_WORDS = 150, 120, 1000

TOPICS = {
    "legal moves": r"abl-cards legal",
    "PPO": r"\bPPO\b",
    "projection of hidden hands": r"project_estimate",
    "tribute": r"tribute\.lp",
    "web socket": r"websockets",
    "Botzone": r"abl-cards judge",
    "costs of preferences": r"cost\(Name",
    "endgame search": r"abl-cards solve",
    "observation layout": r"observation_features",
    "mutation tests": r"--only mutations",
}
"""Topics that a newcomer looks for, with a text of the page that answers."""


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_readme_is_short(name: str) -> None:
    lines = (ROOT / name).read_text("utf-8").splitlines()
    words = sum(len(re.findall(r"[\w'-]+", line)) for line in lines)
    assert len(lines) <= MAX_LINES
    assert [line for line in lines if len(line) > MAX_COLUMNS] == []
    assert words <= MAX_WORDS


@pytest.mark.parametrize("topic", TOPICS)
def test_topic_is_linked_from_the_index(topic: str) -> None:
    """A row of the map names the topic, and one of its links answers it."""
    rows = re.findall(r"^\| .+ \|$", (DOCS / "index.md").read_text("utf-8"), re.MULTILINE)
    words = [word for word in re.findall(r"\w+", topic.lower()) if word != "of"]
    targets = [
        target
        for row in rows
        if all(word in row.lower() for word in words)
        for target in re.findall(r"\]\(([^)#]+)", row)
    ]
    pages = [DOCS / target for target in targets if (DOCS / target).exists()]
    assert any(re.search(TOPICS[topic], page.read_text("utf-8")) for page in pages), targets
