"""THIRD_PARTY.md has the notices of all vendored files, and all Python packages that pyproject.toml names."""

import hashlib

from docs import generate_third_party
from docs.generate_third_party import LIBRARIES, PAGE, PROJECT, VENDOR

NOTICES = {library.notice for library in LIBRARIES}
FILES = {name for library in LIBRARIES for name in library.files}


def test_third_party_page_equals_generated_page() -> None:
    """After a change of the files: python docs/generate_third_party.py."""
    page = PAGE.read_text("utf-8")
    assert page.startswith(generate_third_party.render_vendored())
    known = {name: use for name, (use, _) in generate_third_party.find_licences(page).items()}
    rows = dict(row[:2] for row in generate_third_party._ROW.findall(page.partition("## Python packages")[2]))
    assert {name: use for name, use in rows.items() if name != "package"} == known


def test_every_vendored_file_has_its_notice_and_digest() -> None:
    page, folder = PAGE.read_text("utf-8"), PROJECT / VENDOR
    assert {path.name for path in folder.glob("*.mjs")} == FILES
    assert {path.name for path in folder.glob("*.txt")} == NOTICES
    for name in FILES:
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() in page


def test_every_library_has_a_version() -> None:
    for library in LIBRARIES:
        assert generate_third_party.find_versions(library)
