"""Strongly connected components of a dependency graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from abl_cards.core import check_budget

Node = TypeVar("Node", bound=Hashable)


def strong_components(roots: Iterable[Node], successors: Callable[[Node], Iterable[Node]]) -> list[list[Node]]:
    """Compute strongly connected components by Tarjan's algorithm, without recursion.

    Args:
        roots: Nodes to start from.
        successors: Returns the nodes that a node depends on.

    Returns:
        The components of all reachable nodes, each after those that it depends on.
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    path: list[Node] = []
    on_path: set[Node] = set()
    components: list[list[Node]] = []

    def enter(node: Node) -> None:
        check_budget()
        index[node] = low[node] = len(index)
        path.append(node)
        on_path.add(node)
        nodes.append(node)
        iterators.append(iter(successors(node)))

    nodes: list[Node] = []
    iterators: list[Iterator[Node]] = []
    for root in roots:
        if root not in index:
            enter(root)
        while nodes:
            for successor in iterators[-1]:
                if successor not in index:
                    enter(successor)
                    break
                if successor in on_path:
                    low[nodes[-1]] = min(low[nodes[-1]], index[successor])
            else:
                node = nodes.pop()
                iterators.pop()
                if nodes:
                    low[nodes[-1]] = min(low[nodes[-1]], low[node])
                if low[node] == index[node]:
                    components.append(_pop_component(node, path, on_path))
    return components


def _pop_component(root: Node, path: list[Node], on_path: set[Node]) -> list[Node]:
    """Take the component of `root` off the path, in the order in which it was entered."""
    start = len(path) - 1
    while path[start] != root:
        start -= 1
    component = path[start:]
    del path[start:]
    on_path.difference_update(component)
    return component
