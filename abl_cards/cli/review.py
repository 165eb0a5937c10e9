"""The command ``review``: assess all decisions of a record, mistakes first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from abl_cards.cli.bars import has_room, loss_bar
from abl_cards.cli.console import (
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    Seed,
    check_finite,
    fail_usage,
    find_game,
    make_console,
    path_argument,
    print_json,
    print_table,
    usage_errors,
)
from abl_cards.cli.explain import read_state_or_record, report_line
from abl_cards.cli.progress import show_progress
from abl_cards.core import escape_controls, texts_by_language

if TYPE_CHECKING:
    from rich.text import Text

    from abl_cards.cli.player_texts import PlayerTexts
    from abl_cards.matches import ReviewedDecision, SeatSummary

MAX_DEALS = 10**5
"""Sampled deals of a move; those of all decisions are held at once."""
MAX_REASONS = 4
"""Preferences printed for a mistake; --json has all."""
SHOWN_LOSS = 0.005
"""Points below which a decision has no row, since it would show 0.00."""
_TEXTS = texts_by_language({
    "lost": ("act {act}: {seat} lost {loss} points", "第{act}手：{seat}失 {loss} 分"),
    "played": ("played: {move}", "实际：{move}"),
    "best": ("best:   {move}", "最好：{move}"),
    "more": ("… and {number} more (--max-shown, or --json)", "……还有 {number} 处失误（用 --max-shown 或 --json 查看）"),
    "none": ("every play was the only legal one; bids and other choices are not reviewed",
             "每一手都只有一种出法；叫牌等选择不在复盘之内"),
    "columns": ("act|seat|played|better|points lost", "手|座位|实际|更好|失分"),
    "nothing": ("{left_out} of {number} decisions lost nothing", "{number} 手中有 {left_out} 手没有失分，未列出"),
    "seats": ("seat|agent|plays|with a choice|as {agent}|mistakes|points lost",
              "座位|选手|出牌|有选择|同 {agent}|失误|失分"),
})  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(review)


def review(
    game_name: GameName,
    file: Annotated[
        Path | None,
        path_argument(metavar="[FILE]", help="Records, one JSON object per line; default: stdin."),
    ] = None,
    line: Annotated[int, typer.Option("--line", metavar="L", min=1, help="Line of the file.")] = 1,
    seats: Annotated[
        list[int] | None, typer.Option("--seat", metavar="S", help="Review only this seat; may be repeated.")
    ] = None,
    agent_name: Annotated[str, typer.Option("--agent", metavar="A", help="Agent whose choice is compared.")] = "kb",
    rollout_agent: Annotated[
        str, typer.Option("--rollout-agent", metavar="A", help="Agent that plays sampled deals out; greedy is faster.")
    ] = "kb",
    deals: Annotated[
        int, typer.Option("--deals", metavar="N", min=4, max=MAX_DEALS, help="Sampled deals per move.")
    ] = 100,
    moves: Annotated[int, typer.Option("--moves", metavar="N", min=2, help="Moves evaluated per decision.")] = 6,
    min_loss: Annotated[
        float,
        typer.Option("--min-loss", metavar="POINTS", min=0, callback=check_finite, help="Least loss of a mistake."),
    ] = 0.0,
    max_shown: Annotated[int, typer.Option("--max-shown", metavar="N", min=0, help="Mistakes printed.")] = 5,
    language: Annotated[str, typer.Option("--lang", metavar="en|zh", help="Language of the reasons.")] = "en",
    directory: RuleFolder = None,
    profile: Profile = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Review a record: the best move of each decision and the points lost by the played one; mistakes first.

    Several moves of each decision are evaluated: the played one, the agent's, and the cheapest of other labels by the
    preferences. Each is played out on the same deals, sampled from what the seat could know. Half of the deals select
    the best move, the other half estimate its advantage. A mistake is an advantage of more than twice its standard
    error and at least --min-loss points. Bids and other choices are not reviewed. Botzone logs are records too
    (docs/how-to/botzone.md).

        abl-cards review guandan games.jsonl --line 3 --seat 0
    """
    from abl_cards.agents import HumanAgent, make_agent
    from abl_cards.core import check_language, format_seed
    from abl_cards.matches import ReviewConfig, review_record, summarise_seats

    with usage_errors():
        check_language(language)
    game = find_game(game_name)
    engine, record = read_state_or_record(game, file, line, directory, profile, "review")
    wrong = [seat for seat in seats or () if not 0 <= seat < len(engine.teams)]
    if wrong:
        fail_usage(f"--seat {wrong[0]}: the seats are 0 to {len(engine.teams) - 1}")
    with usage_errors():
        agents = make_agent(agent_name, engine), make_agent(rollout_agent, engine)
    if isinstance(agents[1], HumanAgent):
        fail_usage("--rollout-agent human: a program plays the sampled deals out, such as kb or greedy")
    config = ReviewConfig(engine, *agents, deals, moves, min_loss, seed, language)
    with report_line(line, file):
        with show_progress("evaluating moves", None) as show:
            decisions = review_record(
                config, record, frozenset(seats) if seats else None, lambda done, total: show(done, "moves", total)
            )
        summaries = summarise_seats(engine, record, decisions)
    if as_json:
        settings = {"game": game.name, "line": line, "agent": agent_name, "rollout_agent": rollout_agent,
                    "deals": deals, "seed": format_seed(seed)}  # fmt: skip
        seat_rows, rows = [one.to_json() for one in summaries], [one.to_json() for one in decisions]
        print_json({**settings, "seats": seat_rows, "decisions": rows})
    else:
        from abl_cards.cli.player_texts import PlayerTexts

        players = record.get("players")
        names = [escape_controls(str(player), one_line=True) for player in players] if isinstance(players, list) else []
        texts = PlayerTexts(engine, language, names)
        _print_review(decisions, summaries, texts, agent_name, max_shown)


