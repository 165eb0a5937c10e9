"""Compile a rule folder to a knowledge base, circuits, and the arrays that the kernels read."""

from __future__ import annotations

from abl_cards.asp import Atom, KBError, ProgramSummary, Signature, make_kb_error
from abl_cards.circuit import Circuit, KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.binding import CircuitQuery
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.compiled.form_strength import compute_strengths, read_tiers
from abl_cards.games.compiled.move_table_builder import build_move_tables, order_forms
from abl_cards.games.compiled.schema_builder import build_schema
from abl_cards.games.compiled.seating import read_seating
from abl_cards.games.compiled.turn_table_builder import build_turn_table
from abl_cards.games.description import (
    Folder,
    Forms,
    InputSchema,
    KnownNames,
    Pack,
    add_location,
    build_default_cells,
    check_arguments,
    find_contexts,
    find_fluent_declarations,
    find_unsupplied_inputs,
    find_wrong_arities,
    find_wrong_inputs,
    load_game_knowledge,
    read_cells,
    read_fluent_types,
    read_fluents,
    read_forms,
    read_pack,
    with_outputs,
)
from abl_cards.games.moves import build_move_lookup


def compile_game(folder: Folder, profile: str | None = None, cache: bool = True) -> CompiledGame:
    """Load, check and compile a rule folder.

    Args:
        folder: Folder of the game.
        profile: Profile of the rules; None for the default profile.
        cache: Read and write the disk cache of ground programs and circuits.

    Returns:
        Compiled game.

    Raises:
        KBError: The rules are not valid, or do not describe a game; with locations.
    """
    kb, program = load_game_knowledge(folder, profile, cache), folder.program(profile)
    try:
        return _compile(kb, program, folder, profile)
    except KBError as error:
        diagnostics = [add_location(diagnostic, program, folder) for diagnostic in error.diagnostics]
        raise KBError(diagnostics) from None


def _compile(kb: KnowledgeBase, program: ProgramSummary, folder: Folder, profile: str | None) -> CompiledGame:
    if wrong_arities := list(find_wrong_arities(program)):
        raise KBError(wrong_arities)
    fluents = read_fluents(kb, read_fluent_types(find_fluent_declarations(program)))
    known = KnownNames(kb, program, folder, fluents)
    check_arguments(known)
    if wrong_inputs := list(find_wrong_inputs(known)):
        raise KBError(wrong_inputs)
    pack, seating = read_pack(kb), read_seating(kb)
    acts_as, strengths = _compile_output(kb, "acts_as/2"), _compile_output(kb, "strength/2")
    contexts = find_contexts(
        fluents, [circuit for circuit in (acts_as, strengths, _compile_output(kb, "beats/1")) if circuit]
    )
    vacant = [cell for (cell,) in kb.facts("vacant", 1)]
    cells = read_cells(pack, acts_as, contexts, vacant) if acts_as else build_default_cells(pack, len(contexts), vacant)
    forms = read_forms(kb, pack, cells)
    schema = build_schema(kb, pack, cells, forms, fluents, seating)
    unsupplied = list(find_unsupplied_inputs(kb, schema, program))
    if unsupplied:
        raise KBError(unsupplied)
    tiers = read_tiers(kb, forms)
    strength = compute_strengths(strengths, contexts, forms, tiers)
    lookup = build_move_lookup(cells, forms, order_forms(kb, forms, strength))
    return CompiledGame(
        kb, folder, profile or folder.default_profile, pack, seating, fluents, contexts, cells, forms, schema,
        build_move_tables(kb, pack, cells, forms, strength, lookup is None), lookup,
        _build_play_query(kb, schema, forms, pack), *build_turn_table(kb, schema, forms, seating), strength, tiers,
    )  # fmt: skip


def _compile_output(kb: KnowledgeBase, output: str) -> Circuit | None:
    return kb.circuit(output) if Signature.parse(output) in kb.request.outputs else None


def _build_play_query(kb: KnowledgeBase, schema: InputSchema, forms: Forms, pack: Pack) -> CircuitQuery:
    missing = [name for name in ("legal/1", "move/1") if Signature.parse(name) not in kb.request.outputs]
    if missing:
        remedy = "#include <climbing>. has the rules that most games share"
        raise make_kb_error(f"no rule derives {missing[0]}", remedy, ErrorCode.MISSING_OUTPUT)
    includes = ["includes/1"] if Signature("includes", 1) in kb.request.outputs else []
    circuit = kb.circuit("legal/1", "move/1", *includes)
    outputs = [Atom("legal", (label,)) for label in forms.labels] + [Atom("move", (form.name,)) for form in forms.forms]
    if includes:
        outputs += [Atom("includes", (kind,)) for kind in pack.kinds]
    return CircuitQuery.from_circuit(with_outputs(circuit, outputs), schema)
