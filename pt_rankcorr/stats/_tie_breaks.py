"""Ways of breaking a tie: all of them where they are few, else a fixed and balanced choice."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from random import Random

import numpy as np

from pt_rankcorr.stats.order import Floats

ALL_UP_TO = 6  # members of a tie: 720 ways
CHOSEN_AT_MOST, CHOSEN_AT_LEAST = 1024, 16
CHOSEN_CELLS = 2**17  # ways times members, between the two


@lru_cache(maxsize=64)
def tie_breaks(members: int) -> Floats:
    """Scores that break a tie, one way a row: shape (n_ways, members).

    Where not all ways are taken, those are that put every member at all places alike often. Each goes with its reverse,
    in which every pair is the other way round, and with its mirror image, in which the last member has the place of the
    first: so the members may come in either order.
    """
    ways = list(permutations(range(members))) if members <= ALL_UP_TO else _balanced(members)
    scores = np.array(ways, dtype=np.float64)
    scores.setflags(write=False)
    return scores


def _balanced(members: int) -> Floats:
    """Rotations, evenly spaced, of several arrangements, and their reverses and mirror images."""
    wanted = int(np.clip(CHOSEN_CELLS // members, CHOSEN_AT_LEAST, CHOSEN_AT_MOST)) // 4
    rotations = min(members, wanted)
    starts = np.arange(rotations) * members // rotations
    arranged = [_arrangement(members, number) for number in range(-(-wanted // rotations))]
    forth = np.concatenate([(arrangement + starts[:, np.newaxis]) % members for arrangement in arranged])
    both = np.concatenate((forth, members - 1 - forth))
    return np.concatenate((both, both[:, ::-1]))


def _arrangement(members: int, number: int) -> Floats:
    """A scrambled order that is the same everywhere: of all generators this one promises to keep its numbers."""
    draw = Random(number).random
    return np.argsort([draw() for _ in range(members)]).astype(np.float64)
