"""The constants of the models of the population that are not numerical, and what is known of other values.

Tuned ones were chosen by simulation on pairs of real measures and judges. With another value, such a study is repeated
by `python -m tests.calibration.real_pairs STUDY --constant NAME=VALUE`; STUDY stands beside each. The page "Models of
the population" of the documentation shows the same table. Constants below the precision of scores stand in the files
that use them.
"""

from __future__ import annotations

# one measure: exponents of 1/lambda and of 1/(1 - lambda) in the prior density of the reliability (eq. 3)
PRIOR_OF_MEANS = 0.5, 1.0  # published: flat where true differences drown in noise
PRIOR_OF_TESTS = 0.0, 0.0  # uniform

# two measures: degrees of freedom of the estimated scatter C (eq. 7); study: intervals
DEGREES_PER_SYSTEM = 0.8  # tuned: the population tau held .989, width .55; with .6 .989, .57; with 1 .989, .53
LEAST_DEGREES = 3.0  # tuned: with 6 held .989, width .54
MOST_COMPARED_SYSTEMS = 512  # a limit of time: the pairs of so many systems are compared
MOST_STEPS = 100  # a limit of time: of the maximum likelihood estimate of C

# one true ranking: the curve of the true means (eq. 14); study: level
SYSTEMS_PER_KNOT = 3  # tuned: p rejects .125 on curves that are not smooth, .47 as they are; 6: .140, .54
MOST_KNOTS = 11  # tuned with it
SLOPE_BEYOND = 0.5  # tuned: no spline has slopes beyond those of rising curves by more, at more systems
SHARE_BEYOND = 0.2  # tuned: the share of systems at which it may
COMMON_VARIANCE = 1.0  # tuned: systems varying alike by both, times the noise, give the main direction; 0: .120, .47

# levels at which intervals reach 1 where the test does not reject, and only there (eq. 11)
LEVELS = 0.8, 0.9, 0.95, 0.99

# bias of a group: of the squares of the parts of the curve, what a bend costs; study: bias
BEND_COST = 0.001  # tuned: p rejects .040 for random groups of real runs; 0: .040, .1: .033
