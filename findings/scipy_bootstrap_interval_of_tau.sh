#!/usr/bin/env bash
# scipy 1.17.1, stats.bootstrap of Kendall's tau, topics resampled, method="percentile"
# Input:     100 simulated experiments: 20 systems, 50 topics, two measures whose true tau is known.
# Comes out: about a third of the 95% intervals hold the true tau: noise lowers tau, and resampling adds noise once more.
# Right:     95 of 100.
# Costs:     whoever reports such an interval: it lies below the truth.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check scipy==1.17.1 numpy==2.4.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import numpy as np
from scipy.stats import bootstrap


def tau(first, second):
    one, two = (np.sign(means[..., :, None] - means[..., None, :]) for means in (first, second))
    return (one * two).sum(axis=(-1, -2)) / (first.shape[-1] * (first.shape[-1] - 1))


rng = np.random.default_rng(1)
held = 0
for _ in range(100):
    truth = rng.normal(0, 0.1, 20)
    truths = truth, truth + rng.normal(0, 0.03, 20)
    topics = rng.normal(0, 0.2, (50, 1))
    first, second = (t + topics + rng.normal(0, 0.15, (50, 20)) for t in truths)

    def of_topics(rows, axis):
        rows = rows.astype(int)
        return tau(first[rows].mean(axis=-2), second[rows].mean(axis=-2))

    interval = bootstrap((np.arange(50),), of_topics, vectorized=True, n_resamples=400, method="percentile", rng=rng).confidence_interval
    held += interval.low <= tau(*truths) <= interval.high
right = "95 of 100"
seen = f"{held} of 100"

report("scipy", right, seen, held <= 50)
PY
