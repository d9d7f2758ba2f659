"""Which systems differ significantly, and how well does a measure tell systems apart?

Use `paired_bootstrap_test` for one pair of systems on the same topics, and `unpaired_bootstrap_test` for two samples of
topics. Use `randomized_tukey_hsd`, which is corrected for the number of pairs, for all pairs of a family, or all pairs
with some baselines. It is the default of `discriminative_power` (the share of pairs that a measure tells apart) and
`significant_agreement` (the share of significant pairs that a ranking keeps in order). The published uncorrected tests
are available by name, in `pairwise.TESTS`.

Without a test, `stability` and `swap_rates` say how often other topics would contradict a measure. `swap_curve` does so
for other numbers of topics, and `topics_to_detect` how many topics a difference takes.

No result depends on the unit of the scores, or on the order of topics or systems; only that of `stability` depends on
the zero of the scores.
"""
