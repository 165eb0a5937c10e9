"""Lazily exported names are the objects that their modules define."""

import sys
from importlib import import_module
from pkgutil import iter_modules, walk_packages
from types import ModuleType

import pytest

import abl_cards

PACKAGES = [module.name for module in walk_packages(abl_cards.__path__, "abl_cards.") if module.ispkg]


@pytest.mark.parametrize("name", PACKAGES)
def test_no_module_hides_an_exported_name(name: str) -> None:
    """An exported function of a module's name would be the module, once something else has imported that module."""
    package = import_module(name)
    exported = set(getattr(package, "__all__", ()))
    hidden = {module.name for module in iter_modules(package.__path__)} & exported
    assert all(isinstance(getattr(package, entry), ModuleType) for entry in hidden)


def test_lazy_names_are_loaded_once() -> None:
    core = import_module("abl_cards.asp")
    name = core.__all__[0]
    assert getattr(core, name) is getattr(core, name)
    assert name in vars(sys.modules["abl_cards.asp"])


def test_unknown_name_raises_attribute_error() -> None:
    with pytest.raises(AttributeError):
        _ = import_module("abl_cards.asp").no_such_name
