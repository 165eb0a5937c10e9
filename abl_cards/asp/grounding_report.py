"""Cost of grounding a knowledge base relative to the limits, and the costliest rules."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from hashlib import sha256
from typing import Any

from abl_cards.asp import profiler, sandbox
from abl_cards.asp.build import BuildRequest, Limits
from abl_cards.asp.cache import load_cached, store_cached
from abl_cards.asp.errors import Location
from abl_cards.asp.ground_program import TooManyRules
from abl_cards.asp.profiler import GroundingCost

MAX_COSTS = 3
"""Costliest rules in a report."""


@dataclass(frozen=True)
class GroundingReport:
    """Cost of grounding a knowledge base.

    Attributes:
        rules: Ground rules.
        seconds: Processor time of reading and grounding, in seconds.
        memory: Peak of memory, in bytes; 0 where the platform does not measure it.
        costliest: Rules with most ground rules or most time, at most MAX_COSTS.
    """

    rules: int
    seconds: float
    memory: int
    costliest: tuple[GroundingCost, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        costs = [
            {"location": str(cost.location), "rules": cost.rules, "seconds": round(cost.seconds, 3)}
            for cost in self.costliest
        ]
        return {"rules": self.rules, "seconds": round(self.seconds, 3), "memory": self.memory, "costliest": costs}


def report_grounding(
    request: BuildRequest, cache_name: str | None, limits: Limits | None = None, cache: bool = True
) -> GroundingReport | None:
    """Measure grounding in a child process, rule by rule; the result is cached.

    Args:
        request: Knowledge base that has been built.
        cache_name: Name of its entry in the disk cache; None not to use the cache.
        limits: Bounds on the child.
        cache: Whether a cached measurement is read.

    Returns:
        The report; None if the child exceeds its limits.
    """
    paths = [str(file) for file in request.files]
    name = None if cache_name is None else sha256(f"grounding {cache_name} {paths}".encode()).hexdigest()
    report = load_cached(name, _unpack) if name and cache else None
    if report is None:
        report = _measure(request, limits or Limits())
        if name and report:
            store_cached(name, _pack(report), evict=False)
    return report


def _measure(request: BuildRequest, limits: Limits) -> GroundingReport | None:
    begun = time.process_time()
    try:
        lines = sandbox.profile_request(request, limits)
    except TooManyRules:
        return None
    if lines is None:
        return None
    costs = [cost for cost in map(profiler.decode_cost, lines) if cost is not None]
    usage: dict[str, float] = json.loads(lines[-1])
    seconds = usage["seconds"] or time.process_time() - begun
    return GroundingReport(sum(cost.rules for cost in costs), seconds, int(usage["memory"]), _select_costliest(costs))


def _select_costliest(costs: Iterable[GroundingCost]) -> tuple[GroundingCost, ...]:
    ranked = sorted(costs, key=lambda cost: (-cost.rules, -cost.seconds))
    slowest = max(ranked, key=lambda cost: cost.seconds, default=None)
    chosen = ranked[:MAX_COSTS]
    if slowest is not None and slowest not in chosen and slowest.seconds > 2 * max(cost.seconds for cost in chosen):
        chosen[-1] = slowest
    return tuple(chosen)


def _pack(report: GroundingReport) -> bytes:
    return json.dumps(astuple(report)).encode()


def _unpack(data: bytes) -> GroundingReport:
    rules, seconds, memory, costs = json.loads(data)
    return GroundingReport(
        rules,
        seconds,
        memory,
        tuple(GroundingCost(Location(*location), rule_seconds, count) for location, rule_seconds, count in costs),
    )
