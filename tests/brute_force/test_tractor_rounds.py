"""The brute force of Tractor: deal, kitty, score, matches and the referee (§3, §4, §9), and whole random rounds."""

from collections.abc import Sequence
from itertools import chain
from random import Random

import pytest

from tests.brute_force.tractor.cards import PACK, RANKS, held, points
from tests.brute_force.tractor.deal import Shown, flipped, may_show, shows
from tests.brute_force.tractor.leads import lead_of
from tests.brute_force.tractor.random_play import dealt, random_round
from tests.brute_force.tractor.referee import Illegal, Round, replayed
from tests.brute_force.tractor.rules import BOTZONE, PROFILES, STANDARD, Rules, variant
from tests.brute_force.tractor.score import Match, kitty_times, next_banker, payoffs, raised, step

BOTH = pytest.mark.parametrize("rules", PROFILES.values(), ids=PROFILES)


# --- §3 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "hand", "cards", "in_standard", "in_botzone"),
    [
        ("", "S2 S2", "", True, True),
        ("", "S2 S2", "S2", True, True),  # exactly one level card
        ("", "S2 S2", "S2 S2", False, False),
        ("", "S3", "S3", False, False),
        ("", "HR SB", "HR", False, False),  # jokers cannot declare
        ("", "S2", "H2", False, False),  # not in hand
        ("S2", "H2", "H2", False, False),  # declared once in the round
        ("S2", "H2 H2", "H2 H2", True, True),
        ("S2", "H2", "H2 H2", False, False),
        ("S2", "H2 D2", "H2 D2", False, False),  # two identical
        ("S2", "H3 H3", "H3 H3", False, False),
        ("S2", "S2 S2", "S2 S2", True, True),  # the suit declared already (O1)
        ("S2", "SB SB", "SB SB", True, True),
        ("S2", "HR HR", "HR HR", True, True),
        ("S2", "SB HR", "SB HR", False, False),
        ("", "SB SB", "SB SB", False, False),  # only after a declaration
        ("S2 / H2 H2", "SB SB", "SB SB", True, False),  # nothing outranks the one overturn; S has no limit
        ("S2 / H2 H2", "D2 D2", "D2 D2", False, False),  # but each is stronger: pair < joker pair
        ("S2 / SB SB", "D2 D2", "D2 D2", False, False),
        ("S2 / SB SB", "HR HR", "HR HR", True, False),  # small < big
        ("S2 / HR HR", "SB SB", "SB SB", False, False),
        ("S2 / HR HR", "D2 D2", "", True, True),
    ],
)
def test_legal_declarations(shown: str, hand: str, cards: str, in_standard: bool, in_botzone: bool) -> None:
    before = [Shown(0, tuple(shown_cards.split())) for shown_cards in shown.split(" / ") if shown_cards]
    for rules, good in ((STANDARD, in_standard), (BOTZONE, in_botzone)):
        assert may_show(rules, "2", before, hand.split(), cards.split()) == good
        assert (tuple(cards.split()) in shows(rules, "2", before, hand.split())) == good
    once = variant(STANDARD, overturns=False)
    assert may_show(once, "2", before, hand.split(), cards.split()) == in_botzone


def test_trump_of_a_flipped_kitty() -> None:
    for kitty, trump in [
        ("S3 HA D2 C2 S4 S5 S6 S7", "D"),
        ("S3 HA HR D2 S4 S5 S6 S7", "N"),
        ("S3 CA HA D3 S4 S5 S6 S7", "C"),
    ]:
        assert flipped("2", kitty.split()) == trump


