"""A human player at a scripted terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.base import PlayerLeftError
from abl_cards.agents.human import HumanAgent
from abl_cards.agents.registry import make_agent, make_preference_model
from abl_cards.agents.terminal_ui import Terminal
from abl_cards.games.game import load
from abl_cards.matches.match_runner import play_match
from tests.cli_runs import run
from tests.effort import amount

STATE = {"level": "8", "hand": ["H4", "H4", "C4", "H8", "D9", "S9", "SA"], "to_beat": ["Pair", "3", ["S3", "D3"]]}


class ScriptedTerminal:
    """A terminal with prepared input that records its output."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines, self.outputs, self.prompts = iter(lines), [""], set[str]()

    def ask(self, prompt: str) -> str:
        self.prompts.add(prompt)
        try:
            line = next(self.lines)
        except StopIteration:
            raise EOFError from None
        if line == "^C":
            raise KeyboardInterrupt
        self.outputs.append("")
        return line

    def say(self, text: str) -> None:
        self.outputs[-1] += text + "\n"

    def human(self, name: str = "guandan", **more: Any) -> HumanAgent:
        engine = load(name).engine()
        return HumanAgent(engine, make_preference_model("kb", engine), Terminal(self.ask, self.say), **more)


def choose(
    lines: list[str], state: dict[str, Any] = STATE, name: str = "guandan", **more: Any
) -> tuple[str, ScriptedTerminal]:
    """Return the chosen move and the conversation for some input lines."""
    engine, talk = load(name).engine(), ScriptedTerminal(lines)
    decision: Any = engine.read_decision_point(state).decision
    human = talk.human(name, **more)
    keys = np.zeros(1, np.uint64)
    if state.get("stage"):
        return str(human.choose(decision, keys)[0]), talk
    moves = human.play(decision, keys)
    return str(engine.notate_move(int(moves.form[0]), moves.cards[0])), talk


@pytest.mark.parametrize(
    ("lines", "move"),
    [
        (["1"], "PASS"),
        (["pass"], "PASS"),
        (["Pair 4 H4 C4"], "Pair 4 H4 C4"),
        (["  pair 4 c4 h4 "], "Pair 4 H4 C4"),
        (["Pair 4", "1"], "Pair 4 H4 H8"),
        (["2", "Pair 4 H4 C4"], "Pair 4 H4 C4"),
        (["bomb 4"], "Bomb 4 H4 H4 C4 H8"),
        (["", "nonsense", "0", "99", "9" * 30, "why", "why 99", "why nothing", "help", "1"], "PASS"),
    ],
)
def test_moves_are_entered_by_number_or_text(lines: list[str], move: str) -> None:
    assert choose(lines)[0] == move


@pytest.mark.parametrize("line", ["set T,2 HT ST", "set t,2", "set(10,2) st ht", "set 10,2", "set(T,2)", "ST HT"])
def test_moves_are_entered_by_any_text_of_their_label(line: str) -> None:
    state = {"hand": ["S9", "H9", "ST", "HT"], "to_beat": ["C8", "D8"], "seat": 0, "cards": [9, 9, 9]}
    assert choose(["nonsense", line, "1"], state, "president")[0] == "set T,2 HT ST"  # the first would be the nines


def test_options_are_shown_and_entered_by_name() -> None:
    """A bid of thirteen is 叫13墩, in the list and as an answer; a mistake is explained by it."""
    bid = {"stage": "bid", "hand": ["C2", "HA"], "cards": [13] * 3, "seat": 0}
    choice, talk = choose(["why 叫12墩", "叫13墩"], bid, "spades", language="zh")
    assert choice == "13"
    assert "叫零" in talk.outputs[0]
    assert "bid(" not in "".join(talk.outputs)


def test_help_shows_a_legal_move() -> None:
    """It had one of Guandan in every game."""
    choice, talk = choose(["help", "D7"], {"hand": ["C2", "D7"], "trick": [["D5"]], "trump": "S", "seat": 1}, "whist")
    assert choice == "D7"
    assert re.search(r"^  D7 +the move itself$", talk.outputs[1], re.M)


def test_prompt_shows_own_hand_and_card_counts() -> None:
    _, talk = choose(["1"], {**STATE, "cards": [3, 14, 15], "top": "partner"})
    assert "hand: H4 H4 C4 S9 D9 SA H8" in talk.outputs[0]
    assert "the next seat 3, the partner 14, the previous seat 15" in talk.outputs[0]
    assert "to beat: Pair 3 S3 D3 of the partner" in talk.outputs[0]
    assert "  1 PASS" in talk.outputs[0]
    assert "Pair 4 (4 card sets)" in talk.outputs[0]


