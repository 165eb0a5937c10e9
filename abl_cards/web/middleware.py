"""Request checks: only pages of this host may send requests; response headers restrict the browser.

Starlette's TrustedHostMiddleware is not used: it accepts several ``Host`` headers, and cannot allow addresses alone.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.websockets import WebSocketClose

from abl_cards.core import ErrorCode
from abl_cards.web.error_json import refuse_request
from abl_cards.web.fairness import ClientRateLimiter, get_client_id
from abl_cards.web.limits import GLOBAL_RATE_FACTOR, REQUEST_BURST, REQUEST_RATE

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")


class SecurityMiddleware:
    """ASGI middleware that rejects requests of other sites and adds security headers."""

    def __init__(
        self, app: ASGIApp, host_names: Collection[str] = LOCAL_HOSTS, allow_any_address: bool = False
    ) -> None:
        """Wrap an app.

        Args:
            app: ASGI app.
            host_names: Host names that requests may use.
            allow_any_address: Also allow IP addresses as host names.
        """
        self._app, self._host_names, self._allow_any_address = app, frozenset(host_names), allow_any_address
        self._rate_limiter = ClientRateLimiter(REQUEST_RATE, REQUEST_BURST, GLOBAL_RATE_FACTOR)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject a request, or pass it to the app."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        problem = self._find_problem(Headers(scope=scope), scope.get("method", "GET"))
        if problem is None and not self._rate_limiter.try_acquire(get_client_id(scope)):
            problem = 429, "too many requests: wait a moment"
        if problem is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await WebSocketClose(4403, problem[1])(scope, receive, send)
        else:
            code = ErrorCode.INVALID_REQUEST if problem[0] == 403 else None  # no access key can help here
            await refuse_request(scope["path"], *problem, code)(scope, receive, _with_headers(send))

    def _find_problem(self, headers: Headers, method: str) -> tuple[int, str] | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._is_known_host(hosts[0]):
            return 421, "unknown host name"
        if origins and origins not in ([f"http://{hosts[0]}"], [f"https://{hosts[0]}"]):
            return 403, "requests of other sites are not allowed"
        if _is_cross_site(headers) and method in ("GET", "HEAD"):  # browsers send no origin with images
            return 403, "requests of other sites are not allowed"
        return None

    def _is_known_host(self, host: str) -> bool:
        name = strip_port(host)
        return name in self._host_names or (self._allow_any_address and _is_ip_address(name))


def _is_cross_site(headers: Headers) -> bool:
    """Return whether another site's page sent the request, links followed by a user excepted."""
    site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "")
    return site not in ("none", "same-origin") and mode != "navigate"


def strip_port(host: str) -> str:
    """Return the host of a ``Host`` header without its port.

    >>> strip_port("127.0.0.1:8000"), strip_port("[::1]:8000"), strip_port("example.org")
    ('127.0.0.1', '[::1]', 'example.org')
    """
    name, _, port = host.rpartition(":")
    return (name if name and port.isdigit() else host).lower()


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
