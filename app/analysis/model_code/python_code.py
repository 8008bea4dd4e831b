"""The models as Python: pandas and bambi. It reads ratings.csv and keeps the rows that the report counts."""

import json
from collections.abc import Iterable, Iterator

from app.analysis.model_code.contrast_model import CodedStudy, ContrastModel, FittedModel, Score
from app.analysis.model_code.words import LINEAR, PLAIN, left_out, line_of, name_of, opening, said
from app.base.words import number_text

_READ = """\
def read(path):
    return pd.read_csv(path, dtype=TEXT, keep_default_na=False, na_values=[""])


TEXT = dict.fromkeys(["rater", "item", "response", "source", "value", "left_response", "right_response"], str)
ratings = read({file})

# The ratings that the report counts: {who}.
{people}
if "exclude" in counted:
    counted = counted[counted["exclude"].isna()]
if "repeat" in counted:
    counted = counted[counted["repeat"] == 0]"""
_KINDS = {
    True: 'counted = ratings[ratings["rater_kind"] == "person"]',
    False: 'counted = ratings[(ratings["rater_kind"] == "person") & ~ratings["is_simulated"].astype(bool)]',
}
_SLOTS = 'counted = counted.assign(rater=counted["item"] + "/" + counted["rater"])  # it is not known who rated what'
_POOL = """\
raters = read("raters.csv")  # from the archive of the study
rows = rows[rows["rater"].isin(raters.loc[raters["pool"] == {pool}, "rater"])].copy()"""
_CHOICES = """\
responses = read("responses.csv")  # from the archive of the study
source_of = responses.set_index("response")["source"]
is_choice = (counted["question"] == {question}) & ~counted["value"].isin(["neither", "cannot_judge"])
rows = counted[is_choice].copy()
{between}
rows["y"] = np.where(rows["value"] == "tie", 0.5, (rows["source"] == {source}) * 1.0)"""
_SIDED = """\
left, right = rows["left_response"].map(source_of), rows["right_response"].map(source_of)
rows["side"] = np.where(left == {source}, 0.5, -0.5)
pair = [{source}, {reference}]
rows = rows[left.isin(pair) & right.isin(pair) & (left != right)].copy()"""
_UNSIDED = """\
of_item = responses.groupby("item")["source"].agg(lambda found: sorted(found) == {both})
rows = rows[rows["item"].map(of_item)].copy()"""
_GRADE = 'rows["grade"] = pd.Categorical(np.searchsorted({cuts}, rows["y"], side="right"), ordered=True)'
# The share for new raters and items: the probability averaged over the random effects, whose sum is normal.
_SHARE = """\
average, spread = fit.posterior["Intercept"], np.sqrt(0{variances})
latent = average + spread * np.random.default_rng(1).normal(size=average.shape)"""
_DECISIVE = 'decisive = rows[rows["y"] != 0.5]  # without ties'


def python_code(study: CodedStudy) -> str:
    """The script for bambi: posterior means are near the estimates, not equal to them."""
    imports = ["import bambi as bmb", "import numpy as np", "import pandas as pd"]
    lines = [*opening(study, "Python (bambi)"), *imports, "", "", *_read(study)]
    for number, model in enumerate(study.models, 1):
        lines += ["", f"# {number}. {line_of(model.title)}", *_rows(model), *_models(model), *left_out(model)]
    return "\n".join(lines) + "\n"


def _read(study: CodedStudy) -> Iterator[str]:
    who = "simulated raters rehearse them" if study.is_simulated else "those of people"
    yield _READ.format(file=_text(f"{study.slug}-ratings.csv"), who=who, people=_KINDS[study.is_simulated])
    if not study.are_raters_known:
        yield _SLOTS


def _rows(model: ContrastModel) -> Iterator[str]:
    """The ratings of the contrast, with the outcome `y` and the source `x`: -1/2 for the reference, 1/2."""
    source, reference = _text(model.source), _text(model.reference)
    if model.is_choice:
        both = _list(map(_text, sorted((model.source, model.reference))))
        between = (_SIDED if model.has_side else _UNSIDED).format(source=source, reference=reference, both=both)
        yield _CHOICES.format(question=_text(model.question), source=source, between=between)
    elif model.score:
        yield from _scored(model.score, is_by_turn=model.is_by_turn)
    else:
        yield f'rows = counted[counted["question"] == {_text(model.question)}].dropna(subset=["value_number"])'
        yield 'rows = rows.assign(y=rows["value_number"])'
    if model.pool is not None:
        yield _POOL.format(pool=_text(model.pool))
    if not model.is_choice:
        yield f'rows = rows[rows["source"].isin([{source}, {reference}])].copy()'
        yield f'rows["x"] = np.where(rows["source"] == {source}, 0.5, -0.5)'


def _scored(score: Score, *, is_by_turn: bool) -> Iterator[str]:
    keys = _list(_text(question.key) for question in score.questions)
    by = _list(map(_text, ("rater", "item", "response", "source", *(["turn"] if is_by_turn else []))))
    yield f'rows = counted[counted["question"].isin({keys})].dropna(subset=["value_number"])'
    yield 'rows = rows.assign(y=rows["value_number"])'
    for question in score.questions:
        if question.ends is not None:
            is_it = f'rows["question"] == {_text(question.key)}'
            yield f'rows["y"] = np.where({is_it}, {number_text(question.ends)} - rows["y"], rows["y"])'
    yield f"by = {by}"
    yield 'rows = rows.groupby([*by, "question"], as_index=False)["y"].mean()'
    yield 'rows = rows.groupby(by, as_index=False)["y"].agg(["mean", "size"])'
    times = f"{score.times} * " if score.times > 1 else ""
    yield f'rows = rows[rows["size"] >= {score.n_needed}].assign(y=lambda scored: {times}scored["mean"])'


def _models(model: ContrastModel) -> Iterator[str]:
    means = 'rows["y"].mean()' if model.is_choice else 'rows.groupby("x")["y"].mean().diff().iloc[-1]'
    yield from (said(model, model.plain, PLAIN), f"print({_text(name_of(model.plain, PLAIN))}, {means})")
    if model.linear:
        yield from _fit(model, model.linear, model.linear.formula("y", "x"), "rows", LINEAR)
    if model.ordinal:
        yield _GRADE.format(cuts=_list(map(number_text, model.cuts)))
        formula = model.ordinal.formula("grade", "x")
        yield from _fit(model, model.ordinal, formula, 'rows, family="cumulative"')
    if model.choice:
        yield _DECISIVE
        yield from _fit(model, model.choice, model.choice_formula, 'decisive, family="bernoulli"')


def _fit(model: ContrastModel, fitted: FittedModel, formula: str, given: str, more: str = "") -> Iterator[str]:
    found = 'fit.posterior["x"].mean().item()'
    yield said(model, fitted.estimate, more)
    yield f"formula = {_text(formula)}"
    yield f"fit = bmb.Model(formula, {given}).fit(random_seed=1)"
    if fitted is model.choice:
        variances = "".join(f' + fit.posterior["1|{name}_sigma"] ** 2' for name in fitted.effects)
        yield _SHARE.format(variances=variances)
        found = "(1 / (1 + np.exp(-latent))).mean().item()"
    value = f"np.exp({found})" if fitted is model.ordinal else found
    yield f"print({_text(name_of(fitted.estimate, more))}, {value})"


def _list(parts: Iterable[str]) -> str:
    return f"[{', '.join(parts)}]"


def _text(words: str) -> str:
    """A string literal of Python."""
    return json.dumps(words, ensure_ascii=False)
