"""One comparison: a trusted score matrix against other score matrices, row by row.

`engine` has the options of all comparisons, and computes rows; `table` has the
row (`RankingAgreement`), its columns, and the table (`Comparison`). Builders differ only in where matrices come from:
`measures` (other measures), `leaderboards` (tables of judges), `judgments` (other judgments, or fewer). A new builder
reads its matrices, in the reference's order of topics and systems, makes a `Case` of each, and hands them to an
`Engine`, all cases of one reference at once. `judging` goes on from the scores of judges.
"""
