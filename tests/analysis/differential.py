"""Random studies through the whole report, compared to statsmodels, scipy, krippendorff and scikit-learn.

`python -m tests.analysis.differential --studies 40` prints how many numbers agree and which ones differ. Packages are
imported where they are used: this module is collected with tests that need none of them.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
from scipy import stats

from app.analysis import analyze
from app.analysis.estimate import Estimate
from app.analysis.report.report import Report
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

SOURCES = ("human", "model")
CODES = ("none", "mild", "grave")
POINTS = [1.0, 2.0, 3.0, 4.0, 5.0]
TOLERANCE = 1e-9
CATEGORY: dict[str, Any] = {
    "key": "harm",
    "type": "category",
    "target": "response",
    "text": "Is it harmful?",
    "codes": list(CODES),
    "correct_column": "right",
}
WARM = {**FIVE, "key": "warm"}


@dataclass
class Tally:
    """Results of the comparison: numbers that agree and differ per statistic, and a list of the differences."""

    agree: Counter[str] = field(default_factory=Counter)
    differ: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)

    def compare(self, name: str, ours: float | None, theirs: float, where: str) -> None:
        """Count one number; if both are missing, they agree."""
        known = None if not np.isfinite(theirs) else float(theirs)
        same = ours is None and known is None
        if ours is not None and known is not None:
            same = abs(ours - known) <= TOLERANCE * max(1.0, abs(known))
        (self.agree if same else self.differ)[name] += 1
        if not same:
            self.lines.append(f"{name} of {where}: {ours} here, {known} there")


@dataclass(frozen=True)
class Study:
    """One random study: its report, and its answers as a table."""

    report: Report
    table: pd.DataFrame
    name: str

    def find(self, statistic: str, question: str, **more: Any) -> Estimate | None:  # noqa: ANN401 - any field
        """Return the first estimate with these field values."""
        for estimate in self.report.estimates:
            is_same = all(getattr(estimate, key) == value for key, value in more.items())
            if is_same and (estimate.statistic, estimate.question) == (statistic, question):
                return estimate
        return None

    def of(self, question: str) -> pd.DataFrame:
        """Return the answers to a question."""
        return self.table[self.table["question"] == question]


def random_study(seed: int) -> Study:
    """Return a study with two to seven raters and four to twelve items; every second study has missing ratings."""
    rng = np.random.default_rng(seed)
    n_raters, n_items, missing = int(rng.integers(2, 8)), int(rng.integers(4, 13)), 0.25 * (seed % 2)
    study = protocol(FIVE, WARM, {**CHOICE, "tie": False}, CATEGORY, analysis={"cut": {"empathy": 4}})
    rows: list[Row] = []
    for rater in range(n_raters):
        for item in range(n_items):
            where = {"rater": f"r{rater}", "item": f"i{item}"}
            for place, source in enumerate(SOURCES):
                level = 2.5 + 0.5 * place + 0.3 * (item % 3) + 0.4 * (rater % 2)
                about = {**where, "response": f"i{item}:{source}"}
                for key in ("empathy", "warm"):
                    value = int(np.clip(round(rng.normal(level, 1)), 1, 5))
                    rows.append({**about, "question": key, "value": value})
                rows.append({**about, "question": "harm", "value": str(rng.choice(CODES))})
            rows.append({**where, "question": "preference", "value": str(rng.choice(SOURCES))})
    rows = [row for row in rows if rng.random() >= missing]
    items = [{"item": f"i{item}"} for item in range(n_items)]
    data = frames(study, rows, items=items)
    data.responses["right"] = [CODES[k % 3] for k in range(len(data.responses))]
    table = pd.DataFrame(rows)
    table["source"] = table["response"].str.partition(":")[2]
    table["right"] = table["response"].map(dict(zip(data.responses["response"], data.responses["right"], strict=True)))
    return Study(analyze(data, study), table, f"study {seed}")


def _checked(study: Study, tally: Tally) -> None:
    for key in ("empathy", "warm"):
        for check in (_means, _item_means, _distributions, _agreement):
            check(study, key, tally)
    _choices(study, tally)
    _categories(study, tally)


def _means(study: Study, key: str, tally: Tally) -> None:
    for source, part in study.of(key).groupby("source"):
        where = f"{key} by {source} in {study.name}"
        for name, known in (("mean", part["value"].astype(float).mean()), ("sd", part["value"].astype(float).std())):
            found = study.find(name, key, scope={"source": source}, section="comparison") or study.find(
                name, key, scope={"source": source}
            )
            if found is not None:
                tally.compare(name, found.estimate, known, where)


def _item_means(study: Study, key: str, tally: Tally) -> None:
    """Compare scipy's tests of item means, computed with exact fractions so that equal means are equal."""
    part = study.of(key).assign(value=lambda table: table["value"].astype(float))
    wide = part.pivot_table(index="item", columns="source", values="value").round(12)
    both = wide.dropna()
    scope = {"source": "model", "reference": "human"}
    mine, theirs = (wide[source].dropna().to_numpy() for source in ("model", "human"))
    gap = (both["model"] - both["human"]).round(9)
    paired, unpaired = stats.ttest_rel(both["model"], both["human"]), stats.ttest_ind(mine, theirs)
    known: list[tuple[str, Callable[[Estimate], float | None], float]] = [
        ("t_paired", lambda f: f.estimate, paired.statistic),
        ("t_paired", lambda f: f.p_value, paired.pvalue),
        ("t_unpaired", lambda f: f.estimate, unpaired.statistic),
        ("t_unpaired", lambda f: f.p_value, unpaired.pvalue),
        ("wilcoxon", lambda f: f.estimate, _signed_ranks(gap.to_numpy())),
        ("mann_whitney", lambda f: f.estimate, stats.mannwhitneyu(mine.round(9), theirs.round(9)).statistic),
    ]
    for name, get, number in known:
        found = study.find(name, key, scope=scope, unit="item_mean")
        if found is not None:
            tally.compare(name, get(found), number, f"{key} in {study.name}")


