"""An independent reading of whose turn it is where one plays higher or passes, slow and plain."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Course:
    """Turn order in a game of so many seats; ``act`` returns the next seat and whether it leads."""

    seats: int
    locks: bool = False  # a pass holds until the trick ends
    lowest_leads: bool = False  # where the owner is out, the lowest seat leads and not the next one
    owner: int = -1
    gone: list[int] = field(default_factory=list)  # seats without cards in the order they went out
    passed: set[int] = field(default_factory=set)

    def act(self, seat: int, passes: bool, left: int) -> tuple[int, bool]:
        """Apply a play, with the cards left, or a pass; return the next seat and whether it leads."""
        if passes:
            self.passed.add(seat)
        else:
            self.owner = seat
            if not self.locks:
                self.passed.clear()
            if not left:
                self.gone.append(seat)
        after = [(seat + step) % self.seats for step in range(1, self.seats + 1)]
        waiting = [
            other for other in after if other not in self.passed and other != self.owner and other not in self.gone
        ]
        if waiting:
            return waiting[0], False
        self.passed.clear()
        return self._leader(), True

    def _leader(self) -> int:
        still_in = [seat for seat in range(self.seats) if seat not in self.gone]
        if self.owner in still_in or not still_in:
            return self.owner
        if self.lowest_leads:
            return still_in[0]
        return next(s for s in ((self.owner + step) % self.seats for step in range(1, self.seats)) if s in still_in)