def _print_review(
    decisions: Sequence[ReviewedDecision], summaries: Sequence[SeatSummary], texts: PlayerTexts, agent: str, shown: int
) -> None:
    """Print the mistakes, the decisions that lost or won points, and a summary of each seat."""
    _print_mistakes(decisions, shown, texts)
    _print_plays(decisions, texts)
    _print_seats(summaries, texts, agent)


def _print_mistakes(decisions: Sequence[ReviewedDecision], max_shown: int, texts: PlayerTexts) -> None:
    words, console = _TEXTS[texts.language], make_console()
    mistakes = sorted((decision for decision in decisions if decision.is_mistake), key=lambda decision: -decision.loss)
    for mistake in mistakes[:max_shown]:
        loss = f"{mistake.loss:.2f} ± {2 * mistake.error:.2f}"
        console.print(words["lost"].format(act=mistake.act, seat=texts.seat(mistake.seat), loss=loss))
        moves = [words[key].format(move=texts.move(mistake.decision_point, move.row))
                 for key, move in (("played", mistake.played_move), ("best", mistake.best_move))]  # fmt: skip
        for line in (*texts.position_lines(mistake.decision_point), *moves):
            console.print(texts.to_rich(f"  {line}"), soft_wrap=True)
        for reason in mistake.reason_lines[:MAX_REASONS]:
            console.print(texts.to_rich(f"    {reason.weight:+4d} {texts.sentence(reason.text)}"), soft_wrap=True)
        console.print()
    if len(mistakes) > max_shown:
        console.print(words["more"].format(number=len(mistakes) - max_shown) + "\n")


def _print_plays(decisions: Sequence[ReviewedDecision], texts: PlayerTexts) -> None:
    """Print the decisions that lost or won points against the other moves; --json lists all."""
    words, console = _TEXTS[texts.language], make_console()
    if not decisions:
        console.print(words["none"])
        return
    shown = [decision for decision in decisions if abs(decision.loss) >= SHOWN_LOSS]
    has_bars, largest = has_room(console), max((abs(decision.loss) for decision in shown), default=0.0)
    rows: list[tuple[str | Text, ...]] = [
        (
            f"{one.act}{' ?' if one.is_mistake else ''}", str(one.seat),
            texts.to_rich(texts.move(one.decision_point, one.played_move.row)),
            texts.to_rich(texts.move(one.decision_point, one.best_move.row)),
            f"{one.loss:+.2f}", f"± {2 * one.error:.2f}",
            *([loss_bar(one.loss, largest)] if has_bars else []),
        )
        for one in shown
    ]  # fmt: skip
    if rows:
        columns = words["columns"].split("|")
        print_table([*columns, "", *([""] if has_bars else [])], rows, right_aligned=(4, 5))
    if len(shown) < len(decisions):
        console.print(words["nothing"].format(left_out=len(decisions) - len(shown), number=len(decisions)))


def _print_seats(summaries: Sequence[SeatSummary], texts: PlayerTexts, agent: str) -> None:
    typer.echo()
    columns = _TEXTS[texts.language]["seats"].format(agent=agent).split("|")
    agents = [texts.agents[seat.seat] if seat.seat < len(texts.agents) else "" for seat in summaries]
    rows = [
        (str(seat.seat), *([name] if any(agents) else []), str(seat.plays), str(seat.choices), str(seat.agreed),
         str(seat.mistakes), f"{seat.loss:.2f}")
        for seat, name in zip(summaries, agents, strict=True)
    ]  # fmt: skip
    if not any(agents):
        del columns[1]
    print_table(columns, rows, range(len(columns) - 5, len(columns)))
