"""A second, naive implementation of Tractor (双升, 拖拉机), from the text of its rules alone, to test the engine.

Cards are two letters, suit and rank: "S2", "HT", and the jokers "SB" (small) and "HR" (big); two equal texts are the
two copies of one card. A play is a multiset of them, written as a sorted tuple. ``Rules`` holds what the profiles
and their switches change, ``Order`` what a level and a trump suit make of the pack.

Where the text leaves something open, this is the reading taken, numbered as the modules cite it:

O1. Overturning with the suit that is declared already (加固), and overturning one's own declaration, is allowed.
O2. A seat may show cards only when a card has just come to it, the 25th included; a pair may not open the bidding.
O3. Undeclared: B, one of the four suits by chance (never no-trump). S, the cards are redealt; or, by a switch, the
    kitty is turned up card by card: the first level card makes its suit trump, the first joker no-trump; with
    neither, the suit of the highest card, the earlier among equals. Who banks in a first round is then left to
    chance.
O4. The top chain of S in no-trump is level cards – small joker – big joker, with any one of the level pairs. With a
    trump suit, a tractor takes at most one of the off-suit level pairs, whichever; two of them are not a tractor.
O5. Two copies are always a pair of a throw, never two singles; a throw of one part is that part.
O6. The challenge to a tractor compares top pairs, as tricks do. "All above its top card" says the same wherever two
    runs cannot share a rank; only the off-suit level pairs of S can (A A 2 2 against another 2 2 and the T-suit's 2
    2).
O7. Which part replaces a failed throw: the beatable part with the lowest top card, in S as well (whole); among equal
    tops the one of fewest cards, then of the first suit in S H C D. B's one card of a pair or tractor is its lowest.
O8. S's price of a failed throw is 10 points, whatever the number of parts; "none" by a switch.
O9. Joker tractor of B: it is not owed, but who plays it has followed a 2-pair tractor with a tractor.
O10. Shorter tractors (S): a follower without a run of k pairs plays the longest he has, then follows the rest of the
    k pairs by the same rule: tractors before loose pairs.
O11. Following a throw (S) goes part by part, longest first, each from what the parts before it left; legal is what
    can be had by some such choice. A pair asked for and not held frees two cards for anything of the suit.
O12. B plays so too when a throw with a tractor is led (D2: that judge dies, and play goes on by S), each part by B's
    own reading of clause 3; throws of pairs and singles ask for the suit only.
O13. Covering a throw: the lead's parts take, longest first, from the longest tractor that is left; pairs and what is
    cut off tractors serve as pairs, anything as singles.
O14. Of two plays that trump a throw, the lead's longest part decides: tractor of k, the highest top of a run of k
    pairs or more; pair, the highest pair, in a tractor or not; single, the highest card, in a pair or not. Equal:
    the first stays.
O15. Kitty, B, a throw with a tractor: twice its number of *cards*, 4k, as for pair (4) and single (2). S: twice the
    cards of the longest part; by a switch 2 to the power of that number. A failed throw counts as what it was
    replaced by.
O16. Next banker: the banker's partner if they held, else the seat after the banker. After the first round of a match
    too.
O17. Levels stop at A; a side at A has to win as banker there. Off-side wins raise the level of the off-side.
O18. Must-play levels: a rise stops there, and only a win as banker leads past, not a win as off-side.
O19. The off-side's total may fall below 0 by penalties, and S's upward steps have no end: 120 +1, 160 +2, 200 +3,
    240 +4. A bank taken without a level (S, 80 … 119) is a result of 0 for all.
O20. D6 on: the led suit is that of the first card as sent, and an off-suit level card of its letter lies as the
    highest of that suit. D5 on: any number of cards may be buried; who has too few to follow plays all he has, and
    the round is over when somebody has none.
O21. D1 on: the combination may be of any suit, lies as what it is, and takes the trick only if all trump (or the led
    suit). The hole is open to a follower with too few cards of the suit as well, as long as he has one.
"""