def deal_stacked(rules: Rules, firsts: Sequence[str], banker: int | None, todo: str) -> Round:
    """Deal a round of level 2 in which each seat gets these cards first and the kitty comes last.

    ``todo`` names who shows what, "0:S2 2:H2+H2", each done as soon as the seat has the cards and its turn.
    """
    first_cards, others = [hand.split() for hand in firsts], list(PACK)
    for card in chain(*first_cards):
        others.remove(card)
    acts = [(int(act[0]), act[2:].split("+")) for act in todo.split()]
    one = Round(rules, "2", banker)
    while one.stage == "deal":
        seat = one.turn
        one.deal(first_cards[seat].pop(0) if first_cards[seat] else others.pop(0))
        ready = acts and acts[0][0] == seat and held(acts[0][1], one.hands[seat])
        one.show(acts.pop(0)[1] if ready else [])
    assert not acts
    return one


@pytest.mark.parametrize("banker", [None, 0, 1, 2, 3])
@BOTH
def test_deal_starts_with_the_banker(rules: Rules, banker: int | None) -> None:
    """Round 1: from seat 0; 25 cards each, then the banker has the 8 of the kitty too."""
    one, turns = Round(rules, "2", banker), []
    for card in PACK[:100]:
        turns.append(one.turn)
        one.deal(card)
        assert one.turn == turns[-1]  # the seat with the new card may act
        one.show([card] if card == "C2" and not one.shown else [])
    assert turns == [((banker or 0) + place) % 4 for place in range(100)]
    assert (one.stage, one.banker, one.turn) == ("bury", banker or 0, banker or 0)
    assert sorted(map(len, one.hands)) == [25, 25, 25, 33]
    assert sorted(chain(*one.hands)) == list(PACK)


@pytest.mark.parametrize(
    ("given", "todo", "trump", "banker"),
    [
        (None, "1:S2", "S", 1),  # first round: the declarer banks
        (None, "1:S2 2:H2+H2", "H", 2),  # or the seat that overturns
        (None, "1:S2 1:S2+S2", "S", 1),  # the declarer himself
        (None, "1:S2 3:SB+SB", "N", 3),
        (3, "1:S2", "S", 3),  # later rounds: the trump suit changes only
        (3, "1:S2 2:H2+H2", "H", 3),
        (0, "1:S2 3:SB+SB", "N", 0),
        (0, "1:S2 0:HR+HR", "N", 0),
    ],
)
@BOTH
def test_banker_and_trump_after_declarations(
    rules: Rules, given: int | None, todo: str, trump: str, banker: int
) -> None:
    one = deal_stacked(rules, ["C3 HR HR", "S2 S2", "C3 H2 H2", "C4 SB SB"], given, todo)
    assert (one.trump, one.banker, one.stage) == (trump, banker, "bury")
    assert held(["S2", "S2"], one.hands[1])  # what is shown stays in hand


def test_second_overturn_only_in_standard() -> None:
    firsts, todo = ["C3 C3 HR HR", "S2 S2", "H2 H2", "C4 SB SB"], "1:S2 2:H2+H2 3:SB+SB 0:HR+HR"
    one = deal_stacked(STANDARD, firsts, None, todo)
    assert (one.trump, one.banker, len(one.shown)) == ("N", 0, 4)
    with pytest.raises(Illegal):
        deal_stacked(BOTZONE, firsts, None, todo)


def silent(rules: Rules, banker: int | None) -> Round:
    one = Round(rules, "2", banker)
    for card in PACK[:100]:
        one.deal(card)
        one.show([])
    return one


def test_rounds_without_a_declaration() -> None:
    """B: trump by chance, and banker if none is given; S: redealt, or flipped from the kitty."""
    assert silent(STANDARD, None).stage == silent(STANDARD, 2).stage == "redeal"
    one = silent(BOTZONE, None)
    one.undeclared("H", 3)
    assert (one.stage, one.trump, one.banker) == ("bury", "H", 3)
    one = silent(BOTZONE, None)
    one.undeclared("C", 0)
    assert replayed(BOTZONE, "2", None, one.acts) == one
    one = silent(BOTZONE, 1)
    for trump, banker in (("N", None), ("H", 2)):
        with pytest.raises(Illegal):
            one.undeclared(trump, banker)
    one.undeclared("D")
    assert (one.trump, one.banker) == ("D", 1)
    one = silent(variant(STANDARD, undeclared="flip"), 0)
    with pytest.raises(Illegal):
        one.undeclared("H", kitty=PACK[100:])
    one.undeclared("S", kitty=PACK[100:])
    assert (one.stage, one.trump) == ("bury", "S")


