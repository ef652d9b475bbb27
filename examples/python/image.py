"""Plans for a point robot in a picture, with a checker of three lines.

    python examples/python/image.py [PICTURE.png] [-o RUN.png]

White is free. Without a picture it draws a floor of four rooms. Needs matplotlib.
"""

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import psmp
import psmp.plot


def rooms() -> np.ndarray:
    """A floor of four rooms, each with a door to the next; true is free."""
    free = np.ones((201, 201), dtype=bool)
    free[95:105, :] = False
    free[:, 95:105] = False
    free[95:105, 20:40] = True  # between the rooms on the left
    free[140:160, 95:105] = True  # below
    free[95:105, 170:190] = True  # on the right
    free[40:60, 120:170] = False  # a table in the room above
    return free


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", nargs="?")
    parser.add_argument("-o", "--output", default="run.png")
    arguments = parser.parse_args()
    if arguments.picture:
        pixels = plt.imread(arguments.picture)
        free = (pixels if pixels.ndim == 2 else pixels[..., :3].mean(axis=2)) > 0.5
    else:
        free = rooms()
    height, width = free.shape

    # All configurations of an edge at once: the first row of a picture is on top.
    @psmp.on_batches
    def check(q: np.ndarray) -> np.ndarray:
        column, row = np.rint(q * (width - 1, height - 1)).astype(int).T
        return free[height - 1 - row, column]

    roadmap = psmp.Roadmap.halton(psmp.Space.unit(2), 300)
    run = psmp.plan(roadmap, (0.1, 0.9), (0.9, 0.9), check=check, stop=psmp.gap(0.01) | psmp.checks(50_000))
    for event in run:
        if event.kind == "improved":
            print(f"{event.configurations:6} configurations: length {event.length:.4f}, at most {event.gap_over_straight_line:.1%} over the straight line")
    result = run.result()
    print(result)

    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 6))
    psmp.plot.world(result, image=free, ax=left)
    psmp.plot.anytime(result, ax=right)
    figure.tight_layout()
    figure.savefig(arguments.output, dpi=90)


if __name__ == "__main__":
    main()
