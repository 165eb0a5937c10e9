"""Fixtures of the tests of protocols: rules are ground in this process."""

from tests.in_process import grounding  # noqa: F401
