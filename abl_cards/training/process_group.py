"""Processes that train the same networks side by side: how they agree on every step.

Each has its own decisions. What is learned from them is averaged before it changes anything, so all of them hold the
same weights all the time, and sums are made in the order of the processes: a run repeats exactly.

They meet at a port of this machine, which other users of it can reach too, or, where they are on several, at an address
of the cluster. What travels there are addresses and the numbers of tensors, never objects: a stranger could disturb a
run, but not have it do anything else.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray


@dataclass(frozen=True)
class ProcessRank:
    """Which process this is, and out of how many.

    >>> [ProcessRank(rank, 3).shard_range(16) for rank in range(3)]
    [range(0, 5), range(5, 10), range(10, 16)]
    """

    rank: int = 0
    world_size: int = 1

    def shard_range(self, n: int) -> range:
        """Which of n things are this process's."""
        return range(n * self.rank // self.world_size, n * (self.rank + 1) // self.world_size)

    def shard_size(self, n: int) -> int:
        """How many of n each process has, where all must have as many; together they have n or a few more."""
        return -(-n // self.world_size)


class ProcessGroup(Protocol):
    """Every process calls the same methods in the same order, and waits there for the others."""

    def all_reduce_mean_(self, tensors: Sequence[torch.Tensor]) -> None:
        """Put their means over the processes in the place of tensors."""

    def all_gather(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The values [n] of all processes in a row; each has as many."""


class SingleProcess:
    """A process that has nobody to agree with."""

    def all_reduce_mean_(self, tensors: Sequence[torch.Tensor]) -> None:
        """They are their own means."""

    def all_gather(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same values."""
        return values


class PeerLost(RuntimeError):
    """Another process of the crew is gone."""


LOCALHOST = "127.0.0.1"

_LOCAL_TIMEOUT = timedelta(days=30)
"""How long a process waits for the others on its machine: they may be stopped for a while, and an end is noticed."""


_REMOTE_TIMEOUT = timedelta(minutes=30)
"""How long they look for each other at first, and wait for one on another machine, which can be gone without a word."""

_distributed: Any = torch.distributed  # which hides its classes from mypy


def create_store(world_size: int, host: str = LOCALHOST) -> Any:
    """The store where a new crew finds each other; the first of them makes it, the others are told its ``port``.

    It is given a socket of ours, because its own would have the whole network listen in.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, 0), family=family)
    port, number = listening.getsockname()[1], listening.detach()
    return _distributed.TCPStore(
        host, port, world_size, is_master=True, wait_for_workers=False, master_listen_fd=number, timeout=_REMOTE_TIMEOUT
    )


class GlooProcessGroup:
    """Processes that agree by torch.distributed."""

    def __init__(self, process_rank: ProcessRank, store: Any, address: str = LOCALHOST) -> None:
        """Wait until all of them are here; this one is reached at an address of its own."""
        group = _distributed.ProcessGroupGloo
        options = group._Options()  # this address, because gloo's own choice would have the whole network listen in
        options._devices, options._timeout = (
            [group.create_device(hostname=address)],
            _LOCAL_TIMEOUT if address == LOCALHOST else _REMOTE_TIMEOUT,
        )
        self._world_size = process_rank.world_size
        self._group = _run_collective(lambda: group(store, process_rank.rank, process_rank.world_size, options))

    @classmethod
    def connect(cls, process_rank: ProcessRank, host: str, port: int, address: str = LOCALHOST) -> GlooProcessGroup:
        """Join those who meet at a port."""
        store = _run_collective(
            lambda: _distributed.TCPStore(host, port, process_rank.world_size, is_master=False, timeout=_REMOTE_TIMEOUT)
        )
        return cls(process_rank, store, address)

    def all_reduce_mean_(self, tensors: Sequence[torch.Tensor]) -> None:
        """Put their means over the processes in the place of tensors; all of them travel at once."""
        flat = torch.cat([tensor.detach().reshape(-1) for tensor in tensors]).cpu()
        _run_collective(lambda: self._group.allreduce([flat]).wait())
        flat /= self._world_size
        parts = torch.split(flat, [tensor.numel() for tensor in tensors])
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.detach().copy_(part.view_as(tensor))

    def all_gather(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The values [n] of all processes in the order of their ranks."""
        own = torch.from_numpy(values)
        every = [torch.empty_like(own) for _ in range(self._world_size)]
        _run_collective(lambda: self._group.allgather([every], [own]).wait())
        return torch.cat(every).numpy()


def _run_collective(collective: Callable[[], Any]) -> Any:
    """What an act of all processes gives; raises PeerLost where one of them is gone."""
    try:
        return collective()
    except RuntimeError as problem:  # gloo and the store have no other way to say it
        raise PeerLost(str(problem)) from problem