# --- §4 -------------------------------------------------------------------------------------------------------------


@BOTH
def test_burying_eight_cards(rules: Rules) -> None:
    """Exactly 8 of the 33, any of them; then the banker leads. D5, when on, does not count."""
    for variant_rules in (rules, variant(rules, buries_any=True)):
        one = deal_stacked(variant_rules, ["", "S2", "", ""], 2, "1:S2")
        assert (len(one.hands[2]), one.turn) == (33, 2)
        hand = one.hands[2]
        foreign = next(card for card in PACK if card not in hand)
        for cards in ([*hand[:7], foreign], *([hand[:7], hand[:9], []] if variant_rules is rules else [])):
            with pytest.raises(Illegal):
                one.bury(cards)
        one.bury(hand[:8] if variant_rules is rules else hand[:10])
        assert (one.stage, one.turn, one.leader, len(one.hands[2])) == (
            "play",
            2,
            2,
            25 if variant_rules is rules else 23,
        )


@BOTH
def test_steps_of_other_stages_raise(rules: Rules) -> None:
    """Steps of another stage are illegal, and illegal steps change nothing."""
    one = Round(rules, "2")
    for act in (one.show, one.bury, one.play):
        with pytest.raises(Illegal):
            act(["S2"])
    one.deal("S2")
    with pytest.raises(Illegal):
        one.deal("S2")
    one.show([])
    one.deal("S2")
    one.show([])
    with pytest.raises(Illegal):
        one.deal("S2")
    assert (one.hands, one.stage, one.turn) == ([["S2"], ["S2"], [], []], "deal", 2)


# --- §9 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("total", "in_botzone", "in_standard"),
    [
        (-30, (True, 3), (True, 3)),
        (0, (True, 3), (True, 3)),
        (1, (True, 2), (True, 2)),
        (5, (True, 2), (True, 2)),
        (39, (True, 2), (True, 2)),
        (40, (True, 1), (True, 1)),
        (79, (True, 1), (True, 1)),
        (80, (False, 1), (False, 0)),  # 80 itself is a win of the off-side
        (119, (False, 1), (False, 0)),
        (120, (False, 2), (False, 1)),
        (159, (False, 2), (False, 1)),
        (160, (False, 3), (False, 2)),
        (200, (False, 3), (False, 3)),
        (360, (False, 3), (False, 7)),
    ],
)
def test_steps_by_total(total: int, in_botzone: tuple[bool, int], in_standard: tuple[bool, int]) -> None:
    assert (step(BOTZONE, total), step(STANDARD, total)) == (in_botzone, in_standard)
    for rules, (held_bank, levels) in ((BOTZONE, in_botzone), (STANDARD, in_standard)):
        for banker in range(4):
            side = banker % 2 if held_bank else 1 - banker % 2
            assert payoffs(rules, banker, total) == [levels * (seat % 2 == side) for seat in range(4)]
            assert next_banker(rules, banker, total) == (banker + (2 if held_bank else 1)) % 4


@pytest.mark.parametrize(
    ("cards", "in_botzone", "double", "power"),
    [
        ("S9", 1, 2, 2),
        ("S9 S9", 2, 4, 4),
        ("S9 S9 ST ST", 4, 8, 16),
        ("S9 S9 ST ST SJ SJ", 6, 12, 64),
        ("SA SK", 2, 2, 2),  # a throw: 2,
        ("SA S9 S9", 4, 4, 4),  # 4 if it has a pair,
        ("SA S9 S9 ST ST", 8, 8, 16),  # twice the tractor if it has one
        ("SA SA S9 S9 ST ST SJ SJ", 12, 12, 64),
    ],
)
def test_kitty_multiplier(cards: str, in_botzone: int, double: int, power: int) -> None:
    for rules, expected in ((BOTZONE, in_botzone), (STANDARD, double), (variant(STANDARD, kitty="power"), power)):
        lead = lead_of(rules, rules.order("2", "H"), cards.split())
        assert lead
        assert kitty_times(rules, lead) == expected


