"""Reference for the search of splits: clingo chooses the pieces of a hand, and its optimum must equal the search's.

Pieces, their cards and prices are facts of the knowledge base; the program here defines splits. Scores are integers,
because clingo has no other numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import clingo
import numpy as np
from numpy.typing import NDArray

from abl_cards.games.min_plays import HandKey, key_counts
from abl_cards.reasoners.splits.splits import Splitter

UNITS_PER_NAT = 1000
"""Score of one nat in the reference."""
_PROGRAM = """
1 { tag(I,T) : T = 0..3 } 1 :- card(I,_).
:- card(I,R), card(I+1,R), tag(I,T), tag(I+1,U), U < T.
1 { copies(F,K) : K = 0..4 } 1 :- piece(F,_).
tagged(R,T,N) :- held(R), T = 0..3, N = #count { I : card(I,R), tag(I,T) }.
:- tagged(R,T,N), #sum { C*K,F : piece(F,T), needs(F,R,C), copies(F,K) } != N.
#minimize { P*K,F : copies(F,K), price(F,P) ; -S,I : tag(I,T), score(I,T,S) }.
"""


@dataclass(frozen=True)
class SplitOracle:
    """Solves for the best split of one hand by clingo.

    Attributes:
        pieces: Form, tag, ranks with numbers of cards, and price of each piece.
        ranks: Ranks of the kinds of cards.
    """

    pieces: tuple[tuple[str, int, tuple[tuple[int, int], ...], int], ...]
    ranks: tuple[int, ...]

    @classmethod
    def of(cls, splitter: Splitter) -> SplitOracle:
        """Make the oracle of the rules of a splitter."""
        kb = splitter.rules.kb
        needs: dict[str, list[tuple[int, int]]] = {}
        for form, _, rank, cards in kb.facts("needs", 4):
            needs.setdefault(str(form), []).append((int(rank), int(cards)))
        prices = {str(form): int(price) for form, price in kb.facts("price", 2)}
        return cls(
            tuple(
                (str(form), int(tag), tuple(needs[str(form)]), prices[str(form)]) for form, tag in kb.facts("piece", 2)
            ),
            tuple(map(int, splitter.rules.kinds)),
        )

    def optimum(self, hand: HandKey, scores: NDArray[np.int64], weight: int) -> int:
        """Compute the optimum of a hand.

        Args:
            hand: Key of the hand.
            scores: int64[cards, 4] Scores of the tags of each card.
            weight: Factor of the prices.

        Returns:
            The highest sum of scores less weighted prices.
        """
        control = clingo.Control(["--opt-mode=opt", "-n0"], logger=lambda code, text: None)
        control.add("base", [], _PROGRAM + self._facts(hand, scores, weight))
        control.ground([("base", [])])
        best: list[int] = []
        with control.solve(yield_=True) as models:
            for model in models:
                best = model.cost
        return -best[0]

    def _facts(self, hand: HandKey, scores: NDArray[np.int64], weight: int) -> str:
        counts = key_counts(np.array([hand], np.uint64))[0]
        ranks = np.repeat(np.array(self.ranks), counts).tolist()
        held = {rank: ranks.count(rank) for rank in ranks}
        facts = [f"held({rank})." for rank in held]
        facts += [f"card({index},{rank})." for index, rank in enumerate(ranks)]
        facts += [
            f"score({index},{tag},{score})." for index in range(len(ranks)) for tag, score in enumerate(scores[index])
        ]
        for form, tag, needs, price in self.pieces:
            if all(held.get(rank, 0) >= cards for rank, cards in needs):
                facts += [f"piece({form},{tag}).", f"price({form},{price * weight})."]
                facts += [f"needs({form},{rank},{cards})." for rank, cards in needs]
        return " ".join(facts)
