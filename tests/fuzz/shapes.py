"""Labels and forms of a random folder."""

from __future__ import annotations

from tests.fuzz.draft import JOKER, KICKERS, LABELS, ROLES, STAR, SUITS, WILDS, Draft

_FORM_OF_WILDS = 0.06  # share of folders with wild cards: a form that needs the wild card itself
_EMPTY = 0.03  # share of folders with jokers: the joker as a single by only/3
Groups = list[tuple[str, str]]


def write_shapes(draft: Draft) -> None:
    """Write families of labels: always singles, so that the leader has a move, and those of the constructs."""
    draft.say(LABELS, "label(pass). kind(pass,pass). form(L,L) :- label(L), not several(L). #defined several/1.")
    if draft.suits and not draft.wild and not {ROLES, KICKERS, SUITS} & draft.constructs and draft.chance(0.6):
        _write_by_card(draft)
        return
    _family(draft, "single(R)", "rank(R)", [("R", "1")], wilds=1)
    if draft.suits and not draft.wild and draft.chance(0.3):
        _family(draft, "one(R,T)", "rank(R), suit(T)", [("card(R,T)", "1")], kind="single")
    if draft.natural_joker:
        _family(draft, f"single({JOKER})", "", [(JOKER, "1")], strength="60", kind="single", wilds=0)
        _family(draft, "with_joker(R)", "rank(R)", [("R", "1"), (JOKER, "1")], wilds=0)
    if draft.wild and draft.chance(0.3):
        last = draft.ranks[-1]
        draft.say(LABELS, f"vacant({last + 1}).")
        _family(draft, f"past({last})", "", [(str(last), "1"), (str(last + 1), "1")], strength="1", wilds=1)
    if STAR in draft.extra:
        _family(draft, f"single({STAR})", "", [(STAR, "1")], strength=str(draft.one_of((0, 50))), kind="single")
    families = [_sets, _runs, _full, _bombs]
    for family in draft.random.sample(families, draft.random.randint(1, 2)):
        family(draft)
    if draft.has(SUITS):
        for family in draft.random.sample([_flush, _mixed_run, _mixed_pair, _lady, _flushes], 2):
            family(draft)
    if draft.has(ROLES):
        _bunches(draft)
    if draft.has(KICKERS):
        _carriers(draft)
    if draft.has(WILDS):
        _flawed(draft)
    _orders(draft)


def _family(
    draft: Draft, term: str, body: str, groups: Groups, *, strength: str = "R", kind: str = "", wilds: int = -1,
    tier: int = 0, label: str = "", more: str = "",
) -> None:  # fmt: skip
    """Write labels, or forms of ``label``, of one kind; -1 draws the number of wild cards."""
    where = f" :- {body}" if body else ""
    kind = kind or term.partition("(")[0]
    if label:
        draft.say(LABELS, f"label({label}){where}. several({label}){where}. form({label},{term}){where}.")
    else:
        draft.say(LABELS, f"label({term}){where}.")
    draft.say(LABELS, f"kind({term},{kind}){where}. height({term},{strength}){where}.")
    for place, (cell, count) in enumerate(groups, 1):
        draft.say(LABELS, f"needs({term},{place},{cell},{count}){where}.")
    most = draft.one_of((0, 1, 1, 2)) if wilds < 0 else wilds
    if draft.wild and most:
        least = not draft.level and kind != "single" and draft.chance(0.2)
        draft.say(LABELS, f"wilds({term},{'1,' if least else ''}{most}){where}.")
        cell, count = draft.one_of(groups)
        if count.isdigit() and int(count) > 1 and draft.chance(0.3):
            draft.say(LABELS, f"natural({term},{cell},{draft.random.randint(1, int(count) - 1)}){where}.")
    if tier:
        draft.say(LABELS, f"tier({kind},{tier}).")
    if more:
        draft.say(LABELS, more.format(term=term, where=where))


def _write_by_card(draft: Draft) -> None:
    """Write forms of one card set each."""
    _family(draft, "single(R,T)", "rank(R), suit(T)", [("card(R,T)", "1")], kind="single")
    if STAR in draft.extra:
        _family(draft, f"single({STAR})", "", [(STAR, "1")], strength="0", kind="single")
    if draft.chance(0.6):
        _family(draft, "ladder(R,T)", "rank(R), rank(R+1), suit(T)", [("card(R,T)", "1"), ("card(R+1,T)", "1")])
    if draft.copies > 1:
        _family(draft, "twins(R,T)", "rank(R), suit(T)", [("card(R,T)", "2")])
    elif draft.chance(0.6):
        _family(draft, "two(R,T,U)", "rank(R), suit(T), suit(U), T < U", [("card(R,T)", "1"), ("card(R,U)", "1")],
                kind="two", label=draft.one_of(("", "two(R)")))  # fmt: skip
    _orders(draft)


def _sets(draft: Draft) -> None:
    most = 3 if draft.suits and len(draft.suits) * draft.copies < 4 else 4
    for count in range(2, draft.random.randint(2, most) + 1):
        _family(draft, f"set(R,{count})", "rank(R)", [("R", str(count))], kind=f"set({count})")


