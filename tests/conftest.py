"""What all tests share: the folder of real data, where there is one, and matrices from it."""

import gc
import os
import signal
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import none

os.environ.setdefault("MPLBACKEND", "agg")

# property tests: many and small, the same ones in each run (tests/fuzz looks for new ones), and never failed for being
# slow on a busy machine
settings.register_profile(
    "pt_rankcorr", max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("pt_rankcorr")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script: processes would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)


# these take seconds: they come first, so that no worker waits for one of them at the end
LONG = ("test_docs.py", "test_examples.py", "test_papers.py", "tests/reporting/")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: not any(name in item.nodeid for name in LONG))


@given(none())
def _a_property(_): ...


def pytest_collection_finish():
    _a_property()  # from then on Hypothesis holds a generator; it warns where a frozen holder is not found


@pytest.fixture(scope="module", autouse=True)
def frozen():
    """Each garbage collection that a library asks for would walk through thousands of tests and modules."""
    gc.freeze()


# what compares or reports here needs intervals, and no accurate ones
FEW_DRAWS = (
    "tests/cli/ tests/fuzz/ tests/plots/ tests/reporting/ test_benchmarks.py test_examples.py "
    "test_messages.py test_own_coefficient.py test_results.py"
).split()


@pytest.fixture(scope="module", autouse=True)
def few_draws(request):
    """Intervals of comparisons are of few draws where nothing is asked of them; workers of their own draw all."""
    # defaults of parameters are those of the package
    for name in ("cli.options", "stats.accuracy.budget", "comparison.compare_leaderboards"):
        import_module(f"pt_rankcorr.{name}")
    with pytest.MonkeyPatch.context() as patch:
        path = request.path.as_posix()
        if any(name in path for name in FEW_DRAWS):
            patch.setattr("pt_rankcorr.defaults.ERROR_RESAMPLES", 99)
            for name, module in tuple(sys.modules.items()):
                if name.startswith("pt_rankcorr.comparison.") and hasattr(module, "RESAMPLES"):
                    patch.setattr(module, "RESAMPLES", 99)
        yield


@pytest.fixture
def register(monkeypatch):
    """Gives files of this machine to ir-datasets under a name: `register("mine", qrels_trec=path)`."""
    import ir_datasets

    def register(name, **files):
        dataset = ir_datasets.create_dataset(**{kind: str(path) for kind, path in files.items()})
        monkeypatch.setitem(ir_datasets.registry._registered, name, dataset)

    return register


@pytest.fixture(scope="session")
def data():
    """The folder of test collections: the one named by PT_RANKCORR_DATA, or ../shared/data."""
    folder = Path(os.environ.get("PT_RANKCORR_DATA", SHARED))
    if not folder.is_dir():
        pytest.skip(f"no test data: {folder} does not exist (set PT_RANKCORR_DATA)")
    return folder


@pytest.fixture(scope="session")
def trec(data):
    """Reads a matrix of scores, topics x systems, such as trec("adhoc6_ap")."""

    def read(name):
        path = data / "trec" / f"{name}.csv"
        matrix = np.loadtxt(path, delimiter=",", skiprows=1)
        return matrix[:, 1:] if path.read_text().startswith('"topic"') else matrix

    return read
