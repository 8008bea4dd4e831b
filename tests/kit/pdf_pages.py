"""What the pages of a PDF say, and how far their letters reach."""

from dataclasses import dataclass

from pypdfium2 import PdfDocument, PdfPage


@dataclass(frozen=True, slots=True)
class Page:
    """The width of the paper; what the page says, without any space; and its runs of letters.

    Of each run what it says, and where it begins and ends, in points from the left.
    """

    width: float
    text: str
    runs: tuple[tuple[str, float, float], ...]


def pdf_pages(content: bytes) -> list[Page]:
    """The pages in their order."""
    with PdfDocument(content) as document:
        return [_page(page) for page in document]


def _page(page: PdfPage) -> Page:
    texts = page.get_textpage()
    places = [texts.get_rect(number) for number in range(texts.count_rects())]
    runs = ((_letters(texts.get_text_bounded(*place)), place[0], place[2]) for place in places)
    return Page(page.get_width(), _letters(texts.get_text_range()), tuple(runs))


def _letters(text: str) -> str:
    """The letters without spaces, also without those of no width where a word may break."""
    return "".join(text.replace("\u200b", "").split())