def _runs(draft: Draft) -> None:
    wide, count = draft.random.randint(2, 3), draft.one_of(("1", "1", "2"))
    body = "rank(R)" + "".join(f", rank(R+{step})" for step in range(1, wide))
    groups = [("R" if not step else f"R+{step}", count) for step in range(wide)]
    _family(draft, f"run{wide}(R)", body, groups)


def _full(draft: Draft) -> None:
    """Write forms of one label that differ in their last group."""
    of_rank = draft.one_of(("2", "3"))
    _family(draft, "f(R,Q)", "rank(R), rank(Q), Q != R", [("R", of_rank), ("Q", draft.one_of(("1", "2")))], kind="full",
            label="full(R)")  # fmt: skip


def _bombs(draft: Draft) -> None:
    most = len(draft.suits) * draft.copies if draft.suits else draft.copies
    _family(draft, "bomb(R)", "rank(R)", [("R", str(min(4, most)))], tier=1)


def _flush(draft: Draft) -> None:
    body = "rank(R), rank(R+1), suit(T)"
    _family(draft, "flush(R,T)", body, [("R", "1"), ("R+1", "1")], tier=draft.one_of((0, 1)),
            more="same_suit({term},T){where}.")  # fmt: skip


def _flushes(draft: Draft) -> None:
    """Write forms of one label that differ in their suit."""
    body = "rank(R), rank(R+1), suit(T)"
    _family(draft, "g(R,T)", body, [("R", "1"), ("R+1", "1")], kind="flushes", label="flushes(R)",
            more="same_suit({term},T){where}.")  # fmt: skip


def _mixed_run(draft: Draft) -> None:
    groups = [("R", "1"), ("R+1", "1"), ("R+2", "1")]
    _family(draft, "mixed(R)", "rank(R), rank(R+2)", groups, wilds=draft.one_of((0, 0, 1)),
            more="mixed_suits({term}){where}.")  # fmt: skip


def _mixed_pair(draft: Draft) -> None:
    _family(draft, "motley(R)", "rank(R)", [("R", "2")], wilds=0, more="mixed_suits({term}){where}.")


def _lady(draft: Draft) -> None:
    rank, suit = draft.one_of(draft.ranks), draft.one_of(draft.suits)
    _family(draft, "lady", "", [(str(rank), "1")], strength="40", kind="single", wilds=draft.one_of((0, 0, 1)),
            more=f"only({{term}},1,card({rank},{suit})).")  # fmt: skip


def _bunches(draft: Draft) -> None:
    for cell in draft.roles:
        count = draft.random.randint(2, 3)
        _family(draft, f"bunch({cell},{count})", "", [(cell, str(count))], strength=str(draft.random.randint(1, 5)))


def _carriers(draft: Draft) -> None:
    """Write two or three of a rank with kickers: the cells of kickers, and the groups of each."""
    main, groups, size = draft.random.randint(2, 3), draft.random.randint(1, 2), draft.random.randint(1, 2)
    if groups * size + main > 6:
        size = 1
    most, own = draft.random.randint(1, groups), draft.chance(0.3)
    term = f"trio(R,{groups},{size})"
    more = f"kickers({{term}},{groups},{size}){{where}}.\n"
    more += f"carries({{term}},Q,1..{most}) :- rank(R), rank(Q){'' if own else ', Q != R'}"
    more += f", Q != {draft.one_of(draft.ranks)}.\n" if draft.chance(0.4) else ".\n"
    more += "kicker(F,Q,K) :- carries(F,Q,K)."
    if draft.chance(0.3):
        more += "\nmisread({term},R+1,1) :- rank(R), rank(R+1)."
    if groups > 1 and most < groups and draft.chance(0.5):
        more += f"\nkicker({{term}},{draft.ranks[0]},2) :- rank(R), R != {draft.ranks[0]}."
    if not draft.suits and not draft.extra and not draft.roles and groups > 1 and draft.chance(0.4):
        more += "\napart({term}){where}."
    _family(
        draft, term, "rank(R)", [("R", str(main))], kind="trio", wilds=0 if own else draft.one_of((0, 0, 1)), more=more
    )


def _flawed(draft: Draft) -> None:
    """Write an unsupported form: one that needs the wild card itself, or the joker as a single."""
    if draft.chance(_FORM_OF_WILDS):
        draft.flaw = "a form that needs the wild card itself"
        if draft.chance(0.5):
            _family(draft, "fool", "", [("wild", "1")], strength="60", kind="single")
        else:
            _family(draft, "with_wild(R)", "rank(R)", [("R", "1"), ("wild", "1")])
    elif JOKER in draft.extra and draft.chance(_EMPTY):
        draft.flaw = "a form that needs the wild card itself"
        _family(draft, "fool", "", [("wild", "1")], strength="60", kind="single", wilds=0,
                more=f"only({{term}},1,{JOKER}).")  # fmt: skip


def _orders(draft: Draft) -> None:
    """Write orders of lists, which determine how card sets are laid out."""
    if draft.chance(0.15):
        draft.say(LABELS, f"order_of_sets({draft.one_of(('last_descending', 'text'))}).")
    if draft.chance(0.15):
        draft.say(LABELS, "listed(L,K) :- label(L), K = #min { P,F : form(L,F), height(F,P) ; 99 }.")