def _signed_ranks(gap: np.ndarray[Any, Any]) -> float:
    """Return the sum of ranks of the positive differences, zeros dropped, by scipy's ranks."""
    kept = gap[gap != 0]
    return float(stats.rankdata(np.abs(kept))[kept > 0].sum())


def _distributions(study: Study, key: str, tally: Tally) -> None:
    part = study.of(key).assign(value=lambda table: table["value"].astype(float))
    counts = pd.crosstab(part["source"], part["value"])
    chi = stats.chi2_contingency(counts, correction=False)
    found = study.find("chi_square", key, scope={"source": "model", "reference": "human"})
    if found is not None:
        tally.compare("chi_square", found.estimate, chi.statistic, f"{key} in {study.name}")
        tally.compare("chi_square", found.p_value, chi.pvalue, f"{key} in {study.name}")
    sides = [part.loc[part["source"] == source, "value"] for source in ("model", "human")]
    pairs = float(stats.mannwhitneyu(sides[0].to_numpy(), sides[1].to_numpy()).statistic) / (
        len(sides[0]) * len(sides[1])
    )
    found = study.find("prob_superiority_unpaired", key)
    if found is not None:
        tally.compare("prob_superiority_unpaired", found.estimate, pairs, f"{key} in {study.name}")


def _agreement(study: Study, key: str, tally: Tally) -> None:
    from statsmodels.stats.inter_rater import fleiss_kappa

    part = study.of(key).assign(value=lambda table: table["value"].astype(float))
    wide = part.pivot_table(index="rater", columns="response", values="value")
    where = f"{key} in {study.name}"
    for level in ("nominal", "ordinal", "interval"):
        found = study.find(f"krippendorff_alpha_{level}", key, scope={})
        if found is not None:
            known = krippendorff.alpha(reliability_data=wide.to_numpy(), level_of_measurement=level)
            tally.compare(found.statistic, found.estimate, known, where)
    complete = wide.dropna(axis=1).to_numpy()
    if complete.shape[1] == wide.shape[1]:
        table = np.array([[(column == point).sum() for point in POINTS] for column in complete.T])
        found = study.find("fleiss_kappa", key, scope={})
        if found is not None:
            tally.compare("fleiss_kappa", found.estimate, fleiss_kappa(table), where)
    for statistic, weights in (
        ("cohen_kappa", None),
        ("cohen_kappa_linear", "linear"),
        ("cohen_kappa_quadratic", "quadratic"),
    ):
        for found in study.report.estimates:
            if found.statistic == statistic and found.question == key and found.scope.keys() == {"raters"}:
                _kappa(found, wide, weights, where, tally)


