"""Fixtures of the tests of the rule laboratory: child processes only where they are tested."""

from tests.in_process import edits_in_process, grounding, low_limits, sandboxed, short_matches  # noqa: F401
