"""Sphinx settings: ``make docs`` builds the site from the Markdown of this folder, without any request."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]

from abl_cards import __version__  # noqa: E402 - the checkout is put on the path first

project = "abl-cards"
author = "The abl-cards authors"
copyright = "the abl-cards authors, MIT licence"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "abl_docs"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_ext", "_build", "notes/rename", "results/*/*.jsonl"]

html_theme = "furo"
html_title = f"abl-cards {version}"
html_show_sphinx = False
html_copy_source = False
html_use_index = True
html_search_language = "en"
html_theme_options = {"footer_icons": []}

myst_heading_anchors = 4
myst_enable_extensions = []
suppress_warnings = [
    "misc.highlighting_failure",  # examples are shortened by "…", which no lexer reads
    "ref.python",  # a short name in a docstring may fit attributes of several classes
]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": False}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
