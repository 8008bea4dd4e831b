"""The scripts read the exported files as a stranger would: they must find the rows and the models of the report."""

import random
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from statsmodels.regression.mixed_linear_model import MixedLM

from app.analysis import analyze_primary
from app.analysis.data.report_filters import Filters
from app.analysis.data.study_folder import frames_of
from app.analysis.model_code.contrast_model import FILTERED, TERMS, coded_study
from app.analysis.model_code.scripts import scripts_of
from app.analysis.report.report import Report
from app.analysis.sections import choice_models
from app.base.files.csv_cells import write_csv
from app.protocol.study import Protocol
from app.stats.choice.controlled_shares import preference_model
from app.stats.mixed import clmm, lmm
from app.studies.folder.read import read_files
from app.studies.folder.written_tables import tables_of

YAML = """\
attune: 1
slug: coded
title: "A \\"quoted\\" title"
sources: {person: {kind: human}, one: {kind: model}, two: {kind: model}}
questions:
  - {key: better, target: pair, type: choice, text: Which?, tie: true, neither: true}
  - {key: warmth, target: response, type: rating, text: Warm?, scale: {1: no, 2: some, 3: yes, 4: very}}
  - {key: cold, target: response, type: rating, text: Cold?, scale: {1: no, 2: some, 3: yes, 4: very}, reversed: true}
  - {key: fit, target: response, type: slider, text: Fit?, min: 0, max: 10, step: 0.5}
design: {trials: pairs, pools: {expert: {raters_per_trial: 3}}}
analysis:
  reference: person
  composites: {kind: {questions: [warmth, cold], at_least: 1, score: sum}}
  primary:
    - {question: warmth, source: one}
    - {question: warmth, source: one, test: odds_ratio_clmm}
    - {question: warmth, source: one, test: t_paired}
    - {question: fit, source: one, test: odds_ratio_clmm, pool: expert}
    - {question: kind, source: one, test: mean_difference_lmm}
    - {question: better, source: one, test: share_preferred_glmm}
    - {question: warmth, test: krippendorff_alpha}
"""
SOURCES = ("person", "one", "two")


def files() -> dict[str, bytes]:
    """A study with everything that must not enter: a model judge, simulated raters, exclusions and repeats."""
    draw = random.Random(8)  # noqa: S311 - no secret
    raters = [("r1", "expert"), ("r2", "expert"), ("r3", "expert"), ("r4", ""), ("r5", ""), ("NA", "")]
    items = [str(n) for n in range(1, 8)]
    level = {(item, source): draw.gauss(2.2 + 0.5 * (source == "one"), 0.5) for item in items for source in SOURCES}
    own = {rater: draw.gauss(0, 0.4) for rater, _ in [*raters, ("judge", ""), ("sim", "")]}
    rows = []
    for rater, tendency in own.items():
        for item in items:
            one, other = draw.sample(SOURCES, 2)
            said = {source: draw.gauss(level[item, source] + tendency, 0.7) for source in SOURCES}
            for source in SOURCES:
                at = f"{rater},{item},{item}:{source}"
                points = min(4, max(1, round(said[source])))
                rows.append(f"{at},warmth,{points},,,,{'too fast' if draw.random() < 0.1 else ''}")
                if source != "two" and rater != "judge":
                    rows += [f"{at},cold,{5 - points},,,,"] if draw.random() < 0.8 else []
                    rows.append(f"{at},fit,{min(20, max(0, round(5 * said[source]))) / 2},,,,")
            chosen = max((one, other), key=lambda source: said[source])
            answer = draw.choice([f"{item}:{chosen}"] * 6 + ["tie", "neither"])
            rows.append(f"{rater},{item},,better,{answer},{item}:{one},{item}:{other},,")
        rows.append(f"{rater},1,1:one,warmth,4,,,1,")
    kinds = [*(f"{rater},person,{pool},false" for rater, pool in raters), "judge,model,,false", "sim,person,,true"]
    head = "rater,item,response,question,value,left_response,right_response,repeat,exclude"
    texts = {
        "study.yaml": YAML,
        "items.csv": "\n".join(["item,text", *(f"{item},Text {item}" for item in items)]),
        "responses.csv": "\n".join(
            ["item,source,text", *(f"{item},{source},{source} {item}" for item in items for source in SOURCES)]
        ),
        "raters.csv": "\n".join(["rater,kind,pool,is_simulated", *kinds]),
        "ratings.csv": "\n".join([head, *rows]),
    }
    return {name: text.encode() for name, text in texts.items()}


