"""How long a collision table takes on n cores: measured on those there are, told of as such.

    python benches/python/scaling.py [--ray]

A roadmap of five axes and about 8,000 edges, an arm's worth, and a checker in numpy. Prints worlds a
second for each number of workers, the speed-up, and what 10,000 worlds would take.
"""

import argparse
import statistics
import time

import numpy as np

import psmp
from psmp.shards import _cores

WORLDS = [tuple(np.random.default_rng(i).random(5)) for i in range(64)]


def ball(centre: tuple[float, ...]) -> psmp.OnBatches:
    """A world with one round obstacle in five dimensions."""
    return psmp.on_batches(lambda q: ((q - centre) ** 2).sum(axis=1) > 0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ray", action="store_true", help="spread the work by Ray on this machine")
    arguments = parser.parse_args()
    roadmap = psmp.Roadmap.halton(psmp.Space.unit(5), 1000, nearest=12)
    print(f"{roadmap.edge_count} edges, {len(WORLDS)} worlds, {_cores()} cores{', Ray' if arguments.ray else ''}")
    alone = None
    for workers in sorted({1, *(2**k for k in range(1, 10) if 2**k < _cores()), _cores()}):
        if arguments.ray:
            import ray

            ray.init(num_cpus=workers, log_to_driver=False, include_dashboard=False)
            # Workers that have begun: their start is no part of the curve.
            psmp.table(roadmap, WORLDS[:workers], ball, resolution=0.1, shard=1, ray=True)
        times = []
        for _ in range(3):
            began = time.perf_counter()
            psmp.table(roadmap, WORLDS, ball, resolution=0.01, shard=1, workers=workers, ray=arguments.ray)
            times.append(time.perf_counter() - began)
        if arguments.ray:
            ray.shutdown()
        rate = len(WORLDS) / statistics.median(times)
        alone = alone or rate
        spread = f"{len(WORLDS) / max(times):.2f} to {len(WORLDS) / min(times):.2f}"
        print(
            f"{workers:3} workers: {rate:.2f} worlds a second ({spread}), {rate / alone:.2f} times one worker's; "
            f"10,000 worlds in {10_000 / rate / 3600:.2f} h"
        )


if __name__ == "__main__":
    main()
