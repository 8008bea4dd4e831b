"""The agreement of a question, from estimates to a table and to what could not be computed."""

from __future__ import annotations

from app.analysis.estimate import Estimate
from app.analysis.report.wording import REASONS
from app.web.lead.results.estimate_tables import agreement_of


def _estimate(statistic: str, estimate: float | None, **more: object) -> Estimate:
    values: dict[str, object] = {"scope": {}, "question": "warm", "section": "agreement", **more}
    return Estimate(statistic=statistic, estimate=estimate, **values)  # type: ignore[arg-type]  # fields


def test_what_is_computed_nowhere_is_a_sentence_and_no_column_of_reasons() -> None:
    only = {"source": "model"}
    agreement = agreement_of(
        [
            _estimate("krippendorff_alpha_ordinal", 0.5, ci_low=0.25, ci_high=0.75, n_raters=3),
            _estimate("kendall_w", None, reason="no_pairable_units"),
            _estimate("fleiss_kappa", None, reason="no_pairable_units"),
            _estimate("krippendorff_alpha_ordinal", None, reason="no_variation", scope=only),
            _estimate("fleiss_kappa", 0.125, scope=only),
        ]
    )
    assert agreement.table.header[:3] == ("Of", "Krippendorff's alpha, ordinal", "Fleiss' kappa")
    assert agreement.table.rows[0][:3] == ("all", "0.50\n0.25 to 0.75", REASONS["no_pairable_units"])
    assert agreement.table.rows[1][1:3] == (REASONS["no_variation"], "0.12")
    assert agreement.not_computed == (f"Kendall's W was not computed: {REASONS['no_pairable_units']}.",)
