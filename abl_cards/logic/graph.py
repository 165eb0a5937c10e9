"""Strongly connected components of a dependency graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from abl_cards.budget import tick


def components(roots: Iterable[int], successors: Callable[[int], Sequence[int]]) -> list[list[int]]:
    """Tarjan's components of everything reachable from the roots, dependencies (successors) first; no recursion."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    found: list[list[int]] = []

    def enter(node: int) -> tuple[int, Iterator[int]]:
        tick()
        index[node] = low[node] = len(index)
        path.append(node)
        on_path.add(node)
        return node, iter(successors(node))

    for root in roots:
        if root in index:
            continue
        stack = [enter(root)]
        while stack:
            node, rest = stack[-1]
            for successor in rest:
                if successor not in index:
                    stack.append(enter(successor))
                    break
                if successor in on_path:
                    low[node] = min(low[node], index[successor])
            else:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    found.append(_leave(node, path, on_path))
    return found


def _leave(root: int, path: list[int], on_path: set[int]) -> list[int]:
    """Take the component of `root` off the path, in the order in which it was entered."""
    start = len(path) - 1
    while path[start] != root:
        start -= 1
    component = path[start:]
    del path[start:]
    on_path.difference_update(component)
    return component
