"""One page for a track: do judges' judgments rank its runs as people's do, and which differences are sampling error?

The runs, people's judgments and those of each judge go in, all as TREC files; judges.html comes out.

    python -m pt_rankcorr demo --write track
    python examples/one_page_for_a_track.py track/runs track/reference.qrels track/model.qrels track/strict.qrels
"""

import argparse

import pt_rankcorr as rc


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("runs")
    parser.add_argument("people")
    parser.add_argument("judges", nargs="+")
    given = parser.parse_args()
    result = rc.compare_judgments(given.runs, given.people, given.judges, ["nDCG@10"], rng=1)
    print(f"{result}\n\n{result.judges()}")
    rc.report(result.reference, "judges.html", against=result, rng=1)


if __name__ == "__main__":
    main()
