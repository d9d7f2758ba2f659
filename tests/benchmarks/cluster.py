"""What a cluster is sent: bytes from here to two local Dask workers, for more data and for more blocks."""

from contextlib import contextmanager

import joblib
import numpy as np

import pt_rankcorr as rc
from tests.benchmarks.growth import quietly
from tests.benchmarks.statistics import scores_of


@contextmanager
def local_cluster():
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
    with LocalCluster(**options) as cluster, Client(cluster), joblib.parallel_config(backend="dask"):
        yield


@contextmanager
def bytes_sent():
    """A list that gets the size of each message from this process, in which client and scheduler run."""
    from distributed.comm.tcp import TCP

    sizes, write = [], TCP.write

    async def counting(comm, *args, **kwargs):
        sizes.append(await write(comm, *args, **kwargs))
        return sizes[-1]

    TCP.write = counting
    try:
        yield sizes
    finally:
        TCP.write = write


def lines(*, quick=False):
    n_topics, n_systems = (40, 20) if quick else (249, 110)
    yield f"{'d_rank with two Dask workers':<40}{'data':>12}{'blocks':>8}{'bytes sent':>14}{'sent / data':>13}"
    with local_cluster():
        for topics in (n_topics, 4 * n_topics):
            scores = scores_of(topics, n_systems)
            test = (scores, scores.mean(axis=0)[::-1])
            quietly(rc.d_rank, *test, n_resamples=300, null="published", rng=1)  # so that workers have loaded all
            for n_blocks in (5, 20, 80):
                with bytes_sent() as sizes:
                    result = quietly(rc.d_rank, *test, n_resamples=128 * n_blocks, null="published", rng=1)
                    assert result.null_distribution.size == 128 * n_blocks  # all of them are computed
                size, data = f"{topics} x {n_systems}", np.asarray(scores).nbytes
                yield f"{size:<40}{data:>12,}{n_blocks:>8}{sum(sizes):>14,}{sum(sizes) / data:>13.2f}"
