"""Agreement in one sentence: the pooled coefficient with its interval, and those within sources."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from app.analysis.estimate import Estimate
from app.analysis.findings.agreement_summary import AgreementRow, agreement_sentence, needed_sentence


def _alpha(value: float, source: str = "", statistic: str = "krippendorff_alpha_ordinal") -> Estimate:
    scope: Any = {"source": source} if source else {}
    return Estimate("agreement", "empathy", scope, statistic, value, value - 0.05, value + 0.05)


def test_alpha_within_sources_stands_beside_the_pooled_one() -> None:
    parts = {name: _alpha(value, name) for name, value in (("Human", 0.06), ("Model", 0.36))}
    one = AgreementRow("empathy", "Empathy", _alpha(0.38), parts)
    pooled = "Krippendorff's alpha is 0.38, 95% CI 0.33 to 0.43 (1: perfect, 0: chance)."
    assert agreement_sentence([one]) == f"{pooled} Within single sources, it ranges from 0.06 to 0.36."
    assert agreement_sentence([AgreementRow("empathy", "Empathy", _alpha(0.38), {})]) == pooled
    assert agreement_sentence([one], has_columns=True) == pooled
    pools: Any = {"A": replace(_alpha(0.4), scope={"pool": "A"}), "B": replace(_alpha(0.5), scope={"pool": "B"})}
    of_pools = agreement_sentence([AgreementRow("empathy", "Empathy", _alpha(0.38), pools)])
    assert of_pools.endswith("Within single pools, it ranges from 0.40 to 0.50.")
    other = AgreementRow("warmth", "Warmth", _alpha(0.5), {})
    assert agreement_sentence([one, other]).startswith("Krippendorff's alpha ranges from 0.38 to 0.50 (1: perfect")


def test_ratings_that_are_needed_are_of_what_was_rated() -> None:
    needed = Estimate("agreement", "empathy", {}, "raters_needed", 25.0, 15.0, 47.0)
    report: Any = SimpleNamespace(of=lambda *_: [needed])
    row = AgreementRow("empathy", "Empathy", None, {}, "turn")
    assert "needs this many ratings per turn: 25 (95% CI 15 to 47)" in needed_sentence(report, row)
