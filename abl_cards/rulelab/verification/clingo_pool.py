"""Solve many states of a knowledge base with clingo in parallel processes.

The process pool of Python pickles its messages. Its pipes have no names and are inherited only by the processes that it
starts, so no data from files or ports is unpickled.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom
from abl_cards.circuit import Oracle, OutputTable, tabulate_oracle
from abl_cards.core import NUM_THREADS
from abl_cards.games import load

CHUNK_SIZE = 250
"""States per task of a process."""

MIN_STATES_PER_PROCESS = 1000
"""Least number of states per process; below it, starting a process takes longer than its work."""


@dataclass(frozen=True)
class KnowledgeSource:
    """Arguments by which a worker process loads the same knowledge base."""

    game: str
    directory: Path | None
    profile: str | None


def solve_states(
    source: KnowledgeSource, rows: NDArray[np.uint8], outputs: Sequence[Atom], constant_outputs: Sequence[Atom] = ()
) -> Iterator[tuple[slice, OutputTable]]:
    """Solve states and yield the outputs of chunks in the order of completion.

    Args:
        source: Knowledge base.
        rows: uint8 [inputs, states], all inputs of the knowledge base.
        outputs: Outputs computed for every state.
        constant_outputs: Outputs that are equal in all states; computed for the first state, after the outputs.

    Yields:
        Slice of the states, and their outputs.
    """
    states = rows.shape[1]
    start = int(bool(constant_outputs) and states > 0)  # the first state is a chunk of its own
    parts = [slice(0, start)] * start
    parts += [slice(first, min(first + CHUNK_SIZE, states)) for first in range(start, states, CHUNK_SIZE)]
    tasks = {
        part.start: (source, np.packbits(rows[:, part], axis=1), part.stop - part.start, tuple(outputs))
        for part in parts
    }
    if tasks:
        tasks[0] = (*tasks[0][:3], (*outputs, *constant_outputs))
    if min(NUM_THREADS, states // MIN_STATES_PER_PROCESS) < 2:
        yield from ((part, _solve_chunk(*tasks[part.start])) for part in parts)
        return
    # Spawned, because a forked process would inherit the locks of running threads.
    with ProcessPoolExecutor(min(NUM_THREADS, len(parts)), multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(_solve_chunk, *tasks[part.start]): part for part in parts}
        try:
            yield from ((futures[future], future.result()) for future in as_completed(futures))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@cache
def load_oracle(source: KnowledgeSource) -> tuple[Oracle, tuple[Atom, ...]]:
    """Make the clingo solver of a process, and the list of its inputs."""
    knowledge = load(source.game).knowledge_base(source.directory, source.profile)
    return Oracle(knowledge), knowledge.input_atoms


def _solve_chunk(
    source: KnowledgeSource, packed: NDArray[np.uint8], states: int, outputs: tuple[Atom, ...]
) -> OutputTable:
    oracle, inputs = load_oracle(source)
    return tabulate_oracle(oracle, np.unpackbits(packed, axis=1, count=states), inputs, outputs)
