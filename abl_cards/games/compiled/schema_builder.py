"""Number the arguments of inputs: options, stages, random numbers, kinds of plays and the ranks that are shown."""

from __future__ import annotations

from abl_cards.asp import Term, make_kb_error
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import ErrorCode
from abl_cards.games.compiled.seating import Seating
from abl_cards.games.description import (
    PASS_TERM,
    SHOWN_BITS,
    Cells,
    Fluents,
    Forms,
    InputSchema,
    Pack,
    generalise_kind,
    number_terms,
    parse_rank_and_suit,
)

MAX_OPTIONS, MAX_STAGES = 250, 120
"""Maximum numbers of options and stages, which are indexed by bytes."""


def build_schema(
    kb: KnowledgeBase, pack: Pack, cells: Cells, forms: Forms, fluents: Fluents, seating: Seating
) -> InputSchema:
    """Number the arguments of the inputs of a game.

    Raises:
        KBError: There are too many options or stages.
    """
    options = _read_options(kb, pack)
    stages = dict.fromkeys(args[0] for args in kb.instances("asks", 2))
    if len(stages) > MAX_STAGES:
        raise make_kb_error(f"asks/2: {len(stages)} stages", f"at most {MAX_STAGES}", ErrorCode.GAME_TOO_LARGE)
    lots = _read_lots(kb)
    kinds = tuple(dict.fromkeys(generalise_kind(form.kind) for form in forms.forms if form.name != PASS_TERM))
    ranks = _find_shown_ranks(cells, forms)
    left_over = 0 if kb.facts("draw_pile", 0) else max(0, len(pack.deck) - sum(seating.num_dealt))
    return InputSchema(
        cells, forms, fluents, seating.seats, seating.relative_names, tuple(stages), tuple(options), lots, kinds, ranks,
        pack.kinds, left_over,
    )  # fmt: skip


def _read_options(kb: KnowledgeBase, pack: Pack) -> list[Term]:
    """Read the options of choices: those with ``listed/2`` by their keys, then cards, then the others by term order."""
    options = [args[0] for args in kb.instances("option", 1)]
    listed = kb.facts_as_dict("listed")
    keys = number_terms([listed[option] for option in options if option in listed])

    def sort_key(option: Term) -> tuple[int, int]:
        return (0, keys[listed[option]]) if option in listed else (1, pack.index.get(option, len(pack)))

    if len(options) > MAX_OPTIONS:
        remedy = f"at most {MAX_OPTIONS} in all the stages of choices"
        raise make_kb_error(f"option/1: {len(options)} options", remedy, ErrorCode.GAME_TOO_LARGE)
    return sorted(options, key=sort_key)


def _read_lots(kb: KnowledgeBase) -> tuple[Term, ...]:
    """Read the names of the random numbers of a match."""
    return tuple(kb.facts_as_dict("lots"))


def _find_shown_ranks(cells: Cells, forms: Forms) -> tuple[Term, ...]:
    """Find the cells that forms take, single cards last; at most SHOWN_BITS."""
    names = [cells.names[cell] for cell in forms.group_cells]
    return tuple(sorted(names, key=lambda name: parse_rank_and_suit(name) is not None)[:SHOWN_BITS])
