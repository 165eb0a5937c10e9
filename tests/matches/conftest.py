"""Fixtures of the tests of matches: rules are ground in this process."""

from tests.in_process import grounding, short_matches  # noqa: F401
