"""Names of the optional libraries, and the extra of the package that installs each.

>>> install_command("torch")
"pip install 'abl-cards[learning]'"
"""

from __future__ import annotations

from importlib.util import find_spec

EXTRAS = {
    "ablkit": "learning", "safetensors": "learning", "scipy": "learning", "sklearn": "learning", "torch": "learning",
    "segno": "web", "starlette": "web", "uvicorn": "web", "websockets": "web",
    "gymnasium": "gymnasium", "pettingzoo": "pettingzoo",
    "lsprotocol": "lsp", "pygls": "lsp", "matplotlib": "plots", "quickjs": "picture", "ray": "cluster",
}  # fmt: skip
"""Top-level module: the extra in pyproject.toml that installs it."""


def install_command(module: str) -> str:
    """Return the pip command that installs a library of `EXTRAS`."""
    return f"pip install 'abl-cards[{EXTRAS[module]}]'"


def require_extra(extra: str) -> None:
    """Check that the libraries of an extra are installed, before long work begins.

    Args:
        extra: Name of an extra in pyproject.toml.

    Raises:
        ModuleNotFoundError: A library is missing; its ``name`` is the module.
    """
    for module in (module for module, name in EXTRAS.items() if name == extra):
        if find_spec(module) is None:
            raise ModuleNotFoundError(f"No module named '{module}'", name=module)


def missing_library_message(missing: ModuleNotFoundError) -> str | None:
    """Return one line that names the missing library and the command that installs it.

    Args:
        missing: The error of the import.

    Returns:
        The line; None where the module is no optional library.
    """
    module = (missing.name or "").partition(".")[0]
    return f"this needs the library {module}: {install_command(module)}" if module in EXTRAS else None
