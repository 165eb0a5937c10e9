"""The course of a random folder: stages before play, fluents, points and the end."""

from __future__ import annotations

from tests.fuzz.draft import FLUENTS, GAME, POINTS, RULES, STAGES, TRICKS, Draft


def write_course(draft: Draft) -> None:
    """Write the leader, stages, fluents, points, preferences and other facts."""
    leads = "leads(" in "".join(draft.files[GAME]) or "<opening>" in "".join(draft.files[GAME])
    if draft.has(STAGES):
        leads = _write_stages(draft, leads)
    if not leads:
        draft.say(GAME, f"leads({draft.random.randrange(draft.seats)}).")
    if draft.has(FLUENTS):
        _write_fluents(draft)
    _write_end(draft)
    _write_rest(draft)


def _write_stages(draft: Draft, leads: bool) -> bool:
    draft.say(GAME, "#external event(choice). #external by(S) : seat(S).")
    draft.say(GAME, "mine(C) :- have(C,1), pack(C,_).")
    kinds = [_bid, _keep, _give, *([] if draft.all_dealt else [_bury])]
    for stage in draft.random.sample(kinds, draft.one_of((1, 1, 2))):
        leads = stage(draft, leads)
        draft.after = "buried, " if stage is _bury else f"has{stage.__name__}(U) : seat(U); "
    return leads


def _turns(draft: Draft, stage: str, done: str) -> None:
    """Write a stage in which each seat chooses once, from seat 0 on, after the earlier stages."""
    draft.say(GAME, f"#external stage({stage}). has_{stage}(S) :- {done}.")
    draft.say(GAME, f"asks({stage},S) :- {draft.after}seat(S), not has_{stage}(S), has_{stage}(T) : seat(T), T < S.")


def _bid(draft: Draft, leads: bool) -> bool:
    most = draft.random.randint(1, 3)
    _turns(draft, "bid", "bids(S,_)")
    draft.say(GAME, f"one(bids,2). #external bids(S,N) : seat(S), N = 0..{most}.")
    draft.say(GAME, f"option(bid(N)) :- stage(bid), N = 0..{most}. #external chosen(bid(N)) : N = 0..{most}.")
    draft.say(GAME, "next(bids(S,N)) :- event(choice), stage(bid), by(S), chosen(bid(N)).")
    if not leads:
        draft.say(GAME, "lower_bid(S) :- bids(S,N), bids(T,M), M > N. lower_bid(S) :- bids(S,N), bids(T,N), T < S.")
        draft.say(GAME, "leads(S) :- bids(S,_), not lower_bid(S).")
    return True


def _keep(draft: Draft, leads: bool) -> bool:
    _turns(draft, "keep", "kept(S,_)")
    draft.say(GAME, "may_keep(none). may_keep(C) :- pack(C,_). #external kept(S,C) : seat(S), may_keep(C).")
    draft.say(GAME, "one(kept,2). private(kept,2). secret(keep). option(C) :- stage(keep), mine(C).")
    draft.say(GAME, "option(none) :- stage(keep). #external chosen(C) : may_keep(C).")
    draft.say(GAME, "next(kept(S,C)) :- event(choice), stage(keep), by(S), chosen(C), may_keep(C).")
    return leads


def _give(draft: Draft, leads: bool) -> bool:
    """Write a stage in which each seat gives a card, or none, to the next one."""
    _turns(draft, "give", "given(S,1)")
    draft.say(GAME, "count(given,2). #external given(S,N) : seat(S), N = 1. option(C) :- stage(give), mine(C).")
    draft.say(GAME, "option(none) :- stage(give). #external chosen(C) : pack(C,_). #external chosen(none).")
    draft.say(GAME, "adds(given(S),1,now) :- event(choice), stage(give), by(S).")
    draft.say(GAME, "passes(S,T,C) :- event(choice), stage(give), by(S), next(S,T), chosen(C), pack(C,_).")
    return leads


def _bury(draft: Draft, leads: bool) -> bool:
    """Write a stage in which a seat may take the cards aside and buries a card, or none."""
    who = draft.random.randrange(draft.seats)
    draft.say(GAME, "#external stage(bury). #external stage(take). any(taken,0). #external taken.")
    draft.say(GAME, f"any(buried,0). #external buried. asks(take,{who}) :- {draft.after}not taken.")
    draft.say(GAME, f"asks(bury,{who}) :- taken, not buried. option(yes) :- stage(take). option(no) :- stage(take).")
    draft.say(GAME, "#external chosen(yes). #external chosen(no).")
    draft.say(GAME, f"takes_aside({who}) :- event(choice), stage(take), chosen(yes).")
    draft.say(GAME, "next(taken) :- event(choice), stage(take). next(buried) :- event(choice), stage(bury).")
    draft.say(GAME, "option(none) :- stage(bury). option(C) :- stage(bury), mine(C).")
    draft.say(GAME, "#external chosen(C) : pack(C,_). #external chosen(none).")
    draft.say(GAME, f"lays_aside({who},C) :- event(choice), stage(bury), chosen(C), pack(C,_).")
    return leads


