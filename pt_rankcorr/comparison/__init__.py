"""One comparison: a trusted score matrix against other score matrices, row by row.

`_engine` computes rows, `table` has the row (`RankingAgreement`) and the table (`Comparison`), `settings` says how.
Builders differ only in where the matrices come from: `measures` (other measures), `judged` (other judgments),
`leaderboards` (tables of judges), `curve` (fewer judgments). A new builder reads its matrices, in the reference's order
of topics and systems, makes a `Case` of each, and hands them to an `Engine`, all cases of one reference at once.
"""
