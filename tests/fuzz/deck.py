"""Pack of a random folder: cards, their cells, and the deal."""

from __future__ import annotations

from tests.fuzz.draft import GAME, JOKER, KICKERS, OPENINGS, ROLES, STAR, SUITS, TRICKS, WILDS, Draft

MOST_HAND = 9
"""Most cards that a seat is dealt, because the naive reading tries all subsets."""
MOST_OF_A_ROLE = {1: 8, 2: 6, 3: 4, 4: 3}
"""Most kinds of cards that act as one cell, by copies; check refuses cells with very many combinations."""
_BOTH = 0.3  # share of folders with jokers: a joker that is wild and natural


def write_deck(draft: Draft) -> None:
    """Write the cards, their cells, and the deal."""
    _draw_cards(draft)
    _write_cards(draft)
    if draft.has(WILDS):
        _write_wilds(draft)
    if draft.has(ROLES):
        _draw_roles(draft)
    if draft.wild or draft.roles or draft.chance(0.2):
        _write_roles(draft)
    draft.widest = max(1, len(draft.suits), draft.widest)
    _write_deal(draft)


def _draw_cards(draft: Draft) -> None:
    suited = draft.has(SUITS) or draft.chance(0.5)
    draft.seats = draft.random.randint(2, 4)
    draft.all_dealt = draft.has(OPENINGS) and draft.chance(0.6)
    if suited:
        draft.suits = tuple("abcd"[: draft.one_of((2, 3, 4, 4))])
        draft.ranks = tuple(range(1, 1 + draft.random.randint(4, 8 - len(draft.suits) // 2)))
        draft.copies = 2 if len(draft.suits) == 2 and draft.chance(0.3) else 1
    else:
        draft.ranks = tuple(range(1, 1 + draft.random.randint(5, 7)))
        draft.copies = draft.random.randint(3, 4)
    if draft.has(WILDS) and (draft.chance(0.6) or not suited):
        draft.extra[JOKER] = draft.random.randint(1, 2)
    if draft.chance(0.2):
        draft.extra[STAR] = draft.random.randint(1, 2)


def _write_cards(draft: Draft) -> None:
    first, last = draft.ranks[0], draft.ranks[-1]
    draft.say(GAME, f"rank({first}..{last}).")
    if draft.suits:
        draft.say(GAME, " ".join(f"suit({suit})." for suit in draft.suits))
        per_pack = 1 if draft.copies == 2 else draft.copies
        draft.say(GAME, f"pack(card(R,T),{per_pack}) :- rank(R), suit(T).")
        if draft.copies == 2:
            draft.say(GAME, "packs(2).")
            draft.extra = dict.fromkeys(draft.extra, 2)
    else:
        draft.say(GAME, f"pack(R,{draft.copies}) :- rank(R).")
    for card, copies in draft.extra.items():
        draft.say(GAME, f"pack({card},{copies // 2 if draft.suits and draft.copies == 2 else copies}).")
    if draft.chance(0.15):
        kinds = list(draft.cards)
        draft.random.shuffle(kinds)
        draft.say(GAME, " ".join(f"index({card},{place})." for place, card in enumerate(kinds)))
    if draft.suits and draft.chance(0.15):
        order = draft.random.sample(draft.suits, len(draft.suits))
        draft.say(GAME, " ".join(f"hand_order({suit},{place})." for place, suit in enumerate(order)))


def _write_wilds(draft: Draft) -> None:
    draft.wild = True
    if JOKER in draft.extra:
        draft.say(GAME, f"is_wild({JOKER}).")
    if JOKER not in draft.extra or draft.chance(0.3):
        draft.level = not draft.suits or draft.chance(0.6)
        card = "card(R,a)" if draft.suits else "R"
        if draft.level:
            ranks = len(draft.ranks)
            draft.say(GAME, f"is_wild({card}) :- rank(R), level(R).")
            draft.say(GAME, f"one(level,1). lots(turned,{ranks}). #external level(R) : rank(R).")
            draft.say(GAME, f"#external lot(turned,I) : I = 0..{ranks - 1}. #external event(deal).")
            draft.say(GAME, "next(level(I+1)) :- event(deal), lot(turned,I).")
        else:
            draft.say(GAME, f"is_wild({card}) :- R = {draft.one_of(draft.ranks)}.")
    draft.say(GAME, "acts_as(C,wild) :- is_wild(C).")
    if JOKER in draft.extra and draft.chance(_BOTH):
        draft.natural_joker = True
        draft.say(GAME, f"acts_as({JOKER},{JOKER}).")


def _draw_roles(draft: Draft) -> None:
    """Draw cells of several cards: a suit, odd ranks, low ranks."""
    ranks, suits = len(draft.ranks), max(1, len(draft.suits))
    at_once = MOST_OF_A_ROLE[max(draft.copies, *draft.extra.values(), 1)]
    most = at_once // suits
    cells = [("low", f"R <= {draft.random.randint(2, min(most, ranks - 1))}")] if most > 1 else []
    if suits * ((ranks + 1) // 2) <= at_once:
        cells.append(("odd", "R \\ 2 = 1"))
    if draft.suits:
        cells.append((draft.suits[0], ""))
    elif not cells:
        cells.append(("low", "R = 1"))
    for cell, where in draft.random.sample(cells, draft.random.randint(1, len(cells))):
        draft.roles.append(cell)
        card = "card(R,T)" if draft.suits else "R"
        draft.widest = max(draft.widest, len(draft.ranks) if not where else at_once)
        body = f"rank(R), {where}" if where else "rank(R)"
        body += f", T = {cell}" if not where else ", suit(T)" if draft.suits else ""
        draft.say(GAME, f"acts_as({card},{cell}) :- {body}{draft.tame.format(card)}.")


def _write_roles(draft: Draft) -> None:
    if draft.suits:
        for cell in ("R", "card(R,T)"):
            draft.say(GAME, f"acts_as(card(R,T),{cell}) :- rank(R), suit(T){draft.tame.format('card(R,T)')}.")
    else:
        draft.say(GAME, f"acts_as(R,R) :- rank(R){draft.tame.format('R')}.")
    if STAR in draft.extra:
        draft.say(GAME, f"acts_as({STAR},{STAR}).")


def _write_deal(draft: Draft) -> None:
    total, seats = sum(draft.cards.values()), draft.seats
    if draft.all_dealt and total > MOST_HAND * seats:
        draft.seats = seats = min(4, -(-total // MOST_HAND))
        draft.all_dealt = total <= (MOST_HAND + 2) * seats
    if draft.all_dealt:
        draft.dealt = tuple(total // seats + (seat < total % seats) for seat in range(seats))
    else:
        most = 7 if draft.has(KICKERS) or draft.has(TRICKS) else 8
        draft.dealt = (min(most, draft.random.randint(4, most), total // seats),) * seats
    draft.say(GAME, f"seat(0..{seats - 1}).")
    for count in sorted(set(draft.dealt)):
        who = [seat for seat, cards in enumerate(draft.dealt) if cards == count]
        draft.say(GAME, f"deals(S,{count}) :- seat(S), S >= {who[0]}, S <= {who[-1]}.")
