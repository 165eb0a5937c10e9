"""Explain why an atom holds in a state, or why not, by a chain of rules down to the inputs.

clingo evaluates the rules over the stable model of the state, given as facts; a rule is rated by the longest prefix
of its body that holds. An atom that holds is explained by the first rule whose whole body holds. Another atom is
explained by the rule with the longest prefix, and the first literal that fails there. Positive literals of a body come
before comparisons and negated ones.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

import clingo
from clingo import ast

from abl_cards.asp import (
    Atom,
    Limits,
    Location,
    RuleSources,
    Signature,
    Term,
    clingo_arguments,
    read_rewritten_statements,
)
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.circuit.oracle import Oracle

MAX_PROOF_DEPTH = 5
"""Most rules in a chain."""
_TARGET, _REACHED = "_target", "_reached"
_POSITIVE, _COMPARED, _NEGATED, _COUNTED = range(4)


@dataclass(frozen=True)
class Proof:
    """Explanation of an atom or a literal.

    Attributes:
        atom: Ground atom; the text of a literal that no binding satisfies.
        holds: Whether it holds.
        kind: "input" for an input, "fact" for an atom that is true in every state, "rule", "no rule", or "literal" for
            a comparison, an aggregate, or a literal with unbound variables.
        rule: Text of the rule; empty for other kinds.
        location: Location of the rule.
        premises: The body of the rule for an atom that holds, else the literal that fails.
    """

    atom: str
    holds: bool
    kind: str
    rule: str = ""
    location: Location | None = None
    premises: tuple[Proof, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        location = {"file": self.location.file, "line": self.location.line} if self.location else None
        data: dict[str, Any] = {"atom": self.atom, "holds": self.holds, "kind": self.kind}
        if self.rule:
            data |= {"rule": self.rule, "place": location, "because": [premise.to_json() for premise in self.premises]}
        return data


@dataclass(frozen=True)
class _IndexedRule:
    head: ast.AST  # a symbol
    body: tuple[ast.AST, ...]  # in the order of evaluation
    text: str
    location: Location


class _RuleIndex:
    """Index of the rules of a knowledge base, and its ground program, for the proofs of all its states."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self.inputs = frozenset(map(str, kb.input_atoms))
        self.always_true = _find_ground_facts(kb)
        self.possible_facts = _group_facts({*self.inputs, *map(str, kb.ground.atoms)})
        statements, sources = read_rewritten_statements(kb.request, Limits())
        self.rules = _index_rules(statements, sources)
        definitions = [item for item in statements if item.ast_type == ast.ASTType.Definition]
        self.definitions = list(map(str, definitions))
        self.constant_values = _read_constants(kb.constants, self.definitions, [item.name for item in definitions])
        self._oracle, self._lock = Oracle(kb, constraints=False), Lock()

    def find_model(self, true_inputs: Collection[Atom]) -> frozenset[str]:
        """Return all true atoms of a state, which may violate constraints; one thread asks at a time."""
        with self._lock:
            return frozenset(map(str, self._oracle.solve(true_inputs).atoms or ()))


@lru_cache(maxsize=2)
def _index_of(kb: KnowledgeBase) -> _RuleIndex:
    return _RuleIndex(kb)


def _find_ground_facts(kb: KnowledgeBase) -> frozenset[str]:
    ground = kb.ground
    certain = {
        head for head, first, end in zip(ground.heads, ground.starts, ground.starts[1:], strict=False) if first == end
    }
    named = zip(ground.atoms, ground.numbers, strict=True)
    return frozenset(str(atom) for atom, number in named if number in certain)


def _group_facts(atoms: Collection[str]) -> Mapping[str, list[str]]:
    """Return atoms as facts, by the name of the predicate."""
    facts: dict[str, list[str]] = {}
    for text in sorted(atoms):
        facts.setdefault(text.partition("(")[0], []).append(f"{text}.")
    return facts


