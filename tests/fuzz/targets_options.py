"""Options of the command line with any value."""

from __future__ import annotations

import contextlib
import io

from hypothesis import strategies as st

from pt_rankcorr.cli import main
from tests.fuzz.contract import check_message
from tests.fuzz.hostile import names, numbers
from tests.fuzz.registry import Target
from tests.fuzz.targets_readers import FOLDER, WIDE

AP, RR = FOLDER / "inputs" / "AP.csv", FOLDER / "inputs" / "RR.csv"
INPUT = (["--scores", str(AP), str(RR)], ["--scores", str(AP)], ["--runs", str(AP.parent), "--qrels", str(AP)])
nonsense = st.one_of(
    numbers,
    names.filter(lambda name: "\0" not in name),
    st.sampled_from(
        ["AP", "RR", "Accuracy", "AP(rel=2147483648)", "P@0", "nDCG(x=1)@5", "", "nan", "-1", "1e400", "published"]
    ),
)
OPTIONS = {
    "compare": "--reference --measures --columns --missing --lower-is-better --null --covariance --seed --format",
    "drank": "--reference --measures --null --covariance --seed --resamples --jobs --format",
    "expected": "--coefficient --estimator --target --topics --level --measures --seed --resamples --format",
    "power": "--test --alpha --measures --seed --resamples --format --names --qrels --irds",
}  # fmt: skip
option = st.sampled_from(sorted(OPTIONS)).flatmap(
    lambda command: st.tuples(
        st.just(command),
        st.sampled_from(INPUT),
        st.lists(st.tuples(st.sampled_from(OPTIONS[command].split()), nonsense), min_size=1, max_size=2),
    )
)


def _options(case: tuple[str, list[str], list[tuple[str, str]]]) -> object:
    """Done, bad input or wrong usage, said in lines; never a traceback."""
    command, given, more = case
    AP.parent.mkdir(exist_ok=True)
    for path in (AP, RR):
        path.write_bytes(WIDE)
    resampled = ["--resamples", "20", "--seed", "1"]
    arguments = [command, *given, *resampled, *(f"{name}={value}" for name, value in more)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(arguments)
        except SystemExit as stopped:  # of the parser
            status = int(str(stopped.code))
    assert status in (0, 1, 2), f"status {status}"
    assert (status == 0) == bool(out.getvalue()), "what is done has results, and nothing else has"
    assert "Traceback" not in err.getvalue()
    if status == 1:
        for line in err.getvalue().split("\n"):
            check_message(line.strip("\r"))
    return status


TARGETS = (Target("options", option, _options),)