class Fits:
    """What Attune's own fits were given."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.found: list[SimpleNamespace] = []
        for module, name in ((lmm, "fit_lmm"), (clmm, "fit_clmm")):
            patch.setattr(module, name, self._recording(getattr(module, name)))
        patch.setattr(choice_models, "preference_model", self._choices)

    def _recording(self, fit: Any) -> Any:  # noqa: ANN401 - either of the fits
        def recorded(y: Any, X: Any, **options: Any) -> Any:  # noqa: ANN401, N803 - as above
            self.found.append(SimpleNamespace(y=y, X=X, **options))
            return fit(y, X, **options)

        return recorded

    def _choices(self, won: Any, covariates: Any, *, item: Any, rater: Any) -> Any:  # noqa: ANN401 - as above
        model = preference_model(won, covariates, item=item, rater=rater)
        kept = np.isin(won, [0, 1])
        of_kept = SimpleNamespace(y=won[kept], X=covariates[:, kept], item=item[kept], rater=rater[kept])
        of_kept.terms = {TERMS[name] for name in model.sds or ()}
        self.found.append(of_kept)
        return model


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, Protocol, Path, list[SimpleNamespace]]:
    """The report, the folder of the exported files and scripts, and the inputs of all fits."""
    study, out = read_files(files()), tmp_path_factory.mktemp("exported")
    with pytest.MonkeyPatch.context() as patch:
        fits = Fits(patch)
        report = analyze_primary(frames_of(study), study.protocol)
    tables = tables_of(study)
    for name, table in (("coded-ratings", "ratings"), ("responses", "responses"), ("raters", "raters")):
        write_csv(out / f"{name}.csv", tables[table])
    for script in scripts_of(report, study.protocol):
        (out / script.name).write_text(script.text, encoding="utf-8")
    return report, study.protocol, out, fits.found


class Bambi(ModuleType):
    """In place of bambi, whose models take a minute each: keeps what the script hands over."""

    def __init__(self) -> None:
        super().__init__("bambi")
        self.models: list[tuple[str, pd.DataFrame, str]] = []

    def Model(self, formula: str, rows: pd.DataFrame, family: str = "gaussian") -> Any:  # noqa: ANN401, N802 - bambi's
        self.models.append((formula, rows.copy(), family))
        names = ("x", "Intercept", "1|item_sigma", "1|rater_sigma")
        draws = {name: pd.Series([0.0, 0.2]) for name in names}
        return SimpleNamespace(fit=lambda **_: SimpleNamespace(posterior=draws))


@pytest.fixture(scope="module")
def ran(made: tuple[Any, Any, Path, Any]) -> tuple[Bambi, str]:
    """The Python script carried out, apart from sampling: the models and what it printed."""
    bambi, said = Bambi(), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "bambi", bambi)
        patch.chdir(made[2])
        scope = {"print": lambda *words: said.append(" ".join(map(str, words)))}
        exec(compile((made[2] / "models.py").read_text(encoding="utf-8"), "models.py", "exec"), scope)  # noqa: S102 - the script under test
    return bambi, "\n".join(said)


def outcome(formula: str, rows: pd.DataFrame) -> np.ndarray[Any, Any]:
    name = formula.partition(" ~ ")[0]
    return rows[name].cat.codes.to_numpy() if name == "grade" else rows[name].to_numpy(dtype=float)


def design(item: Any, rater: Any, *columns: Any) -> tuple[list[tuple[str, str]], np.ndarray[Any, Any]]:  # noqa: ANN401 - arrays of any kind
    """Item and rater of each row, and its numbers, sorted."""
    rows = sorted(zip(item, rater, *columns, strict=True))
    return [row[:2] for row in rows], np.array([row[2:] for row in rows], dtype=float)


def test_rows_and_columns_are_those_of_the_fits(
    made: tuple[Report, Protocol, Path, list[SimpleNamespace]], ran: tuple[Bambi, str]
) -> None:
    """Each model of the script has, to 1e-12, the outcome, fixed and random columns of one of Attune's own fits."""
    frames = frames_of(read_files(files()))
    items = frames.items["item"].to_numpy()
    raters = frames.raters.loc[~frames.raters["is_simulated"].astype(bool), "rater"].to_numpy()
    fits = [(fit, *design(items[fit.item], raters[fit.rater], fit.X[-1], fit.y)) for fit in made[3]]
    for formula, rows, family in ran[0].models:
        y = outcome(formula, rows)
        y = (y - y.min()) / np.ptp(y) if family == "gaussian" else y
        cells, numbers = design(rows["item"], rows["rater"], rows["side" if "side" in formula else "x"], y)
        same = [fit for fit, of, given in fits if of == cells and np.abs(given - numbers).max() < 1e-12]
        assert set(re.findall(r"\([^)]*\)", formula)) in [terms_of(fit) for fit in same], formula


def terms_of(fit: SimpleNamespace) -> set[str]:
    """The random effects of a fit, read from the columns that it was given."""
    found: set[str] = set(getattr(fit, "terms", ()))
    for name in ("item", "rater"):
        for column in getattr(fit, f"{name}_columns", ()):
            is_slope = np.ptp(column) > 0
            assert np.array_equal(column, fit.X[-1] if is_slope else np.ones(len(column)))
            found.add(TERMS[f"{name}_slope" if is_slope else name])
    return found


def test_plain_estimates_are_the_report_to_the_last_digits(
    made: tuple[Report, Protocol, Path, Any], ran: tuple[Bambi, str]
) -> None:
    printed = re.findall(r"^(?:Mean difference|Share preferred): (\S+)$", ran[1], re.MULTILINE)
    plain = [model.plain.estimate for model in coded_study(made[0], made[1]).models]
    assert np.array(printed, dtype=float) == pytest.approx(plain, abs=1e-12)
    assert len(plain) == 4


@pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.ConvergenceWarning")
def test_statsmodels_gives_the_linear_estimate_from_the_same_rows(
    made: tuple[Report, Protocol, Path, Any], ran: tuple[Bambi, str]
) -> None:
    linear = coded_study(made[0], made[1]).models[0].linear
    assert linear is not None
    formula, rows, _ = ran[0].models[0]
    parts = {"(1 | item)": "0 + C(item)", "(0 + x | item)": "0 + C(item):x", "(1 | rater)": "0 + C(rater)"}
    parts["(0 + x | rater)"] = "0 + C(rater):x"
    effects = {f"v{n}": parts[TERMS[name]] for n, name in enumerate(linear.effects)}
    model = MixedLM.from_formula("y ~ x", rows, groups=np.ones(len(rows)), vc_formula=effects)
    assert formula.endswith(" + ".join(TERMS[name] for name in linear.effects))
    assert model.fit(reml=True).params["x"] == pytest.approx(linear.estimate.estimate, abs=2e-4)


def test_scripts_name_tests_without_a_model(made: tuple[Report, Protocol, Path, Any]) -> None:
    study = coded_study(made[0], made[1])
    assert [model.title for model in study.models] == [
        "Warmth: One − Person",
        "Fit: One − Person, pool Expert",
        "Kind: One − Person",
        "Better: One − Person",
    ]
    for script in scripts_of(made[0], made[1]):
        assert script.text.count("# Primary, but no model: Paired t on item means.") == 1
        assert "There is no code for Warmth: all:" in script.text
        assert "models of the primary contrasts" in script.text.lower()


def test_filtered_results_have_no_code(made: tuple[Report, Protocol, Path, Any]) -> None:
    for script in scripts_of(replace(made[0], filters=Filters(pools=("expert",))), made[1]):
        assert FILTERED in script.text
        assert not script.has_models


def test_unknown_raters_are_slots_of_items_and_simulated_ones_rehearse(
    made: tuple[Report, Protocol, Path, Any],
) -> None:
    unknown = made[1].model_copy(update={"raters": made[1].raters.model_copy(update={"identity": "unknown"})})
    simulated = replace(made[0], sample=replace(made[0].sample, n_simulated=3))
    r, _, python = (script.text for script in scripts_of(simulated, unknown))
    assert 'counted$rater <- paste(counted$item, counted$rater, sep = "/")' in r
    assert 'counted["item"] + "/" + counted["rater"]' in python
    assert "is_simulated" not in r + python


def test_a_model_without_random_effects_is_fitted_without_them(made: tuple[Report, Protocol, Path, Any]) -> None:
    def bare(estimate: Any) -> Any:  # noqa: ANN401 - an estimate
        return replace(estimate, detail={**estimate.detail, "effects": ()}) if estimate.detail else estimate

    report = replace(made[0], estimates=tuple(bare(one) for one in made[0].estimates))
    text = scripts_of(report, made[1])[0].text
    assert "fit <- lm(formula, data = rows)" in text
    assert "fit <- clm(formula, data = rows)" in text
    assert "fit <- glm(formula, data = decisive, family = binomial)" in text
    assert "| item" not in text


def r_with_packages() -> str | None:
    """The path of Rscript if the packages of the script are there."""
    path = shutil.which("Rscript")
    asked = 'q(status = !all(sapply(c("lmerTest", "ordinal"), requireNamespace, quietly = TRUE)))'
    if path is None or subprocess.run([path, "-e", asked], capture_output=True, check=False).returncode:
        return None
    return path


def test_r_gives_the_estimates_of_the_report(made: tuple[Report, Protocol, Path, Any]) -> None:
    """lme4 and ordinal stop their searches earlier than Attune: the fourth digit may differ."""
    rscript = r_with_packages()
    if rscript is None:
        pytest.skip("R with lmerTest and ordinal is not installed")
    done = subprocess.run([rscript, "models.R"], cwd=made[2], capture_output=True, text=True, check=True)
    printed = [float(line.rpartition(": ")[2]) for line in done.stdout.splitlines() if ": " in line]
    given = [one.estimate for model in coded_study(made[0], made[1]).models for one in model.given]
    assert printed == pytest.approx(given, rel=2e-3, abs=2e-4)


@pytest.mark.slow
def test_bambi_gives_similar_estimates(made: tuple[Report, Protocol, Path, Any]) -> None:
    pytest.importorskip("bambi", reason="bambi is not installed")
    done = subprocess.run([sys.executable, "models.py"], cwd=made[2], capture_output=True, text=True, check=True)
    printed = [float(line.rpartition(": ")[2]) for line in done.stdout.splitlines() if ": " in line]
    given = [one.estimate for model in coded_study(made[0], made[1]).models for one in model.given]
    assert np.log1p(printed) == pytest.approx(np.log1p(np.array(given, dtype=float)), abs=0.35)
