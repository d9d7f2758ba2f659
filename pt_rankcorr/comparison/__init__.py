"""Rankings of systems compared with trusted ones, row by row.

`settings` checks the options of all comparisons. A builder reads score matrices in the reference's order of topics and
systems, and makes a `Case` of each: `pairs_of_measures`, `leaderboards`,
`sets_of_judgments` and `judgment_curves`. `engine` computes a row of each case, all over the same resamples; `rows` has
the row (`RankingAgreement`), its columns, and the table (`Comparison`). `judging` goes on from the scores of judges:
`judge_ranking`, `families`, `panel_members` and `bias`. `several_collections` and `score_collections` are about many.
"""
