"""Limits that one person cannot use up for everybody: who gives way where there is no room for one more."""

from __future__ import annotations

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Generic, TypeVar

from abl_cards.page.bounds import Bucket

T = TypeVar("T")
LOCAL = "local"
"""The person of all connections from this machine: its user, or a proxy before the page."""
_V6_BITS = 64  # of an address of version 6, which its network decides; the others are anybody's to choose
_MOST_BUCKETS = 4096
_STAYS = 5


class Full(Exception):
    """There is no room, and nothing that would give way."""


@dataclass(frozen=True)
class Holding(Generic[T]):
    """Something that takes up room: a table, or a connection."""

    item: T
    person: str
    busy: bool  # somebody looks at the table, or has said who they are
    used: float  # when it was used last, in seconds


def person_of(scope: Mapping[str, Any]) -> str:
    """Return who sends a request: the address, of version 6 its network, and one name for this machine.

    >>> [person_of({"client": (host, 1)}) for host in ("10.0.0.7", "2001:db8::7", "::ffff:10.0.0.7", "127.0.0.1")]
    ['10.0.0.7', '2001:db8::', '10.0.0.7', 'local']
    """
    client = scope.get("client")
    try:
        address = ipaddress.ip_address(str(client[0]).partition("%")[0] if client else "")
    except ValueError:
        return LOCAL  # a socket of this machine has no address
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address
    if address.is_loopback:
        return LOCAL
    if address.version == 6:
        return str(ipaddress.ip_network((int(address), _V6_BITS), strict=False).network_address)
    return str(address)


def yielding(
    person: str, holdings: Sequence[Holding[T]], most: int, most_each: int, now: float, patience: float
) -> T | None:
    """Return what gives way to one more holding of a person; None where there is room.

    In this order: what is idle of a person who has more than a fair share; what is idle and was not used for
    ``patience`` seconds; what is busy of a person who has more than a fair share; what is idle; what is busy and was
    not used for ``patience`` seconds. Of several the one of the person with most, that was used longest ago. Where a
    person's own limit is reached only that person's holdings give way. To who has a fair share already, of others only
    what is idle and was not used for long.

    Raises:
        Full: Nothing gives way.
    """
    mine = [each for each in holdings if each.person == person]
    if person != LOCAL and len(mine) >= most_each:
        holdings = mine
    elif len(holdings) < most:
        return None
    counts = Counter(each.person for each in holdings)
    fair = ceil(most / len(counts.keys() | {person}))
    share, content = max(len(mine) + 1, fair), len(mine) < fair

    def rank(each: Holding[T]) -> int:
        greedy, old = counts[each.person] > share, now - each.used > patience
        if not content and each.person != person:
            return 1 if old and not each.busy else _STAYS
        if each.busy:
            return 2 if greedy else 4 if old else _STAYS
        return 0 if greedy else 1 if old else 3

    first = min(holdings, key=lambda each: (rank(each), -counts[each.person], each.used))
    if rank(first) == _STAYS:
        raise Full
    return first.item


class Rates:
    """A bucket for each person, and a larger one for all together."""

    def __init__(self, rate: float, most: float, all_together: float) -> None:
        """Full buckets; the one for all is ``all_together`` times as large as that of a person."""
        self._rate, self._most = rate, most
        self._all = Bucket(rate * all_together, most * all_together)
        self._each: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, person: str) -> bool:
        """Whether a person may have one more now; it is taken."""
        bucket = self._each.pop(person, None) or Bucket(self._rate, self._most)
        self._each[person] = bucket
        if len(self._each) > _MOST_BUCKETS:
            self._each.popitem(last=False)
        return bucket.take() and self._all.take()
