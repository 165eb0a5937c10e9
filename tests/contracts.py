"""Additional contracts for import-linter."""

from __future__ import annotations

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output


class InterfacesContract(Contract):
    """A contract that modules import from other packages only names exported by ``__init__``."""

    type_name = "interfaces"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find imports of inner modules of other packages."""
        imports = sorted(inner_imports(graph))
        return ContractCheck(kept=not imports, metadata={"imports": imports})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the imports."""
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
    """Return the package of a module; a package is its own."""
    return module if graph.find_children(module) else module.rpartition(".")[0]


def package_edges(graph: ImportGraph) -> dict[str, set[str]]:
    """Return the packages that each package imports from, without the lazy root package."""
    edges: dict[str, set[str]] = {}
    for importer in graph.modules - {"abl_cards"}:
        targets = edges.setdefault(package_of(graph, importer), set())
        targets |= {package_of(graph, module) for module in graph.find_modules_directly_imported_by(importer)}
    return {package: targets - {package, "abl_cards"} for package, targets in edges.items()}
