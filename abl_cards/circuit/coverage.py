"""Which rules fire: every rule with a body gets a twin, with the same body, that says so."""

from __future__ import annotations

from dataclasses import dataclass, replace

import clingo
from clingo import ast

from abl_cards.asp import KBError, Limits, Location, Signature, ground_statements, read_rewritten_statements
from abl_cards.circuit.knowledge_base import KnowledgeBase

FIRED_PREDICATE = Signature("_fired", 1)
"""``_fired(K)``: the body of rule K is true; K counts the rules that have one."""


@dataclass(frozen=True)
class TracedRule:
    """A rule with a body."""

    location: Location
    head: Signature
    text: str


def trace_rules(kb: KnowledgeBase) -> tuple[KnowledgeBase, tuple[TracedRule, ...]]:
    """The same knowledge base where ``_fired(K)`` is true where rule K fires, and the rules; raises KBError.

    A rule without an instance of ``_fired`` can fire in no state at all.
    """
    statements, sources = read_rewritten_statements(kb.request, Limits())
    rules: list[TracedRule] = []
    twins = []
    for statement in statements:
        if statement.ast_type == ast.ASTType.Rule and len(statement.body):
            twins.append(_make_firing_rule(statement, len(rules)))
            rules.append(TracedRule(sources.node_location(statement), _signature(statement.head), str(statement)))
    ground, messages = ground_statements([*statements, *twins], sources, kb.constants, None)
    if ground is None:
        raise KBError(messages.errors())
    return replace(kb, ground=ground, cache_name=None), tuple(rules)


def _make_firing_rule(rule: ast.AST, number: int) -> ast.AST:
    place = rule.location
    said = ast.Function(place, FIRED_PREDICATE.name, [ast.SymbolicTerm(place, clingo.Number(number))], 0)
    head = ast.Literal(place, ast.Sign.NoSign, ast.SymbolicAtom(said))
    return ast.Rule(place, head, rule.body)


def _signature(head: ast.AST) -> Signature:
    symbol = head.atom.symbol
    return Signature(symbol.name, len(symbol.arguments))
