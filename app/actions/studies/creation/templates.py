"""Study templates: published designs as example folders that a lead copies and edits."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from ruamel.yaml import YAML

from app.design.problem import FolderExistsError
from app.design.protocol.study_parts import Slug

PROTOCOL = "study.yaml"
FOLDER = Path(__file__).resolve().parents[3] / "study_templates"


@dataclass(frozen=True, slots=True)
class Template:
    """One template: its name, its purpose, and the publication of its design."""

    name: str
    purpose: str
    source: str


class TemplateMissingError(LookupError):
    """No template has this name."""


class SlugError(ValueError):
    """The slug is not valid."""


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


def new_study(name: str, out: Path, slug: str, title: str) -> Path:
    """Write a template to a new folder, under another slug and title.

    Args:
        name: the template.
        out: the folder to write; it may exist if it is empty.
        slug: the new study's slug.
        title: the new study's title.

    Raises:
        TemplateMissingError: the template does not exist.
        SlugError: the slug is not valid.
        FolderExistsError: `out` is not an empty folder; nothing was written.
    """
    files = files_of(name, slug, title)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FolderExistsError(f"{out} already exists and is not empty. Nothing was written.")
    out.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        (out / file).write_bytes(content)
    return out


def files_of(name: str, slug: str, title: str) -> dict[str, bytes]:
    """The files of a template by name, under another slug and title and otherwise unchanged.

    Raises:
        TemplateMissingError: the template does not exist.
        SlugError: the slug is not valid.
    """
    files = {file.name: file.read_bytes() for file in sorted(template_folder(name).iterdir())}
    try:
        TypeAdapter(Slug).validate_python(slug)
    except ValidationError as error:
        raise SlugError(
            f"{slug} is not a valid slug. Use lowercase letters, digits and hyphens, at most 64 characters."
        ) from error
    return files | {PROTOCOL: renamed(files[PROTOCOL].decode("utf-8"), slug, title).encode()}


def renamed(yaml: str, slug: str, title: str) -> str:
    r"""A protocol with another slug and title; comments and layout are kept.

    >>> renamed("attune: 1\nslug: old\ntitle: Old words\n", "new-one", "New: words")
    'attune: 1\nslug: new-one\ntitle: "New: words"\n'
    """
    with_slug = re.sub(r"^slug: .*$", f"slug: {slug}", yaml, count=1, flags=re.MULTILINE)
    quoted = json.dumps(title, ensure_ascii=False)
    return re.sub(r"^title: .*$", lambda _: f"title: {quoted}", with_slug, count=1, flags=re.MULTILINE)