def test_hint_and_why_commands() -> None:
    _, talk = choose(["?", "hint", "why 1", "why Pair 4", "2", "why 1", "1"])
    assert talk.outputs[1].startswith("chosen: ")
    assert talk.outputs[1] == talk.outputs[2]
    assert talk.outputs[3].startswith("PASS   cost ")
    assert talk.outputs[4].startswith("Pair 4 ")
    assert talk.outputs[6].startswith("Pair 4 ")
    _, chinese = choose(["?", "1"], language="zh")
    assert "手牌：H4 H4 C4 S9 D9 SA H8" in chinese.outputs[0]
    assert chinese.outputs[1].startswith("选择：")


def test_tribute_is_entered_by_number_or_name() -> None:
    state = {"level": "8", "hand": ["S3", "D5", "SA", "HA"], "stage": "tribute"}
    assert choose(["2"], state)[0] == "1"  # HA
    assert choose(["tribute tribute SA"], state)[0] == "0"


@pytest.mark.parametrize("lines", [[], ["quit"], ["q"], ["2", "^C"]])
def test_leaving_raises(lines: list[str]) -> None:
    with pytest.raises(PlayerLeftError, match="left the table"):
        choose(lines)


def find_episode_end_lines(text: str) -> list[str]:
    """Return the lines that end an episode."""
    return [line for line in text.splitlines() if line.startswith("the episode is over: ")]


def test_whole_match_at_the_terminal() -> None:
    """Take the first choice each time: the log shows public plays only, and the partner is automatic."""
    engine, talk, games = load("guandan").engine(), ScriptedTerminal(["1"] * 20_000), amount(1, 2)
    result = play_match(engine, (talk.human(), make_agent("kb", engine)), games, 3, names=("human", "kb"))
    assert result.games == games
    everything = "".join(talk.outputs)
    assert everything.count("the match is over") == games
    points = [
        [int(number) for number in re.findall(r"seat \d ([+-]\d+)", line)]
        for line in find_episode_end_lines(everything)
    ]
    assert points
    assert all(len(scores) == 4 and sum(scores) == 0 and max(scores) > 0 for scores in points)
    assert everything.count("a new episode begins") + games >= result.episodes
    both = ScriptedTerminal(["1"] * 5)
    with pytest.raises(PlayerLeftError):
        play_match(
            engine, (both.human(plays_both_seats=True), make_agent("kb", engine)), 1, 3, names=("human:both", "kb")
        )
    prompts = [text for text in both.outputs if "hand: " in text]
    assert len(prompts) > 1


def test_log_shows_last_plays_without_hands() -> None:
    engine, talk = load("guandan").engine(), ScriptedTerminal(["1"] * 3)
    with pytest.raises(PlayerLeftError):
        play_match(engine, (talk.human(), make_agent("kb", engine)), 1, 0, names=("human", "kb"))
    assert "seat 3: " in "".join(talk.outputs)
    seen = [line for text in talk.outputs for line in text.splitlines() if "hand: " in line]
    assert len(seen) == 4
    own = set(seen[0].split(":")[1].split())
    assert all(set(line.split(":")[1].split()) <= own for line in seen)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("lines", "move"),
    [
        (["不要"], "PASS"),
        (["过"], "PASS"),
        (["对四", "2"], "Pair 4 H4 C4"),
        (["一对 4 红桃4 梅花4"], "Pair 4 H4 C4"),
        (["对子 梅花四、红桃四"], "Pair 4 H4 C4"),
        (["♥4♣4"], "Pair 4 H4 C4"),
        (["炸弹"], "Bomb 4 H4 H4 C4 H8"),
        (["四个四"], "Bomb 4 H4 H4 C4 H8"),
        (["提示", "为什么 1", "为什么对九", "理由", "对五", "顺子", "乱写", "帮助", "对9", "1"], "Pair 9 S9 H8"),
    ],
)
def test_chinese_play_names_are_accepted(language: str, lines: list[str], move: str) -> None:
    assert choose(lines, language=language)[0] == move


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("顺子", "34567"),
        ("三带一 3334", "3334"),
        ("三个3", "333"),
        ("王炸", "XD"),
        ("顺子34567", "34567"),
        ("单王", "-"),
    ],
)
def test_chinese_play_names_of_another_game(line: str, move: str) -> None:
    state = {"hand": "33345672XD", "to_beat": None, "landlord": 0, "seat": 0}
    if move == "-":
        with pytest.raises(PlayerLeftError):
            choose([line], state, "doudizhu")
    else:
        assert choose([line], state, "doudizhu")[0] == move


