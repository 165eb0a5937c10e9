"""Plays of a random folder: playable forms, their strengths, and tricks."""

from __future__ import annotations

from tests.fuzz.draft import FLUENTS, GAME, KICKERS, LABELS, OPENINGS, ROLES, RULES, STAR, SUITS, TRICKS, Draft

_PLAYABLE = """
#defined wilds/2. #defined wilds/3. #defined natural/3. #defined only/3. #defined same_suit/2. #defined mixed_suits/1.
#defined kickers/3. #defined carries/3. #defined misread/3. #defined apart/1.
shape(F) :- form(_,F), F != pass.
gap(F,P,I) :- shape(F), needs(F,P,C,N), not only(F,P,_), not same_suit(F,_), I = 1..N, not have(C,I).
gap(F,P,I) :- shape(F), needs(F,P,_,N), only(F,P,K), I = 1..N, not have(K,I).
gap(F,P,1) :- shape(F), needs(F,P,C,_), same_suit(F,T), not have(card(C,T),1).
blocked(F) :- natural(F,C,K), needs(F,_,C,_), not have(C,K).
can(F) :- shape(F), not gap(F,_,_), not wilds(F,_,_).
"""
_WILD = """
may(F,1,W) :- wilds(F,W).
may(F,L,W) :- wilds(F,L,W).
can(F) :- may(F,L,W), not blocked(F), wild(K), L <= K, K <= W, #count { P,I : gap(F,P,I) } <= K.
"""
_MIXED = """
several(F,two) :- mixed_suits(F), needs(F,P,R,_), needs(F,Q,U,_), P < Q, held(R,T,1), held(U,V,1), T != V.
several(F,two) :- mixed_suits(F), needs(F,P,R,N), N > 1, held(R,T,1), held(R,V,1), T < V.
playable(F) :- can(F), mixed_suits(F), several(F,two).
"""
_CARRIED = """
last_rank(R) :- R = #max { Q : rank(Q) }.
shut(F,C) :- misread(F,C,_), leading.
shut(F,C) :- apart(F), last_rank(C).
beside(F,C,M) :- carries(F,C,_), M = #sum { N,P : needs(F,P,C,N) }.
spares(F,C,K) :- carries(F,C,K), beside(F,C,M), kickers(F,_,S), have(C,M+K*S), not shut(F,C).
playable(F) :- can(F), kickers(F,G,_), #count { C,K : spares(F,C,K) } >= G.
"""


def write_play(draft: Draft) -> None:
    """Write the playable forms, their strengths, and the fluents that change them."""
    _write_hand(draft)
    draft.say(RULES, _PLAYABLE)
    if draft.wild:
        draft.say(RULES, _WILD)
    if draft.has(SUITS):
        draft.say(RULES, _MIXED)
    if draft.has(KICKERS):
        draft.say(RULES, _CARRIED)
    draft.say(RULES, "playable(F) :- can(F), not kickers(F,_,_), not mixed_suits(F). playable(pass).")
    if draft.has(TRICKS):
        _write_tricks(draft)
    else:
        _write_climbing(draft)
    _write_strengths(draft)
    if draft.has(OPENINGS):
        _write_opening(draft)


def _write_hand(draft: Draft) -> None:
    """Write ``have/2``: at least N cards of the hand act as a cell."""
    most = max(draft.dealt)
    words = [*draft.roles, *(card for card in draft.extra if card == STAR or draft.natural_joker)]
    flat = "rank(C)" if not words else "flat(C)"
    if words:
        draft.say(RULES, "flat(C) :- rank(C). " + " ".join(f"flat({word})." for word in words))
    draft.say(RULES, f"#external held(C,N) : {flat}, N = 1..{most}. have(C,N) :- held(C,N).")
    if draft.suits:
        draft.say(RULES, f"#external held(R,T,N) : rank(R), suit(T), N = 1..{draft.copies}.")
        draft.say(RULES, "have(card(R,T),N) :- held(R,T,N).")
    if draft.wild:
        draft.say(RULES, f"#external wild(N) : N = 1..{most}. have(wild,N) :- wild(N).")


def _write_climbing(draft: Draft) -> None:
    order = "digits" if draft.chance(0.15) and "tier(" not in "".join(draft.files[LABELS]) else "order"
    draft.say(GAME, f"#include <seats>. #include <{order}>. #include <turns>. over :- out(_).")
    draft.files["digits"] = ["yes"] if order == "digits" else []
    if draft.chance(0.15):
        draft.say(RULES, "#include <duty>.")
    if draft.chance(0.2):
        draft.say(GAME, draft.one_of(("locks.", "next_leader(lowest).")))