@pytest.mark.parametrize(
    ("must", "level", "levels", "as_banker", "after"),
    [
        ("", "2", 3, True, "5"),
        ("", "K", 3, True, "A"),  # levels stop at A
        ("", "A", 2, False, "A"),
        ("", "9", 2, False, "J"),
        ("", "9", 0, False, "9"),
        ("5TK", "4", 3, True, "5"),
        ("5TK", "3", 2, True, "5"),
        ("5TK", "5", 3, True, "8"),
        ("5TK", "5", 2, False, "5"),  # only a win as banker leads past
        ("5TK", "4", 2, False, "5"),
        ("5TK", "9", 3, True, "T"),
        ("J", "T", 3, True, "J"),
        ("J", "J", 3, True, "A"),
        ("JA", "K", 3, True, "A"),
    ],
)
def test_must_play_levels(must: str, level: str, levels: int, as_banker: bool, after: str) -> None:
    assert raised(variant(STANDARD, must_play=must), level, levels, as_banker) == after


@BOTH
def test_match_levels_and_bankers(rules: Rules) -> None:
    """Level of a round: that of the banker's side; over when a side at A wins as banker."""
    match = Match(rules)
    course: list[tuple[int, int, list[str], int]] = [  # banker, total, levels after, banker after
        (1, 0, ["2", "5"], 3),
        (3, 45, ["2", "6"], 1),
        (1, 160, ["5" if rules is BOTZONE else "4", "6"], 2),
    ]
    assert match.level == "2"
    for banker, total, levels, after in course:
        match.end_round(banker, total)
        assert (match.levels, match.banker, match.winner) == (levels, after, None)
        assert match.level == levels[after % 2]
    match.levels, match.banker = ["A", "K"], 2
    match.end_round(2, 80)  # the side at A loses the bank
    assert (match.winner, match.banker, match.levels[0]) == (None, 3, "A")
    match.end_round(3, 200)  # it wins, but not as banker
    assert (match.winner, match.banker, match.levels[0]) == (None, 0, "A")
    match.end_round(0, 79)
    assert match.winner == 0


# --- The play, refereed ---------------------------------------------------------------------------------------------


def endgame(rules: Rules, hands: Sequence[str], kitty: str = "", banker: int = 0, lead: int = 0) -> Round:
    """A round of level 2 with hearts trump near its end."""
    one = Round(rules, "2", banker)
    one.hands, one.kitty = [hand.split() for hand in hands], kitty.split()
    one.trump, one.stage, one.turn = "H", "play", lead
    return one


def played(one: Round, plays: str) -> Round:
    for play in plays.split(" / "):
        one.play(play.split())
    return one


@BOTH
def test_trick_winner_leads_and_side_scores(rules: Rules) -> None:
    """The winner's side takes the points and the winner leads next; only points of the off-side count."""
    one = endgame(rules, ["S9 CK", "SK D3", "ST DT", "S3 S5"], "HK")
    played(one, "S9 / SK / ST / S3")
    assert (one.turn, one.total, one.taken, one.result) == (1, 20, [0, 20], None)
    played(one, "D3 / DT / S5 / CK")
    assert (one.turn, one.total, one.taken, one.stage) == (2, 20, [25, 20], "over")
    assert one.result == [2, 0, 2, 0]


