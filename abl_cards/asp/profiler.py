"""Find the rule whose grounding is costliest: the rules are ground one after the other, and each is measured.

clingo does not report its progress, and the rule with the most variables is seldom the costliest. So the rules are
sorted by dependency, with mutually recursive ones in one group, and each group is ground on top of those before it.
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
from abl_cards.asp.sources import RuleSources
from abl_cards.asp.statements import summarise_statements
from abl_cards.asp.terms import Signature

_DIRECTIVES = {ASTType.Definition, ASTType.Defined, ASTType.Program, ASTType.ShowSignature}


@dataclass(frozen=True)
class GroundingCost:
    """Cost of grounding a group of rules.

    Attributes:
        location: Location of its first rule.
        seconds: Processor time, in seconds.
        rules: Ground rules.
    """

    location: Location
    seconds: float
    rules: int


@dataclass(frozen=True)
class _ProfiledRule:
    statement: ast.AST
    heads: frozenset[Signature]
    bodies: frozenset[Signature]


def group_rules(statements: Sequence[ast.AST], sources: RuleSources) -> list[list[ast.AST]]:
    """Group rules so that each group follows those it depends on; a recursive group begins with a recursive rule."""
    rules = [_profiled_rule(statement, sources) for statement in statements if statement.ast_type not in _DIRECTIVES]
    index_by_head = {name: index for index, name in enumerate(sorted({name for rule in rules for name in rule.heads}))}
    successors: dict[int, set[int]] = {index: set() for index in index_by_head.values()}
    by_head: dict[int, list[_ProfiledRule]] = {index: [] for index in index_by_head.values()}
    for rule in rules:
        for head in rule.heads:
            successors[index_by_head[head]] |= {index_by_head[body] for body in rule.bodies if body in index_by_head}
            by_head[index_by_head[head]].append(rule)
    groups: list[list[_ProfiledRule]] = []
    for component in strong_components(successors, lambda index: sorted(successors[index])):
        members = list({id(rule): rule for index in component for rule in by_head[index]}.values())
        inside = {name for rule in members for name in rule.heads if index_by_head[name] in component}
        recursive = [rule for rule in members if rule.bodies & inside]
        nonrecursive = [rule for rule in members if not rule.bodies & inside]
        groups += [recursive + nonrecursive] if recursive else [[rule] for rule in nonrecursive]
    groups += [[rule] for rule in rules if not rule.heads]
    return [[rule.statement for rule in group] for group in groups]


def _profiled_rule(statement: ast.AST, sources: RuleSources) -> _ProfiledRule:
    summary = summarise_statements([statement], sources, {})
    heads = {use.signature for use in (*summary.heads, *summary.externals)}
    return _ProfiledRule(statement, frozenset(heads), frozenset(use.signature for use in summary.bodies))


def profile_grounding(
    statements: Sequence[ast.AST],
    sources: RuleSources,
    arguments: Sequence[str],
    limits: tuple[int, int] | None,
    on_progress: Callable[[GroundingCost], object],
) -> None:
    """Ground rules group by group, and report the cost of each group.

    Args:
        statements: Syntax trees of all files, with rewritten constraints.
        sources: The files, for the locations.
        arguments: clingo's command line arguments.
        limits: Most ground rules, and most literals; None for no bounds.
        on_progress: Called when a group begins, with costs of 0, and when it ends, also by an exception.

    Raises:
        TooManyRules: The ground program exceeds the limits.
        RuntimeError: clingo refuses the rules.
        UnsupportedRule: A ground rule has no circuit.
    """
    observer = GroundProgramObserver(limits)
    groups = group_rules(statements, sources)
    control = clingo.Control([*arguments, "--warn=none"], logger=lambda code, text: None)
    control.register_observer(observer)  # type: ignore[arg-type]
    with ast.ProgramBuilder(control) as builder:
        for statement in statements:
            if statement.ast_type in _DIRECTIVES:
                builder.add(statement)
        for index, group in enumerate(groups):
            builder.add(ast.Program(group[0].location, f"part{index}", []))
            for statement in group:
                builder.add(statement)
    control.ground([("base", [])])
    for index, group in enumerate(groups):
        location, start_seconds, num_rules = sources.node_location(group[0]), time.process_time(), len(observer.heads)
        on_progress(GroundingCost(location, 0.0, 0))
        try:
            control.ground([(f"part{index}", [])])
        finally:
            on_progress(GroundingCost(location, time.process_time() - start_seconds, len(observer.heads) - num_rules))


def find_failing_rule(
    statements: Sequence[ast.AST], sources: RuleSources, arguments: Sequence[str]
) -> tuple[Location | None, Exception] | None:
    """Find the rules for which clingo fails with an error that has no location.

    Args:
        statements: Syntax trees of all files, with rewritten constraints.
        sources: The files, for the locations.
        arguments: clingo's command line arguments.

    Returns:
        The location of the group and the error; None when no error occurs.
    """
    costs: list[GroundingCost] = []
    try:
        profile_grounding(statements, sources, arguments, None, costs.append)
    except (RuntimeError, UnsupportedRule) as failure:
        return costs[-1].location if costs else None, failure
    return None


def encode_cost(cost: GroundingCost) -> str:
    """Encode a cost as one line of JSON, for `find_costliest_rule`."""
    return json.dumps([astuple(cost.location), cost.seconds, cost.rules])


def decode_cost(line: str) -> GroundingCost | None:
    """Decode a line of `encode_cost`.

    Args:
        line: Line of JSON.

    Returns:
        The cost; None for the beginning of a group and for other lines.
    """
    value = json.loads(line)
    if not isinstance(value, list) or not (value[1] or value[2]):
        return None
    return GroundingCost(Location(*value[0]), value[1], value[2])


def find_costliest_rule(lines: Iterable[str], seconds: float, by_rules: bool) -> Location | None:
    """Find the costliest group of rules.

    Args:
        lines: Lines of `encode_cost`; a group that did not end has only its line with costs of 0.
        seconds: Processor time of all groups, of which the unfinished group took the remainder.
        by_rules: Whether to compare ground rules instead of seconds.

    Returns:
        Its location; None without lines.
    """
    costs = [
        GroundingCost(Location(*location), rule_seconds, rules)
        for location, rule_seconds, rules in map(json.loads, lines)
    ]
    finished = [cost for cost in costs if cost.seconds or cost.rules]
    if costs and costs[-1] not in finished:
        finished.append(GroundingCost(costs[-1].location, seconds - sum(cost.seconds for cost in finished), 0))
    costliest = max(finished, key=lambda cost: cost.rules if by_rules else cost.seconds, default=None)
    return costliest.location if costliest is not None else None
