"""What the page says of the games that come with the package: in English, and in Chinese."""

import re
from collections.abc import Iterator

import pytest

from abl_cards.games import game, game_names
from abl_cards.lab.weighing import weights
from abl_cards.page.house import title_of
from abl_cards.page.words import Pair, deck, label_pair, option_pair, role_pairs, stage_pair

SUITS = "♠♥♣♦…"
ENGLISH = re.compile("[a-z]{2,}")


def said(name: str) -> Iterator[tuple[str, Pair]]:
    found = game(name)
    engine = found.engine()
    rules = engine.rules
    yield "title", title_of(found)
    yield from ((f"label {label}", label_pair(engine, label)) for label in rules.label_texts)
    yield from ((f"stage {stage}", stage_pair(engine, str(stage))) for stage in rules.words.stages)
    yield from ((f"option {option}", option_pair(engine, row)) for row, option in enumerate(rules.words.options))
    yield from ((f"role {role}", pair) for role, pair in zip(engine.roles, role_pairs(engine), strict=True))
    yield from ((f"card {text}", each["name"]) for text, each in deck(rules).items())
    yield from ((f"preference {each.name}", list(each.words)) for each in weights(engine))
    for fluent in rules.fluents.fluents:
        word = fluent.signature.name
        yield f"fluent {word}", [engine.spell("fluent", word, "en"), engine.spell("fluent", word, "zh")]


@pytest.mark.parametrize("name", game_names())
def test_every_word_is_there_in_both_languages(name: str) -> None:
    for what, (english, chinese) in said(name):
        assert english.translate(dict.fromkeys(map(ord, SUITS))).isascii(), (what, english)
        assert not ENGLISH.search(chinese), (what, chinese)
