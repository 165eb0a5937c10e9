"""Why an atom holds in a state, or why not: the chain of ground rules, down to what was told.

Clingo answers: the stable model of the state is written down as facts, and a rule is looked at by the longest part of
its body that holds. Of an atom that holds, the first rule whose whole body does; of another, the rule that comes
nearest, and the first literal that fails there. What is positive in a body is looked at before what is compared or
negated.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import clingo
from clingo import ast

from abl_cards.asp import Atom, Limits, Location, RuleSources, Signature, clingo_arguments, read_rewritten_statements
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.circuit.oracle import Oracle

MAX_PROOF_DEPTH = 5
"""Rules behind rules."""
_TARGET, _REACHED = "_target", "_reached"
_POSITIVE, _COMPARED, _NEGATED, _COUNTED = range(4)


@dataclass(frozen=True)
class Proof:
    """An atom, whether it holds, and what that comes from."""

    atom: str  # a ground atom; of a literal that no binding satisfies, its text
    holds: bool
    kind: str  # "told", "fact" (in every state), "rule", "no rule", or "literal": what is compared, counted, not bound
    rule: str = ""  # its text
    location: Location | None = None
    premises: tuple[Proof, ...] = ()  # of an atom that holds all of the body; else the literal that fails

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        place = {"file": self.location.file, "line": self.location.line} if self.location else None
        found: dict[str, Any] = {"atom": self.atom, "holds": self.holds, "kind": self.kind}
        if self.rule:
            found |= {"rule": self.rule, "place": place, "because": [each.to_json() for each in self.premises]}
        return found


@dataclass(frozen=True)
class _IndexedRule:
    head: ast.AST  # a symbol
    body: tuple[ast.AST, ...]  # in the order in which it is looked at
    text: str
    location: Location


@dataclass
class ProofFinder:
    """The rules of a knowledge base in one state."""

    kb: KnowledgeBase
    true_inputs: Collection[Atom]  # the inputs that hold
    _cache: dict[tuple[str, bool], Proof] = field(default_factory=dict)

    def explain(self, atom: Atom | str, max_depth: int = MAX_PROOF_DEPTH) -> Proof:
        """The chain behind an atom, so deep at most."""
        text = str(atom)
        return self._explain(text, text in self._true, max_depth)

    @cached_property
    def _model(self) -> frozenset[Atom]:
        """Everything that holds; constraints that are violated do not keep it from holding."""
        return Oracle(self.kb, constraints=False).solve(self.true_inputs).atoms or frozenset()

    @cached_property
    def _true(self) -> frozenset[str]:
        return frozenset(map(str, self._model))

    @cached_property
    def _always_true(self) -> frozenset[str]:
        """What is true in every state."""
        ground = self.kb.ground
        certain = {
            head
            for head, first, end in zip(ground.heads, ground.starts, ground.starts[1:], strict=False)
            if first == end
        }
        named = zip(ground.atoms, ground.numbers, strict=True)
        return frozenset(str(atom) for atom, number in named if number in certain)

    @cached_property
    def _inputs(self) -> frozenset[str]:
        return frozenset(map(str, self.kb.input_atoms))

    @cached_property
    def _program(self) -> tuple[list[ast.AST], RuleSources]:
        return read_rewritten_statements(self.kb.request, Limits())

    @cached_property
    def _rules(self) -> Mapping[Signature, list[_IndexedRule]]:
        statements, sources = self._program
        found: dict[Signature, list[_IndexedRule]] = {}
        for statement in statements:
            head = getattr(statement, "head", None)
            if statement.ast_type != ast.ASTType.Rule or head is None or head.ast_type != ast.ASTType.Literal:
                continue
            if head.atom.ast_type != ast.ASTType.SymbolicAtom:
                continue
            body = tuple(sorted(statement.body, key=_evaluation_order))
            for symbol in head.atom.symbol.unpool():
                rule = _IndexedRule(symbol, body, str(statement), sources.node_location(statement))
                found.setdefault(Signature(symbol.name, len(symbol.arguments)), []).append(rule)
        return found

    # --- chains -------------------------------------------------------------------------------------------------------

    def _explain(self, text: str, holds: bool, max_depth: int) -> Proof:
        if (text, holds) not in self._cache:
            self._cache[text, holds] = Proof(text, holds, "rule")  # a circle ends here
            self._cache[text, holds] = self._find_proof(text, holds, max_depth)
        return self._cache[text, holds]

    def _find_proof(self, text: str, holds: bool, max_depth: int) -> Proof:
        if text in self._inputs:
            return Proof(text, holds, "told")
        if text in self._always_true:
            return Proof(text, holds, "fact")
        symbol = clingo.parse_term(text)
        rules = self._rules.get(Signature(symbol.name, len(symbol.arguments)), [])
        if not rules:
            return Proof(text, holds, "no rule")
        nearest: tuple[int, _IndexedRule, Mapping[str, clingo.Symbol]] | None = None
        for rule in rules:
            reached = self._match_body(rule, text)
            if reached is None:
                continue
            if reached[0] == len(rule.body) and holds:
                return self._make_proof(text, rule, reached[1], max_depth)
            if nearest is None or reached[0] > nearest[0]:
                nearest = (reached[0], rule, reached[1])
        if nearest is None:
            return Proof(text, holds, "no rule")
        reached_to, rule, binding = nearest
        failing = rule.body[min(reached_to, len(rule.body) - 1)] if rule.body else None
        because = () if failing is None else (self._explain_literal(failing, binding, False, max_depth - 1),)
        return Proof(text, holds, "rule", rule.text, rule.location, because)

    def _make_proof(self, text: str, rule: _IndexedRule, binding: Mapping[str, clingo.Symbol], max_depth: int) -> Proof:
        because = tuple(self._explain_literal(each, binding, True, max_depth - 1) for each in rule.body)
        told = tuple(each for each in because if each.kind != "literal" or not each.holds)
        return Proof(text, True, "rule", rule.text, rule.location, told)

    def _explain_literal(
        self, literal: ast.AST, binding: Mapping[str, clingo.Symbol], holds: bool, max_depth: int
    ) -> Proof:
        """A literal of a body that is true there, or that fails."""
        bound = _Substitution(binding, self._constants).substitute(literal)
        atom = _ground_atom(bound) if _evaluation_order(literal) in (_POSITIVE, _NEGATED) else None
        if atom is None:
            return Proof(str(bound.ast), holds, "literal")
        true = holds != (literal.sign == ast.Sign.Negation)
        if max_depth <= 0:
            return Proof(
                atom, true, "told" if atom in self._inputs else "fact" if atom in self._always_true else "rule"
            )
        return self._explain(atom, true, max_depth)

    # --- one rule -----------------------------------------------------------------------------------------------------

    def _match_body(self, rule: _IndexedRule, target: str) -> tuple[int, Mapping[str, clingo.Symbol]] | None:
        """How much of a body holds where the head is the target, and by what; None where the head never is."""
        names = sorted({name for part in (rule.head, *rule.body) for name in _variables(part)})
        found = self._satisfied_prefixes(rule, target, names)
        if not found:
            return None
        length = max(found)
        return length, found[length]

    def _satisfied_prefixes(
        self, rule: _IndexedRule, target: str, names: Sequence[str]
    ) -> dict[int, Mapping[str, clingo.Symbol]]:
        """By length, a binding of the parts of the body that hold; those that are not safe alone are left out."""
        found: dict[int, Mapping[str, clingo.Symbol]] = {}
        facts = f"{self._facts_for(rule)}\n{_TARGET}({target})."
        for length in range(len(rule.body) + 1):
            parts = rule.body[:length]
            here = [name for name in names if any(name in _variables(each) for each in (rule.head, *parts))]
            head = f"{_REACHED}({','.join(['0', *here])})"
            text = f"{head} :- {'; '.join([f'{_TARGET}({rule.head})', *map(str, parts)])}."
            reached = self._first_instance(f"{facts}\n{text}", len(here) + 1)
            if reached == []:
                break
            if reached:
                found[length] = dict(zip(here, reached[0].arguments[1:], strict=True))
        return found

    def _first_instance(self, program: str, arity: int) -> list[clingo.Symbol] | None:
        """The first instance of what is reached, or nothing; None for a program that is not safe."""
        control = clingo.Control([*clingo_arguments(self.kb.constants), "--warn=none"], logger=lambda code, text: None)
        try:
            control.add("base", [], program)
            control.ground([("base", [])])
        except RuntimeError:
            return None
        return [item.symbol for item in islice(control.symbolic_atoms.by_signature(_REACHED, arity), 1)]

    @cached_property
    def _constants(self) -> Mapping[str, clingo.Symbol]:
        """What `#const` names in the files stand for."""
        control = clingo.Control(clingo_arguments(self.kb.constants), logger=lambda code, text: None)
        control.add("base", [], "\n".join(self._definitions))
        names = [each.name for each in self._program[0] if each.ast_type == ast.ASTType.Definition]
        return {name: value for name in names if (value := control.get_const(name)) is not None}

    @cached_property
    def _definitions(self) -> list[str]:
        return [str(each) for each in self._program[0] if each.ast_type == ast.ASTType.Definition]

    @cached_property
    def _facts(self) -> Mapping[str, list[str]]:
        """What holds, by predicate."""
        found: dict[str, list[str]] = {}
        for text in sorted(self._true):
            found.setdefault(text.partition("(")[0], []).append(f"{text}.")
        return found

    def _facts_for(self, rule: _IndexedRule) -> str:
        """The constants, and what holds of the predicates that a rule speaks of."""
        spoken = sorted({*re.findall(r"[a-z_][\w']*", rule.text)} & self._facts.keys())
        return "\n".join([*self._definitions, *(fact for name in spoken for fact in self._facts[name])])


def _evaluation_order(literal: ast.AST) -> int:
    """What is looked at first."""
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
    """The variables of a term or a literal; those of conditions and aggregates are their own."""
    if part.ast_type in (ast.ASTType.ConditionalLiteral, ast.ASTType.BodyAggregate, ast.ASTType.Aggregate):
        return []
    if part.ast_type == ast.ASTType.Literal and part.atom.ast_type in (
        ast.ASTType.BodyAggregate,
        ast.ASTType.Aggregate,
    ):
        return []
    names = _VariableCollector()
    names.visit(part)
    return names.names


class _Substitution(ast.Transformer):
    """Puts values in the places of variables."""

    def __init__(self, binding: Mapping[str, clingo.Symbol], constants: Mapping[str, clingo.Symbol]) -> None:
        self._binding, self._constants, self.complete = binding, constants, True

    def substitute(self, part: ast.AST) -> _SubstitutedLiteral:
        """A literal or a term with its values, and whether there was one for every variable."""
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
    """The atom of a literal; None where it is none or many, as `p(1..2)`, or where its arithmetic has no result."""
    if not bound.complete:
        return None
    try:
        return str(clingo.parse_term(str(bound.ast.atom), logger=lambda code, text: None))
    except RuntimeError:
        return None


def format_proof(proof: Proof, depth: int = 0) -> Iterator[str]:
    """The chain as text, a line a rule or a fact."""
    mark = "" if proof.holds else "not "
    place = f"   {_short_location(proof.location)}" if proof.location else ""
    said = {"told": "   told", "fact": "   always", "no rule": "   no rule derives it"}.get(proof.kind, "")
    yield f"{'  ' * depth}{mark}{proof.atom}{said}"
    if proof.rule:
        yield f"{'  ' * depth}  {'by' if proof.holds else 'nearest'}: {proof.rule}{place}"
    for each in proof.premises:
        yield from format_proof(each, depth + 1)


def _short_location(location: Location) -> str:
    """The folder, the file and the line."""
    return f"{'/'.join(Path(location.file).parts[-2:])}:{location.line}"