def _index_rules(statements: Iterable[ast.AST], sources: RuleSources) -> Mapping[Signature, list[_IndexedRule]]:
    rules: dict[Signature, list[_IndexedRule]] = {}
    for statement in statements:
        head = getattr(statement, "head", None)
        if statement.ast_type != ast.ASTType.Rule or head is None or head.ast_type != ast.ASTType.Literal:
            continue
        if head.atom.ast_type != ast.ASTType.SymbolicAtom:
            continue
        body = tuple(sorted(statement.body, key=_evaluation_order))
        for symbol in head.atom.symbol.unpool():
            rule = _IndexedRule(symbol, body, str(statement), sources.node_location(statement))
            rules.setdefault(Signature(symbol.name, len(symbol.arguments)), []).append(rule)
    return rules


def _read_constants(
    constants: Mapping[str, Term], definitions: Iterable[str], names: Iterable[str]
) -> Mapping[str, clingo.Symbol]:
    """Return the values of the constants of the files."""
    control = clingo.Control(clingo_arguments(constants), logger=lambda code, text: None)
    control.add("base", [], "\n".join(definitions))
    return {name: value for name in names if (value := control.get_const(name)) is not None}


@dataclass
class ProofFinder:
    """Finds proofs of atoms in one state.

    Attributes:
        kb: The knowledge base.
        true_inputs: Inputs that are true in the state.
    """

    kb: KnowledgeBase
    true_inputs: Collection[Atom]
    _cache: dict[tuple[str, bool], Proof] = field(default_factory=dict)

    def explain(self, atom: Atom | str, max_depth: int = MAX_PROOF_DEPTH) -> Proof:
        """Explain an atom.

        Args:
            atom: Ground atom.
            max_depth: Most rules in a chain.

        Returns:
            The explanation, whether the atom holds or not.
        """
        text = str(atom)
        return self._explain(text, text in self._true, max_depth)

    @cached_property
    def _index(self) -> _RuleIndex:
        return _index_of(self.kb)

    @cached_property
    def _true(self) -> frozenset[str]:
        return self._index.find_model(self.true_inputs)

    # --- chains -------------------------------------------------------------------------------------------------------

    def _explain(self, text: str, holds: bool, max_depth: int) -> Proof:
        if (text, holds) not in self._cache:
            self._cache[text, holds] = Proof(text, holds, "rule")  # ends a cyclic chain
            self._cache[text, holds] = self._find_proof(text, holds, max_depth)
        return self._cache[text, holds]

    def _find_proof(self, text: str, holds: bool, max_depth: int) -> Proof:
        if text in self._index.inputs:
            return Proof(text, holds, "input")
        if text in self._index.always_true:
            return Proof(text, holds, "fact")
        symbol = clingo.parse_term(text)
        rules = self._index.rules.get(Signature(symbol.name, len(symbol.arguments)), [])
        if not rules:
            return Proof(text, holds, "no rule")
        nearest: tuple[int, _IndexedRule, Mapping[str, clingo.Symbol]] | None = None
        for rule in rules:
            match = self._match_body(rule, text)
            if match is None:
                continue
            if match[0] == len(rule.body) and holds:
                return self._make_proof(text, rule, match[1], max_depth)
            if nearest is None or match[0] > nearest[0]:
                nearest = (match[0], rule, match[1])
        if nearest is None:
            return Proof(text, holds, "no rule")
        num_satisfied, rule, binding = nearest
        failing = rule.body[min(num_satisfied, len(rule.body) - 1)] if rule.body else None
        premises = () if failing is None else (self._explain_literal(failing, binding, False, max_depth - 1),)
        return Proof(text, holds, "rule", rule.text, rule.location, premises)

    def _make_proof(self, text: str, rule: _IndexedRule, binding: Mapping[str, clingo.Symbol], max_depth: int) -> Proof:
        premises = tuple(self._explain_literal(premise, binding, True, max_depth - 1) for premise in rule.body)
        shown = tuple(premise for premise in premises if premise.kind != "literal" or not premise.holds)
        return Proof(text, True, "rule", rule.text, rule.location, shown)

    def _explain_literal(
        self, literal: ast.AST, binding: Mapping[str, clingo.Symbol], holds: bool, max_depth: int
    ) -> Proof:
        """Explain a literal of a body under a binding."""
        bound = _Substitution(binding, self._index.constant_values).substitute(literal)
        atom = _ground_atom(bound) if _evaluation_order(literal) in (_POSITIVE, _NEGATED) else None
        if atom is None:
            return Proof(str(bound.ast), holds, "literal")
        true = holds != (literal.sign == ast.Sign.Negation)
        if max_depth <= 0:
            index = self._index
            kind = "input" if atom in index.inputs else "fact" if atom in index.always_true else "rule"
            return Proof(atom, true, kind)
        return self._explain(atom, true, max_depth)

    # --- one rule -----------------------------------------------------------------------------------------------------

    def _match_body(self, rule: _IndexedRule, target: str) -> tuple[int, Mapping[str, clingo.Symbol]] | None:
        """Return the length of the longest satisfied prefix of a body, and its binding; None where the head differs."""
        facts, longest, length = self._facts_for(rule, self._facts), None, 0
        for length in range(len(rule.body) + 1):
            bindings = self._find_binding(rule, target, rule.body[:length], facts)
            if bindings == []:
                break
            if bindings:
                longest = length, bindings[0]
        if (
            longest is None and length
        ):  # the head binds no variables, as in p(1..X), so alone it was compared to nothing
            return self._match_possible_body(rule, target)
        return longest

    def _match_possible_body(self, rule: _IndexedRule, target: str) -> tuple[int, Mapping[str, clingo.Symbol]] | None:
        """Return the same by a binding for which the atoms of the body may be true in some state."""
        parts = [part for part in rule.body if _evaluation_order(part) in (_POSITIVE, _COMPARED)]
        bindings = self._find_binding(rule, target, parts, self._facts_for(rule, self._index.possible_facts))
        if not bindings:
            return None
        positive = [part for part in parts if _evaluation_order(part) == _POSITIVE]
        bound = [_Substitution(bindings[0], self._index.constant_values).substitute(part) for part in positive]
        atoms = list(map(_ground_atom, bound))
        return next((length for length, atom in enumerate(atoms) if atom not in self._true), 0), bindings[0]

    def _find_binding(
        self, rule: _IndexedRule, target: str, parts: Sequence[ast.AST], facts: str
    ) -> list[Mapping[str, clingo.Symbol]] | None:
        """Return a binding for which facts satisfy parts of a body, or no one; None where variables are unsafe."""
        names = sorted({name for part in (rule.head, *parts) for name in _variables(part)})
        body = "; ".join([f"{_TARGET}({rule.head})", *map(str, parts)])
        text = f"{facts}\n{_TARGET}({target}).\n{_REACHED}({','.join(['0', *names])}) :- {body}."
        instances = self._first_instance(text, len(names) + 1)
        if instances is None:
            return None
        return [dict(zip(names, symbol.arguments[1:], strict=True)) for symbol in instances]

    def _first_instance(self, program: str, arity: int) -> list[clingo.Symbol] | None:
        """Return the first derived instance of `_REACHED`, or an empty list; None for an unsafe program."""
        control = clingo.Control([*clingo_arguments(self.kb.constants), "--warn=none"], logger=lambda code, text: None)
        try:
            control.add("base", [], program)
            control.ground([("base", [])])
        except RuntimeError:
            return None
        return [item.symbol for item in islice(control.symbolic_atoms.by_signature(_REACHED, arity), 1)]

    @cached_property
    def _facts(self) -> Mapping[str, list[str]]:
        """True atoms as facts, by the name of the predicate."""
        return _group_facts(self._true)

    def _facts_for(self, rule: _IndexedRule, facts: Mapping[str, list[str]]) -> str:
        """Return the constants, and the facts of the predicates in a rule."""
        predicates = sorted({*re.findall(r"[a-z_][\w']*", rule.text)} & facts.keys())
        return "\n".join([*self._index.definitions, *(fact for name in predicates for fact in facts[name])])


