"""Names and addresses of hosts."""

from __future__ import annotations


def is_hostname(name: str) -> bool:
    """Return whether a string is a valid host name: labels of 1 to 63 letters, 253 characters in all (RFC 1035).

    Args:
        name: A host name, in Unicode or ASCII.

    >>> is_hostname("localhost"), is_hostname("::1"), is_hostname("a" * 64), is_hostname("a..b")
    (True, True, False, False)
    """
    try:
        return 0 < len(name.encode("idna")) <= 253 and name.isprintable()
    except UnicodeError:
        return False
