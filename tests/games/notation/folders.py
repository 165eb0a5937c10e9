"""Small rule folders as texts for the tests of notation."""

from __future__ import annotations

from pathlib import Path

from abl_cards.games.compiled import CompiledGame, compile_game
from abl_cards.games.description.folder import Folder

SETS = """
label(set(R,N)) :- rank(R), N = 1..2.
label(pass).
order(set(R,N),(N,R)) :- rank(R), N = 1..2.
order(pass,(9,0)).
form(L,L) :- label(L).
kind(set(R,N),N) :- form(_,set(R,N)).
kind(pass,pass).
needs(set(R,N),1,R,N) :- form(_,set(R,N)).
strength(set(R,N),R) :- form(_,set(R,N)).
#external held(R,N) : rank(R), N = 1..2.
playable(set(R,N)) :- form(_,set(R,N)), held(R,N).
playable(pass).
"""
"""Game of singles and pairs."""

AUCTION = (
    """
% Two seats bid for three cards that nobody has seen; who wins them buries three others.
#include <seats>.
#include <climbing>.
seat(0..1).
rank(1..6). rank(7).
pack(R,2) :- rank(R), R < 7.
pack(joker,1).
letter(joker,"J").
acts_as(R,R) :- rank(R), R < 7.
acts_as(joker,7).
deals(S,5) :- seat(S).
leads(S) :- highest(S), not asks(_,_).

#external bid(S,N) : seat(S), N = 0..2.
#external buried(N) : N = 1..3.
#external event(E) : E = (match;deal;choice;play;pass;trick;end).
#external stage(St) : St = (auction;bury).
#external by(S) : seat(S).
#external chosen(C) : C = (bid(0..2)).
#external chosen(C) : pack(C,_).
one(bid,2). count(buried,1).

asks(auction,0) :- not bid(0,_).
asks(auction,1) :- bid(0,_), not bid(1,_).
option(bid(0)) :- stage(auction).
option(bid(N)) :- stage(auction), N = 1..2, not bid(0,M) : M = N..2.
next(bid(S,N)) :- event(choice), stage(auction), by(S), chosen(bid(N)).
highest(0) :- bid(0,M), bid(1,N), M > N.
highest(1) :- bid(0,M), bid(1,N), N > M.
deal_again :- bid(0,0), bid(1,0).

won_by(1) :- event(choice), stage(auction), by(1), chosen(bid(N)), bid(0,M), N > M.
won_by(0) :- event(choice), stage(auction), by(1), chosen(bid(N)), bid(0,M), M > N.
takes_aside(S) :- won_by(S).
asks(bury,S) :- highest(S), not buried(3).
#external held(C,N) : pack(C,_), N = 1..2.
option(C) :- stage(bury), pack(C,_), held(C,1).
option(joker) :- stage(bury), held(7,1).
lays_aside(S,C) :- event(choice), stage(bury), by(S), chosen(C), pack(C,_).
adds(buried,1,laid) :- event(choice), stage(bury).

#external out(S) : seat(S).
over :- out(_).
#external finish(P,S) : P = 1..2, seat(S).
points(S,1,won) :- finish(1,S).
points(S,-1,lost) :- finish(2,S).
match_over.
"""
    + SETS
)

WILD = """
% Three seats, two packs, a wild card: what is laid down may be two things.
#include <seats>.
#include <climbing>.
seat(0..2).
packs(2).
rank(3..6).
suit(a;b).
pack(card(R,S),1) :- rank(R), suit(S).
pack(star,1).
letter(star,"*"). letter(a,"A"). letter(b,"B").
acts_as(star,wild).
acts_as(card(R,S),R) :- pack(card(R,S),_).
deals(S,6) :- seat(S).
leads(0).
label(single(R)) :- rank(R).
label(run(R)) :- rank(R), R < 6.
label(pass).
order(single(R),(1,R)) :- rank(R).
order(run(R),(2,R)) :- rank(R), R < 6.
order(pass,(3,0)).
form(L,L) :- label(L).
kind(single(R),1) :- rank(R).
kind(run(R),2) :- rank(R), R < 6.
kind(pass,pass).
needs(single(R),1,R,1) :- rank(R).
needs(run(R),1,R,1) :- rank(R), R < 6.
needs(run(R),2,R+1,1) :- rank(R), R < 6.
wilds(run(R),1) :- rank(R), R < 6.
strength(single(R),R) :- rank(R).
strength(run(R),R) :- rank(R), R < 6.
#external held(R,N) : rank(R), N = 1.
#external wild(N) : N = 1.
playable(single(R)) :- held(R,1).
playable(run(R)) :- held(R,1), held(R+1,1), R < 6.
playable(run(R)) :- held(R,1), wild(1), R < 6.
playable(run(R)) :- held(R+1,1), wild(1), rank(R).
playable(pass).
some :- held(_,1).
move(pass) :- leading, not some.
over :- out(_).
match_over.
"""

WATCHFUL = (
    """
% Four seats that have to look at one another: sizes, what has gone, how often anybody acted, and what is remembered.
#include <seats>.
#include <climbing>.
seat(0..3).
rank(1..6).
pack(R,4) :- rank(R).
deals(S,6) :- seat(S).
leads(1).
#external cards(W,N) : who(W), N = 1..6.
#external unseen(R,N) : rank(R), N = 1..4.
#external acts(N) : N = 1..9.
#external round(N) : N = 1..3.
#external turned.
count(round,1). any(turned,0).
barred(set(R,1)) :- cards(next,1), not cards(next,2), unseen(Q,1), Q > R, rank(R), not leading.
barred(set(R,2)) :- not acts(1), rank(R).
barred(set(1,1)) :- round(2), not leading.
barred(set(2,1)) :- turned, not leading.
over :- #count { S : out(S) } >= 3.
match_over.
"""
    + SETS
)

