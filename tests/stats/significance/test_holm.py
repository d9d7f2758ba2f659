import math

import pytest

from pt_rankcorr.stats.significance.pairwise import holm


def test_holm_leaves_out_what_is_undefined():
    assert holm([0.01, 0.04, math.nan, 0.03, 0.9]) == pytest.approx([0.04, 0.09, math.nan, 0.09, 0.9], nan_ok=True)
