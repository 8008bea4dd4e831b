"""The words that the scripts share, in the order in which the page has them."""

from collections.abc import Iterator

from app.analysis.estimate import Estimate
from app.analysis.model_code.contrast_model import CodedStudy, ContrastModel
from app.analysis.statistic import declared

# What tells the two estimates of a mean difference apart.
PLAIN, LINEAR = "", "linear mixed model"
DIGITS = 6


def opening(study: CodedStudy, language: str) -> Iterator[str]:
    """The first lines: what the script is, what it reads, and what has no code."""
    yield f"# Models of the primary contrasts of {line_of(study.title)}, for {language}."
    yield f"# Reads {study.slug}-ratings.csv (results, Downloads): put it beside this script."
    yield "# x is 0.5 for the source and -0.5 for the reference, so that its coefficient is source minus reference."
    yield from (f"# {line_of(words)}" for words in study.left_out)
    yield ""


def name_of(estimate: Estimate, more: str) -> str:
    """What the script prints before the estimate."""
    label = declared(estimate.statistic).label
    return f"{label} ({more}):" if more else f"{label}:"


def said(model: ContrastModel, estimate: Estimate, more: str) -> str:
    """The comment before an estimate: its name, its value in the report, and whether it is primary."""
    mark = ", primary" if model.is_primary(estimate) else ""
    return f"# {name_of(estimate, more)} {estimate.estimate:.{DIGITS}g} in the report{mark}"


def left_out(model: ContrastModel) -> Iterator[str]:
    """The primary tests of the contrast that are no model."""
    for estimate in model.others:
        why = "no model" if estimate.estimate is not None else "not estimable"
        yield f"# Primary, but {why}: {declared(estimate.statistic).label}."


def line_of(words: str) -> str:
    """Words on one line, as a comment needs them."""
    return " ".join(words.split())
