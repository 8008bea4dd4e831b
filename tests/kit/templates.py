"""Templates that many tests look at, each read once per worker. They are for looking only: no test changes them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from app.studies.folder.read import read_folder
from app.studies.folder.study_templates import template_folder

if TYPE_CHECKING:
    from app.analysis.data.study_folder import StudyFolder


@cache
def template_study(name: str) -> StudyFolder:
    """The study in the folder of a template."""
    return read_folder(template_folder(name))
