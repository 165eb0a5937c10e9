"""The fixtures of the tests of rule files."""

from tests.asp.conftest import load, private_cache

__all__ = ["load", "private_cache"]
