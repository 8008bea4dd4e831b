"""Primary tests of the study templates keep their level in their own design without an effect."""

import pytest

from app.protocol.primary_default import primary_contrasts
from app.studies.folder.study_templates import list_templates
from benchmarks.simulated_nulls import NULLS, PUBLISHED, SLOW
from benchmarks.type_one import rejected
from tests.kit.templates import template_study

# primary estimates that test no effect
WITHOUT_TEST = {
    "accuracy_share",
    "f1_macro",
    "span_f1",
    "span_alpha",
    "empathic_accuracy",
    "krippendorff_alpha",
    "n_factors",
}
# published for its interval, without a test
FOR_INTERVALS = {"share_preferred_wilson_cc"}
NAMES = [template.name for template in list_templates()]
CASES = [(name, test) for name, tests in NULLS.items() for test in tests if not test.startswith(PUBLISHED)]
# `make test` runs one simulation, which shows that the command still works; `make slow` runs the others
FIRST = CASES[0]
# .03 to .07 plus or minus three Monte Carlo standard errors of 500 studies
N_STUDIES, LOWEST, HIGHEST = 500, 0.007, 0.1


@pytest.mark.parametrize("name", NAMES)
def test_primary_tests_of_every_template_are_simulated(name: str) -> None:
    contrasts = primary_contrasts(template_study(name).protocol)
    published = {f"{PUBLISHED}{one.published}" for one in contrasts if one.published not in {None, *FOR_INTERVALS}}
    assert {str(one.test) for one in contrasts} - WITHOUT_TEST | published == set(NULLS.get(name, {}))


@pytest.mark.parametrize(
    ("name", "test"),
    [pytest.param(*case, marks=() if case == FIRST else pytest.mark.slow) for case in CASES if case[1] not in SLOW],
)
def test_primary_test_keeps_its_level(name: str, test: str) -> None:
    found = rejected(name, test, N_STUDIES)
    assert LOWEST <= found.share <= HIGHEST


@pytest.mark.slow
@pytest.mark.parametrize(("name", "test"), [case for case in CASES if case[1] in SLOW])
def test_mixed_model_keeps_its_level(name: str, test: str) -> None:
    found = rejected(name, test, N_STUDIES)
    assert LOWEST <= found.share <= HIGHEST


@pytest.mark.slow
def test_recipients_of_one_item_each_do_not_make_the_test_conservative() -> None:
    """Recipients are nested in items: counted as crossed with them, they made the test reject in .022 of studies."""
    assert rejected("recipient", "pool_difference").is_kept


def test_chi_square_of_three_point_is_no_primary_test() -> None:
    """Writers vary between raters, but the test takes ratings as independent."""
    assert rejected("three-point", f"{PUBLISHED}chi_square_all_sources", 200).share > 0.2
