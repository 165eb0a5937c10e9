"""Limits that one person cannot use up for everybody: who gives way where there is no room for one more."""

from __future__ import annotations

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Generic, TypeVar

from abl_cards.web.limits import TokenBucket

T = TypeVar("T")
LOCAL_CLIENT = "local"
"""The person of all connections from this machine: its user, or a proxy before the page."""
_V6_BITS = 64  # of an address of version 6, which its network decides; the others are anybody's to choose
_MAX_BUCKETS = 4096
_NOT_EVICTABLE = 5


class CapacityError(Exception):
    """There is no room, and nothing that would give way."""


@dataclass(frozen=True)
class Allocation(Generic[T]):
    """Something that takes up room: a table, or a connection."""

    item: T
    client_id: str
    is_busy: bool  # somebody looks at the table, or has said who they are
    last_used: float  # when it was used last, in seconds


def get_client_id(scope: Mapping[str, Any]) -> str:
    """Return who sends a request: the address, of version 6 its network, and one name for this machine.

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
    client_id: str,
    allocations: Sequence[Allocation[T]],
    capacity: int,
    client_capacity: int,
    now: float,
    idle_timeout: float,
) -> T | None:
    """Return what gives way to one more holding of a person; None where there is room.

    In this order: what is idle of a person who has more than a fair share; what is idle and was not used for
    ``idle_timeout`` seconds; what is busy of a person who has more than a fair share; what is idle; what is busy and
    was not used for ``idle_timeout`` seconds. Of several the one of the person with most, that was used longest ago.
    Where a person's own limit is reached only that person's holdings give way. To who has a fair share already, of
    others only what is idle and was not used for long.

    Raises:
        CapacityError: Nothing gives way.
    """
    mine = [each for each in allocations if each.client_id == client_id]
    if client_id != LOCAL_CLIENT and len(mine) >= client_capacity:
        allocations = mine
    elif len(allocations) < capacity:
        return None
    counts = Counter(each.client_id for each in allocations)
    fair = ceil(capacity / len(counts.keys() | {client_id}))
    share, content = max(len(mine) + 1, fair), len(mine) < fair

    def rank(each: Allocation[T]) -> int:
        greedy, old = counts[each.client_id] > share, now - each.last_used > idle_timeout
        if not content and each.client_id != client_id:
            return 1 if old and not each.is_busy else _NOT_EVICTABLE
        if each.is_busy:
            return 2 if greedy else 4 if old else _NOT_EVICTABLE
        return 0 if greedy else 1 if old else 3

    first = min(allocations, key=lambda each: (rank(each), -counts[each.client_id], each.last_used))
    if rank(first) == _NOT_EVICTABLE:
        raise CapacityError
    return first.item


class ClientRateLimiter:
    """A bucket for each person, and a larger one for all together."""

    def __init__(self, rate: float, capacity: float, global_factor: float) -> None:
        """Full buckets; the one for all is ``global_factor`` times as large as that of a person."""
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
