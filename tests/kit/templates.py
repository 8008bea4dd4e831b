"""Templates that many tests look at, each read once per worker. They are for looking only: no test changes them."""

from functools import cache
from typing import Any

import pytest

from app.analysis.data.study_folder import StudyFolder
from app.studies.folder.read import read_folder
from app.studies.folder.study_templates import list_templates, template_folder

# `make test` analyses each template once: these as raters on the database answer it, the others from simulated ratings
# (tests/analysis/headlines/test_also_reported.py). `make slow` does both with all.
RATED_IN_GATE = {
    "ab-tie",
    "ayers-pair",
    "before-after",
    "bias-audit",
    "case-heard",
    "character-knowledge",
    "conjoint",
    "dialogue-trajectory",
    "emotion-cause",
    "emotion-recognition",
    "empathic-accuracy",
    "empathic-dyads",
    "follow-up",
    "ranking",
    "recipient",
    "refusal-by-turn",
    "responder-level",
    "suggestions",
    "written-with-ai",
}


@cache
def template_study(name: str) -> StudyFolder:
    """The study in the folder of a template."""
    return read_folder(template_folder(name))


def every_template(*, in_gate: set[str]) -> list[Any]:
    """All templates as parameters of a test; those that are not `in_gate` only in `make slow`."""
    names = {template.name for template in list_templates()}
    assert in_gate <= names
    return [pytest.param(name, marks=() if name in in_gate else pytest.mark.slow) for name in sorted(names)]
