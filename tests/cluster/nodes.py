"""A run on a simulated cluster of two machines, one of which is removed; prints the progress."""

import sys
from pathlib import Path

from ray.cluster_utils import Cluster

from abl_cards.cluster.ray_workers import RayLauncher
from abl_cards.cluster.start import connect_ray
from abl_cards.learners.presets import PRESETS
from abl_cards.training.callbacks import Metrics
from abl_cards.training.trainer import Trainer
from tests.learners.tiny import TINY
from tests.training.test_joint_loop import settings


def main() -> None:
    """Remove a machine at the second update, and add another one at the fifth."""
    PRESETS["tiny"] = TINY
    machines = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = machines.add_node(num_cpus=1)
    with connect_ray(machines.address) as cluster:
        chosen = settings(Path(sys.argv[1]), game="president", actors=2, total_decisions=10_000, num_envs=32)
        run = Trainer.from_config(chosen, launcher=RayLauncher(cluster))

        def watch(metrics: Metrics) -> None:
            if metrics["update"] == 2:
                machines.remove_node(second, allow_graceful=False)
            if metrics["update"] == 5:
                machines.add_node(num_cpus=1)

        run.fit(callbacks=[watch])
        print(run.num_updates, run.decisions, run.worker_group.count_started())
    machines.shutdown()


if __name__ == "__main__":
    main()
