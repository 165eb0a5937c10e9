"""Which rule it is that takes the time: the rules are ground one after the other, and what each takes is measured.

clingo cannot be asked what it is doing, and the rule with the most variables is seldom the one. So the rules are put
into the order of what they depend on, those that depend on each other together, and each of these parts is ground by
itself on top of the parts before it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass

import clingo
from clingo import ast
from clingo.ast import ASTType

from abl_cards.asp.errors import Location
from abl_cards.asp.graph import strong_components
from abl_cards.asp.ground_program import GroundProgramObserver, UnsupportedRule
from abl_cards.asp.program import RuleSources
from abl_cards.asp.statements import summarise_statements
from abl_cards.asp.terms import Signature

_DIRECTIVES = {ASTType.Definition, ASTType.Defined, ASTType.Program, ASTType.ShowSignature}


@dataclass(frozen=True)
class GroundingCost:
    """What a part took until somebody looked."""

    location: Location
    seconds: float
    rules: int


@dataclass(frozen=True)
class _ProfiledRule:
    statement: ast.AST
    heads: frozenset[Signature]
    bodies: frozenset[Signature]


def group_rules(statements: Sequence[ast.AST], sources: RuleSources) -> list[list[ast.AST]]:
    """The rules in groups, each after those it depends on; a group that is recursive begins with a recursive rule."""
    rules = [_profiled_rule(statement, sources) for statement in statements if statement.ast_type not in _DIRECTIVES]
    number = {name: index for index, name in enumerate(sorted({name for rule in rules for name in rule.heads}))}
    successors: dict[int, set[int]] = {index: set() for index in number.values()}
    by_head: dict[int, list[_ProfiledRule]] = {index: [] for index in number.values()}
    for rule in rules:
        for head in rule.heads:
            successors[number[head]] |= {number[body] for body in rule.bodies if body in number}
            by_head[number[head]].append(rule)
    groups: list[list[_ProfiledRule]] = []
    for component in strong_components(successors, lambda index: sorted(successors[index])):
        members = list({id(rule): rule for index in component for rule in by_head[index]}.values())
        inside = {name for rule in members for name in rule.heads if number[name] in component}
        recursive = [rule for rule in members if rule.bodies & inside]
        rest = [rule for rule in members if not rule.bodies & inside]
        groups += [recursive + rest] if recursive else [[rule] for rule in rest]
    groups += [[rule] for rule in rules if not rule.heads]
    return [[rule.statement for rule in group] for group in groups]


def _profiled_rule(statement: ast.AST, sources: RuleSources) -> _ProfiledRule:
    alone = summarise_statements([statement], sources, {})
    heads = {use.signature for use in (*alone.heads, *alone.externals)}
    return _ProfiledRule(statement, frozenset(heads), frozenset(use.signature for use in alone.bodies))


def profile_grounding(
    statements: Sequence[ast.AST],
    sources: RuleSources,
    arguments: Sequence[str],
    limits: tuple[int, int] | None,
    on_progress: Callable[[GroundingCost], object],
) -> None:
    """Ground part by part; each is told when it begins, at no cost, and when it has ended.

    Raises TooManyRules, having told what the part took.
    """
    observer = GroundProgramObserver(limits)
    parts = group_rules(statements, sources)
    control = clingo.Control([*arguments, "--warn=none"], logger=lambda code, text: None)
    control.register_observer(observer)  # type: ignore[arg-type]
    with ast.ProgramBuilder(control) as builder:
        for statement in statements:
            if statement.ast_type in _DIRECTIVES:
                builder.add(statement)
        for index, part in enumerate(parts):
            builder.add(ast.Program(part[0].location, f"part{index}", []))
            for statement in part:
                builder.add(statement)
    control.ground([("base", [])])
    for index, part in enumerate(parts):
        place, start, rules = sources.node_location(part[0]), time.process_time(), len(observer.heads)
        on_progress(GroundingCost(place, 0.0, 0))
        try:
            control.ground([(f"part{index}", [])])
        finally:
            on_progress(GroundingCost(place, time.process_time() - start, len(observer.heads) - rules))


def find_failing_rule(
    statements: Sequence[ast.AST], sources: RuleSources, arguments: Sequence[str]
) -> tuple[Location | None, Exception] | None:
    """The part at which clingo gives up with an error that has no place, and that error."""
    costs: list[GroundingCost] = []
    try:
        profile_grounding(statements, sources, arguments, None, costs.append)
    except (RuntimeError, UnsupportedRule) as failure:
        return costs[-1].location if costs else None, failure
    return None


def encode_cost(cost: GroundingCost) -> str:
    """A line for `find_costliest_rule`."""
    return json.dumps([astuple(cost.location), cost.seconds, cost.rules])


def find_costliest_rule(lines: Iterable[str], seconds: float, by_rules: bool) -> Location | None:
    """The part that took most, in seconds or in rules; one that did not end took what is left of the seconds."""
    costs = [GroundingCost(Location(*place), taken, rules) for place, taken, rules in map(json.loads, lines)]
    ended = [cost for cost in costs if cost.seconds or cost.rules]
    if costs and costs[-1] not in ended:
        ended.append(GroundingCost(costs[-1].location, seconds - sum(cost.seconds for cost in ended), 0))
    worst = max(ended, key=lambda cost: cost.rules if by_rules else cost.seconds, default=None)
    return worst.location if worst is not None else None