def _evaluation_order(literal: ast.AST) -> int:
    """Return the rank of a literal in the order of evaluation."""
    if literal.ast_type != ast.ASTType.Literal:
        return _COUNTED
    kind = literal.atom.ast_type
    if kind == ast.ASTType.Comparison:
        return _COMPARED
    if kind != ast.ASTType.SymbolicAtom:
        return _COUNTED
    return _POSITIVE if literal.sign == ast.Sign.NoSign else _NEGATED


class _VariableCollector(ast.Transformer):
    def __init__(self) -> None:
        self.names: list[str] = []

    def visit_Variable(self, node: ast.AST) -> ast.AST:
        if node.name != "_":
            self.names.append(node.name)
        return node


def _variables(part: ast.AST) -> list[str]:
    """Return the variables of a term or a literal, without those that are local to conditions and aggregates."""
    if part.ast_type in (ast.ASTType.ConditionalLiteral, ast.ASTType.BodyAggregate, ast.ASTType.Aggregate):
        return []
    if part.ast_type == ast.ASTType.Literal and part.atom.ast_type in (
        ast.ASTType.BodyAggregate,
        ast.ASTType.Aggregate,
    ):
        return []
    collector = _VariableCollector()
    collector.visit(part)
    return collector.names


class _Substitution(ast.Transformer):
    """Replaces variables by values."""

    def __init__(self, binding: Mapping[str, clingo.Symbol], constants: Mapping[str, clingo.Symbol]) -> None:
        self._binding, self._constants, self.complete = binding, constants, True

    def substitute(self, part: ast.AST) -> _SubstitutedLiteral:
        """Return a literal or a term with its values, and whether all variables have one."""
        return _SubstitutedLiteral(self.visit(part), self.complete)

    def visit_Variable(self, node: ast.AST) -> ast.AST:
        if node.name in self._binding:
            return ast.SymbolicTerm(node.location, self._binding[node.name])
        self.complete = False
        return node

    def visit_SymbolicTerm(self, node: ast.AST) -> ast.AST:
        symbol = node.symbol
        if symbol.type == clingo.SymbolType.Function and not symbol.arguments and symbol.name in self._constants:
            return ast.SymbolicTerm(node.location, self._constants[symbol.name])
        return node


