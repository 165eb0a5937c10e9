"""Languages of texts, and catalogues of texts in all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abl_cards.core.arguments import is_one_of
from abl_cards.core.errors import ErrorCode, GameError

LANGUAGES = ("en", "zh")
"""Languages of titles, sentences and pages."""


_SEPARATORS = {"en": ", ", "zh": "、"}


def join_texts(texts: Iterable[object], language: str) -> str:
    """Join texts as a list in a language."""
    return _SEPARATORS[language].join(map(str, texts))


def check_language(language: str) -> None:
    """Check that there are texts in a language.

    Raises:
        GameError: There are none.
    """
    if not is_one_of(language, LANGUAGES):
        message = f"unknown language '{language!s:.60}' (there are: {', '.join(LANGUAGES)})"
        raise GameError(message, ErrorCode.UNKNOWN_LANGUAGE)


def format_count(number: float, noun: str) -> str:
    """Write a number with an English noun, in the plural except for one.

    >>> format_count(1, "minute"), format_count(1200, "game"), format_count(0.5, "minute")
    ('1 minute', '1200 games', '0.5 minutes')
    """
    written = str(number) if isinstance(number, int) else f"{number:g}"
    return f"{written} {noun if number == 1 else noun + 's'}"


def texts_by_language(texts: Mapping[str, tuple[str, str]]) -> Mapping[str, Mapping[str, str]]:
    """Sort a catalogue of texts by language.

    Args:
        texts: Text in each of `LANGUAGES`, by key.

    Returns:
        Texts by language and key.
    """
    return {language: {key: each[index] for key, each in texts.items()} for index, language in enumerate(LANGUAGES)}
