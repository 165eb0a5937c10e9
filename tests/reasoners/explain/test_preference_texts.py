"""Tests of the sentences of the knowledge base with their placeholders filled."""

import re
from functools import partial
from pathlib import Path

import pytest

from abl_cards.core import LANGUAGES
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games import notation
from abl_cards.games.game import load
from abl_cards.reasoners.explain.preference_texts import PreferenceTexts
from tests.edited import edited

RULES = """\
% Guandan · preferences for tests.
preference(tear, structure).
says(tear, en, "The {2} from {1} on, {3} times, {4} {0}.").
cost(tear(R,S,N), 1) :- held(R,S,N), suit(S).
preference(strong, control).
says(strong, en, "As strong as {1}.").
says(strong, zh, "大到{1}。").
cost(strong(P), 1) :- lays(single(R)), power(R,P).
preference(weak, control).
says(weak, en, "Up to {1^}.").
says(weak, zh, "到{1^}为止，{1}。").
cost(weak(P), 1) :- lays(single(R)), power(R,P).
preference(neighbour, partner).
says(neighbour, en, "Mind {1}.").
says(neighbour, zh, "注意{1}。").
cost(neighbour(W), 1) :- top(W).
"""


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PreferenceTexts]:
    engine = load("guandan").engine(edited(tmp_path_factory.mktemp("kb") / "words", more=RULES))
    return {language: PreferenceTexts.of(engine.rules.kb, engine, language) for language in LANGUAGES}


def test_placeholders_are_filled_by_argument_type(books: dict[str, PreferenceTexts]) -> None:
    assert books["en"].sentence(["tear(11,h,2)"]) == "The hearts from J on, 2 times, {4} {0}."
    assert books["en"].sentence(["strong(15)"]) == "As strong as the level card."
    assert books["zh"].sentence(["strong(16)"]) == "大到小王。"
    assert books["zh"].sentence(["neighbour(partner)"]) == "注意对家。"
    assert books["zh"].group("strong(3)") == "control"


def test_several_instances_are_combined_in_one_sentence(books: dict[str, PreferenceTexts]) -> None:
    names = [f"tear({rank},{suit},1)" for rank, suit in ((2, "s"), (4, "s"), (3, "h"), (10, "s"))]
    assert books["en"].sentence(names) == "The hearts, spades from 2–4, T on, 1 times, {4} {0}."
    assert books["zh"].sentence(["strong(9)", "strong(10)", "strong(13)"]) == "大到9–T、K。"
    assert books["en"].sentence(["weak(9)", "weak(15)", "weak(2)"]) == "Up to the level card."
    assert books["zh"].sentence(["weak(2)", "weak(3)"]) == "到3为止，2–3。"


def test_missing_sentence_falls_back_to_the_other_language(books: dict[str, PreferenceTexts]) -> None:
    assert books["zh"].sentence(["tear(2,c,1)"]).startswith("The 梅花")
    assert books["zh"].sentence(["no_such_thing"]) == "no such thing"
    with pytest.raises(GameError, match="'fr'") as caught:
        PreferenceTexts.of(books["en"].kb, load("guandan").engine(), "fr")
    assert caught.value.code == ErrorCode.UNKNOWN_LANGUAGE


@pytest.mark.parametrize("language", LANGUAGES)
def test_preference_texts_have_no_unfilled_placeholders(language: str) -> None:
    engine = load("guandan").engine()
    book = PreferenceTexts.of(engine.rules.kb, engine, language)
    for name, args in engine.rules.kb.circuit("cost/2").outputs:
        sentence = book.sentence([str(args[0])])
        assert not re.search(r"[{}_]", sentence), (name, args, sentence)
        assert (language == "zh") == bool(re.search("[\u4e00-\u9fff]", sentence))
        assert book.group(str(args[0]))


def test_texts_of_arguments() -> None:
    spell = partial(notation.spell, load("guandan").engine().rules)
    assert [spell("rank", rank, "en") for rank in (1, 2, 10, 14, 15, 16)] == [
        "A", "2", "T", "A", "small joker", "big joker"
    ]  # fmt: skip
    assert [spell("strength", power, "zh") for power in (14, 15, 16, 17)] == ["A", "级牌", "小王", "大王"]
    assert spell("who", "next", "en") == "the next seat"
    assert spell("suit", "x", "en") == "x"
    assert spell("rank", "pair(4)", "en") == "pair(4)"


def test_stages_and_options_have_texts() -> None:
    """Options that are no cards have ``word(option,…)``, and stages that are called nothing ``word(stage,…)``."""
    engine = load("doudizhu").engine(profile="botzone_bidding")
    texts = PreferenceTexts.of(engine.preference_model().kb, engine, "zh")
    assert [texts.move_text("bid", f"bid({number})") for number in (0, 3)] == ["不叫", "叫3分"]
    assert texts.label_text("bid") == "叫分"


@pytest.mark.parametrize("name", ["spades", "gandengyan", "gongzhu", "hearts"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_show_no_terms(name: str, language: str) -> None:
    """A card that is an argument of a cost is shown by its letters, not as ``card(10,c)``."""
    engine = load(name).engine()
    texts = PreferenceTexts.of(engine.rules.kb, engine, language)
    costs = [str(cost) for cost, _ in engine.rules.kb.instances("cost", 2)]
    assert not [
        sentence for sentence in map(texts.sentence, ([cost] for cost in costs)) if re.search(r"[({_]", sentence)
    ]


OWN_LETTER = """\
% Whist · a card with a letter of its own.
letter(card(14,s),"TOP").
preference(hold_back, economy).
says(hold_back, en, "Keep {1}.").
cost(hold_back(card(R,S)), 1) :- play(card(R,S)).
"""


def test_card_with_its_own_letter_is_written_by_it(tmp_path: Path) -> None:
    """A card in an argument without a type has the words of its rank and suit, unless letter/2 names the card."""
    engine = load(str(edited(tmp_path / "kb", more=OWN_LETTER, name="whist"))).engine()
    texts = PreferenceTexts.of(engine.preference_model().kb, engine, "en")
    assert texts.sentence(["hold_back(card(14,s))"]) == "Keep TOP."
    assert texts.sentence(["hold_back(card(14,h))"]) == "Keep A of hearts."


def test_card_with_a_type_is_named_in_words() -> None:
    """The fluent ``shown/2`` of Gong Zhu gives ``doubled/1``, and so this argument, the type of a card."""
    engine = load("gongzhu").engine()
    name = "take_doubled(card(11,h))"
    assert PreferenceTexts.of(engine.rules.kb, engine, "zh").sentence([name]) == "红桃J加倍。"
    assert PreferenceTexts.of(engine.rules.kb, engine, "en").sentence([name]) == "J of hearts counts twice."
