from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.rating.life_cycle import open_study
from tests.kit.lead_studies import rate, study_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.accounts.leads import Lead


@pytest.fixture
def rated(db: Connection, lead: Lead) -> None:
    """A study rated by a simulated rater and a person."""
    study_id = study_of(db, lead)
    open_study(db, "small")
    for rater, is_simulated in (("a", True), ("b", False)):
        rate(db, study_id, rater=rater, is_simulated=is_simulated, n_trials=2)
