"""Preferences of the games: moves for which one fires or does not, and its sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from abl_cards.agents.registry import make_preference_model
from abl_cards.asp.terms import split_term
from abl_cards.games.description import functor
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.preferences.preference_model import PreferenceModel
from abl_cards.reasoners.explain.assessments import MoveAssessment
from abl_cards.reasoners.explain.explanation import explain
from abl_cards.reasoners.explain.preference_texts import PreferenceTexts


@dataclass(frozen=True)
class Case:
    """A move, sentences of preferences that fire in English and Chinese, and preferences that do not fire."""

    game: str
    state: Mapping[str, Any]
    move: str
    en: Mapping[str, str] = field(default_factory=dict)
    zh: Mapping[str, str] = field(default_factory=dict)
    silent: tuple[str, ...] = ()


@cache
def players(name: str, profile: str | None = None) -> tuple[Engine, PreferenceModel]:
    """Compile a game and its preferences once."""
    engine = load(name).engine(profile=profile)
    return engine, make_preference_model("kb", engine)


def assess_move(case: Case, language: str) -> MoveAssessment:
    engine, scorer = players(case.game, case.state.get("profile"))
    moment = engine.read_decision_point(case.state)
    moves = [str(action) for action in moment.actions]
    return explain(engine, scorer, moment, language).best_of([moves.index(case.move)])


def preference_sentences(case: Case, language: str) -> dict[str, str]:
    """Return the sentences about the move by preference, one for all instances."""
    engine, scorer = players(case.game, case.state.get("profile"))
    book = PreferenceTexts.of(scorer.kb, engine, language)
    names = [reason.name for reason in assess_move(case, language).reasons]
    return {
        name: book.sentence([reason_name for reason_name in names if functor(reason_name) == name])
        for name in map(functor, names)
    }


def guandan(hand: str, move: str, to_beat: str = "", **more: Any) -> Case:
    """Make a case of level 8, with the play to beat as text."""
    words = to_beat.split()
    play = [*words[:2], words[2:]] if words else None
    return _case("guandan", move, {"level": "8", "hand": hand.split(), "to_beat": play}, more)


def doudizhu(hand: str, move: str, to_beat: str | None = None, **more: Any) -> Case:
    return _case("doudizhu", move, {"hand": hand, "to_beat": to_beat, "landlord": 0, "seat": 0}, more)


def big2(hand: str, other: str, move: str, to_beat: str | None = None, **more: Any) -> Case:
    return _case("big2", move, {"hand": hand, "face": [other], "to_beat": to_beat}, more)


def _case(name: str, move: str, state: dict[str, Any], more: Mapping[str, Any]) -> Case:
    words = {key: more[key] for key in ("en", "zh", "silent") if key in more}
    return Case(name, state | {key: value for key, value in more.items() if key not in words}, move, **words)


FIVES = "S5 H5 C5 D5"
NINES = "S9 H9 C9 D9"

GUANDAN = (
    # Wild cards, jokers, level cards and aces are not counted aloud.
    guandan("S3 S9 H8 HR", "Single 8 H8", en={"spend_wild": "Keep the wild cards."}, zh={"spend_wild": "留住逢人配。"}),
    guandan("S3 HR", "Single R HR", en={"spend_big_joker": "Keep the big jokers."}),
    guandan("S3 SB", "Single B SB", en={"spend_small_joker": "Keep the small jokers."}),
    guandan("S3 S8 C8", "Single 8 S8", zh={"spend_level_card": "留住级牌。"}),
    guandan("S3 SA CA", "Single A SA", en={"spend_ace": "Keep the aces."}),
    # Sentences about high cards also apply to the lowest.
    guandan("S3 C9", "Single 3 S3", en={"lead_high": "Lead low: this is 3."}, zh={"lead_high": "先出小牌，这手是3。"}),
    guandan("S5 C9", "Single 5 S5", "Single 4 S4", en={"follow_high": "Beat it by as little as possible: this is 5."}),
    guandan("S3 S9 CQ", "back back S3", stage="back", zh={"return_high": "还贡还小牌，这张是3。"}),
    guandan("S3 S9 CQ", "back back S3", stage="back", zh={"return_plays": "给出这张牌后手牌还要2手。"}),
    guandan("S3 S9", "Single 3 S3", en={"plays_to_go": "Plays to go after this: 1."}),
    guandan(
        "S3 C4 D5 S6 S7 HR", "Straight 3 S3 C4 D5 S6 S7",
        en={
            "lead_run": "Lead a run: a straight, a tube or a plate.",
            "lead_high_run": "Lead low runs: this one begins with 3.",
        },
    ),
    # A bomb of six that loses two cards is a smaller bomb, as one of five that loses one.
    guandan("S3 S3 H3 H3 C3 C3 D9", "Pair 3 S3 S3", zh={"shrink_bomb": "不要削弱3的大炸弹。"}),
    guandan("S3 S3 H3 H3 C3 D9", "Single 3 S3", zh={"shrink_bomb": "不要削弱3的大炸弹。"}),
    guandan("S3 S3 H3 H3 C3 C3 D9", "Single 3 S3", zh={"shrink_bomb": "不要削弱3的大炸弹。"}),
    # The last play but one: a bomb is kept to go out with.
    guandan(
        f"S3 {FIVES}", f"Bomb 5 {FIVES}",
        en={"strong_last_play": "Lead the other play first: the bomb is the one to go out with."},
    ),
    # A pass gives up the trick; a separate preference covers the partner's trick.
    guandan("S5 C9", "PASS", "Single 4 S4", en={"give_up_trick": "Passing leaves the trick to somebody else."}),
    guandan(
        "S5 C9", "PASS", "Single 4 S4", top="partner",
        zh={"give_up_trick": "过牌就放弃了这一圈。", "pass_for_partner": "让对家的牌。"},
    ),
    # A straight that begins with 7 ends with J: that is not low.
    guandan("S9 C9", "PASS", "Straight 7 S7 C8 D9 ST SJ", silent=("pass_over_low_play",)),
    guandan(
        "S9 C9", "PASS", "Straight A SA C2 D3 S4 S5",
        en={"pass_over_low_play": "Do not pass over an opponent's play below 9."},
    ),
    guandan(f"S3 {NINES}", f"Bomb 9 {NINES}", "Straight 9 S9 DT DJ SQ SK", silent=("bomb_low_play",)),
    guandan(f"S3 {NINES}", f"Bomb 9 {NINES}", "TwoTrips J SJ CJ DJ SQ CQ DQ", silent=("bomb_low_play",)),
    guandan(f"S3 {NINES}", f"Bomb 9 {NINES}", "ThreePair T ST CT SJ CJ SQ CQ", silent=("bomb_low_play",)),
    guandan(f"S3 {NINES}", f"Bomb 9 {NINES}", "Single J SJ", zh={"bomb_low_play": "不要炸Q以下的小牌。"}),
    guandan(
        f"S3 {NINES}", f"Bomb 9 {NINES}", "Straight 7 S7 C8 D9 ST SJ",
        en={"bomb_low_play": "Do not bomb a play below the queens."},
    ),
    # A seat with one card can neither beat a pair nor go out on one.
    guandan("S3 C3 S9", "Pair 3 S3 C3", cards=[1, 9, 9], silent=("pair_to_last_two",)),
    guandan(
        "S3 C3 S9", "Pair 3 S3 C3", cards=[2, 9, 1],
        zh={"pair_to_last_two": "对手只剩两张，不要先出比A小的对子。"},
    ),
    guandan("S3 C3 D3 S9", "Trips 3 S3 C3 D3", cards=[1, 9, 2], silent=("triple_to_last_three",)),
    guandan(
        "S3 C3 D3 S9", "Trips 3 S3 C3 D3", cards=[1, 9, 3],
        en={"triple_to_last_three": "Do not lead a triple below the aces to an opponent with three cards."},
    ),
    guandan("S3 C3 S9", "Pair 3 S3 C3", cards=[9, 1, 9], silent=("feed_partner_pair",)),
    guandan(
        "S3 C3 S9", "Pair 3 S3 C3", cards=[9, 2, 9],
        en={"feed_partner_pair": "Lead a low pair to a partner with two cards."},
    ),
    guandan("S5 C5 S9", "Pair 5 S5 C5", "Pair 4 S4 C4", cards=[1, 9, 9], silent=("weak_against_last_pair",)),
    guandan(
        "S5 C5 S9", "Pair 5 S5 C5", "Pair 4 S4 C4", cards=[2, 9, 9],
        en={"weak_against_last_pair": "The next opponent has two cards: answer pairs with kings or better."},
    ),
    guandan(
        "S5 SA", "Single A SA", "Single 4 S4", cards=[1, 9, 9],
        zh={"weak_against_last_card": "下家只剩一张，单张要用级牌或王顶。"},
    ),
    guandan(
        "S5 SA", "PASS", "Single 4 S4", cards=[9, 9, 1],
        en={"pass_enemy_1": "Do not pass while an opponent has one card."},
    ),
    # A single is as bad as there are cards that beat it.
    guandan(
        "S3 CA", "Single 3 S3", cards=[1, 1, 1], unseen=["S2", "CK", "HR"],
        zh={"single_to_last_card": "对手只剩一张，可能是K、大王：不要先出更小的单张。"},
    ),
    guandan(
        "S3 CA", "Single A CA", cards=[1, 1, 1], unseen=["S2", "CK", "H8"],
        en={"single_to_last_card": "An opponent has one card, which may be 8: do not lead a lower single."},
    ),
    guandan("S3 CA", "Single A CA", cards=[1, 1, 1], unseen=["S2", "CK", "CQ"], silent=("single_to_last_card",)),
    guandan("S3", "Single 3 S3", cards=[1, 1, 1], silent=("single_to_last_card",)),
)  # fmt: skip

DOUDIZHU = (
    doudizhu("3469", "3", en={"plays_to_go": "Plays to go after this: 3."}, zh={"plays_to_go": "出完手牌还需要3手。"}),
    doudizhu("3469", "6", en={"lead_low": "Lead low: this is 6."}, zh={"lead_low": "先出小牌，这手是6。"}),
    doudizhu("3469", "9", "4", en={"follow_tight": "Beat it by as little as possible: this is 9."}),
    # With both jokers in the hand the 2 is above all others, though not the highest card.
    doudizhu(
        "32XD", "2", unseen="4445",
        en={"keep_master": "Nobody else has a card above 2: it brings the lead back."},
    ),
    doudizhu("3334567", "3334", zh={"plays_to_go": "出完手牌还需要3手。"}),
    doudizhu("33334567", "333345", en={"four_with_two": "The four 3 are no bomb in a plain play."}),
    doudizhu("3333569", "3333", zh={"spend_bomb": "炸弹翻倍，用了就没有了。"}),
    # The sentence about few cards contains no number.
    doudizhu("33339", "3333", "5", cards=[2, 9], top="next", zh={"bomb_in_need": "对手没几张牌了，要炸住他。"}),
    doudizhu(
        "49", "PASS", "5", cards=[1, 9], top="next",
        en={"pass_over_few_cards": "Do not pass while an opponent has few cards."},
    ),
    doudizhu(
        "49", "9", "5", seat=1, cards=[2, 9], top="next",
        zh={"partner_going_home": "队友没几张牌了，让他走。"},
    ),
    # One enemy with one card does not hide another one with two.
    doudizhu(
        "334", "33", cards=[1, 2],
        en={"pair_to_two_cards": "No pair that can be beaten while an opponent has two cards."},
    ),
    doudizhu("334", "33", cards=[1, 3], silent=("pair_to_two_cards",)),
    # The cost of a single grows with the cards that beat it, for either enemy.
    doudizhu(
        "3A", "3", cards=[9, 1], unseen="4442DKKKK5",
        en={"single_to_one_card": "An opponent has one card, which may be 4–5, K, 2, big joker: no lower single."},
    ),
    doudizhu("3A", "A", cards=[1, 9], unseen="444QQQKKKK", silent=("single_to_one_card",)),
    # A partner's bomb is no long play.
    doudizhu("44445", "4444", "3333", seat=1, top="next", silent=("overtake_long_partner",)),
    doudizhu(
        "456789", "45678", "34567", seat=1, top="next",
        en={"overtake_long_partner": "Do not beat a long play of the partner."},
    ),
    doudizhu(
        "345678TTJJQK222XD", "bid(3)", stage="bid", landlord=None, seat=1, bid=[1, None, None], profile="contest",
        en={
            "bid_on_twos": "Several twos are worth a bid: 3 of them.",
            "bid_on_many_plays": "A hand of 6 plays is slow.",
            "bid_high": "A bid of 3 leaves the others less to bid.",
        },
        silent=("lonely_card",),
    ),
)  # fmt: skip

BIG2 = (
    big2("3469", "58", "6", en={"plays_to_go": "Plays to go after this: 3."}, zh={"high_main": "先出小牌，这手是6。"}),
    big2("3369", "58", "33", en={"lay_down": "Get rid of 3.", "high_main": "Low cards first: this is 3."}),
    big2("3A2", "58", "A", en={"spend_high": "Keep A for later."}, zh={"spend_high": "A留到后面。"}),
    # A seat with a bomb does not return the lead.
    big2("3A", "44449", "A", silent=("unbeatable",)),
    big2("3A", "4449", "A", en={"unbeatable": "The other seat has nothing to beat it: the lead comes back."}),
    # Some plays let the other seat go out.
    big2("346", "5", "4", en={"let_out": "The other seat beats this with its last cards."}),
    big2("346", "5", "6", silent=("let_out",)),
    big2("346", "57", "4", silent=("let_out",)),
    big2("3346", "55", "33", zh={"let_out": "对方正好压上走完。"}),
    big2("3346", "5555", "33", zh={"let_out": "对方正好压上走完。"}),
    big2("34", "5", "PASS", "3", silent=("let_out",)),
)


@pytest.mark.parametrize("case", [*GUANDAN, *DOUDIZHU, *BIG2], ids=lambda case: f"{case.game} {case.move}")
def test_preference_sentences_equal_the_expected_texts(case: Case) -> None:
    for language, expected in (("en", case.en), ("zh", case.zh)):
        sentences = preference_sentences(case, language)
        assert expected == {name: sentences.get(name) for name in expected}
        assert not set(case.silent) & set(sentences)


def test_highest_single_is_led_before_an_enemy_with_one_card() -> None:
    """In each game and for each enemy; a pair is played before every single."""
    for cards in ([1, 9, 9], [9, 9, 1]):
        assert (
            chosen("guandan", {"level": "2", "hand": ["S3", "D4", "H6", "C9", "SJ", "DK", "CA"], "cards": cards})
            == "Single A CA"
        )
        with_a_pair = {"level": "2", "hand": ["S3", "D4", "D4", "H6", "C9"], "cards": cards}
        assert chosen("guandan", with_a_pair) == "Pair 4 D4 D4"
    for counts in ([1, 9], [9, 1]):
        state = {"hand": "3469JKA", "landlord": 0, "seat": 0, "cards": counts}
        assert chosen("doudizhu", state) == "A"
        assert chosen("doudizhu", {**state, "hand": "3469JKA2"}) == "2"
        assert chosen("doudizhu", {**state, "hand": "34469"}) == "44"


def test_lowest_card_above_an_open_last_card_is_led() -> None:
    """In Big2 the last card is seen: the lowest card that it does not beat will do."""
    assert chosen("big2", {"hand": "3469JKA", "face": ["5"]}) == "6"
    assert chosen("big2", {"hand": "34469", "face": ["5"]}) == "44"


def chosen(name: str, state: Mapping[str, Any]) -> str:
    engine, scorer = players(name)
    return str(explain(engine, scorer, engine.read_decision_point({"to_beat": None, **state})).chosen.action)


@pytest.mark.parametrize("name", ["guandan", "doudizhu", "big2"])
def test_counting_preferences_have_one_sentence(name: str) -> None:
    """Instances that only count, ``cost(plays_to_go(N), …)``, have one sentence for the last of them, or none."""
    engine, scorer = players(name)
    for language in ("en", "zh"):
        book = PreferenceTexts.of(scorer.kb, engine, language)
        for preference, numbers in counted(scorer).items():
            assert "1–" not in book.sentence([f"{preference}({number})" for number in numbers])


def counted(scorer: PreferenceModel) -> dict[str, Iterable[int]]:
    """The preferences whose only argument is a number from 1 up."""
    seen: dict[str, set[Any]] = {}
    for output, args in scorer.outputs:
        if output == "cost" and (atom := split_term(str(args[0]))).args:
            seen.setdefault(atom.name, set()).add(atom.args if len(atom.args) > 1 else atom.args[0])
    return {name: sorted(values) for name, values in seen.items() if {1, 2} <= values}
