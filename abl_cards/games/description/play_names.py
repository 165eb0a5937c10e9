"""Chinese names of plays, and parsing of moves that are written in Chinese.

>>> name = PlayName("对子", "4")
>>> str(name), has_chinese("对四"), normalize_cards("黑桃十 大王 H4")
('对子4', True, '♠T大王♥4')
>>> match_play_names("对四", [name, PlayName("对子", "5"), name], ["Pair 4 S4 H4", "Pair 5 S5 C5", "Pair 4 S4 C4"])
[0, 2]
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

PASS_NAME = "不要"
"""Name of a pass."""

KIND_ALIASES: Mapping[str, tuple[str, ...]] = {
    PASS_NAME: ("过", "不出", "要不起", "不管", "不压", "过牌"),
    "单张": ("单", "一张", "一个"),
    "对子": ("对", "一对", "两个", "两张"),
    "三张": ("三个", "三条", "三不带"),
    "三带二": ("三带两", "三带一对", "葫芦"),
    "三连对": ("连对", "木板"),
    "连对": ("双顺",),
    "飞机": ("三顺",),
    "钢板": ("三顺", "飞机"),
    "炸弹": ("炸", "四个", "四张"),
    "天王炸": ("王炸", "四大天王", "四王"),
    "王炸": ("火箭", "双王"),
    "进贡": ("贡",),
    "还贡": ("还", "还牌"),
    "叫分": ("叫",),
}
"""Synonyms of kinds of play; the kinds are those that a game gives its labels by ``called/3``."""

SUIT_SYMBOLS: Mapping[str, str] = {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}
"""Symbol of each suit by its letter."""
_NUMERALS = dict(zip("零一二两三四五六七八九十勾圈尖", "0A2234567 89TJQA".replace(" ", ""), strict=True))
_CARD_WORDS = {
    **_NUMERALS, "10": "T", "1": "A", "SB": "小王", "HR": "大王", "X": "小王", "D": "大王",
    "黑桃": "♠", "红桃": "♥", "红心": "♥", "梅花": "♣", "草花": "♣", "方块": "♦", "方片": "♦",
}  # fmt: skip
_TOKEN = re.compile(rf"(?P<suit>[SHCD])(?=10|[2-9TJQKA{''.join(_NUMERALS)}])|{'|'.join(_CARD_WORDS)}")
_CARD = re.compile("[♠♥♣♦]?[0-9TJQKA]|小王|大王")
_NOISE = re.compile(rf"\([^)]*\)|[\s,，、。.!！:：的分]+|(?<=[2-9TJQKA{''.join(_NUMERALS)}])起")


class PlayName(NamedTuple):
    """Chinese name of a label: 对子 of rank 4, 顺子 from rank 3."""

    kind: str
    rank: str = ""  # main rank as a letter, a joker by its name
    suffix: str = ""  # text after the rank: the run begins there, or the number of cards

    def __str__(self) -> str:
        return "".join(self)


class PlayNamer(Protocol):
    """Game that names its plays."""

    def play_name(self, label: str) -> PlayName:
        """Return the Chinese name of a label; for a choice the label is its stage."""


def label_text(namer: PlayNamer, label: str, language: str) -> str:
    """Return the name of a label in a language.

    Args:
        namer: Game that names its plays.
        label: Label as text.
        language: "zh" for Chinese names; otherwise the label is returned.
    """
    return str(namer.play_name(label)) if language == "zh" else label


def move_text(namer: PlayNamer, label: str, action: object, language: str) -> str:
    """Return a move with its Chinese name: 对子4 H4 C4, or 三带一 3334 if the cards are written as one text.

    An option that has a name of its own, such as 叫2墩, is shown by it.

    Args:
        namer: Game that names its plays.
        label: Label of the move.
        action: Move as text, or an object with such a text.
        language: "zh" for Chinese names; otherwise the text of the move is returned.
    """
    text, name = str(action), namer.play_name(label)
    if language != "zh":
        return text
    words = text.split()
    if words == ["PASS"]:
        return PASS_NAME
    if (option := str(namer.play_name(text))) != text:
        return option
    return f"{name} {' '.join(words[2:])}" if len(words) > 2 else f"{name.kind} {words[-1]}"


def has_chinese(line: str) -> bool:
    """Return True if a line has Chinese characters or symbols of suits."""
    return any(character > "\u2000" for character in line)


def normalize_cards(text: str) -> str:
    """Normalise the notation of cards: ranks to letters, suits to symbols, jokers to their names.

    Args:
        text: Cards in letters, symbols or Chinese.
    """
    return _TOKEN.sub(
        lambda token: SUIT_SYMBOLS[token[0]] if token["suit"] else _CARD_WORDS[token[0]], _strip_noise(text)
    )


def match_play_names(line: str, names: Sequence[PlayName], actions: Sequence[object]) -> list[int]:
    """Find the moves that a line in Chinese may mean.

    Args:
        line: Kind (顺子), kind and main rank (对三), or cards (红桃四梅花四).
        names: Name of each move.
        actions: Each move as text, or an object with such a text.

    Returns:
        Indices of the matching moves.
    """
    text = _strip_noise(line).replace("不叫", "叫零")
    kinds = _kinds_by_word({name.kind for name in names})
    word = max((candidate for candidate in kinds if text.startswith(candidate)), key=len, default="")
    card_text = normalize_cards(text[len(word) :])
    cards = _CARD.findall(card_text)
    if "".join(cards) != card_text or not (word or cards):
        return []
    rows = [row for row, name in enumerate(names) if not word or name.kind in kinds[word]]
    return [row for row in rows if not cards or _matches_move(cards, names[row].rank, str(actions[row]))]


def _strip_noise(text: str) -> str:
    return _NOISE.sub("", unicodedata.normalize("NFKC", text).upper())


def _kinds_by_word(kinds: Collection[str]) -> dict[str, set[str]]:
    """Return the kinds that each word may mean: names, synonyms, and prefixes of names."""
    kinds_by_word: dict[str, set[str]] = {}
    for kind in kinds:
        for word in (kind, *KIND_ALIASES.get(kind, ()), *(kind[:end] for end in range(2, len(kind)))):
            kinds_by_word.setdefault(word, set()).add(kind)
    return kinds_by_word


def _matches_move(cards: list[str], rank: str, action: str) -> bool:
    """Return True if a rank, cards, or both match a move; cards without suits match by rank."""
    words = action.split()
    move_cards = _CARD.findall(normalize_cards("".join(words[2:] if len(words) > 2 else words[-1:])))
    ranks = [card.lstrip("".join(SUIT_SYMBOLS.values())) for card in move_cards]
    card_counts = (Counter(move_cards), Counter(ranks))
    return Counter(cards) in card_counts or (
        cards[0] == rank and (len(cards) == 1 or Counter(cards[1:]) in card_counts)
    )