def _write_tricks(draft: Draft) -> None:
    """Write tricks in which each seat acts once, and the last play or the highest rank takes the trick."""
    draft.say(GAME, "#include <seats>. over :- out(_).")
    for name in ("acted", "owner", "leader", "out"):
        draft.say(GAME, f"#external {name}(S) : seat(S).")
    draft.say(GAME, "trick_over :- acted(S), next(S,T), leader(T).")
    draft.say(GAME, "turn(T) :- acted(S), next(S,T), not trick_over. turn(S) :- trick_over, owner(S).")
    draft.say(RULES, "#defined barred/1. #external leading. #external to_beat(F) : form(_,F), F != pass.")
    draft.say(RULES, "move(F) :- playable(F), F != pass, leading, not barred(F). legal(L) :- form(L,F), move(F).")
    draft.say(RULES, "move(F) :- playable(F), to_beat(G), kind(F,K), kind(G,K), F != pass, not barred(F).")
    draft.say(RULES, "move(pass) :- not leading, not barred(pass).")
    draft.say(GAME, f"#external in_trick(S,N) : seat(S), N = 1..{max(draft.dealt)}. laid(S) :- in_trick(S,1).")
    how = draft.one_of(("last", "highest", "composed"))
    if how == "composed" and not {KICKERS, SUITS, ROLES} & draft.constructs:
        _write_composed(draft)
    if how == "last":
        draft.say(GAME, "#external lays(F) : form(_,F). goes_over(S) :- acted(S), lays(F), F != pass, laid(S).")
        draft.say(GAME, "takes(S) :- goes_over(S).")
        draft.say(GAME, "takes(S) :- owner(S), laid(S), not goes_over(T) : seat(T).")
        draft.say(GAME, "takes(S) :- leader(S), owner(T), not laid(T), not goes_over(U) : seat(U).")
        return
    draft.say(GAME, "#external in_trick(S,C,N) : seat(S), rank(C), N = 1.")
    draft.say(GAME, "reaches(S,C) :- in_trick(S,C,1). reaches(S,0) :- laid(S).")
    draft.say(GAME, "place(S,0) :- leader(S). place(T,D+1) :- place(S,D), next(S,T), seats(N), D < N-1.")
    draft.say(GAME, "top(S,C) :- reaches(S,C), not more_than(S,C).")
    draft.say(GAME, "more_than(S,C) :- reaches(S,C), reaches(S,D), D > C.")
    draft.say(GAME, "less(S) :- top(S,C), top(T,D), C < D.")
    draft.say(GAME, "less(S) :- top(S,C), top(T,C), place(S,D), place(T,E), E < D. takes(S) :- laid(S), not less(S).")


def _write_composed(draft: Draft) -> None:
    """Write plays of two cards, laid one after the other."""
    draft.composed = True
    draft.files[LABELS] = [
        "label(pass). kind(pass,pass). form(L,L) :- label(L).",
        "label(single(R)) :- rank(R). kind(single(R),single) :- rank(R). height(single(R),R) :- rank(R).",
        "needs(single(R),1,R,1) :- rank(R).",
    ]
    if STAR in draft.extra:
        draft.say(LABELS, f"label(single({STAR})). kind(single({STAR}),single). height(single({STAR}),0).")
        draft.say(LABELS, f"needs(single({STAR}),1,{STAR},1).")
    if draft.wild:
        draft.say(LABELS, "wilds(single(R),1) :- rank(R).")
    draft.say(GAME, "composes(2). more :- acted(S), in_trick(S,1), not in_trick(S,2).")
    draft.say(GAME, "#external in_trick(S,N) : seat(S), N = 1..2.")
    draft.say(RULES, "move(F) :- playable(F), F != pass, not barred(F).")
    draft.say(RULES, "barred(pass) :- move(F), F != pass.")


def _write_strengths(draft: Draft) -> None:
    strength = "({0},0)" if draft.files.pop("digits", []) else "{0}"
    if draft.has(FLUENTS) and draft.chance(0.5):
        draft.say(GAME, "any(revolution,0). #external revolution. #external event(play).")
        draft.say(GAME, "#external lays(F) : form(_,F).")
        draft.say(GAME, "turns(F) :- height(F,P), P \\ 3 = 0, not kind(F,single).")
        draft.say(GAME, "next(revolution) :- event(play), lays(F), turns(F), not revolution.")
        draft.say(GAME, "drop(revolution) :- event(play), lays(F), turns(F), revolution.")
        draft.say(RULES, f"strength(F,{strength.format('P')}) :- height(F,P), not revolution.")
        draft.say(RULES, f"strength(F,{strength.format('0-P')}) :- height(F,P), revolution.")
    else:
        draft.say(RULES, f"strength(F,{strength.format('P')}) :- height(F,P).")


def _write_opening(draft: Draft) -> None:
    """Write a card that the first play must include, by the common file or by own rules."""
    card = draft.one_of([kind for kind in draft.cards if kind not in draft.extra])
    whole = draft.all_dealt and not draft.composed
    if draft.suits and whole and draft.copies == 1 and not draft.level and draft.chance(0.5):
        rank, suit = card[5:-1].split(",")
        draft.say(GAME, f"#include <opening>. opens({rank},{suit}).")
        return
    draft.say(RULES, "#external acts(N) : N = 1. #external leading.")
    first = draft.one_of(("not acts(1)", "not acts(1)", f"have({card},2)" if draft.copies > 1 else "not acts(1)"))
    draft.say(RULES, f"includes({card}) :- leading, {first}, have({card},1).")
    if draft.suits and not draft.composed and draft.chance(0.3):
        rank = card[5:-1].split(",")[0]
        other = draft.one_of([kind for kind in draft.cards if kind.startswith(f"card({rank},") and kind != card])
        if "set(R,2)" in "".join(draft.files[LABELS]):
            both = f"have({card},1), have({other},1), not barred(set({rank},2))"
            draft.say(RULES, f"includes({other}) :- leading, {first}, {both}. #defined barred/1.")
    if draft.all_dealt and draft.copies == 1 and not draft.wild:
        draft.say(GAME, f"#external holds(S,C,1) : seat(S), pack(C,_). leads(S) :- holds(S,{card},1).")
