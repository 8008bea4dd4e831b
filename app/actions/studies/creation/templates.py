"""New studies from study templates, as folders that a lead edits."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from app.design.problem import FolderExistsError
from app.design.protocol.study_parts import Slug
from app.exchange.folder.study_templates import PROTOCOL, template_folder

if TYPE_CHECKING:
    from pathlib import Path


class SlugError(ValueError):
    """The slug is not valid."""


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
