"""Ground programs as circuits: compile, specialise and evaluate them; compare them with clingo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_cards.core import lazy_exports

if TYPE_CHECKING:
    from abl_cards.circuit.circuit import AND, FALSE, TRUE, Circuit
    from abl_cards.circuit.coverage import FIRED_PREDICATE, TracedRule, find_rules_without_instances, trace_rules
    from abl_cards.circuit.digest import program_digest
    from abl_cards.circuit.evaluation import (
        CircuitInputs,
        PackedOutputs,
        SetBits,
        evaluate,
        evaluate_inputs,
        evaluate_packed,
        weighted_sums,
    )
    from abl_cards.circuit.knowledge_base import KnowledgeBase
    from abl_cards.circuit.merge import merge_inputs
    from abl_cards.circuit.miter import (
        Axioms,
        MiterEncoding,
        MiterResult,
        MiterStatus,
        find_difference,
        find_state_with,
    )
    from abl_cards.circuit.oracle import (
        Mismatch,
        Oracle,
        OutputTable,
        compare_tables,
        tabulate_circuit,
        tabulate_oracle,
        true_atoms,
    )
    from abl_cards.circuit.partition import SHARED, partition_circuit
    from abl_cards.circuit.proofs import Proof, ProofFinder, format_proof
    from abl_cards.circuit.source_locations import find_deriving_files
    from abl_cards.circuit.torch_backend import evaluate_torch

__all__ = [
    "AND",
    "FALSE",
    "FIRED_PREDICATE",
    "SHARED",
    "TRUE",
    "Axioms",
    "Circuit",
    "CircuitInputs",
    "KnowledgeBase",
    "Mismatch",
    "MiterEncoding",
    "MiterResult",
    "MiterStatus",
    "Oracle",
    "OutputTable",
    "PackedOutputs",
    "Proof",
    "ProofFinder",
    "SetBits",
    "TracedRule",
    "compare_tables",
    "evaluate",
    "evaluate_inputs",
    "evaluate_packed",
    "evaluate_torch",
    "find_deriving_files",
    "find_difference",
    "find_rules_without_instances",
    "find_state_with",
    "format_proof",
    "merge_inputs",
    "partition_circuit",
    "program_digest",
    "tabulate_circuit",
    "tabulate_oracle",
    "trace_rules",
    "true_atoms",
    "weighted_sums",
]

if not TYPE_CHECKING:  # otherwise type checkers would accept any name
    __getattr__ = lazy_exports(__name__)
