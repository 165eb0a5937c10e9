"""What every test may use: hypothesis profiles and the data that lies beside the repository."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# A first call may compile, hence no deadline; the same examples each time, hence a failure in CI is one at home.
settings.register_profile(
    "ci", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("ci"), derandomize=False, max_examples=2000)
settings.load_profile("ci")  # pytest --hypothesis-profile=thorough for the long search


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of recorded games: ABL_CARDS_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("ABL_CARDS_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("recorded games are not here: set ABL_CARDS_DATA to the folder that holds them")
    return folder