ENGLISH = re.compile(r"[A-Za-z]{2,}")
NAMES = re.compile(
    r"^ +[+-]\d+ +\w+( × \d+)? |[, ]+[+-]\d+ \w+( × \d+)?|^  .+(?= 同上，用字母写)"
    r"|\bkb\b|\b[SHCD][2-9TJQKA]\b|SB|HR",
    re.M,
)
"""What stands in the rule files and in the letters of cards is the same in every language."""


def test_chinese_output_has_no_english() -> None:
    """Print no English in prompts, choices, hints, reasons, errors, help and the course of the game."""
    _, alone = choose(["提示", "为什么 2", "99", "为什么", "nothing", "help", "对四", "1"], language="zh")
    engine, talk = load("guandan").engine(), ScriptedTerminal(["1"] * 20_000)
    play_match(engine, (talk.human(language="zh"), make_agent("kb", engine)), 1, 3, names=("human", "kb"))
    for text in (*alone.outputs, *talk.outputs, *alone.prompts):
        assert not ENGLISH.search(NAMES.sub("", text).replace("nothing", "")), text
    everything = "".join(talk.outputs)
    assert "比赛结束，" in everything
    assert "新的一副牌开始了" in everything
    with pytest.raises(PlayerLeftError, match="你已离开牌桌"):
        choose(["退出"], language="zh")


def test_log_shows_public_choices_only() -> None:
    """Log the bids of all seats in Spades, and nothing of the cards that are passed in Hearts."""
    for name, logged in (("spades", ["  seat 0, bid: bid(0)", "  seat 1, bid: "]), ("hearts", [])):
        engine, talk = load(name).engine(), ScriptedTerminal(["1"] * 3)
        with pytest.raises(PlayerLeftError):
            play_match(engine, (talk.human(name), make_agent("greedy", engine)), 1, 3, names=("human", "greedy"))
        everything = "".join(talk.outputs)
        assert all(line in everything for line in logged)
        assert name != "hearts" or "give: " not in everything.replace("to choose: give", "")
    engine, talk = load("spades").engine(), ScriptedTerminal(["1"])
    with pytest.raises(PlayerLeftError):
        play_match(
            engine, (talk.human("spades", language="zh"), make_agent("greedy", engine)), 1, 3, names=("human", "greedy")
        )
    assert "  0号座位：叫零\n" in "".join(talk.outputs)


def test_output_names_the_seat_of_the_human() -> None:
    engine = load("guandan").engine()
    for language, message in (
        ("en", "you have seat 0, kb plays your partner's seat 2"),
        ("zh", "你坐0号座位，队友的2号座位由 kb 代打"),
    ):
        talk = ScriptedTerminal(["1"])
        with pytest.raises(PlayerLeftError):
            play_match(engine, (talk.human(language=language), make_agent("kb", engine)), 1, 3, names=("human", "kb"))
        assert message in talk.outputs[0]
    both = ScriptedTerminal(["1"])
    with pytest.raises(PlayerLeftError):
        play_match(
            engine, (both.human(plays_both_seats=True), make_agent("kb", engine)), 1, 3, names=("human:both", "kb")
        )
    assert "you have seat 0\n" in both.outputs[0]


def test_match_result_is_printed_in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print tables and the message at the end in Chinese."""
    for lines, code in ((["1"] * 100, 0), ([], 130)):
        talk = ScriptedTerminal(lines)
        monkeypatch.setattr(
            "abl_cards.agents.human.make_console_terminal", lambda talk=talk: Terminal(talk.ask, talk.say)
        )
        answer = run("match", "doudizhu", "human:lang=zh", "greedy", "--games", "2")
        assert answer.exit_code == code
        assert not ENGLISH.search((answer.stdout + answer.stderr).replace("human:lang=zh", "").replace("greedy", ""))
    assert answer.stderr == "你已离开牌桌，这场比赛没有结果\n"


def test_human_may_take_any_seat() -> None:
    """Give the human any seat where any seat may become the landlord."""
    engine, talk = load("doudizhu").engine(profile="contest"), ScriptedTerminal(["1"] * 400)
    human = HumanAgent(engine, make_preference_model("kb", engine), Terminal(talk.ask, talk.say))
    play_match(engine, (human, make_agent("greedy", engine)), 6, 1, names=("human", "greedy"))
    seats = {line for text in talk.outputs for line in text.splitlines() if line.startswith("you have seat")}
    assert len(seats) == 3
