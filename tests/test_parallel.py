"""Work in shares."""

from abl_cards.parallel import alone, each_share


def test_a_process_among_others_keeps_to_one_thread() -> None:
    shared = [(0, 500), (500, 1000)]
    assert each_share(1000, lambda lo, hi: (lo, hi), threads=2) == shared
    with alone():
        assert each_share(1000, lambda lo, hi: (lo, hi), threads=2) == [(0, 1000)]
    assert each_share(1000, lambda lo, hi: (lo, hi), threads=2) == shared
