"""Labels that cannot be best any more are dropped."""

from __future__ import annotations

import numpy as np

from abl_cards.agents import successive_elimination as trials


def test_elimination_compares_labels_on_common_deals() -> None:
    """Leave out the second label after two deals, and close the other decision."""
    place, label = np.array([0, 0, 0, 1, 1]), np.array([3, 1, 2, 0, 5])
    tried = trials.SuccessiveElimination(place, label, np.zeros(5, np.float32), 0.1)
    tried.add_results(np.array([[1, 1], [-3, -3], [1, 0.9], [0, 4], [-0.05, 3.95]], np.float32), (0,))
    assert tried.active.tolist() == [0, 2]
    tried.add_results(np.array([[2, 2], [1.9, 2.1]], np.float32), (0,))
    assert tried.active.tolist() == [0, 2]
    np.testing.assert_allclose(tried.expected_points, [1.5, -2.5, 1.475, 2, 1.95], atol=1e-6)
    np.testing.assert_allclose(tried.first_deal_points, [1, -3, 1, 0, -0.05])
    tried.reactivate(0.1)
    assert tried.active.tolist() == [0, 2, 3, 4]
    tried.active = np.array([0, 2])
    tried.add_results(np.array([[0.0], [0.5]], np.float32), (4,))  # deeper, and the other way round
    np.testing.assert_allclose(tried.expected_points[[0, 1, 2]], [0, -3.475, 0.5], atol=1e-6)
    assert tried.num_deals == 5
