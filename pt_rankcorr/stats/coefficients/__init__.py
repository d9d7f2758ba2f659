"""How alike are two rankings of systems? Correlation coefficients, and their weights.

Use `tau_ap` where the top matters most, as it usually does; `kendall_tau` where all ranks matter
equally, or to compare with earlier work; `tau_gap` where an error between systems far apart is
worse than one between close ones. `contributions` says which pairs of systems cost most,
`swap_weights` what each swap would cost, and `random_rankings` draws rankings of a correlation.
"""
