"""A document as one HTML file that needs nothing else: styles and pictures are inside."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from html import escape

from app.base.documents.blocks import Block, Bullets, Code, DataTable, Document, Figure

_STYLE = """
:root { color-scheme: light dark; --text: #1c2430; --soft: #5a6472; --line: #d5dae1; --page: #fff; --link: #1d5fa8 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6eaf0; --soft: #a3adba; --line: #3a4350; --page: #14181e; --link: #8ab8f0 }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .5rem } h2 { font-size: 1.35rem; margin: 2.5rem 0 .5rem }
h3 { font-size: 1.1rem; margin: 1.75rem 0 .5rem } p, ul { margin: .5rem 0 } li { margin: .25rem 0 }
.warning { border: 2px solid currentColor; padding: .6rem .9rem; font-weight: 600 }
.watermark { position: fixed; inset: 0; display: grid; place-items: center; pointer-events: none; z-index: 1;
  font-size: clamp(2rem, 7vw, 5rem); font-weight: 700; opacity: .09; rotate: -35deg; text-align: center }
.lines { color: var(--soft); font-size: .9rem } a { color: var(--link) }
nav ul { columns: 14rem; padding-left: 1.2rem }
.table { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; width: 100%; font-size: .85rem; line-height: 1.35 }
.small table { font-size: .75rem } .small td { padding-block: .1rem }
caption { text-align: left; font-weight: 600; padding: 0 0 .4rem }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line);
  min-width: 2.5rem; overflow-wrap: break-word }
thead th { border-bottom: 2px solid var(--soft); vertical-align: bottom }
pre { overflow-x: auto; font-size: .75rem; line-height: 1.45; border: 1px solid var(--line); padding: .6rem .8rem }
figure { margin: 1.25rem 0; break-inside: avoid } figcaption { font-size: .9rem; color: var(--soft) }
figure img { display: block; max-width: 100%; height: auto; background: #fff; padding: .5rem; border-radius: .25rem }
.picture { overflow-x: auto }
/* a chart on a phone scrolls: fitted to its width, its letters would have 6 pixels */
@media screen and (max-width: 40rem) { figure img { max-width: none; min-width: 38rem } }
@media (max-width: 40rem) { .table table { min-width: 44rem } }
@media print { body { max-width: none; font-size: 10pt } nav { display: none } tr { break-inside: avoid }
  .new-page { break-before: page }
  .small table { font-size: 6.5pt } pre { font-size: 6.5pt; white-space: pre-wrap } }
"""


def html_document(document: Document, pictures: Mapping[str, bytes]) -> str:
    """The page; `pictures` holds the SVG of each figure by its key."""
    body = "\n".join(_body(document, pictures))
    title = escape(document.title)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _body(document: Document, pictures: Mapping[str, bytes]) -> Iterator[str]:
    yield "<header>"
    yield f"<h1>{escape(document.title)}</h1>"
    if document.warning:
        yield f'<p class="warning" role="note">{escape(document.warning)}</p>'
    yield from (f'<p class="lines">{escape(line)}</p>' for line in document.lines)
    yield "</header>"
    tops = [section.title for section in document.sections]
    links = "".join(f'<li><a href="#section-{n}">{escape(title)}</a></li>' for n, title in enumerate(tops, 1))
    yield f'<nav aria-label="Contents"><ul>{links}</ul></nav>'
    if document.watermark:
        yield f'<div class="watermark" aria-hidden="true">{escape(document.watermark)}</div>'
    yield "<main>"
    place = 0
    for level, section in document.walk():
        place += level == 1
        mark = f' id="section-{place}"' if level == 1 else ""
        mark += ' class="new-page"' if section.starts_page else ""
        yield f"<h{level + 1}{mark}>{escape(section.title)}</h{level + 1}>"
        for block in section.blocks:
            yield _block(block, pictures)
    yield "</main>"


def _block(block: Block, pictures: Mapping[str, bytes]) -> str:
    if isinstance(block, Bullets):
        mark = ' class="lines"' if block.is_small else ""
        return f"<ul{mark}>{''.join(f'<li>{escape(line)}</li>' for line in block.lines)}</ul>"
    if isinstance(block, DataTable):
        return _table(block)
    if isinstance(block, Figure):
        data = b64encode(pictures[block.key]).decode()
        picture = f'<img alt="{escape(block.alt)}" src="data:image/svg+xml;base64,{data}">'
        caption = escape(block.caption)
        box = f'<div class="picture" role="region" aria-label="{caption}" tabindex="0">{picture}</div>'
        return f"<figure>{box}<figcaption>{caption}</figcaption></figure>"
    if isinstance(block, Code):
        name = escape(block.name)
        return f'<p><b>{name}</b></p><pre role="region" aria-label="{name}" tabindex="0">{escape(block.text)}</pre>'
    return f"<p>{escape(block.text)}</p>"


def _table(table: DataTable) -> str:
    columns = "".join(f'<col style="width: {100 * share:.1f}%">' for share in table.shares)
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.header)
    rows = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    notes = "".join(f'<p class="lines">{escape(note)}</p>' for note in table.notes)
    caption = escape(table.caption)
    classes = "table small" if table.is_small else "table"
    return (
        f'<div class="{classes}" role="region" aria-label="{caption}" tabindex="0"><table><caption>{caption}</caption>'
        f"<colgroup>{columns}</colgroup><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table></div>{notes}"
    )
