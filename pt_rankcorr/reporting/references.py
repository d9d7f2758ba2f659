"""The papers whose statistics a report shows, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable

BIBTEX = {
    "kendall": """@article{kendall1938,
  author  = {Maurice G. Kendall},
  title   = {A New Measure of Rank Correlation},
  journal = {Biometrika},
  volume  = {30},
  number  = {1/2},
  pages   = {81--93},
  year    = {1938}
}""",
    "tau_ap": """@inproceedings{yilmaz2008,
  author    = {Emine Yilmaz and Javed A. Aslam and Stephen Robertson},
  title     = {A New Rank Correlation Coefficient for Information Retrieval},
  booktitle = {Proceedings of SIGIR 2008},
  pages     = {587--594},
  year      = {2008}
}""",
    "ties": """@inproceedings{urbano2017,
  author    = {Juli{\\'a}n Urbano and M{\\'o}nica Marrero},
  title     = {The Treatment of Ties in {AP} Correlation},
  booktitle = {Proceedings of ICTIR 2017},
  year      = {2017}
}""",
    "tau_gap": """@inproceedings{gao2015,
  author    = {Ning Gao and Douglas W. Oard},
  title     = {A Head-Weighted Gap-Sensitive Correlation Coefficient},
  booktitle = {Proceedings of SIGIR 2015},
  pages     = {799--802},
  year      = {2015}
}""",
    "d_rank": """@inproceedings{carterette2009,
  author    = {Ben Carterette},
  title     = {On Rank Correlation and the Distance Between Rankings},
  booktitle = {Proceedings of SIGIR 2009},
  pages     = {436--443},
  year      = {2009}
}""",
    "ledoit_wolf": """@article{ledoit2004,
  author  = {Olivier Ledoit and Michael Wolf},
  title   = {A Well-Conditioned Estimator for Large-Dimensional Covariance Matrices},
  journal = {Journal of Multivariate Analysis},
  volume  = {88},
  number  = {2},
  pages   = {365--411},
  year    = {2004}
}""",
    "sensitivity": """@inproceedings{sakai2006,
  author    = {Tetsuya Sakai},
  title     = {Evaluating Evaluation Metrics Based on the Bootstrap},
  booktitle = {Proceedings of SIGIR 2006},
  pages     = {525--532},
  year      = {2006}
}""",
    "expected": """@inproceedings{urbano2016,
  author    = {Juli{\\'a}n Urbano and M{\\'o}nica Marrero},
  title     = {Toward Estimating the Rank Correlation between the Test Collection Results and the True System
               Performance},
  booktitle = {Proceedings of SIGIR 2016},
  pages     = {1033--1036},
  doi       = {10.1145/2911451.2914752},
  year      = {2016}
}""",
    "intervals": """@book{efron1993,
  author    = {Bradley Efron and Robert J. Tibshirani},
  title     = {An Introduction to the Bootstrap},
  publisher = {Chapman \\& Hall},
  year      = {1993}
}""",
}
OF_ONE_MEASURE = ("sensitivity", "expected", "tau_ap", "intervals")  # what is computed without a second measure


def bibtex(*, compared: bool) -> str:
    """The entries of what a report uses; `compared` where it holds measures against each other."""
    used: Iterable[str] = BIBTEX if compared else OF_ONE_MEASURE
    return "\n\n".join(BIBTEX[key] for key in used)
