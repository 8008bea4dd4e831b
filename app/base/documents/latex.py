"""Documents as LaTeX for pdfLaTeX, XeLaTeX and LuaLaTeX, with pictures as PDF files beside it; references as BibTeX."""

from collections.abc import Iterable, Iterator

from app import __version__
from app.base.documents.blocks import CHARTS, Block, Bullets, Code, DataTable, Document, Figure
from app.base.documents.reference import Reference

# References as BibTeX.


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


_ESCAPED = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "_": r"\_\allowbreak{}",
        "%": r"\%",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "[": "{[}",
        "]": "{]}",
        "*": "{*}",  # after the end of a row it would belong to the command
        "/": r"/\allowbreak{}",
        "-": "-{}",
    }
)
# control characters, which no TeX reads; white space becomes a space
_CONTROLS = dict.fromkeys(code for code in (*range(32), *range(0x7F, 0xA0)) if not chr(code).isspace())
# what pdfLaTeX does not know by itself
_SYMBOLS = {
    "−": r"\ensuremath{-}",
    "×": r"\ensuremath{\times}",
    "≥": r"\ensuremath{\geq}",
    "≤": r"\ensuremath{\leq}",
    "χ": r"\ensuremath{\chi}",
    "Φ": r"\ensuremath{\Phi}",
    "ν": r"\ensuremath{\nu}",
    "α": r"\ensuremath{\alpha}",
    "′": r"\ensuremath{'}",
    "→": r"\ensuremath{\rightarrow}",
    "\u202f": r"\,",
    "\u2009": r"\,",
    "\u200b": "",
}
_LAST_LATIN = 0x17F
_KNOWN = "–—‘’“”…€†‡•"
_PREAMBLE = r"""\documentclass[a4paper,11pt]{article}
\usepackage[margin=22mm]{geometry}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
  \usepackage{textcomp}
  \usepackage{lmodern}
%(characters)s\else
  \usepackage{fontspec}
\fi
\usepackage{array,booktabs,longtable,graphicx,caption}
\captionsetup{font=small,labelfont=bf,justification=raggedright,singlelinecheck=false}
\usepackage[hidelinks]{hyperref}
\setlength{\parindent}{0pt}
\setlength{\parskip}{5pt}
\sloppy
"""
_HEADINGS = {1: "section", 2: "subsection"}


def latex_document(document: Document) -> str:
    """The document as text; its pictures are PDF files in the folder `CHARTS`."""
    title = escaped(document.title)
    head = _PREAMBLE % {"characters": _characters(document)}
    lines = [head, r"\hypersetup{pdftitle={" + title + "}}", r"\title{" + title + "}", r"\date{}", r"\author{}"]
    if document.watermark:
        lines += [r"\pagestyle{myheadings}", r"\markright{\textbf{" + escaped(document.watermark) + "}}"]
    warning = [r"\textbf{" + escaped(document.warning) + r"}\par"] if document.warning else []
    lines += [r"\begin{document}", r"\maketitle", *warning, *(escaped(line) + r"\par" for line in document.lines)]
    for level, section in document.walk():
        lines += ["", r"\clearpage"] if section.starts_page else []
        lines += ["", rf"\{_HEADINGS[level]}*{{{escaped(section.title)}}}"]
        lines += [rf"\addcontentsline{{toc}}{{{_HEADINGS[level]}}}{{{escaped(section.title)}}}"]
        for block in section.blocks:
            lines += [*_block(block), ""]
    return "\n".join([*lines, r"\end{document}", ""])


def latex_tables(document: Document) -> str:
    r"""The tables alone, to be copied or `\input` into a manuscript that loads array, booktabs and longtable."""
    tables = (block for block in document.blocks if isinstance(block, DataTable))
    return "\n".join("\n".join(_table(table)) + "\n" for table in tables)


def escaped(text: str) -> str:
    r"""Text in which nothing is a command.

    >>> print(escaped("50 % & p < .05"))
    50 \% \& p \textless{} .05
    """
    return " ".join(text.translate(_CONTROLS).translate(_ESCAPED).split())


def _characters(document: Document) -> str:
    """What pdfLaTeX prints for characters that its fonts lack; letters of other scripts become a question mark."""
    text = "".join(_texts(document))
    others = sorted({letter for letter in text if ord(letter) > _LAST_LATIN and letter not in _KNOWN})
    declared = (f"  \\DeclareUnicodeCharacter{{{ord(one):04X}}}{{{_SYMBOLS.get(one, '?')}}}\n" for one in others)
    return "".join(declared)


def _texts(document: Document) -> Iterator[str]:
    yield from (document.title, document.warning, document.watermark, *document.lines)
    for _, section in document.walk():
        yield section.title
        for block in section.blocks:
            if isinstance(block, Bullets):
                yield from block.lines
            elif isinstance(block, DataTable):
                yield from (block.caption, *block.header, *block.notes, *(cell for row in block.rows for cell in row))
            elif isinstance(block, Figure):
                yield block.caption
            elif isinstance(block, Code):
                yield from (block.name, block.text)
            else:
                yield block.text


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Bullets):
        if block.lines:
            yield r"\begin{itemize}\footnotesize" if block.is_small else r"\begin{itemize}"
            yield from (rf"\item {escaped(line)}" for line in block.lines)
            yield r"\end{itemize}"
    elif isinstance(block, DataTable):
        yield from _table(block)
    elif isinstance(block, Figure):
        yield r"\begin{center}"
        size = r"width=\linewidth,height=0.8\textheight,keepaspectratio"
        yield rf"\includegraphics[{size}]{{{CHARTS}/{block.key}.pdf}}\par"
        yield rf"\captionof{{figure}}{{{escaped(block.caption)}}}"
        yield r"\end{center}"
    elif isinstance(block, Code):
        yield rf"\textbf{{{escaped(block.name)}}}\par"
        yield r"{\scriptsize\ttfamily\raggedright"
        yield from (_code_line(line) for line in block.text.rstrip("\n").split("\n"))
        yield "}"
    else:
        yield escaped(block.text)


def _code_line(line: str) -> str:
    """A line of a program with the spaces at its beginning; an empty one keeps its height."""
    words = escaped(line).replace("'", r"\textquotesingle{}").replace('"', r"\textquotedbl{}")
    return r"~" * (len(line) - len(line.lstrip(" "))) + (words or r"\strut") + r"\par"


def _table(table: DataTable) -> Iterator[str]:
    gaps = rf"\dimexpr {2 * len(table.header)}\tabcolsep\relax"
    widths = (rf"\dimexpr {share:.3f}\linewidth-{share:.3f}{gaps}\relax" for share in table.shares)
    columns = "".join(rf">{{\raggedright\arraybackslash}}p{{{width}}}" for width in widths)
    yield r"{\scriptsize" if table.is_small else r"{\footnotesize"
    yield rf"\begin{{longtable}}{{{columns}}}"
    header = (r"\toprule", f"{' & '.join(map(escaped, table.header))} \\\\", r"\midrule")
    yield from (rf"\caption{{{escaped(table.caption)}}}\\", *header, r"\endfirsthead", *header, r"\endhead")
    yield from (f"{' & '.join(map(escaped, row))} \\\\" for row in table.rows)
    yield r"\bottomrule"
    yield r"\end{longtable}}"
    yield from (escaped(note) for note in table.notes)
