"""A publication: cited in a text, listed at its end, and as BibTeX."""

from dataclasses import dataclass

MANY_AUTHORS = 3


@dataclass(frozen=True, slots=True)
class Reference:
    """`authors` are written `Family, Initials` and separated by semicolons; `where` is the journal or the publisher.

    `volume` may hold an issue in brackets. A reference without pages and volume is a book, a preprint or an R package.
    """

    key: str
    authors: str
    year: int
    title: str
    where: str
    volume: str = ""
    pages: str = ""
    doi: str = ""

    @property
    def families(self) -> list[str]:
        """The family names."""
        return [author.partition(",")[0].strip() for author in self.authors.split(";")]

    @property
    def in_text(self) -> str:
        """As a sentence cites it.

        >>> Reference("x", "Bates, D.; Mächler, M.; Bolker, B.", 2015, "T", "J").in_text
        'Bates et al., 2015'
        """
        names = self.families
        said = f"{names[0]} et al." if len(names) >= MANY_AUTHORS else " and ".join(names)
        return f"{said}, {self.year}"

    @property
    def in_list(self) -> str:
        """As the list of references has it."""
        authors = self.authors.replace(";", ",")
        place = " ".join(part for part in (self.where, self.volume) if part)
        pages = f", {self.pages}" if self.pages else ""
        link = f" https://doi.org/{self.doi}" if self.doi else ""
        return f"{authors} ({self.year}). {self.title}. {place}{pages}.{link}"

    @property
    def is_preprint(self) -> bool:
        """Whether it is a preprint or a software package, without a publisher."""
        return self.where.startswith(("arXiv", "R package"))

    @property
    def is_proceedings(self) -> bool:
        """Whether it appeared in the proceedings of a conference."""
        return self.where.startswith("Proceedings")

    @property
    def is_article(self) -> bool:
        """Whether it appeared in a journal or proceedings."""
        return bool(self.volume or self.pages)


def cited(references: list[Reference]) -> str:
    """Some references in brackets, with the space before them; empty where there are none."""
    return f" ({'; '.join(reference.in_text for reference in references)})" if references else ""
