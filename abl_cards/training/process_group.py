"""Groups of processes that train the same networks, each on its own decisions.

Gradients are averaged before every step, so all processes hold equal weights. Sums are made in the order of the
processes, so a run repeats exactly.

They connect at a port of this machine, which its other users can reach too, or at an address of a cluster. Only
addresses and the numbers in tensors are sent, never objects: another user could disturb a run, but not execute code.

``torch.distributed.init_process_group`` is not used. ``GLOO_SOCKET_IFNAME`` selects an interface, not the address that
Ray provides. A process also has only one default group, which may belong to the caller.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray


@dataclass(frozen=True)
class ProcessRank:
    """The number of a process, and the number of processes.

    >>> [ProcessRank(rank, 3).shard_range(16) for rank in range(3)]
    [range(0, 5), range(5, 10), range(10, 16)]
    """

    rank: int = 0
    world_size: int = 1

    def shard_range(self, n: int) -> range:
        """Return the part of n items that belongs to this process.

        Args:
            n: Number of items.
        """
        return range(n * self.rank // self.world_size, n * (self.rank + 1) // self.world_size)

    def shard_size(self, n: int) -> int:
        """Return the size of equal parts, rounded up: together they have n items or a few more.

        Args:
            n: Number of items.
        """
        return -(-n // self.world_size)


class SingleProcess:
    """A group of one process."""

    def all_reduce_mean_(self, tensors: Sequence[torch.Tensor]) -> None:
        """Do nothing: the tensors are their own means."""

    def all_gather(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the values."""
        return values


class PeerLost(RuntimeError):
    """Error for a process of the group that has ended."""


LOCALHOST = "127.0.0.1"

_LOCAL_TIMEOUT = timedelta(days=30)
"""Time to wait for processes on this machine: they may be stopped for a while, and their end is detected."""


_REMOTE_TIMEOUT = timedelta(minutes=30)
"""Time to wait for connections, and for processes on other machines, whose end may go undetected."""

_distributed: Any = torch.distributed  # its classes are hidden from mypy


def create_store(world_size: int, host: str = LOCALHOST) -> Any:
    """Create the store through which the processes of a new group connect, at its attribute ``port``.

    The store uses a socket bound to one address, because by default it would listen on all interfaces.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, 0), family=family)
    port, number = listening.getsockname()[1], listening.detach()
    return _distributed.TCPStore(
        host, port, world_size, is_master=True, wait_for_workers=False, master_listen_fd=number, timeout=_REMOTE_TIMEOUT
    )


class GlooProcessGroup:
    """Process group of torch.distributed with the gloo backend."""

    def __init__(self, process_rank: ProcessRank, store: Any, address: str = LOCALHOST) -> None:
        """Wait until all processes are connected.

        Args:
            process_rank: Number of this process.
            store: The store of the group.
            address: Address of this process for the others.
        """
        group = _distributed.ProcessGroupGloo
        options = group._Options()  # this address: by default gloo listens on all interfaces
        options._devices, options._timeout = (
            [group.create_device(hostname=address)],
            _LOCAL_TIMEOUT if address == LOCALHOST else _REMOTE_TIMEOUT,
        )
        self._world_size = process_rank.world_size
        self._group = _run_collective(lambda: group(store, process_rank.rank, process_rank.world_size, options))

    @classmethod
    def connect(cls, process_rank: ProcessRank, host: str, port: int, address: str = LOCALHOST) -> GlooProcessGroup:
        """Join the group whose store is at a port.

        Args:
            process_rank: Number of this process.
            host: Address of the store.
            port: Port of the store.
            address: Address of this process for the others.
        """
        store = _run_collective(
            lambda: _distributed.TCPStore(host, port, process_rank.world_size, is_master=False, timeout=_REMOTE_TIMEOUT)
        )
        return cls(process_rank, store, address)

    def all_reduce_mean_(self, tensors: Sequence[torch.Tensor]) -> None:
        """Replace tensors by their means over the processes, in one message."""
        flat = torch.cat([tensor.detach().reshape(-1) for tensor in tensors]).cpu()
        _run_collective(lambda: self._group.allreduce([flat]).wait())
        flat /= self._world_size
        parts = torch.split(flat, [tensor.numel() for tensor in tensors])
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.detach().copy_(part.view_as(tensor))

    def all_gather(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the values [n] of all processes in the order of their ranks; all have equal n."""
        own = torch.from_numpy(values)
        every = [torch.empty_like(own) for _ in range(self._world_size)]
        _run_collective(lambda: self._group.allgather([every], [own]).wait())
        return torch.cat(every).numpy()


ProcessGroup = SingleProcess | GlooProcessGroup
"""Collective operations: every process calls them in the same order, and waits for the others."""


def _run_collective(collective: Callable[[], Any]) -> Any:
    """Return the result of a collective operation; raises PeerLost where another process has ended."""
    try:
        return collective()
    except RuntimeError as problem:  # gloo and the store raise nothing more specific
        raise PeerLost(str(problem)) from problem
