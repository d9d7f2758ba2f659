"""Which systems differ significantly, and how well does a measure tell systems apart?

Use `paired_bootstrap_test` for one pair of systems on the same topics, `unpaired_bootstrap_test`
for two samples of topics, and `discriminative_power`, whose default is corrected for their number,
for all pairs of a family; with baselines, `randomized_tukey_hsd`. Without a test, `stability` and
`swap_rates` say how often other topics would contradict a measure, `swap_curve` with other numbers
of topics. `topics_to_detect` says how many topics a difference takes.

No result depends on the unit of the scores, or on the order of topics or systems; only that of
`stability` depends on the zero of the scores.
"""