@pytest.mark.parametrize(
    ("hands", "plays", "won"),
    [
        (["S9", "SK", "S3", "S4"], "S9 / SK / S3 / S4", (1, 2)),
        (["SA", "SK", "S3", "S4"], "SA / SK / S3 / S4", (0, 0)),  # the last trick is the banker side's
        (["S9 S9", "SK SK", "S3 S4", "S4 S6"], "S9 S9 / SK SK / S3 S4 / S4 S6", (2, 4)),
        (["S8 S8 S9 S9", "SJ SJ SQ SQ", "S3 S4 S4 S6", "C3 C3 C4 C4"],
         "S8 S8 S9 S9 / SJ SJ SQ SQ / S3 S4 S4 S6 / C3 C3 C4 C4", (4, 8)),
        (["SA SK", "H3 H4", "S3 S4", "S4 S6"], "SA SK / H3 H4 / S3 S4 / S4 S6", (2, 2)),
        (["SA SA SK", "H3 H3 H4", "S3 S4 S6", "S4 S6 S7"], "SA SA SK / H3 H3 H4 / S3 S4 S6 / S4 S6 S7", (4, 4)),
        (["SQ SQ SK SK S9", "H3 H3 H4 H4 H5", "S3 S3 S4 S4 S6", "C3 C3 C4 C4 C6"],
         "SQ SQ SK SK S9 / H3 H3 H4 H4 H5 / S3 S3 S4 S4 S6 / C3 C3 C4 C4 C6", (8, 8)),
    ],
)  # fmt: skip
def test_kitty_points_are_multiplied(hands: list[str], plays: str, won: tuple[int, int]) -> None:
    """The kitty's 15 points times m, if the off-side takes the last trick."""
    for rules, times in zip((BOTZONE, STANDARD), won, strict=True):
        one = played(endgame(rules, hands, "H5 HT C3"), plays)
        assert (one.stage, one.kitty_won) == ("over", 15 * times)
        assert one.total == 15 * times + one.taken[1]


@pytest.mark.parametrize("banker", range(4))
def test_kitty_points_go_to_the_off_side(banker: int) -> None:
    """Seat 1 takes the last trick, 10 points in it and 15 in the kitty: counted where 1 is off-side."""
    one = played(endgame(BOTZONE, ["S9", "SK", "S3", "S4"], "H5 HT C3", banker), "S9 / SK / S3 / S4")
    assert (one.total, one.kitty_won) == ((25, 15) if banker in (0, 2) else (0, 0))
    assert one.result == ([2, 0, 2, 0] if banker in (0, 2) else [0, 3, 0, 3])


@pytest.mark.parametrize("banker", range(4))
def test_failed_throw_in_a_round(banker: int) -> None:
    """All seats follow the replacement; the price is added for the off-side, or subtracted if it threw."""
    hands = ["SA SQ SQ", "SK SK S3", "S4 S4 S6", "H3 H4 CA"]
    sign = 1 if banker in (0, 2) else -1
    one = endgame(BOTZONE, hands, banker=banker)
    assert one.play(["SA", "SQ", "SQ"]) == ("SQ",)
    assert (one.penalties, sorted(one.hands[0]), one.turn) == (20 * sign, ["SA", "SQ"], 1)
    played(one, "SK / S6 / CA")
    assert (one.turn, one.total) == (1, 20 * sign + (10 if sign > 0 else 0))
    one = endgame(STANDARD, hands, banker=banker)
    assert one.play(["SQ", "SA", "SQ"]) == ("SQ", "SQ")
    assert (one.penalties, one.hands[0]) == (10 * sign, ["SA"])
    with pytest.raises(Illegal):
        one.play(["SK", "S3"])
    played(one, "SK SK / S4 S4 / H3 H4")
    assert (one.turn, one.total) == (1, 10 * sign + (20 if sign > 0 else 0))


def test_penalties_may_make_the_total_negative() -> None:
    one = endgame(BOTZONE, ["S3 S4 S6", "SQ SQ SK", "SA SA S7", "H3 H4 H6"], banker=0, lead=1)
    played(one, "SQ SQ SK / S7 / H3 / S3")
    assert (one.turn, one.total, step(BOTZONE, one.total)) == (3, -30, (True, 3))


