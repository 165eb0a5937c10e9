"""A small game as text."""

from tests.games.notation.folders import SETS

GIFTS = (
    """
% Three seats; two cards lie aside; each seat may say that it holds a three, and is believed; habits are read.
#include <seats>.
#include <climbing>.
seat(0..2).
rank(1..5).
pack(R,4) :- rank(R).
deals(S,6) :- seat(S).
leads(0) :- not asks(_,_).

#external said(S,R) : seat(S), R = (none;3).
#external round(N) : N = 1..3.
#external event(E) : E = (match;deal;choice;play;pass;trick;end).
#external stage(claim).
#external by(S) : seat(S).
#external chosen(C) : C = (none;3).
one(said,2). count(round,1). lasts(round,match).
adds(round,1,played) :- event(end).
asks(claim,0) :- not said(0,_), not round(3).
option(none) :- stage(claim).
option(3) :- stage(claim), held(3,1).
next(said(S,C)) :- event(choice), stage(claim), by(S), chosen(C).

has(S,3,1)   :- said(S,3).
lacks(S,3,1) :- said(S,none).
lacks(1,5,2) :- round(2).

#external laid(K,R) : K = 1..2, rank(R).
#external led(K,P) : K = 1..2, rank(P).
#external passed_over(K,P) : K = 1..2, rank(P).
#external holding(N) : N = 1..6.
hint(rest,all). says(rest,en,"rest").
hint(high,all). says(high,en,"high").
hint(low,all). says(low,en,"low").
hint(last,all). says(last,en,"last").
belief(rest(R),R,-20) :- laid(1,R).
belief(high(R),R,-7)  :- passed_over(1,P), rank(R), P < R.
belief(low(R),R,3)    :- led(K,P), rank(R), R < P, K = 1..2.
belief(last,5,10)     :- not holding(2).

over :- out(_).
#external finish(P,S) : P = 1..3, seat(S).
points(S,1,won) :- finish(1,S).
match_over :- round(2).

#external left(R,N) : rank(R), N = 1..4.
#external play(L) : label(L).
#external plays_left(N) : N = 1..6.
#external estimated(W,R,N) : who(W), rank(R), N = 1..4.
#external chooses(C) : C = (none;3).
preference(pass,all). says(pass,en,"pass").
preference(keep,all). says(keep,en,"keep").
preference(long,all). says(long,en,"long").
preference(feared,all). says(feared,en,"feared").
preference(quiet,all). says(quiet,en,"quiet").
preference(given,all). says(given,en,"given").
cost(pass,1) :- play(pass).
cost(keep(R),R) :- left(R,2), play(set(_,_)).
cost(long(N),10) :- plays_left(N).
cost(feared(W,R),5) :- play(set(R,1)), estimated(W,R,1).
cost(quiet,3) :- chooses(3), stage(claim).
cost(given,7) :- chooses(3), held(3,1), not left(3,1).
"""
    + SETS
)

LONG_RUNS = """
% Three packs and wild twos: the cards that one seat does not hold make millions of long runs.
#include <pack52>.
#include <seats>.
#include <climbing>.
#include <wilds>.
packs(3).
seat(0..3).
deals(S,26) :- seat(S).
leads(0).
over :- out(_).
points(S,1,won) :- finish(1,S).
#external finish(P,S) : P = 1..4, seat(S).
acts_as(card(two,T),(wild;card(two,T))) :- T = (d;h).
acts_as(card(R,T),R) :- pack(card(R,T),_), not acts_as(card(R,T),wild).
label(single(R)) :- rank(R).
label(run(R,L)) :- rank(R), L = 10..12, R+L <= two.
label(pass).
form(L,L) :- label(L).
kind(single(R),single) :- rank(R).
kind(run(R,L),run(L)) :- label(run(R,L)).
kind(pass,pass).
needs(single(R),1,R,1) :- rank(R).
needs(run(R,L),I,R+I-1,1) :- label(run(R,L)), I = 1..L.
wilds(single(two),1).
wilds(run(R,L),2) :- label(run(R,L)).
strength(single(R),R) :- rank(R).
strength(run(R,L),R) :- label(run(R,L)).
"""
