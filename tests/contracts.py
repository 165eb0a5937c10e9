"""Contracts of import-linter that it does not bring along."""

from __future__ import annotations

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output


class InterfacesContract(Contract):
    """Modules import from another package only what its ``__init__`` exports."""

    type_name = "interfaces"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find imports of inner modules of other packages."""
        found = sorted(inner_imports(graph))
        return ContractCheck(kept=not found, metadata={"imports": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print them."""
        for importer, imported in check.metadata["imports"]:
            output.print_error(f"{importer} imports {imported}: import from {imported.rpartition('.')[0]}")


def inner_imports(graph: ImportGraph) -> set[tuple[str, str]]:
    """Return (importer, imported) where a module is imported from outside of its package."""
    return {
        (importer, imported)
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
        if not graph.find_children(imported)
        and "." in imported
        and imported.rpartition(".")[0] != package_of(graph, importer)
    }


def package_of(graph: ImportGraph, module: str) -> str:
    """Return the package that a module lies in, a package itself."""
    return module if graph.find_children(module) else module.rpartition(".")[0]


def package_edges(graph: ImportGraph) -> dict[str, set[str]]:
    """Return which packages the modules of each package import from; the lazy root of the package aside."""
    edges: dict[str, set[str]] = {}
    for importer in graph.modules - {"abl_cards"}:
        found = edges.setdefault(package_of(graph, importer), set())
        found |= {package_of(graph, each) for each in graph.find_modules_directly_imported_by(importer)}
    return {package: found - {package, "abl_cards"} for package, found in edges.items()}
