"""Whether atoms depend on their own negation: what does has no circuit."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from abl_cards.asp.completion import Equations, NotStratified
from abl_cards.asp.graph import strong_components

Dependencies = Callable[[int], list[int]]


def require_stratified(equations: Equations, atoms: Iterable[int]) -> None:
    """Raises NotStratified when one of these atoms, or what it depends on, depends on its own negation."""

    def dependencies(number: int) -> list[int]:
        return [abs(literal) for body in equations.get(number, ()) for literal in body.literals]

    for component in strong_components(atoms, dependencies):
        check_stratified(component, equations, dependencies)


def check_stratified(component: list[int], equations: Equations, dependencies: Dependencies) -> None:
    """Raises NotStratified when an atom of a strongly connected component depends on the negation of another one."""
    inside = set(component)
    for number in component:
        for body in equations.get(number, ()):
            for literal, weight in zip(body.literals, body.weights or (1,) * len(body.literals), strict=True):
                if abs(literal) in inside and (literal < 0 or weight < 0):
                    raise NotStratified(_path(abs(literal), number, inside, dependencies))


def _path(start: int, goal: int, inside: set[int], dependencies: Dependencies) -> list[int]:
    """The shortest way from an atom to another one inside a component, goal first."""
    before = {start: start}
    queue = [start]
    for number in queue:
        for successor in dependencies(number):
            if successor in inside and successor not in before:
                before[successor] = number
                queue.append(successor)
    path = [goal]
    while path[-1] != start:
        path.append(before[path[-1]])
    return [path[0], *reversed(path[1:])]