@dataclass(frozen=True)
class _SubstitutedLiteral:
    ast: ast.AST
    complete: bool


def _ground_atom(bound: _SubstitutedLiteral) -> str | None:
    """Return the atom of a literal; None for several atoms, as `p(1..2)`, or for undefined arithmetic."""
    if not bound.complete:
        return None
    try:
        return str(clingo.parse_term(str(bound.ast.atom), logger=lambda code, text: None))
    except RuntimeError:
        return None


def format_proof(proof: Proof, depth: int = 0) -> Iterator[str]:
    """Format a proof as text.

    Args:
        proof: The proof.
        depth: Level of indentation.

    Yields:
        One line for each atom, and one for each rule.
    """
    negation = "" if proof.holds else "not "
    location = f"   {_short_location(proof.location)}" if proof.location else ""
    suffix = {"input": "   input", "fact": "   always", "no rule": "   no rule derives it"}.get(proof.kind, "")
    yield f"{'  ' * depth}{negation}{proof.atom}{suffix}"
    if proof.rule:
        yield f"{'  ' * depth}  {'by' if proof.holds else 'nearest'}: {proof.rule}{location}"
    for premise in proof.premises:
        yield from format_proof(premise, depth + 1)


def _short_location(location: Location) -> str:
    """Return folder, file and line of a location."""
    return f"{'/'.join(Path(location.file).parts[-2:])}:{location.line}"
