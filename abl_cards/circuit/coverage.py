"""Trace which rules fire: each rule with a body gets a second rule with an equal body that derives `_fired(K)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import clingo
from clingo import ast

from abl_cards.asp import (
    KBError,
    Limits,
    Location,
    RuleSources,
    Signature,
    clingo_arguments,
    ground_statements,
    read_rewritten_statements,
)
from abl_cards.circuit.knowledge_base import KnowledgeBase

FIRED_PREDICATE = Signature("_fired", 1)
"""``_fired(K)``: the body of rule K is true; K counts the rules that have a body."""


@dataclass(frozen=True)
class TracedRule:
    """Rule with a body.

    Attributes:
        location: Its location.
        head: Predicate of its head.
        text: The rule as clingo writes it.
    """

    location: Location
    head: Signature
    text: str


def trace_rules(kb: KnowledgeBase) -> tuple[KnowledgeBase, tuple[TracedRule, ...]]:
    """Extend a knowledge base by atoms that hold where rules fire.

    Args:
        kb: The knowledge base.

    Returns:
        A copy in which ``_fired(K)`` is true where rule K fires, and the rules by K. A rule without an instance of
        ``_fired`` cannot fire in any state.

    Raises:
        KBError: clingo refuses the extended rules.
    """
    statements, sources = read_rewritten_statements(kb.request, Limits())
    rules, firing_rules = _make_firing_rules(statements, sources, lambda location: True)
    ground, messages = ground_statements([*statements, *firing_rules], sources, kb.constants, None)
    if ground is None:
        raise KBError(messages.errors())
    return replace(kb, ground=ground, cache_name=None), tuple(rules)


def find_rules_without_instances(kb: KnowledgeBase, is_checked: Callable[[Location], bool]) -> list[TracedRule]:
    """Find rules that can fire in no state: clingo finds no instance of their bodies.

    Args:
        kb: The knowledge base, which clingo has ground.
        is_checked: Returns whether the rule at a location is checked.
    """
    statements, sources = read_rewritten_statements(kb.request, Limits())
    rules, firing_rules = _make_firing_rules(statements, sources, is_checked)
    if not rules:
        return []
    control = clingo.Control([*clingo_arguments(kb.constants), "--warn=none"])
    with ast.ProgramBuilder(control) as builder:
        for statement in (*statements, *firing_rules):
            builder.add(statement)
    control.ground([("base", [])])
    fired = {atom.symbol.arguments[0].number for atom in control.symbolic_atoms.by_signature(*FIRED_PREDICATE)}
    return [rule for index, rule in enumerate(rules) if index not in fired]


def _make_firing_rules(
    statements: Iterable[ast.AST], sources: RuleSources, is_traced: Callable[[Location], bool]
) -> tuple[list[TracedRule], list[ast.AST]]:
    rules: list[TracedRule] = []
    firing_rules = []
    for statement in statements:
        is_rule = statement.ast_type == ast.ASTType.Rule and len(statement.body)
        if is_rule and is_traced(location := sources.node_location(statement)):
            firing_rules.append(_make_firing_rule(statement, len(rules)))
            rules.append(TracedRule(location, _signature(statement.head), str(statement)))
    return rules, firing_rules


def _make_firing_rule(rule: ast.AST, index: int) -> ast.AST:
    location = rule.location
    firing_atom = ast.Function(location, FIRED_PREDICATE.name, [ast.SymbolicTerm(location, clingo.Number(index))], 0)
    head = ast.Literal(location, ast.Sign.NoSign, ast.SymbolicAtom(firing_atom))
    return ast.Rule(location, head, rule.body)


def _signature(head: ast.AST) -> Signature:
    """Return the predicate of a head; that of its first atom where it is a pool, such as ``option(yes;no)``."""
    symbol = head.atom.symbol.unpool()[0]
    return Signature(symbol.name, len(symbol.arguments))
