"""Fixtures of the tests of tables for other programs: rules are ground in this process."""

from tests.in_process import grounding  # noqa: F401
