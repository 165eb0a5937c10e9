"""A run on a cluster of two machines, which Ray simulates, one of which is taken away; prints how it went."""

import sys
from pathlib import Path

from ray.cluster_utils import Cluster

from abl_cards.cluster.staff import OnRay
from abl_cards.cluster.start import joined
from abl_cards.loop.training import Report, Run
from learners.presets import PRESETS
from tests.learners.tiny import TINY
from tests.loop.test_training import settings


def main() -> None:
    """Take a machine away at the second update, and bring another one at the fifth."""
    PRESETS["tiny"] = TINY
    machines = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = machines.add_node(num_cpus=1)
    with joined(machines.address) as cluster:
        chosen = settings(Path(sys.argv[1]), game="president", actors=2, decisions=10_000, tables=32)
        run = Run(chosen, staff=OnRay(cluster))

        def watch(report: Report) -> None:
            if report.update == 2:
                machines.remove_node(second, allow_graceful=False)
            if report.update == 5:
                machines.add_node(num_cpus=1)

        run.go(watch)
        print(run.update, run.decisions, run._troupe.born if run._troupe else 0)
    machines.shutdown()


if __name__ == "__main__":
    main()
