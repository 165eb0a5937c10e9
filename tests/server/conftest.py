"""Fixtures of the tests of tables for other programs: rules are ground in this process."""

from collections.abc import Iterator

import pytest

from tests.in_process import grounding  # noqa: F401
from tests.server.servers import TEMP_FOLDER


@pytest.fixture(autouse=True, scope="session")
def _delete_temp_folder() -> Iterator[None]:
    """Delete the rules of these tests at the end; a worker of pytest-xdist ends without the finalizers of Python."""
    yield
    TEMP_FOLDER.cleanup()
