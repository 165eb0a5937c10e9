"""Shared fixture of the tests on Ray: one small cluster."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from abl_cards.cluster.start import LOCAL_RAY, RayCluster, connect_ray


@pytest.fixture(scope="session")
def cluster() -> Iterator[RayCluster]:
    """Yield a cluster with room for two processes."""
    if not find_spec("ray"):
        pytest.skip("Ray is not installed: pip install -c constraints.txt 'abl-cards[cluster]'")
    with connect_ray(LOCAL_RAY, 2) as connected:
        yield connected
