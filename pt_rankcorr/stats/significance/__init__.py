"""Which systems differ significantly, and how well does a measure tell systems apart?

For one pair of systems on the same topics take `paired_bootstrap_test`; for two samples of topics
`unpaired_bootstrap_test`; for all pairs of a family, or all pairs with some baselines, `randomized_tukey_hsd`, which is
corrected for the number of pairs. `discriminative_power` (the share of pairs that a measure tells apart) and
`significant_agreement` (the share of significant pairs that a ranking keeps) use it by default; the uncorrected tests
that were published are there by name, in `pairwise.TESTS`.

`stability` and `swap_rates` say how often other topics would contradict a measure, without a test; `swap_curve` says it
for other numbers of topics.

No result depends on the unit of the scores, or on the order of topics or systems; only that of `stability` depends on
the zero of the scores.
"""

from pt_rankcorr.stats.significance.bootstrap import PairedBootstrap, paired_bootstrap_test, unpaired_bootstrap_test
from pt_rankcorr.stats.significance.power import discriminative_power, significant_agreement
from pt_rankcorr.stats.significance.swap import stability, swap_rates
from pt_rankcorr.stats.significance.swap_curve import swap_curve
from pt_rankcorr.stats.significance.tukey import randomized_tukey_hsd

__all__ = [
    "PairedBootstrap",
    "discriminative_power",
    "paired_bootstrap_test",
    "randomized_tukey_hsd",
    "significant_agreement",
    "stability",
    "swap_curve",
    "swap_rates",
    "unpaired_bootstrap_test",
]
