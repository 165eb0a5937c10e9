"""Shared limits that one client cannot exhaust: selection of the allocation that is evicted for a new one."""

from __future__ import annotations

import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping
from math import ceil
from typing import Any, Protocol, TypeVar

from abl_cards.web.limits import IDLE_TIMEOUT, TokenBucket

LOCAL_CLIENT = "local"
"""Client id of all connections from this machine: its user, or a proxy in front of the server."""
_V6_BITS = 64  # bits of an IPv6 address that identify its network; clients choose the others freely
_MAX_BUCKETS = 4096
_NOT_EVICTABLE = 5


class CapacityError(Exception):
    """The capacity is reached, and no allocation can be evicted."""


class Allocation(Protocol):
    """Item that counts against a limit, such as a table or a connection."""

    @property
    def client_id(self) -> str:
        """Client to whom it is counted."""

    @property
    def last_used(self) -> float:
        """Time of the last use in seconds, of the clock ``time.monotonic``."""


AllocationT = TypeVar("AllocationT", bound=Allocation)


def get_client_id(scope: Mapping[str, Any]) -> str:
    """Return the client id of a request: its address, an IPv6 network, or LOCAL_CLIENT for this machine.

    >>> [get_client_id({"client": (host, 1)}) for host in ("10.0.0.7", "2001:db8::7", "::ffff:10.0.0.7", "127.0.0.1")]
    ['10.0.0.7', '2001:db8::', '10.0.0.7', 'local']
    """
    client = scope.get("client")
    try:
        address = ipaddress.ip_address(str(client[0]).partition("%")[0] if client else "")
    except ValueError:
        return LOCAL_CLIENT  # a socket of this machine has no address
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address
    if address.is_loopback:
        return LOCAL_CLIENT
    if address.version == 6:
        return str(ipaddress.ip_network((int(address), _V6_BITS), strict=False).network_address)
    return str(address)


def choose_eviction(
    client_id: str, allocations: Collection[AllocationT], capacity: int, client_capacity: int | None = None,
    is_busy: Callable[[AllocationT], bool] = lambda item: False, now: float | None = None,
    idle_timeout: float | None = None,
) -> AllocationT | None:  # fmt: skip
    """Choose the item that is evicted for a new one of a client.

    Candidates in this order: idle items of clients above their fair share; stale idle items (not used for
    ``idle_timeout``); busy items of clients above their fair share; idle items; stale busy items. Among equals, the
    least recently used item of the client with most items.

    At the limit of a client, only items of this client are evicted. For a client that has its fair share, only stale
    idle items of others are.

    Args:
        client_id: Client of the new item.
        allocations: Existing items.
        capacity: Limit of all items.
        client_capacity: Limit of the items of one client, by default of all; not applied to LOCAL_CLIENT.
        is_busy: Returns whether an item is busy, such as a table with viewers.
        now: Current time in seconds, by default that of ``time.monotonic``.
        idle_timeout: Seconds without use after which an item is stale, by default `IDLE_TIMEOUT`.

    Returns:
        Item to evict; None if there is room.

    Raises:
        CapacityError: No item can be evicted.
    """
    stale_before = (time.monotonic() if now is None else now) - (IDLE_TIMEOUT if idle_timeout is None else idle_timeout)
    own = [allocation for allocation in allocations if allocation.client_id == client_id]
    if client_id != LOCAL_CLIENT and len(own) >= (capacity if client_capacity is None else client_capacity):
        allocations = own
    elif len(allocations) < capacity:
        return None
    counts = Counter(allocation.client_id for allocation in allocations)
    fair_share = ceil(capacity / len(counts.keys() | {client_id}))
    share, is_below_share = max(len(own) + 1, fair_share), len(own) < fair_share

    def rank(allocation: AllocationT) -> int:
        exceeds_share, is_stale = counts[allocation.client_id] > share, allocation.last_used < stale_before
        if not is_below_share and allocation.client_id != client_id:
            return 1 if is_stale and not is_busy(allocation) else _NOT_EVICTABLE
        if is_busy(allocation):
            return 2 if exceeds_share else 4 if is_stale else _NOT_EVICTABLE
        return 0 if exceeds_share else 1 if is_stale else 3

    first = min(
        allocations, key=lambda allocation: (rank(allocation), -counts[allocation.client_id], allocation.last_used)
    )
    if rank(first) == _NOT_EVICTABLE:
        raise CapacityError
    return first


class ClientRateLimiter:
    """Token bucket for each client, and a larger one for all clients together."""

    def __init__(self, rate: float, capacity: float, global_factor: float) -> None:
        """Make full buckets; the shared one is ``global_factor`` times as large as that of a client."""
        self._rate, self._capacity = rate, capacity
        self._shared_bucket = TokenBucket(rate * global_factor, capacity * global_factor)
        self._client_buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def try_acquire(self, client_id: str) -> bool:
        """Acquire one more unit for a client; returns whether its limit allows it."""
        bucket = self._client_buckets.pop(client_id, None) or TokenBucket(self._rate, self._capacity)
        self._client_buckets[client_id] = bucket
        if len(self._client_buckets) > _MAX_BUCKETS:
            self._client_buckets.popitem(last=False)
        return bucket.try_acquire() and self._shared_bucket.try_acquire()
