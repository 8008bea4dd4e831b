"""References as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app import __version__
from app.base.documents.reference import Reference

_MARKS = str.maketrans({"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_"})


def bibtex(references: Iterable[Reference]) -> str:
    """One entry for each reference, and one for the software."""
    entries = [_entry(reference) for reference in references]
    software = (
        f"@software{{attune,\n  author = {{{{Attune}}}},\n  title = {{Attune}},\n  version = {{{__version__}}}\n}}"
    )
    return "\n\n".join([*entries, software]) + "\n"


def _entry(reference: Reference) -> str:
    kind, _ = _kind(reference)
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in _fields(reference) if value)
    return f"@{kind}{{{reference.key},\n{lines}\n}}"


def _kind(reference: Reference) -> tuple[str, str]:
    """The type of the entry, and the field for where it appeared."""
    if reference.is_preprint:
        return "misc", "howpublished"
    if reference.is_proceedings:
        return "inproceedings", "booktitle"
    return ("article", "journal") if reference.is_article else ("book", "publisher")


def _fields(reference: Reference) -> Iterator[tuple[str, str]]:
    authors = " and ".join(author.strip() for author in reference.authors.split(";"))
    volume, _, number = reference.volume.removesuffix(")").partition("(")
    yield "author", authors.translate(_MARKS)
    yield "year", str(reference.year)
    yield "title", f"{{{reference.title.translate(_MARKS)}}}"
    yield _kind(reference)[1], reference.where.translate(_MARKS)
    yield "volume", volume
    yield "number", number
    yield "pages", reference.pages.replace("–", "--")
    yield "doi", reference.doi
