"""Fixtures of the tests of commands: child processes only where they are tested."""

from tests.in_process import edits_in_process, grounding, low_limits, sandboxed, short_matches  # noqa: F401
