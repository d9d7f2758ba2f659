"""All studies of the table, in its order."""

from tests.calibration.parts import (
    correlations,
    designs,
    distance,
    expected,
    judges,
    labels,
    one_true_ranking,
    pairs,
    prediction_powered,
    sensitivity,
    simulation,
)

PARTS = (
    *(
        pairs.studies,
        pairs.families,
        pairs.spreads,
        distance.studies,
        distance.of_ranks,
        expected.studies,
        correlations.studies,
    ),
    *(judges.studies, one_true_ranking.studies, judges.of_one_judge, labels.studies, prediction_powered.of_queries),
    *(prediction_powered.studies, sensitivity.studies, sensitivity.others, simulation.studies, designs.studies),
)


def every_study():
    for studies in PARTS:
        yield from studies()
