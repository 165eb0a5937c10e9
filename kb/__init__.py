"""The rule files, by game: a package so that they are found when installed."""
