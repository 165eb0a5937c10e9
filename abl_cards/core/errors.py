"""Errors that every part of the project raises."""


class GameError(ValueError):
    """Something asked of a game that it cannot do, said in one line."""


class TooManyMovesError(GameError):
    """More card sets of several decisions than are listed in one call; fewer decisions may do."""