def _write_fluents(draft: Draft) -> None:
    """Write one or two fluents: barred plays of the last height, counted plays, a play that ends the trick, a level."""
    kinds = [_last, _counted, _lasting, *([] if draft.has(TRICKS) else [_cut])]
    for fluent in draft.random.sample(kinds, draft.random.randint(1, 2)):
        fluent(draft)


def _last(draft: Draft) -> None:
    draft.say(GAME, "one(last,1). #external last(P) : height(_,P). #external event(play). #external event(trick).")
    draft.say(GAME, "#external lays(F) : form(_,F). next(last(P)) :- event(play), lays(F), height(F,P).")
    draft.say(GAME, "drop(last(P)) :- event(trick), last(P).")
    draft.say(RULES, "#external last(P) : height(_,P). barred(F) :- height(F,P), last(P), not kind(F,single).")


def _counted(draft: Draft) -> None:
    draft.say(GAME, "count(turns_of,2). #external turns_of(S,N) : seat(S), N = 1..4. #external event(play).")
    draft.say(GAME, "#external acted(S) : seat(S). #external asked(S) : seat(S).")
    draft.say(GAME, "adds(turns_of(S),1,now) :- event(play), acted(S).")
    draft.say(GAME, "barred(F) :- height(F,_), not kind(F,single), asked(S), turns_of(S,3).")


def _cut(draft: Draft) -> None:
    rank = draft.one_of(draft.ranks)
    draft.say(GAME, "any(cut,0). #external cut. #external event(play). #external event(trick).")
    draft.say(GAME, f"next(cut) :- event(play), lays(F), kind(F,single), height(F,{rank}).")
    draft.say(GAME, "#external lays(F) : form(_,F). drop(cut) :- event(trick). trick_over :- cut.")


def _lasting(draft: Draft) -> None:
    draft.say(GAME, "one(stage_of,2). lasts(stage_of,match). init(stage_of(S,1)) :- seat(S). #external event(end).")
    draft.say(GAME, "#external stage_of(S,N) : seat(S), N = 1..3. #external finish(P,S) : P = 1, seat(S).")
    draft.say(GAME, "next(stage_of(S,N+1)) :- event(end), finish(1,S), stage_of(S,N), N < 3.")
    draft.say(GAME, "#external asked(S) : seat(S).")
    draft.say(GAME, "barred(F) :- height(F,P), P > 4, not kind(F,single), asked(S), stage_of(S,3).")


def _write_end(draft: Draft) -> None:
    """Write points and matches of several episodes; without points the first seat without cards wins the match."""
    draft.say(GAME, "#external finish(P,S) : P = 1, seat(S).")
    if not draft.has(POINTS):
        draft.say(GAME, "won(S) :- finish(1,S). match_over.")
        return
    ways = [_by_cards_left, _by_card_held, *([_by_tricks] if draft.has(TRICKS) else [])]
    for way in draft.random.sample(ways, draft.random.randint(1, 2)):
        way(draft)
    if draft.chance(0.3):
        draft.say(GAME, "count(games,1). lasts(games,match). #external games(N) : N = 1..3. #external event(end).")
        draft.say(GAME, "adds(games,1,played) :- event(end). match_over :- games(1).")
    else:
        draft.say(GAME, "match_over.")


def _by_cards_left(draft: Draft) -> None:
    draft.say(GAME, f"#external stuck(S,N) : seat(S), N = 1..{sum(draft.cards.values())}.")
    draft.say(GAME, "points(S,-1,left(N)) :- stuck(S,N). points(S,3,first) :- finish(1,S).")


def _by_card_held(draft: Draft) -> None:
    card = draft.one_of(list(draft.cards))
    draft.say(GAME, f"#external holds(S,C,1) : seat(S), pack(C,_). points(S,-2,caught) :- holds(S,{card},1).")
    draft.say(GAME, "points(S,1,first) :- finish(1,S).")


def _by_tricks(draft: Draft) -> None:
    draft.say(GAME, "count(pile,2). #external pile(S,N) : seat(S), N = 1..20. #external event(trick).")
    draft.say(GAME, "#external in_trick(S,C,N) : seat(S), rank(C), N = 1. worth(C,1) :- pack(C,_).")
    draft.say(GAME, "adds(pile(S),1,C) :- event(trick), takes(S), in_trick(_,C,1). points(S,1,N) :- pile(S,N).")


def _write_rest(draft: Draft) -> None:
    """Write facts for other modules: preferences, open hands, and the number of recent plays."""
    if draft.chance(0.3):
        draft.say(GAME, 'preference(keep,p). says(keep,en,"Keep {1}."). says(keep,zh,"留{1}。").')
        draft.say(GAME, "#external play(L) : label(L). cost(keep(R),R) :- play(L), form(L,F), height(F,R).")
        draft.say(GAME, 'preference(out,p). says(out,en,"{1} are out."). says(out,zh,"{1}张在外。").')
        draft.say(GAME, "#external unseen(R,N) : rank(R), N = 1..2. cost(out(R),-1) :- unseen(R,2), play(pass).")
    if draft.chance(0.1):
        draft.say(GAME, "open_hands.")
    if draft.chance(0.1):
        draft.say(GAME, f"recent({draft.random.randint(1, 9)}).")
