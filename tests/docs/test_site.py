"""``make docs`` builds the site without a warning, and its pages make no request."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MISSING = [name for name in ("sphinx", "myst_parser", "furo") if find_spec(name) is None]

_RESOURCE = re.compile(
    r"<(?:link|script|img|iframe|source|video|audio|embed|object|use)\b[^>]*?\b(?:src|href|data|srcset)=\"([^\"]+)\""
)
_STYLE_URL = re.compile(r"(?:url\(|@import)\s*[\"']?([^\"') ;]+)")
_SCRIPT_REQUEST = re.compile(
    r"(?:fetch|import|importScripts|open|Worker|EventSource|WebSocket|sendBeacon)\(\s*[\"'`]((?:https?:|wss?:)?//[^\"'`]+)"
    r"|\.(?:src|href)\s*=\s*[\"'`]((?:https?:)?//[^\"'`]+)"
)
_NO_NETWORK = """
import socket, sys

def refuse(*arguments, **options):
    raise OSError("the build of the documents opens a connection")

socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
from sphinx.cmd.build import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built pages. Any connection during the build is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-c", _NO_NETWORK, "-q", "-W", "-E", "-b", "html", "-d", str(folder / "doctrees")]
    built = subprocess.run(
        [*command, str(ROOT / "docs"), str(folder / "html")], capture_output=True, text=True, timeout=900, cwd=ROOT
    )
    assert built.returncode == 0, built.stderr[-4000:]
    return folder / "html"


def find_requests(folder: Path) -> list[tuple[str, str]]:
    """File and address of everything that a page would load from another server."""
    patterns = {".html": (_RESOURCE, _SCRIPT_REQUEST), ".css": (_STYLE_URL,), ".js": (_SCRIPT_REQUEST,)}
    return [
        (file.name, target)
        for file in folder.rglob("*")
        for pattern in patterns.get(file.suffix, ())
        for groups in pattern.findall(file.read_text("utf-8", errors="replace"))
        for target in ([groups] if isinstance(groups, str) else groups)
        if re.match(r"(?:https?:|wss?:)?//", target)
    ]


@pytest.mark.long
@pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}: pip install -c constraints.txt -e '.[docs]'")
def test_site_makes_no_external_requests(site: Path) -> None:
    assert (site / "index.html").exists()
    assert len(list(site.rglob("*.html"))) > 50
    assert find_requests(site) == []


def test_find_requests_returns_external_urls(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="https://clingo.example">a link is fine</a><script src="https://cdn.example/x.js"></script>'
        '<link rel="stylesheet" href="//fonts.example/f.css"><img src="_images/table.png">',
        "utf-8",
    )
    (tmp_path / "b.css").write_text("@import 'https://fonts.example/g.css'; a { background: url(local.png) }", "utf-8")
    (tmp_path / "c.js").write_text('fetch("searchindex.js"); fetch("https://api.example/v1")', "utf-8")
    assert sorted(find_requests(tmp_path)) == [
        ("a.html", "//fonts.example/f.css"),
        ("a.html", "https://cdn.example/x.js"),
        ("b.css", "https://fonts.example/g.css"),
        ("c.js", "https://api.example/v1"),
    ]
