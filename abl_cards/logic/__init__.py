"""Answer-set programs at tensor speed: rule files are checked, grounded once and compiled into circuits.

    kb = KnowledgeBase.load(files, inputs=[Input("held", (RANKS, COUNTS))], outputs=[("legal", 1)])
    circuit = kb.circuit("legal/1")
    legal = evaluate(circuit, rows)          # uint8[inputs, states] -> uint8[outputs, states]

clingo stays the reference: `verify(kb, circuit, rows)` lists every difference. This package knows no game.
"""

from abl_cards.logic.build import Limits
from abl_cards.logic.circuit import Circuit
from abl_cards.logic.errors import Diagnostic, KBError, Location, Severity
from abl_cards.logic.evaluate import evaluate, scores, weigh
from abl_cards.logic.knowledge import KnowledgeBase
from abl_cards.logic.oracle import Answer, Mismatch, Oracle, Table, claims, compare, tabulate, true_atoms, verify
from abl_cards.logic.statements import Constraint
from abl_cards.logic.terms import Atom, Input, Signature, Term
from abl_cards.logic.torch_backend import evaluate_torch

__all__ = [
    "Answer",
    "Atom",
    "Circuit",
    "Constraint",
    "Diagnostic",
    "Input",
    "KBError",
    "KnowledgeBase",
    "Limits",
    "Location",
    "Mismatch",
    "Oracle",
    "Severity",
    "Signature",
    "Table",
    "Term",
    "claims",
    "compare",
    "evaluate",
    "evaluate_torch",
    "scores",
    "tabulate",
    "true_atoms",
    "verify",
    "weigh",
]
