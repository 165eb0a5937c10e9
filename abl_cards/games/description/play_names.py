"""Plays by the names that Chinese players give them, and moves told from a line of such words.

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
"""Other words for kinds of play. The kinds themselves are those that a game gives its labels; see PlayName."""

SUIT_SYMBOLS: Mapping[str, str] = {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}
_NUMERALS = dict(zip("零一二两三四五六七八九十勾圈尖", "0A2234567 89TJQA".replace(" ", ""), strict=True))
_CARD_WORDS = {
    **_NUMERALS, "10": "T", "1": "A", "SB": "小王", "HR": "大王", "X": "小王", "D": "大王",
    "黑桃": "♠", "红桃": "♥", "红心": "♥", "梅花": "♣", "草花": "♣", "方块": "♦", "方片": "♦",
}  # fmt: skip
_TOKEN = re.compile(rf"(?P<suit>[SHCD])(?=10|[2-9TJQKA{''.join(_NUMERALS)}])|{'|'.join(_CARD_WORDS)}")
_CARD = re.compile("[♠♥♣♦]?[0-9TJQKA]|小王|大王")
_NOISE = re.compile(rf"\([^)]*\)|[\s,，、。.!！:：的分]+|(?<=[2-9TJQKA{''.join(_NUMERALS)}])起")


class PlayName(NamedTuple):
    """What players call a label: 对子 of 4, 顺子 from 3."""

    kind: str
    rank: str = ""  # the main rank in letters, a joker in words
    suffix: str = ""  # what is said behind it: that a run begins there, how many cards there are

    def __str__(self) -> str:
        return "".join(self)


class PlayNamer(Protocol):
    """A game that names its plays."""

    def play_name(self, label: str) -> PlayName:
        """What Chinese players call a label; a card to be given and a bid have their stage as label."""


def label_text(namer: PlayNamer, label: str, language: str) -> str:
    """A label as it is spoken of."""
    return str(namer.play_name(label)) if language == "zh" else label


def move_text(namer: PlayNamer, label: str, action: object, language: str) -> str:
    """A move as it is spoken of: 对子4 H4 C4, or 三带一 3334 where the cards say all."""
    text, name = str(action), namer.play_name(label)
    if language != "zh":
        return text
    words = text.split()
    if words == ["PASS"]:
        return PASS_NAME
    return f"{name} {' '.join(words[2:])}" if len(words) > 2 else f"{name.kind} {words[-1]}"


def has_chinese(line: str) -> bool:
    """Whether a line has Chinese characters, or symbols of suits."""
    return any(character > "\u2000" for character in line)


def normalize_cards(text: str) -> str:
    """Cards in one way of writing, whatever the way they were written in: ranks as letters, suits as symbols."""
    return _TOKEN.sub(
        lambda found: SUIT_SYMBOLS[found[0]] if found["suit"] else _CARD_WORDS[found[0]], _strip_noise(text)
    )


def match_play_names(line: str, names: Sequence[PlayName], actions: Sequence[object]) -> list[int]:
    """Which of some moves a line in Chinese means: by kind, 顺子; by main rank too, 对三; by cards, 红桃四梅花四."""
    text = _strip_noise(line).replace("不叫", "叫零")
    kinds = _kinds_by_word({name.kind for name in names})
    word = max((each for each in kinds if text.startswith(each)), key=len, default="")
    rest = normalize_cards(text[len(word) :])
    cards = _CARD.findall(rest)
    if "".join(cards) != rest or not (word or cards):
        return []
    rows = [row for row, name in enumerate(names) if not word or name.kind in kinds[word]]
    return [row for row in rows if not cards or _matches_move(cards, names[row].rank, str(actions[row]))]


def _strip_noise(text: str) -> str:
    return _NOISE.sub("", unicodedata.normalize("NFKC", text).upper())


def _kinds_by_word(kinds: Collection[str]) -> dict[str, set[str]]:
    """The kinds that each word stands for: names, other names, and the beginnings of names."""
    found: dict[str, set[str]] = {}
    for kind in kinds:
        for word in (kind, *KIND_ALIASES.get(kind, ()), *(kind[:end] for end in range(2, len(kind)))):
            found.setdefault(word, set()).add(kind)
    return found


def _matches_move(cards: list[str], rank: str, action: str) -> bool:
    """Whether a rank, cards, or both are those of a move; cards without suits need its ranks only."""
    words = action.split()
    own = _CARD.findall(normalize_cards("".join(words[2:] if len(words) > 2 else words[-1:])))
    ranks = [card.lstrip("".join(SUIT_SYMBOLS.values())) for card in own]
    laid = (Counter(own), Counter(ranks))
    return Counter(cards) in laid or (cards[0] == rank and (len(cards) == 1 or Counter(cards[1:]) in laid))
