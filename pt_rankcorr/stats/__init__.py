"""Statistics of rankings: numpy, scipy, quadprog and pandas, without PyTerrier or files.

Each family is a package; its first lines say which question it answers, and which function to take:

- `coefficients`: how alike are two rankings, and what costs them most?
- `rank_distance`: do two rankings differ by more than the choice of topics explains (d_rank)?
- `expected`: how near is a ranking to that of the topic population? How many topics are needed?
- `significance`: which systems differ significantly, and how well does a measure tell them apart?
- `accuracy`: how accurate is a correlation, a rank, or a prediction, over other samples of topics?
- `truth`: how far can the measured means of systems be trusted?
- `core`: the common ground of all families.

The headline statistics (`kendall_tau`, `tau_ap`, `tau_gap`, `d_rank`, `expected_correlation`,
`rank_intervals`, `discriminative_power`, `correlation_interval`, ...) are offered by `pt_rankcorr`
itself, all others here.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
