"""A private Ray cluster, closed to other users."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from abl_cards.cluster.start import RayCluster, connect_ray
from abl_cards.core.errors import GameError
from tests.cluster.test_training import address

PROC = Path("/proc")

STRANGER = """
import sys, ray
from ray._raylet import GcsClient
try:
    GcsClient(address=sys.argv[1]).get_all_node_info(timeout=20)
except Exception as problem:
    print(type(problem).__name__, problem)
"""


def descendants() -> set[int]:
    """Return the ids of this process and its descendants."""
    parents = {}
    for stat_file in PROC.glob("[0-9]*/stat"):
        try:
            parents[int(stat_file.parent.name)] = int(stat_file.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    pids: set[int] = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in pids} - pids:
        pids |= more
    return pids


def sockets(pid: int) -> set[str]:
    """Return the inode numbers of the sockets of a process."""
    try:
        links = [os.readlink(file) for file in (PROC / str(pid) / "fd").iterdir()]
    except OSError:
        return set()
    return {link[8:-1] for link in links if link.startswith("socket:[")}


@pytest.mark.skipif(not (PROC / "net/tcp").exists(), reason="this system does not say who listens where")
def test_cluster_listens_on_loopback_only(cluster: RayCluster) -> None:
    ours = set[str]().union(*map(sockets, descendants()))
    listening = {
        words[1].partition(":")[0]
        for name in ("tcp", "tcp6")
        for words in map(str.split, (PROC / "net" / name).read_text().splitlines()[1:])
        if words[3] == "0A" and words[9] in ours
    }
    assert listening
    assert listening <= {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def test_client_without_the_token_is_rejected(cluster: RayCluster) -> None:
    """Reject a client without the token."""
    environment = os.environ | {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "b" * 64}
    command = [sys.executable, "-c", STRANGER, address(cluster)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert "nauthenticated" in result.stdout + result.stderr or "authentication token is invalid" in result.stdout


def test_session_folder_is_private(cluster: RayCluster) -> None:
    folder = Path(cluster.ray._private.worker._global_node.get_session_dir_path()).parents[1]
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("where", ["machine", "ray://machine:1", "machine:", "127.0.0.1:1", "127.0.0.1:99999"])
def test_invalid_address_is_reported(where: str) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    with pytest.raises(GameError, match=r"write HOST:PORT|belongs to a Ray already|no Ray at 127"), connect_ray(where):
        pass
