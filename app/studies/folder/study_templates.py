"""Study templates, published designs as example study folders; and which of them a study was started from."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from app.base.problems import Problems
from app.protocol.study import Protocol
from app.protocol.yaml.study_yaml import read_protocol

# What reports say about the template whose design a study follows.


# Settings of the design that change who takes part and how, but not what raters do.
_ADMISSION = frozenset({"lease_minutes", "links", "max_raters", "open_pool", "quotas", "seed"})


def template_origin(protocol: Protocol) -> str:
    """Return the sentence; empty for a study that was not started from a template of this version, or changed it."""
    source = next((one.source for one in list_templates() if one.name == protocol.template), None)
    if source is None:
        return ""
    if _design_of(protocol) != _design_of(_template_protocol(protocol.template)):
        return ""
    return f"The design follows the Attune template {protocol.template}, which is based on {source}."


def _design_of(protocol: Protocol) -> tuple[Any, ...]:
    """What makes two designs the same: questions, kinds of sources, assignment, conditions, practice and checks."""
    return (
        protocol.questions,
        sorted(source.kind for source in protocol.sources.values()),
        protocol.design.model_dump(exclude=set(_ADMISSION)),
        protocol.conditions,
        protocol.flow.practice,
        protocol.checks,
    )


@cache
def _template_protocol(name: str) -> Protocol:
    text = (template_folder(name) / PROTOCOL).read_text(encoding="utf-8")
    protocol = read_protocol(text, Problems())
    if protocol is None:
        raise AssertionError(f"the template {name} cannot be read")
    return protocol


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