@BOTH
def test_throw_that_is_overtrumped(rules: Rules) -> None:
    """A throw is trumped, and the trumps overtrumped."""
    hands = ["SA SK SK", "H3 H3 HR", "H4 H4 H6", "S3 S4 S6"]
    one = played(endgame(rules, hands, banker=0), "SA SK SK / H3 H3 HR / H4 H4 H6 / S3 S4 S6")
    assert (one.stage, one.turn, one.total, one.outcome and one.outcome.failed) == ("over", 2, 0, ())


@BOTH
def test_illegal_plays_raise(rules: Rules) -> None:
    for plays in ("S9 C9", "SJ", "", "S9 / S4", "S9 / SK SK", "S9 / D3", "S9 / SK / CA", "S9 / SK / ST / H3"):
        *before, last = plays.split(" / ")
        one = played(endgame(rules, ["S9 C9", "SK D3", "ST CA", "S3 H3"]), " / ".join(before)) if before else None
        one = one or endgame(rules, ["S9 C9", "SK D3", "ST CA", "S3 H3"])
        state = repr(one)
        with pytest.raises(Illegal):
            one.play(last.split())
        assert repr(one) == state


def test_round_ends_when_a_hand_is_empty() -> None:
    """D5: a seat with too few cards plays them all; the round is over when a hand is empty."""
    rules = variant(BOTZONE, buries_any=True)
    one = played(endgame(rules, ["SA SK SQ", "S3 S4", "S6 S7", "S8 S9"]), "SA SK SQ / S3 S4 / S6 S7 / S8 S9")
    assert (one.stage, one.taken) == ("over", [10, 0])
    one = played(endgame(rules, ["S3", "SA SA", "S6 S7", "S8 S9"], lead=1), "SA SA / S6 S7 / S8 S9 / S3")
    assert (one.stage, one.turn) == ("over", 1)


# --- Whole random rounds --------------------------------------------------------------------------------------------


SWITCHES = {
    **PROFILES,
    "holes": variant(BOTZONE, revokes=True, letters=True),
    "flip": variant(STANDARD, undeclared="flip", price="none", kitty="power"),
}


@pytest.mark.parametrize("rules", SWITCHES.values(), ids=SWITCHES)
def test_random_rounds_are_consistent(rules: Rules) -> None:
    """They end after 25 cards a hand, and 200 points are in the tricks and the kitty."""
    failed = threw = 0
    for seed in range(16):
        one = random_round(seed, rules, RANKS[seed % 13], None if seed % 3 == 0 else seed % 4)
        assert (one.stage, one.hands, len(one.kitty)) == ("over", [[], [], [], []], 8)
        lying = [list(chain(*(cards for _, trick in one.tricks for cards in trick))), one.kitty]
        assert sorted(chain(*lying)) == list(PACK)
        assert sum(one.taken) + points(one.kitty) == 200
        assert one.result == payoffs(rules, one.banker or 0, one.total)
        assert one.total == one.taken[1 - (one.banker or 0) % 2] + one.penalties + one.kitty_won
        assert replayed(rules, one.level, (one.banker if one.given else None), one.acts) == one
        for leader, trick in one.tricks:
            assert (len(trick), len({len(cards) for cards in trick})) == (4, 1), leader
        threw += any(len({*cards}) > 2 for _, (cards, *_) in one.tricks)
        failed += one.penalties != 0
    assert threw
    assert bool(failed) == (rules.price != "none")


@BOTH
def test_equal_seeds_give_equal_rounds(rules: Rules) -> None:
    assert repr(random_round(7, rules)) == repr(random_round(7, rules))
    assert repr(random_round(7, rules)) != repr(random_round(8, rules))


@BOTH
def test_random_matches_end(rules: Rules) -> None:
    """Matches from 2 to beyond A end, with and without must-play levels."""
    for must in ("", "5TKA"):
        match, rng, rounds = Match(variant(rules, must_play=must)), Random(3), 0
        while match.winner is None:
            one = dealt(rng, match.rules, match.level, match.banker)
            match.end_round(one.banker or 0, rng.choice([0, 20, 60, 100, 140, 200]))
            rounds += 1
        assert match.levels[match.winner] == "A"
        assert rounds >= 5
