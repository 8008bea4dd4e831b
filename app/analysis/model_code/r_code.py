"""The models as R: lme4 and ordinal, or brms. Both read ratings.csv and keep the rows that the report counts."""

from collections.abc import Callable, Iterable, Iterator

from app.analysis.model_code.contrast_model import CodedStudy, ContrastModel, FittedModel, Score
from app.analysis.model_code.r_literals import literal, vector
from app.analysis.model_code.words import LINEAR, PLAIN, left_out, line_of, name_of, opening, said
from app.base.words import number_text

_READ = """\
ratings <- read.csv({file}, fileEncoding = "UTF-8", na.strings = "", colClasses = c(item = "character"))

# The ratings that the report counts: {who}.
{people}
if ("exclude" %in% names(counted)) counted <- counted[is.na(counted$exclude), ]
if ("repeat." %in% names(counted)) counted <- counted[counted$repeat. == 0, ]"""
_KINDS = {
    True: 'counted <- ratings[ratings$rater_kind == "person", ]',
    False: 'counted <- ratings[ratings$rater_kind == "person" & !as.logical(ratings$is_simulated), ]',
}
_SLOTS = 'counted$rater <- paste(counted$item, counted$rater, sep = "/")  # it is not known who rated what'
_POOL = """\
raters <- read.csv("raters.csv", fileEncoding = "UTF-8", na.strings = "")  # from the archive of the study
rows <- rows[rows$rater %in% raters$rater[raters$pool %in% {pool}], ]"""
_CHOICES = """\
responses <- read.csv("responses.csv", fileEncoding = "UTF-8", na.strings = "")  # from the archive of the study
source_of <- setNames(responses$source, responses$response)
rows <- counted[counted$question == {question} & !counted$value %in% c("neither", "cannot_judge"), ]
{between}
rows$y <- ifelse(rows$value == "tie", 0.5, as.numeric(rows$source %in% {source}))"""
_SIDED = """\
left <- source_of[rows$left_response]
right <- source_of[rows$right_response]
rows$side <- ifelse(left == {source}, 0.5, -0.5)
rows <- rows[(left %in% {source} & right %in% {reference}) | (left %in% {reference} & right %in% {source}), ]"""
_UNSIDED = """\
of_item <- tapply(responses$source, responses$item, function(found) paste(sort(found), collapse = "|"))
rows <- rows[of_item[rows$item] == {both}, ]"""


# The end of a printed line.
_END = r'"\n"'
_GRADE = "rows$grade <- ordered(findInterval(rows$y, {cuts}))"
# The share for new raters and items: the probability averaged over the random effects, whose sum is normal.
_SHARE = "integrate(function(z) plogis({average} + {spread} * z) * dnorm(z), -Inf, Inf)$value"
_SHARE_OF_DRAWS = """\
draws <- as_draws_df(fit)
spread <- sqrt(0{variances})
print(mean(plogis(draws$b_Intercept + spread * rnorm(nrow(draws)))))"""
_DECISIVE = "decisive <- rows[rows$y != 0.5, ]  # without ties"

Models = Callable[[ContrastModel], Iterator[str]]


def r_code(study: CodedStudy) -> str:
    """The script for lme4 (with lmerTest) and ordinal."""
    packages = ["library(lmerTest)  # lme4, with Satterthwaite's degrees of freedom", "library(ordinal)"]
    return _script(study, "lme4 and ordinal", packages, _frequentist)


def brms_code(study: CodedStudy) -> str:
    """The script for brms: posterior means are near the estimates, not equal to them."""
    return _script(study, "brms", ["library(brms)"], _bayesian)


def _script(study: CodedStudy, packages: str, libraries: list[str], models: Models) -> str:
    lines = [*opening(study, f"R ({packages})"), *libraries, "", *_read(study)]
    for number, model in enumerate(study.models, 1):
        lines += ["", f"# {number}. {line_of(model.title)}", *_rows(model), *models(model), *left_out(model)]
    return "\n".join(lines) + "\n"


def _frequentist(model: ContrastModel) -> Iterator[str]:
    means = "mean(rows$y)" if model.is_choice else 'coef(lm(y ~ x, data = rows))[["x"]]'
    yield from (said(model, model.plain, PLAIN), f"cat({literal(name_of(model.plain, PLAIN))}, {means}, {_END})")
    if model.linear:
        function, found = ("lmer", "fixef") if model.linear.effects else ("lm", "coef")
        formula = model.linear.formula("y", "x")
        yield from _fit(
            model, model.linear, formula, f"{function}(formula, data = rows)", f'{found}(fit)[["x"]]', LINEAR
        )
    if model.ordinal:
        yield _GRADE.format(cuts=_numbers(model.cuts))
        fit = f"{'clmm' if model.ordinal.effects else 'clm'}(formula, data = rows)"
        yield from _fit(model, model.ordinal, model.ordinal.formula("grade", "x"), fit, 'exp(coef(fit)[["x"]])')
    if model.choice:
        yield _DECISIVE
        function, found = ("glmer", "fixef") if model.choice.effects else ("glm", "coef")
        fit = f"{function}(formula, data = decisive, family = binomial)"
        spread = "sqrt(sum(unlist(VarCorr(fit))))" if model.choice.effects else "0"
        share = _SHARE.format(average=f'{found}(fit)[["(Intercept)"]]', spread=spread)
        yield from _fit(model, model.choice, model.choice_formula, fit, share)


