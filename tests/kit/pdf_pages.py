"""What the pages of a PDF say and how far their letters reach: as much of the format as Typst and vl-convert write."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce

_OBJECT = re.compile(rb"(\d+) 0 obj\s(.*?)\sendobj", re.DOTALL)
# brackets in a string need no escape where they are balanced
_NESTED = reduce(lambda inner, _: rb"(?:\\.|[^\\()]|\(" + inner + rb"*\))", range(4), rb"(?:\\.|[^\\()])")
_TOKEN = re.compile(rb"\(" + _NESTED + rb"*\)|<<|>>|<[0-9A-Fa-f\s]*>|[\[\]]|/?[^\s/\[\]()<>]+", re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_FONT, _FORM = re.compile(rb"/(f[\w.]*) (\d+) 0 R"), re.compile(rb"/(x[\w.]*) (\d+) 0 R")
_PER_EM, _HEX_CODE = 1000, 4

Matrix = tuple[float, float, float, float, float, float]
_PLAIN: Matrix = (1, 0, 0, 1, 0, 0)


@dataclass(slots=True)
class Page:
    """The width of the paper, and runs of letters with where each begins and ends, in points from the left."""

    width: float
    runs: list[tuple[str, float, float]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What the page says, without any space: a run ends anywhere."""
        return "".join("".join(said.split()) for said, _, _ in self.runs)


@dataclass(frozen=True, slots=True)
class _Font:
    letters: dict[int, str]
    widths: dict[int, float]


def pdf_pages(content: bytes) -> list[Page]:
    """The pages in their order."""
    objects = {int(found[1]): found[2] for found in _OBJECT.finditer(content)}
    (tree,) = (body for body in objects.values() if b"/Type/Pages" in body)
    kids = re.findall(rb"(\d+) 0 R", tree.partition(b"/Kids")[2].partition(b"]")[0])
    return [_page(objects, objects[int(number)]) for number in kids]


def _page(objects: dict[int, bytes], body: bytes) -> Page:
    box = re.search(rb"/MediaBox\[([^\]]*)\]", body)
    contents = re.search(rb"/Contents (\d+) 0 R", body)
    assert box
    assert contents
    left, _, right, _ = map(float, box[1].split())
    page = Page(right - left)
    page.runs += _runs(objects, _stream(objects[int(contents[1])]), _resources(objects, body), _PLAIN)
    return page


def _stream(body: bytes) -> bytes:
    head, _, rest = body.partition(b"stream\n")
    data = rest[: rest.rindex(b"endstream")]
    return zlib.decompress(data) if b"/FlateDecode" in head else data


def _resources(objects: dict[int, bytes], body: bytes) -> bytes:
    head = body.partition(b"stream\n")[0]
    elsewhere = re.search(rb"/Resources (\d+) 0 R", head)
    return objects[int(elsewhere[1])] if elsewhere else head


def _font(objects: dict[int, bytes], number: int) -> _Font:
    body = objects[number]
    below = re.search(rb"/DescendantFonts\[(\d+) 0 R\]", body)
    told = re.search(rb"/ToUnicode (\d+) 0 R", body)
    assert below
    assert told
    return _Font(_letters(_stream(objects[int(told[1])])), _widths(objects[int(below[1])]))


def _letters(table: bytes) -> dict[int, str]:
    found = {}
    for part in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.DOTALL):
        for code, said in re.findall(rb"<(\w+)>\s*<(\w+)>", part):
            found[int(code, 16)] = bytes.fromhex(said.decode()).decode("utf-16-be")
    for part in re.findall(rb"beginbfrange(.*?)endbfrange", table, re.DOTALL):
        for first, last, said in re.findall(rb"<(\w+)>\s*<(\w+)>\s*<(\w+)>", part):
            for step in range(int(last, 16) - int(first, 16) + 1):
                found[int(first, 16) + step] = chr(int(said, 16) + step)
    return found


