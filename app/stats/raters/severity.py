"""Rater severity on the scale of the ordinal model, with standard errors, as in many-facet models."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from app.stats.arrays import Floats, Ints, Labels, present
from app.stats.clusters import without_interval
from app.stats.mixed.clmm_fit import ClmmFit, fit_clmm
from app.stats.mixed.clmm_laplace import Laplace
from app.stats.mixed.crossed import Factor, crossed
from app.stats.mixed.model_design import ordered_classes
from app.stats.result import Interval, Method, Result, undefined

METHOD = Method("clmm_laplace", ": conditional modes")
_PAIR = 2
_FARTHEST = 20.0
# raters whose effects have a smaller standard deviation, in log odds, do not differ
_ALIKE = 1e-3
_NO_DIFFERENCE = "The model finds no differences in severity between raters, so no interval."


@dataclass(frozen=True, slots=True)
class Severity:
    """One rater: log odds of a lower rating of the same response than by the average rater; positive is severe."""

    rater: object
    severity: Result


def rater_severity(value: Floats, *, unit: Labels, rater: Labels, level: float = 0.95) -> list[Severity]:
    """Return the severity of each rater, in order of first appearance.

    Cumulative link mixed model, logit P(y <= k) = theta_k - u_unit - v_rater, both effects normal. Severity is minus
    the conditional mode of v, shrunken more towards 0 the fewer the ratings. Its standard error is conditional on the
    model's parameters, as `ordinal::ranef(condVar = TRUE)`. This is Linacre's (1989) many-facet model with raters as a
    random sample. Interval: normal.

    Args:
        value: ratings on ordered points, shape (n,); nan is dropped.
        unit: the response, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    number, (units, raters) = present(value, unit, rater)
    (unit_code, unit_names), (rater_code, rater_names) = pd.factorize(units), pd.factorize(raters)
    n_of = np.bincount(rater_code, minlength=len(rater_names)).tolist()
    problem = _problem(number, len(unit_names), len(rater_names))
    if problem is None:
        model = _Crossing(unit_code, len(unit_names), rater_code, len(rater_names), ordered_classes(number).y)
        effects = model.severities()
        if effects is not None:
            found = [_result(-mode, error, level) for mode, error in zip(*effects, strict=True)]
            return _named(rater_names.tolist(), found, n_of)
        problem = undefined("not_converged", "The fit did not converge.", method=METHOD)
    return _named(rater_names.tolist(), [problem] * len(n_of), n_of)


def _problem(value: Floats, n_units: int, n_raters: int) -> Result | None:
    if min(n_units, n_raters) < _PAIR or max(n_units, n_raters) == len(value):
        return undefined("no_pairable_units", "Severity needs raters who rated the same responses.", method=METHOD)
    if np.ptp(value) == 0:
        return undefined("no_variation", "All ratings are the same.", method=METHOD)
    return None


def _result(severity: float, error: float, level: float) -> Result:
    if error < _ALIKE:
        return without_interval(Result(0.0, METHOD), "no_variation", _NO_DIFFERENCE)
    reach = float(special.ndtri(0.5 + level / 2)) * error
    interval = Interval(severity - reach, severity + reach, Method("clmm_laplace"), level, inference="items")
    return Result(severity, METHOD, standard_error=error, interval=interval)


def _named(names: list[object], results: list[Result], n_of: list[int]) -> list[Severity]:
    rows = zip(names, results, n_of, strict=True)
    return [Severity(name, result.with_counts(n_ratings=n, n_raters=1)) for name, result, n in rows]


@dataclass(frozen=True, eq=False)
class _Crossing:
    """Units and raters as codes, and the class of each rating."""

    unit: Ints
    n_units: int
    rater: Ints
    n_raters: int
    y: Ints

    def severities(self) -> tuple[list[float], list[float]] | None:
        """Return modes of the raters' effects and their conditional standard errors, or None if the fit failed."""
        one = np.ones((1, len(self.y)))
        fit = fit_clmm(
            self.y, one[:0], item=self.unit, rater=self.rater, item_columns=one, rater_columns=one, link="logit"
        )
        if fit is None or max(fit.sd_item[0], fit.sd_rater[0]) > _FARTHEST:
            return None
        variances = self._conditional_variances(fit)
        errors: Floats = fit.sd_rater[0] * np.sqrt(variances)
        return fit.rater_effects[0].tolist(), errors.tolist()

    def _conditional_variances(self, fit: ClmmFit) -> Floats:
        """Return the diagonal of H^-1 at the modes, for the raters' standardized effects, shape (n_raters,)."""
        units, raters = Factor(self.unit, self.n_units, (0,)), Factor(self.rater, self.n_raters, (0,))
        is_unit_large = self.n_units >= self.n_raters
        design = crossed(*((units, raters) if is_unit_large else (raters, units)), np.ones((1, len(self.y))))
        model = Laplace(self.y[design.order], np.zeros((0, len(self.y))), design, "logit", int(self.y.max()) + 1)
        gaps = np.log(np.diff(fit.thresholds))
        sds = (fit.sd_item, fit.sd_rater) if is_unit_large else (fit.sd_rater, fit.sd_item)
        by_large, by_small = model.conditional_variances(np.concatenate([fit.thresholds[:1], gaps, *sds]))
        of_raters: Floats = (by_small if is_unit_large else by_large)[0]
        return of_raters
