"""``python -m abl_cards``: the command, where the script is not on the path."""

from abl_cards.cli import main

if __name__ == "__main__":
    main()
