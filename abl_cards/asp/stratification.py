"""Check that no atom depends on its own negation; such rules have no circuit."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from abl_cards.asp.completion import Equations, NotStratified
from abl_cards.asp.graph import strong_components

Dependencies = Callable[[int], list[int]]


def require_stratified(equations: Equations, atoms: Iterable[int]) -> None:
    """Check atoms and everything that they depend on.

    Args:
        equations: Bodies by head.
        atoms: Atom numbers to start from.

    Raises:
        NotStratified: An atom depends on its own negation.
    """

    def dependencies(number: int) -> list[int]:
        return [abs(literal) for body in equations.get(number, ()) for literal in body.literals]

    for component in strong_components(atoms, dependencies):
        check_stratified(component, equations, dependencies)


def check_stratified(component: list[int], equations: Equations, dependencies: Dependencies) -> None:
    """Check one strongly connected component.

    Args:
        component: Its atom numbers.
        equations: Bodies by head.
        dependencies: Returns the atoms that an atom depends on.

    Raises:
        NotStratified: An atom of the component depends on the negation of another.
    """
    inside = set(component)
    for number in component:
        for body in equations.get(number, ()):
            for literal, weight in zip(body.literals, body.weights or (1,) * len(body.literals), strict=True):
                if abs(literal) in inside and (literal < 0 or weight < 0):
                    raise NotStratified(_path(abs(literal), number, inside, dependencies))


def _path(start: int, goal: int, inside: set[int], dependencies: Dependencies) -> list[int]:
    """Return the shortest path between atoms of a component, the goal first."""
    predecessors = {start: start}
    queue = [start]
    for number in queue:
        for successor in dependencies(number):
            if successor in inside and successor not in predecessors:
                predecessors[successor] = number
                queue.append(successor)
    path = [goal]
    while path[-1] != start:
        path.append(predecessors[path[-1]])
    return [path[0], *reversed(path[1:])]
