"""Texts for a person at the terminal, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from abl_cards.core import texts_by_language

TEXTS = texts_by_language({
    "prompt": ("your move (help: ?=hint, why N, help, quit) > ", "请出牌（?＝提示，为什么 编号，帮助，退出）> "),
    "help": ("""\
  a number             the label, then the card set, of that number
  {move:<20} the move itself
  ? or hint            what the knowledge base would play, and why
  why N                what the knowledge base thinks of number N
  help                 this list
  quit                 leave the table""", """\
  编号                 选那一种牌型，再选具体的牌
  对四、顺子、不要     直接说出牌型；可带点数或牌：三带二 33344，红桃4 梅花4
  {move:<20} 同上，用字母写
  ? 或 提示            知识库会怎么出，为什么
  为什么 编号          知识库怎么看这一手
  帮助                 显示这个列表
  退出                 离开牌桌"""),
    "left": ("you have left the table", "你已离开牌桌"),
    "no_number": ("there is no number {number}: choose 1 to {last}", "没有编号 {number}：请选 1 到 {last}"),
    "no_move": ("{line!r} is no legal move here; 'help' says what can be written",
                "现在不能出“{line}”；输入“帮助”看看可以怎么写"),
    "why_what": ("write why and a number, or a move", "请写：为什么 编号，或者：为什么 一手牌"),
    "card_sets": ("{label} ({count} card sets)", "{label}（{count}种牌）"),
    "episode_began": ("a new episode begins", "新的一副牌开始了"),
    "episode_ended": ("the episode is over: {points}", "这副牌打完了：{points}"),
    "seat_points": ("seat {seat} {points:+}", "{seat}号座位{points:+}分"),
    "match_won": ("the match is over, won by seat {seats}", "比赛结束，{seats}号座位获胜"),
    "match_drawn": ("the match is over, a draw", "比赛结束，平局"),
    "played": ("  seat {seat}: {move}", "  {seat}号座位：{move}"),
    "chosen": ("  seat {seat}, {stage}: {move}", "  {seat}号座位：{move}"),
    "seat": ("you have seat {seat}", "你坐{seat}号座位"),
    "seat_and_partner": ("you have seat {seat}, kb plays your partner's seat {partners}",
                         "你坐{seat}号座位，队友的{partners}号座位由 kb 代打"),
})  # fmt: skip
"""Texts by language and key."""

COMMANDS: Mapping[str, str] = {
    "quit": "quit", "q": "quit", "exit": "quit", "退出": "quit", "离开": "quit",
    "?": "hint", "？": "hint", "hint": "hint", "提示": "hint",
    "help": "help", "帮助": "help",
    "why": "why", "为什么": "why", "理由": "why",
}  # fmt: skip
"""Commands by the first word of a line, in any language."""
