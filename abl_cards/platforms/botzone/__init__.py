"""Botzone: Dou dizhu by its protocol, for programs of others at our tables and for a program of ours at theirs."""
