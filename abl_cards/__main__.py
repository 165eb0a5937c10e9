"""The command ``abl-cards``, also as ``python -m abl_cards``.

The command line is imported inside `main`: Ctrl-C ends the process without a traceback while libraries load, too.
"""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from abl_cards.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