def _fit(
    model: ContrastModel, fitted: FittedModel, formula: str, fit: str, found: str, more: str = ""
) -> Iterator[str]:
    yield said(model, fitted.estimate, more)
    yield f"formula <- {formula}"
    yield f"fit <- {fit}"
    yield f"cat({literal(name_of(fitted.estimate, more))}, {found}, {_END})"


def _bayesian(model: ContrastModel) -> Iterator[str]:
    if model.linear:
        yield from _sampled(model, model.linear, model.linear.formula("y", "x"), "rows", "", LINEAR)
    if model.ordinal:
        yield _GRADE.format(cuts=_numbers(model.cuts))
        family = ', family = cumulative("logit")'
        yield from _sampled(model, model.ordinal, model.ordinal.formula("grade", "x"), "rows", family)
    if model.choice:
        yield _DECISIVE
        yield from _sampled(model, model.choice, model.choice_formula, "decisive", ", family = bernoulli()")


def _sampled(
    model: ContrastModel, fitted: FittedModel, formula: str, rows: str, family: str, more: str = ""
) -> Iterator[str]:
    summary = 'fixef(fit)["x", c("Estimate", "Q2.5", "Q97.5")]'
    yield said(model, fitted.estimate, more)
    yield f"formula <- {formula}"
    yield f"fit <- brm(formula, data = {rows}{family}, seed = 1)"
    if fitted is model.choice:
        variances = "".join(f" + draws$sd_{name}__Intercept^2" for name in fitted.effects)
        yield _SHARE_OF_DRAWS.format(variances=variances)
    else:
        yield f"print({summary})" if fitted is model.linear else f"print(exp({summary}))"


def _numbers(values: Iterable[float]) -> str:
    return f"c({', '.join(map(number_text, values))})"


def _read(study: CodedStudy) -> Iterator[str]:
    who = "simulated raters rehearse them" if study.is_simulated else "those of people"
    file = literal(f"{study.slug}-ratings.csv")
    yield _READ.format(file=file, who=who, people=_KINDS[study.is_simulated])
    if not study.are_raters_known:
        yield _SLOTS


def _rows(model: ContrastModel) -> Iterator[str]:
    """The ratings of the contrast, with the outcome `y` and the source `x`: -1/2 for the reference, 1/2."""
    source, reference = literal(model.source), literal(model.reference)
    if model.is_choice:
        both = literal("|".join(sorted((model.source, model.reference))))
        between = (_SIDED if model.has_side else _UNSIDED).format(source=source, reference=reference, both=both)
        yield _CHOICES.format(question=literal(model.question), source=source, between=between)
    elif model.score:
        yield from _scored(model.score, is_by_turn=model.is_by_turn)
    else:
        yield f"rows <- counted[counted$question == {literal(model.question)} & !is.na(counted$value_number), ]"
        yield "rows$y <- rows$value_number"
    if model.pool is not None:
        yield _POOL.format(pool=literal(model.pool))
    if not model.is_choice:
        yield f"rows <- rows[rows$source %in% c({source}, {reference}), ]"
        yield f"rows$x <- ifelse(rows$source == {source}, 0.5, -0.5)"
    yield "rows$item <- factor(rows$item)"
    yield "rows$rater <- factor(rows$rater)"


def _scored(score: Score, *, is_by_turn: bool) -> Iterator[str]:
    keys = vector(question.key for question in score.questions)
    reversed_keys = {one.key: one.ends for one in score.questions if one.ends is not None}
    by = "rater + item + response + source" + (" + turn" if is_by_turn else "")
    yield f"rows <- counted[counted$question %in% {keys} & !is.na(counted$value_number), ]"
    yield "rows$y <- rows$value_number"
    for key, ends in reversed_keys.items():
        yield f"rows$y <- ifelse(rows$question == {literal(key)}, {number_text(ends)} - rows$y, rows$y)"
    yield f"rows <- aggregate(y ~ {by} + question, rows, mean)"
    yield f"n_answered <- aggregate(y ~ {by}, rows, length)$y"
    yield f"rows <- aggregate(y ~ {by}, rows, mean)[n_answered >= {score.n_needed}, ]"
    if score.times > 1:
        yield f"rows$y <- {score.times} * rows$y"
