"""Start Ray for this process, or connect to a running cluster.

A started Ray listens on this machine only, keeps its files in a private folder, and requires a token. Ray processes
unpickle their messages, so any sender of a message can execute code. So a cluster must require a token too, unless its
owner disables that (``RAY_AUTH_MODE``).
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from abl_cards.cluster.ray_serialization import PackedArray, unpack
from abl_cards.core import NUM_THREADS, ErrorCode, GameError, is_hostname, missing_library_message
from abl_cards.training import LOCALHOST

LOCAL_RAY = "here"
"""Address of a Ray that this process starts."""


SINGLE_THREAD_ENV = dict.fromkeys(("ABL_CARDS_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""The environment of a process of Ray that has one processor."""

_CONNECT_TIMEOUT = 10.0
"""Seconds for an answer from an address."""
_POLL_INTERVAL = 60.0
"""Seconds between two looks at what machines there are."""
_RETRIES = 3
"""Times that a task is done again."""

_MAX_OBJECT_STORE = 2 << 30
"""Bytes of a Ray of ours for what its processes hand over; beyond, it writes to its folder."""

_LOCAL_ENV = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # Ray's switch to use the loopback address
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "token",
}
_QUIET_ENV = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}  # suppresses a warning about a future change


@dataclass(frozen=True)
class RayCluster:
    """Connection to a Ray cluster."""

    ray: Any  # the library, which has no types
    processors: int  # of all its machines
    host: str  # this machine's address there
    is_local: bool  # whether it was started here

    def start_actor(self, actor_class: type[Any], *arguments: Any) -> Any:
        """Start an actor of Ray with one processor; neither the actor nor its calls are repeated."""
        remote = self.ray.remote(actor_class)
        chosen = {
            "num_cpus": 1,
            "max_restarts": 0,
            "max_task_retries": 0,
            "runtime_env": {"env_vars": SINGLE_THREAD_ENV},
        }
        return remote.options(**chosen).remote(*arguments)

    def run_tasks(
        self, function: Callable[..., PackedArray], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, Any]]:
        """Run a function for each tuple of arguments; yields the index of the call and its result as calls finish.

        A task whose process ends is repeated: its result depends only on its arguments. Raises GameError.
        """
        remote = self.ray.remote(function)
        chosen = {"num_cpus": 1, "max_retries": _RETRIES, "runtime_env": {"env_vars": SINGLE_THREAD_ENV}}
        running = {remote.options(**chosen).remote(*arguments): number for number, arguments in enumerate(calls)}
        try:
            while running:
                done, _ = self.ray.wait(list(running), num_returns=1, timeout=_POLL_INTERVAL)
                if not done and self.ray.cluster_resources().get("CPU", 0) < 1:
                    raise GameError(
                        "no machine of the cluster is left that has a processor", ErrorCode.CLUSTER_NOT_AVAILABLE
                    )
                for task in done:
                    yield running.pop(task), self._result(task)
        finally:
            for task in running:
                self.ray.cancel(task, force=True)

    def _result(self, done: Any) -> Any:
        try:
            return unpack(self.ray.get(done))
        except self.ray.exceptions.RayError as problem:
            raise GameError(
                f"a task of Ray ended {_RETRIES + 1} times ({_last_line(problem)})", ErrorCode.WORKER_LOST
            ) from problem


@contextmanager
def connect_ray(address: str, processors: int | None = None) -> Iterator[RayCluster]:
    """Provide a Ray cluster; LOCAL_RAY starts one, by default with a process per processor. Raises GameError."""
    ours = address == LOCAL_RAY
    token = {**_LOCAL_ENV, "RAY_AUTH_TOKEN": secrets.token_hex(32)} if ours else {}
    auth_env = {"RAY_AUTH_MODE": os.environ.get("RAY_AUTH_MODE", "token")}
    with _set_environment(_QUIET_ENV | auth_env | token), _private_folder(ours) as folder:
        ray = _import_ray()
        try:
            _init_ray(ray, address, folder, processors or NUM_THREADS)
            yield RayCluster(ray, int(ray.cluster_resources().get("CPU", 0)), _find_host(ray, ours), ours)
        finally:
            ray.shutdown()


@contextmanager
def _set_environment(changes: dict[str, str]) -> Iterator[None]:
    """Set environment variables that Ray and its processes read at start."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _private_folder(is_local: bool) -> Iterator[str | None]:
    """Provide a private folder for the files and sockets of a local Ray, which itself opens its folder to all users."""
    folder = tempfile.mkdtemp(prefix="abl-ray-") if is_local else None
    try:
        yield folder and f"{folder}/r"
    finally:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def _import_ray() -> Any:
    """Import Ray; raises GameError if it is not installed."""
    try:
        import ray
    except ModuleNotFoundError as problem:
        raise GameError(missing_library_message(problem) or str(problem), ErrorCode.MISSING_LIBRARY) from None
    return ray


def _init_ray(ray: Any, address: str, folder: str | None, processors: int) -> None:
    if ray.is_initialized():
        raise GameError("this process belongs to a Ray already; leave that one first", ErrorCode.CLUSTER_NOT_AVAILABLE)
    if folder is None:
        _check_address(address)
    quietly = {"logging_level": logging.ERROR, "log_to_driver": False}  # errors are in the results
    try:
        if folder is None:
            _check_reachable(address)
            ray.init(address=address, **quietly)
        else:
            ray.init(
                num_cpus=processors, num_gpus=0, include_dashboard=False, _node_ip_address=LOCALHOST, _temp_dir=folder,
                object_store_memory=min(_MAX_OBJECT_STORE, _total_memory() // 4), **quietly,
            )  # fmt: skip
    except (ConnectionError, OSError, RuntimeError, ValueError, AssertionError, ray.exceptions.RayError) as problem:
        where = "Ray cannot be started here" if folder else f"no Ray at {address}"
        advice = "" if folder else "; this command runs on a machine of the cluster that has its token: see docs/how-to"
        raise GameError(f"{where} ({_last_line(problem)}){advice}", ErrorCode.CLUSTER_NOT_AVAILABLE) from problem


def _check_address(address: str) -> None:
    """Check an address: HOST:PORT, or auto for the Ray of this machine; raises GameError."""
    host, _, port = address.rpartition(":")
    if address != "auto" and not (port.isdecimal() and is_hostname(host.strip("[]"))):
        raise GameError(
            f"--ray {address}: write HOST:PORT, as `ray start --head` has said it, or auto", ErrorCode.INVALID_VALUE
        )


def _check_reachable(address: str) -> None:
    """Raise OSError if the address does not accept connections; Ray itself would retry for minutes."""
    host, _, port = address.rpartition(":")
    if host:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_TIMEOUT).close()


def _find_host(ray: Any, is_local: bool) -> str:
    """Return this machine's address in the cluster; raises GameError if a local Ray would be open to others."""
    host = str(ray.util.get_node_ip_address())
    if is_local and host != LOCALHOST:
        raise GameError(
            f"Ray has chosen the address {host}, which others can reach; nothing was started",
            ErrorCode.CLUSTER_NOT_AVAILABLE,
        )
    return host


def _total_memory() -> int:
    """Return the memory of this machine in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _last_line(problem: BaseException) -> str:
    lines = [line for line in str(problem).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(problem).__name__