def _kappa(found: Estimate, wide: pd.DataFrame, weights: str | None, where: str, tally: Tally) -> None:
    """Compare with scikit-learn's kappa over the declared points, or over those observed if the method says so."""
    from sklearn.metrics import cohen_kappa_score

    pair = wide.loc[found.scope["raters"]].dropna(axis=1).to_numpy().astype(int).astype(str)
    labels = None if "observed" in found.method else [str(int(point)) for point in POINTS]
    known = cohen_kappa_score(*pair, labels=labels, weights=weights) if pair.shape[1] else float("nan")
    tally.compare(found.statistic, found.estimate, known, f"{' and '.join(found.scope['raters'])}, {where}")


def _choices(study: Study, tally: Tally) -> None:
    from statsmodels.stats.proportion import proportion_confint

    votes = study.of("preference")["value"] == "model"
    for method, name in (("wilson", "wilson"), ("clopper_pearson", "beta")):
        for found in study.report.estimates:
            is_same = found.statistic == "share_preferred" and found.scope == {"source": "model", "reference": "human"}
            if is_same and found.method.startswith(f"{method}:"):
                low, high = proportion_confint(int(votes.sum()), len(votes), method=name)
                tally.compare("share_preferred", found.estimate, votes.mean(), study.name)
                tally.compare(f"share_preferred, {method}", found.ci_low, low, study.name)
                tally.compare(f"share_preferred, {method}", found.ci_high, high, study.name)


def _categories(study: Study, tally: Tally) -> None:
    from sklearn import metrics
    from statsmodels.stats.contingency_tables import SquareTable, cochrans_q

    part = study.of("harm")
    key, given = part["right"].tolist(), part["value"].tolist()
    labels = [code for code in CODES if code in {*key, *given}]
    macro = metrics.f1_score(key, given, labels=labels, average="macro", zero_division=0)
    for found in study.report.estimates:
        if found.question == "harm" and found.statistic == "f1_macro" and not found.scope:
            tally.compare("f1_macro", found.estimate, macro, study.name)
        if found.question == "harm" and found.statistic == "f1":
            known = metrics.f1_score(key, given, labels=[found.scope["category"]], average="macro", zero_division=0)
            tally.compare("f1", found.estimate, known, study.name)
        if found.question == "harm" and found.statistic == "accuracy_share" and found.scope == {}:
            tally.compare("accuracy_share", found.estimate, metrics.accuracy_score(key, given), study.name)
    wide = part.pivot_table(index=["rater", "item"], columns="source", values="value", aggfunc="first").dropna()
    table = pd.crosstab(wide["model"], wide["human"]).reindex(index=CODES, columns=CODES, fill_value=0)
    known_test = SquareTable(table.to_numpy(), shift_zeros=False).homogeneity(method="stuart_maxwell")
    found_test = study.find("stuart_maxwell", "harm")
    if found_test is not None:
        tally.compare("stuart_maxwell", found_test.estimate, float(known_test.statistic), study.name)
    for code in CODES:
        found_q = study.find("cochran_q", f"harm={code}")
        if found_q is not None:
            known_q = cochrans_q((wide == code).astype(int).to_numpy()).statistic
            tally.compare("cochran_q", found_q.estimate, float(known_q), f"{code} in {study.name}")


def compared(seeds: Iterator[int] | range) -> Tally:
    """Compare all numbers of the studies with these seeds."""
    tally = Tally()
    for seed in seeds:
        _checked(random_study(seed), tally)
    return tally


def main() -> None:
    """Print which numbers agree and which differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=40)
    tally = compared(range(parser.parse_args().studies))
    for name in sorted(tally.agree | tally.differ):
        print(f"{name}: {tally.agree[name]} agree, {tally.differ[name]} differ")  # noqa: T201 - a command
    print(f"{tally.agree.total()} numbers agree, {tally.differ.total()} differ", *tally.lines, sep="\n  ")  # noqa: T201


if __name__ == "__main__":
    main()