JUDGING = (
    """
% Four seats whose preferences, and no other rule, look at all that everybody sees; points hang on plays and places.
#include <seats>.
#include <climbing>.
seat(0..3).
member(S,S\\2) :- seat(S).
rank(1..6).
pack(R,4) :- rank(R).
deals(S,6) :- seat(S).
leads(1).
#external asked(S) : seat(S).
#external acted(S) : seat(S).
#external owner(S) : seat(S).
#external passed(S) : seat(S).
#external has_passed(S) : seat(S).
#external out(S) : seat(S).
#external acts(N) : N = 1..40.
#external gone(R,N) : rank(R), N = 1..4.
#external holding(N) : N = 1..6.
#external cards(W,N) : who(W), N = 1..6.
#external top(W) : who(W).
#external banner(R) : rank(R).
one(banner,1).
next(banner(2)) :- event(deal).
#external event(E) : E = (deal;play).
preference(seen,seen). says(seen,en,"{1}"). says(seen,zh,"{1}").
cost(seen(asked(S)),S) :- asked(S).
cost(seen(acted(S)),10*S) :- acted(S).
cost(seen(owner(S)),20*S) :- owner(S).
cost(seen(passed(S)),30+S) :- passed(S).
cost(seen(has_passed(S)),40+S) :- has_passed(S).
cost(seen(out(S)),50+S) :- out(S).
cost(seen(acts(N)),1) :- acts(N).
cost(seen(gone(R,N)),R) :- gone(R,N).
cost(seen(holding(N)),1) :- holding(N).
cost(seen(cards(W,N)),1) :- cards(W,N).
cost(seen(top(W)),7) :- top(W).
cost(seen(banner(R)),R) :- banner(R).
over :- #count { S : out(S) } >= 3.
#external finish(P,S) : P = 1..4, seat(S).
#external laid_down(S,N) : seat(S), N = 3.
points(S,2,first) :- finish(1,S).
points(S,2,first) :- finish(1,T), T != S, T\\2 = S\\2, seat(S).
points(S,-2,first) :- finish(1,T), T\\2 != S\\2, seat(S).
points(S,1,busy) :- laid_down(0,3), seat(S), S\\2 = 0.
points(S,-1,busy) :- laid_down(0,3), seat(S), S\\2 = 1.
match_over.
"""
    + SETS
)

FACES = (
    """
% Two seats with open hands.
#include <seats>.
#include <climbing>.
seat(0..1).
rank(1..6).
pack(R,2) :- rank(R).
deals(S,6) :- seat(S).
leads(0).
open_hands.
#external face_up(W,R,N) : who(W), rank(R), N = 1..2.
barred(set(R,1)) :- not leading, face_up(next,R,1).
over :- out(_).
match_over.
"""
    + SETS
)

TRICKS_WITH_PASSES = (
    """
% Tricks in which seats may pass, but not after a pass, nor first when they acted last: who laid most, and last, takes.
#include <seats>.
seat(0..2).
rank(1..6).
pack(R,3) :- rank(R).
deals(S,6) :- seat(S).
leads(0).
#external acted(S) : seat(S).
#external owner(S) : seat(S).
#external leader(S) : seat(S).
#external out(S) : seat(S).
#external passed(S) : seat(S).
#external in_trick(S,N) : seat(S), N = 1.
#external asked(S) : seat(S).
#external leading.
trick_over :- acted(S), next(S,T), leader(T).
turn(T) :- acted(S), next(S,T), not trick_over.
turn(S) :- trick_over, owner(S).
#external lays(F) : form(_,F).
laid(S) :- in_trick(S,1).
goes_over(S) :- acted(S), lays(F), F != pass, laid(S).
takes(S) :- goes_over(S).
takes(S) :- owner(S), laid(S), not goes_over(T) : seat(T).
takes(S) :- leader(S), owner(T), not laid(T), not goes_over(U) : seat(U).
may_pass :- not leading, not passed(S) : seat(S).
may_pass :- leading, acted(S), not asked(S).
move(F) :- playable(F), F != pass.
move(pass) :- may_pass.
legal(L) :- form(L,F), move(F).
over :- out(_).
match_over.
"""
    + SETS
)


def rules_of(path: Path, text: str) -> CompiledGame:
    """Return the rules of a folder with this text as its only file."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "game.lp").write_text(text, encoding="utf-8")
    return compile_game(Folder(path), cache=False)


def sets(head: str, copies: int) -> str:
    """Return a game of sets of equal ranks with additional facts."""
    return f"""
{head}
#include <seats>.
#include <climbing>.
#include <pay>.
price(N,N) :- N = 1..4.
label(set(R,N)) :- rank(R), N = 1..{copies}.
label(pass).
form(L,L) :- label(L).
kind(set(R,N),N) :- label(set(R,N)).
kind(pass,pass).
needs(set(R,N),1,R,N) :- label(set(R,N)).
strength(set(R,N),R) :- label(set(R,N)).
#external held(R,N) : rank(R), N = 1..{copies}.
playable(set(R,N)) :- label(set(R,N)), held(R,N).
playable(pass).
"""
