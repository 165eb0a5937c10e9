"""``deal``: deals as hard as wanted, for matches in which everybody has it equally hard; ``strength`` of a hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    HIGHEST_SEED,
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    fail,
    find_game,
    finite,
    game_list,
    load_engine,
    misuse,
    print_json,
    print_table,
    progress,
)

if TYPE_CHECKING:
    from abl_cards.strength.rules import StrengthRules

MOST_DEALS = 100_000
_SHOWN = 20  # rows of a table at a terminal, where the deals go to a file
Weights = Annotated[
    Path | None,
    typer.Option("--weights", metavar="FILE", help="Of a run of doudizhu_strength; default: those shipped."),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (deal, strength):
        app.command()(command)


def deal(
    game_name: GameName,
    wanted: Annotated[
        int, typer.Option("--class", metavar="C", min=0, max=4, help="0 hardest for the landlord, 4 easiest.")
    ],
    number: Annotated[int, typer.Option("--n", metavar="N", min=1, max=MOST_DEALS, help="How many deals.")] = 10,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence",
            metavar="P",
            min=0,
            max=1,
            callback=finite,
            help="The least probability of the class.",
        ),
    ] = 0.9,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="S",
            min=0,
            max=HIGHEST_SEED,
            help="The same seed gives the same deals; default: a secret one.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the deals here: .jsonl or .jsonl.gz.")
    ] = None,
    unlike: Annotated[
        list[Path] | None,
        typer.Option("--unlike", metavar="FILE", help="Deals that are known already; may be repeated."),
    ] = None,
    weights: Weights = None,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Make complete deals of a class of difficulty: a set of duplicate deals that no contestant has seen.

    A network says how likely a deal is of each class; the knowledge base says what a deal is. The seed decides
    everything: keep it to yourself until the contest is over. Without one, a secret one is drawn and told on stderr.

        abl-cards deal doudizhu --class 2 --n 100 --seed 7 --out deals.jsonl

        abl-cards match doudizhu kb greedy --deals deals.jsonl

    --json prints the deals, one a line: {"class","confidence","landlord","down","up","bottom"}.
    """
    from abl_cards.records import write_records
    from abl_cards.seeds import secret_seed
    from abl_cards.strength.orders import Order, fill

    engine = _engine(game_name, directory, profile)
    if seed is None:
        seed = secret_seed()
        typer.echo(f"seed {seed}", err=True)
    judge = _judge(engine, weights)
    order = Order(wanted, number, confidence, seed, _known(engine, unlike or []))
    with progress("dealing", number) as tell:
        deals = fill(engine, judge, order, tell)
    if out:
        write_records(out, deals)
    if as_json:
        for each in deals:
            print_json(each)
        return
    _print_deals(deals, engine.difficulty()[wanted], len(deals) if out is None else _SHOWN)
    if out:
        typer.echo(f"{len(deals)} deals of class {wanted} in {out}")


def strength(
    hands: Annotated[
        list[str],
        typer.Argument(metavar="HAND [DOWN UP]", help="A hand, or all three of a deal, the landlord's first."),
    ],
    game_name: Annotated[str, typer.Option("--game", metavar="GAME", help=f"The game: {game_list()}.")] = "doudizhu",
    weights: Weights = None,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Say what a hand is worth: split for the fewest plays, each group worth points by the knowledge base.

    Of a landlord's hand, and of a whole deal, the probability of each class of difficulty is said too.

        abl-cards strength 334466788999TTTQKKKX

    --json prints {"hands","classes"}: each hand with {"hand","points","plays","groups"}, and the probabilities or null.
    """
    from abl_cards.errors import GameError
    from abl_cards.games.counting.keys import read_key
    from abl_cards.strength.orders import class_odds, hand_strength

    engine = _engine(game_name, directory, profile)
    if len(hands) not in (1, 3):
        misuse("one hand, or the three of a deal")
    try:
        keys = [read_key(engine.dealer.letters, text) for text in hands]
        if not all(keys):
            raise GameError("a hand has cards")
        odds = None
        if len(keys) == 3 or len(hands[0]) == engine.dealer.sizes[0]:
            odds = class_odds(engine, _judge(engine, weights), keys)
    except GameError as problem:
        fail(problem)
    told = [hand_strength(engine, key) for key in keys]
    if as_json:
        print_json({"hands": told, "classes": None if odds is None else [round(each, 4) for each in odds]})
        return
    for each in told:
        _print_hand(each)
    if odds is not None:
        words = engine.difficulty()
        print_table(
            ("class", "for the landlord", "probability"),
            [(str(number), words[number], f"{share:.1%}") for number, share in enumerate(odds)], right=(2,),
        )  # fmt: skip


def _engine(game_name: str, directory: Path | None, profile: str | None) -> StrengthRules:
    from abl_cards.errors import GameError
    from abl_cards.strength.rules import StrengthRules

    engine = load_engine(find_game(game_name), directory, profile)
    try:
        return StrengthRules.of(engine)
    except GameError as problem:
        misuse(f"{problem}; doudizhu has")


def _judge(engine: StrengthRules, weights: Path | None) -> Any:
    from abl_cards.strength.judge import load_judge, weights_of

    return load_judge(engine.game, engine.scorer, weights_of(engine.game, weights))[0]


def _known(engine: StrengthRules, files: list[Path]) -> frozenset[str]:
    """The names of the deals in some files."""
    from abl_cards.errors import GameError
    from abl_cards.records import all_in_own_form, read_records
    from abl_cards.strength.orders import name_of

    names: set[str] = set()
    for file in files:
        try:
            deals = engine.read_deals(all_in_own_form(engine.engine, read_records(file)))
        except GameError as problem:
            fail(f"{file}: {problem}")
        names |= {name_of(deals, row) for row in range(len(deals.bottom))}
    return frozenset(names)


def _print_deals(deals: list[dict[str, Any]], word: str, most: int) -> None:
    print_table(
        ("class", "", "confidence", "landlord", "down", "up", "bottom"),
        [
            (
                str(each["class"]),
                word,
                f"{each['confidence']:.3f}",
                *(each[part] for part in ("landlord", "down", "up", "bottom")),
            )
            for each in deals[:most]
        ],
        right=(2,),
    )
    if len(deals) > most:
        typer.echo(f"… {len(deals) - most} more")


def _print_hand(told: dict[str, Any]) -> None:
    typer.echo(f"{told['hand']}: {told['points']:g} points, {told['plays']} plays")
    print_table(
        ("cards", "group", "points"),
        [(each["cards"], each["label"], f"{each['points']:g}") for each in told["groups"]],
        right=(2,),
    )
