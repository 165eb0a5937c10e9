"""The language server for rule files: ``abl-cards lsp``, with ``pip install 'abl-cards[lsp]'``."""
