"""Rankings of systems compared with trusted ones, row by row.

The public functions `compare`, `compare_judgments`, `compare_leaderboards` and `judgment_curve`
have a file each, of their name. Each reads score matrices, and makes a `RowInput` of every ranking
with the reference; `engine` computes their rows, all over the same resamples of topics. `settings`
checks the options of all four, `collections_of` decides what a mapping means, and `rows` has the
row (`RankingAgreement`) and their table (`Comparison`). `judge_comparison` is what comparisons of
judges return. Its methods go on from the scores: `judges`, `families`, `panel_comparison` and
`bias`; `judges_by_collection` has judges on several collections.
"""
