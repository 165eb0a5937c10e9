"""Answer-set programs at tensor speed: rule files are checked, grounded once and compiled into circuits.

    kb = KnowledgeBase.load(files, inputs=[Input("held", (RANKS, COUNTS))], outputs=[("legal", 1)])
    circuit = kb.circuit("legal/1")
    legal = evaluate(circuit, rows)          # uint8[inputs, states] -> uint8[outputs, states]

clingo stays the reference: `verify(kb, circuit, rows)` lists every difference. This package knows no game.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from abl_cards.logic.build import Limits
from abl_cards.logic.errors import Diagnostic, KBError, Location, Severity
from abl_cards.logic.statements import Constraint
from abl_cards.logic.terms import Atom, Input, Signature, Term

if TYPE_CHECKING:
    from abl_cards.logic.circuit import Circuit
    from abl_cards.logic.evaluation import evaluate, scores, weigh
    from abl_cards.logic.knowledge import KnowledgeBase
    from abl_cards.logic.oracle import Answer, Mismatch, Oracle, Table, claims, compare, tabulate, true_atoms, verify
    from abl_cards.logic.torch_backend import evaluate_torch

_PLACES = {
    "circuit": ("Circuit",),
    "evaluation": ("evaluate", "scores", "weigh"),
    "knowledge": ("KnowledgeBase",),
    "oracle": ("Answer", "Mismatch", "Oracle", "Table", "claims", "compare", "tabulate", "true_atoms", "verify"),
    "torch_backend": ("evaluate_torch",),
}
"""What needs arrays, by module: the processes that ground rules, one for each knowledge base, start without."""

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


def __getattr__(name: str) -> Any:
    """What needs arrays, when somebody asks for it."""
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
