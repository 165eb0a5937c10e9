"""Texts for players on a terminal: plays by their names, cards as suit and rank in colour, seats by their agents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from abl_cards.core import LANGUAGES, join_texts, texts_by_language
from abl_cards.games.description import SUIT_SYMBOLS

if TYPE_CHECKING:
    from rich.text import Text

    from abl_cards.games import Engine
    from abl_cards.games.tables import DecisionPoint

_TEXTS = texts_by_language({
    "seat": ("seat {seat}", "座位{seat}"),
    "seat_of": ("seat {seat} ({agent})", "座位{seat}（{agent}）"),
    "side": ("side {side}", "第{side}方"),
    "colon": (": ", "："),
    "hand": ("hand", "手牌"),
    "others": ("the others hold", "其余各家"),
    "aside": ("aside", "底牌"),
    "pile": ("in the pile", "牌堆"),
    "trick": ("in the trick", "本轮已出"),
    "to_beat": ("to beat", "要压"),
    "to_beat_of": ("to beat, of {top}", "要压{top}的"),
    "leads": ("leads", "领出"),
    "pass": ("pass", "不要"),
    "chooses": ("chooses", "选择"),
})  # fmt: skip
_SUIT_STYLES = {"S": "bold", "H": "bold red", "D": "bold bright_blue", "C": "bold green"}
"""Colours of the four suits, as on the page with four colours; rich leaves them out where there is no colour."""
_JOKER_STYLES = {True: "bold red", False: "bold"}
_MARK = re.compile(r"⟦([^⟧]*)⟧")


@dataclass(frozen=True)
class PlayerTexts:
    """Texts of positions and moves of a game in one language.

    Attributes:
        engine: Compiled game.
        language: "en" or "zh".
        agents: Agent of each seat, if they are known.
    """

    engine: Engine
    language: str
    agents: Sequence[str] = ()
    _deck: dict[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from abl_cards.web import deck_json

        object.__setattr__(self, "_deck", deck_json(self.engine.rules))

    # --- moves and positions -----------------------------------------------------------------------------------------

    def move(self, point: DecisionPoint, row: int) -> str:
        """Return a legal move by its name and its marked cards.

        Args:
            point: Decision.
            row: Index of the move.
        """
        from abl_cards.games.tables import is_play_decision
        from abl_cards.games.types import NO_CARD
        from abl_cards.web import option_text

        cards = [card for card in point.move_lists.cards[row].tolist() if card != NO_CARD]
        if not is_play_decision(point.decision):
            return option_text(self.engine, cards[0])[LANGUAGES.index(self.language)]
        return self._named_play(point.labels[row], cards)

    def position_lines(self, point: DecisionPoint) -> list[str]:
        """Return what the seat to decide sees, in lines with marked cards, seats and teams.

        Args:
            point: Decision.
        """
        from abl_cards.games.notation import cards_aside

        state, words = point.state, _TEXTS[self.language]
        lines = [*self._fluent_lines(point), *self._others_lines(state)]
        aside = cards_aside(self.engine.rules, state)
        lines += [self._line(words[name], self._cards(cards)) for name, cards in aside.items()]
        lines.append(self._line(words["hand"], self._hand(point)))
        lines.append(self._situation(state))
        return lines

    def _line(self, name: str, value: str) -> str:
        return f"{name}{_TEXTS[self.language]['colon']}{value}"

    def _fluent_lines(self, point: DecisionPoint) -> list[str]:
        from abl_cards.web import fluents_json

        view, index = point.decision.view, LANGUAGES.index(self.language)
        visible = self.engine.rules.fluents.mask_private(view.state.fluents[view.rows[:1]], view.seats[:1])
        fluents = fluents_json(self.engine, visible[0])
        return [self._line(fluent["name"][index], fluent["value"][index]) for fluent in fluents]

    def _others_lines(self, state: Mapping[str, Any]) -> list[str]:
        from abl_cards.games.notation import spell

        field_name = "face" if state.get("face") is not None else "cards"
        if field_name not in state:
            return []
        rules = self.engine.rules
        names = [spell(rules, "who", word, self.language) for word in rules.seating.relative_names]
        values = [self._cards(value) if field_name == "face" else str(value) for value in state[field_name]]
        texts = [f"{name} {value}".strip() for name, value in zip(names, values, strict=True)]
        return [self._line(_TEXTS[self.language]["others"], join_texts(texts, self.language))]

    def _hand(self, point: DecisionPoint) -> str:
        from abl_cards.games.notation import sort_hand

        rules, view = self.engine.rules, point.decision.view
        return self._marks(sort_hand(rules, view.hand[0], int(view.context[0])))

    def _situation(self, state: Mapping[str, Any]) -> str:
        """Return the trick, the play to beat or the stage."""
        from abl_cards.games.notation import spell
        from abl_cards.web import stage_text

        rules, words = self.engine.rules, _TEXTS[self.language]
        if plays := state.get("trick"):
            names = rules.seating.relative_names[-len(plays) :]
            texts = [
                f"{spell(rules, 'who', name, self.language)} {self._play(play)}"
                for name, play in zip(names, plays, strict=True)
            ]
            return self._line(words["trick"], join_texts(texts, self.language))
        if play := state.get("to_beat"):
            top = state.get("top")
            if top is None:
                return self._line(words["to_beat"], self._play(play))
            owner = f"⟦@{top}⟧" if isinstance(top, int) else spell(rules, "who", top, self.language)
            return self._line(words["to_beat_of"].format(top=owner), self._play(play))
        if (stage := state.get("stage", "play")) != "play":
            return self._line(words["chooses"], stage_text(self.engine, str(stage))[LANGUAGES.index(self.language)])
        return words["leads"]

    def _play(self, value: Any) -> str:
        """Return a play of a state by its name, if its label is given, and its marked cards."""
        from abl_cards.games.notation import read_play

        play = read_play(self.engine.rules, value)
        return self._named_play(None if play.label is None else self.engine.rules.label_texts[play.label], play.cards)

    def _named_play(self, label: str | None, cards: Sequence[int]) -> str:
        """Return the name of a label and marked cards; of one card that the name repeats, the card alone."""
        from abl_cards.web import label_text

        if not cards:
            return _TEXTS[self.language]["pass"]
        marks = self._marks(cards)
        name = "" if label is None else label_text(self.engine, label)[LANGUAGES.index(self.language)]
        shown = self.to_rich(marks).plain.lstrip("".join(SUIT_SYMBOLS.values()))
        letters = self.engine.rules.card_codes.kind_texts[cards[0]]  # in names of labels without called/3
        is_repeated = len(cards) == 1 and name.endswith((shown, letters))
        return marks if not name or is_repeated else self._line(name, marks)

    def _cards(self, value: Any) -> str:
        """Return cards; a number of cards that are not seen as a number."""
        if isinstance(value, int):
            return str(value)
        return self._marks(self.engine.rules.card_codes.read(value)) if value else ""

    def _marks(self, cards: Sequence[int]) -> str:
        texts = self.engine.rules.card_codes.kind_texts
        return " ".join(f"⟦{texts[card]}⟧" for card in cards)

    def seat(self, seat: int) -> str:
        """Return a seat with its agent, if it is known."""
        key = "seat_of" if seat < len(self.agents) else "seat"
        return _TEXTS[self.language][key].format(seat=seat, agent="".join(self.agents[seat : seat + 1]))

    def sentence(self, text: str) -> str:
        """Return the sentence of a preference with 10 for the letter of a rank."""
        from abl_cards.web import with_tens

        return with_tens(text)

    # --- marks -------------------------------------------------------------------------------------------------------

    def to_rich(self, text: str) -> Text:
        """Return a text with its marks written out: cards in the colours of their suits, seats, teams.

        Args:
            text: Text with marks: ⟦S5⟧, ⟦@2⟧ and ⟦#1⟧.
        """
        from rich.text import Text

        written = Text()
        for index, part in enumerate(_MARK.split(text.replace("⟧⟦", "⟧ ⟦"))):
            written.append(*self._mark_text(part) if index % 2 else (part, ""))
        return written

    def _mark_text(self, mark: str) -> tuple[str, str]:
        """Return the text of a mark and its style."""
        if mark.startswith("@"):
            return _TEXTS[self.language]["seat"].format(seat=mark[1:]), ""
        if mark.startswith("#"):
            return _TEXTS[self.language]["side"].format(side=int(mark[1:]) + 1), ""
        card = self._deck.get(mark)
        if card is None:
            return mark, ""
        if card["suit"]:
            from abl_cards.web import rank_text

            return f"{card['symbol']}{rank_text(card['rank'])}", _SUIT_STYLES.get(card["suit"], "bold")
        return card["name"][LANGUAGES.index(self.language)], _JOKER_STYLES[bool(card.get("isTop"))]
