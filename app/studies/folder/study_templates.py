"""Study templates: published designs as example study folders."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ruamel.yaml import YAML

PROTOCOL = "study.yaml"
FOLDER = Path(__file__).resolve().parents[2] / "study_templates"


@dataclass(frozen=True, slots=True)
class Template:
    """One template: its name, its purpose, and the publication of its design."""

    name: str
    purpose: str
    source: str


class TemplateMissingError(LookupError):
    """No template has this name."""


@cache
def list_templates() -> tuple[Template, ...]:
    """Every template, in the order of the index."""
    index = YAML(typ="safe").load((FOLDER / "index.yaml").read_text(encoding="utf-8"))
    return tuple(Template(name, entry["purpose"], entry["source"]) for name, entry in index.items())


def template_folder(name: str) -> Path:
    """The study folder of a template, which must not be modified.

    Raises:
        TemplateMissingError: the template does not exist.
    """
    if name not in {template.name for template in list_templates()}:
        raise TemplateMissingError(f"There is no template {name}.")
    return FOLDER / name