def _widths(body: bytes) -> dict[int, float]:
    """Those of `/W`, whose parts are `first last width` or `first [width ...]`."""
    tokens = re.findall(rb"\[|\]|[\d.]+", body.partition(b"/W[")[2])
    found: dict[int, float] = {}
    at = 0
    while at < len(tokens) and tokens[at] != b"]":
        first = int(tokens[at])
        if tokens[at + 1] == b"[":
            end = tokens.index(b"]", at)
            found |= {first + k: float(one) for k, one in enumerate(tokens[at + 2 : end])}
            at = end + 1
        else:
            found |= dict.fromkeys(range(first, int(tokens[at + 1]) + 1), float(tokens[at + 2]))
            at += 3
    return found


def _times(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def _codes(token: bytes) -> list[int]:
    if token.startswith(b"<"):
        digits = re.sub(rb"\s", b"", token[1:-1]).decode()
        return [int(digits[at : at + _HEX_CODE], 16) for at in range(0, len(digits), _HEX_CODE)]
    plain = _ESCAPE.sub(
        lambda found: bytes([int(found[1], 8)]) if found[1][:1] in b"01234567" else _ESCAPED.get(found[1], found[1]),
        token[1:-1],
    )
    return [int.from_bytes(plain[at : at + 2], "big") for at in range(0, len(plain), 2)]


@dataclass(slots=True)
class _Pen:
    """Where a page is written, and in which font."""

    matrix: Matrix
    of_text: Matrix = _PLAIN
    font: _Font = field(default_factory=lambda: _Font({}, {}))
    size: float = 0.0

    def write(self, given: list[bytes]) -> tuple[str, float, float]:
        """A run of letters, with the places where it begins and ends."""
        run, advance = "", 0.0
        for one in given:
            if one[:1] in b"(<":
                codes = _codes(one)
                run += "".join(self.font.letters.get(code, "") for code in codes)
                advance += sum(self.font.widths.get(code, 0.0) for code in codes)
            elif one not in b"[]":
                advance -= float(one)
        begin = _times(self.of_text, self.matrix)[4]
        self.of_text = _times((1, 0, 0, 1, advance * self.size / _PER_EM, 0), self.of_text)
        end = _times(self.of_text, self.matrix)[4]
        return run.replace("\u200b", ""), min(begin, end), max(begin, end)


def _runs(
    objects: dict[int, bytes], content: bytes, resources: bytes, matrix: Matrix
) -> Iterator[tuple[str, float, float]]:
    """The runs of letters of a page or of a picture in it."""
    fonts = {name: _font(objects, int(number)) for name, number in _FONT.findall(resources)}
    forms = {name: objects[int(number)] for name, number in _FORM.findall(resources)}
    pen, kept, given = _Pen(matrix), list[Matrix](), list[bytes]()
    for token in _TOKEN.findall(content):
        match token:
            case b"q":
                kept.append(pen.matrix)
            case b"Q":
                pen.matrix = kept.pop()
            case b"cm":
                pen.matrix = _times(_matrix(given), pen.matrix)
            case b"BT":
                pen.of_text = _PLAIN
            case b"Tf":
                pen.font, pen.size = fonts[given[-2][1:]], float(given[-1])
            case b"Tm":
                pen.of_text = _matrix(given)
            case b"Tj" | b"TJ":
                yield pen.write(given)
            case b"Do":
                yield from _of_form(objects, forms.get(given[-1][1:], b""), pen.matrix)
            case _:
                given.append(token)
                continue
        given = []


def _of_form(objects: dict[int, bytes], body: bytes, matrix: Matrix) -> Iterator[tuple[str, float, float]]:
    """The runs of letters of a picture; none if it consists of pixels."""
    head = body.partition(b"stream\n")[0]
    if b"/Subtype/Form" in head:
        own = re.search(rb"/Matrix\[([^\]]*)\]", head)
        placed = _times(_matrix(own[1].split()), matrix) if own else matrix
        yield from _runs(objects, _stream(body), _resources(objects, body), placed)


def _matrix(given: list[bytes]) -> Matrix:
    a, b, c, d, e, f = map(float, given[-6:])
    return (a, b, c, d, e, f)
