"""Random studies give the same numbers as statsmodels, scipy, krippendorff and scikit-learn."""

import pytest

from tests.analysis.differential import compared


@pytest.mark.slow
def test_random_studies_match_reference_packages() -> None:
    tally = compared(range(100, 130))
    assert tally.lines == []
    assert tally.agree.total() > 1_000
