"""No fixed text for raters stands outside of the catalogues: not in a template, not in code, not in a script."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = sorted(
    [
        *(path for path in (ROOT / "templates/rating/rater").rglob("*") if path.is_file()),
        *(ROOT / "templates/base").glob("*.html"),
    ]
)
SAYING = {"_", "gettext", "ngettext"}
READ_ALOUD = {"aria-label", "title", "alt", "placeholder", "aria-valuetext", "aria-roledescription"}
RATER_PAGES = [
    "arrival/consent_page",
    "arrival/mturk",
    "arrival/page",
    "arrival/privacy_page",
    "arrival/start_page",
    "deps",
    "http_responses",
    "page/rate",
    "page/skip_page",
    "steps/checks_page",
    "steps/endings",
    "steps/last_pages",
    "steps/messages_page",
    "steps/pause_page",
    "steps/practice_page",
    "steps/questionnaires_page",
    "withdrawal/withdraw_page",
]
# What a rater reads comes from these; the rest of the design speaks to leads.
RATER_CODE = sorted(
    [
        *(ROOT / "app/rating" / f"{name}.py" for name in RATER_PAGES),
        ROOT / "app/base/web/errors.py",
        ROOT / "app/base/rendering/pages.py",
        *(ROOT / "app/protocol/questions" / f"{name}.py" for name in ("form", "slot", "spans")),
        ROOT / "app/protocol/presentation.py",
        *(ROOT / "app/protocol/pages" / f"{name}.py" for name in ("page_slots", "steps", "reveal")),
    ]
)
NO_WORDS = {"(pointer: fine)", "use strict", "Escape", "Accept", "Enter"}
# The product's name, and the class of the pages' body.
NAMES = {"Attune", "rater"}
WORDS = re.compile(r"[^\W\d_]{2,}[,.:;]? [^\W\d_]{2,}|^[A-Z][a-z]+[.!?…:]?$")


def constants(node: nodes.Node, *, in_call: bool = False) -> Iterator[tuple[str, bool]]:
    """The strings that an expression may write past gettext, and whether they are arguments of something."""
    if isinstance(node, nodes.Compare | nodes.Test):
        return
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        yield node.value, in_call
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in SAYING:
        node = nodes.List([value.value for value in node.kwargs])
    for child in node.iter_child_nodes():
        if not isinstance(node, nodes.CondExpr) or child is not node.test:
            yield from constants(child, in_call=in_call or isinstance(node, nodes.Call | nodes.Filter))


class Page(HTMLParser):
    """What stands between tags and in the attributes that are read aloud; expressions are numbered marks."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.attributes: list[str] = []
        self.skips = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.skips += tag == "kbd"
        self.attributes += [value or "" for name, value in attrs if name in READ_ALOUD]
        # A value of a data attribute may be what a script says.
        self.attributes += [
            value for name, value in attrs if name.startswith("data-") and value and re.search(r"[A-Z ]", value)
        ]

    def handle_endtag(self, tag: str) -> None:
        self.skips -= tag == "kbd"

    def handle_data(self, data: str) -> None:
        if not self.skips:
            self.texts.append(data)


def loose_in_template(source: str) -> list[str]:
    """The fixed texts of a template that no catalogue knows."""
    tree = Environment(extensions=["jinja2.ext.i18n"], autoescape=True).parse(source)
    expressions: list[nodes.Node] = []
    html = ""
    for output in tree.find_all(nodes.Output):
        for node in output.nodes:
            if isinstance(node, nodes.TemplateData):
                html += node.data
            else:
                html += f"\x01{len(expressions)}\x01"
                expressions.append(node)
    page = Page()
    page.feed(html)
    # A macro may draw attributes only: they look like text here.
    texts = [re.sub(r' [\w-]+="[^"]*"', "", text) for text in page.texts] + page.attributes
    found = [text for text in texts if set(re.findall(r"[^\W\d_]+", re.sub("\x01.*?\x01", "", text))) - NAMES]
    for number in re.findall("\x01(\\d+)\x01", "".join(texts)):
        found += [
            words
            for words, in_call in constants(expressions[int(number)])
            if re.search(r"[^\W\d_]", words) and (not in_call or WORDS.search(words))
        ]
    for assignment in tree.find_all((nodes.Assign, nodes.With)):
        found += [words for words, _ in constants(assignment) if WORDS.search(words)]
    return [" ".join(text.split()) for text in found]


def loose_in_code(source: str) -> list[str]:
    """The sentences of a module that are neither docstrings nor messages."""
    tree = ast.parse(source)
    spoken: set[ast.AST] = set()
    for node in ast.walk(tree):
        name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if name in {"message", "messages", "ValueError", "KeyError", "TypeError"}:
            spoken |= set(ast.walk(node))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            spoken.add(node.value)
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in spoken
        if re.search(r"[^\W\d_]{2,}[,.:;]? [^\W\d_]{2,}", node.value)
    ]


def loose_in_script(source: str) -> list[str]:
    """The words of a script: two after each other, or one that begins with a capital letter; selectors are none."""
    without_comments = re.sub(r"(?m)(^|\s)//.*$|/\*.*?\*/", "", source)
    strings = re.findall(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`", without_comments)
    texts = [re.sub(r"\$\{.*?\}", "", "".join(parts)) for parts in strings]
    return [
        text
        for text in texts
        if WORDS.search(text) and not re.search(r"[\[#=]|:is|^\.|^a, ", text) and text not in NO_WORDS
    ]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_template_has_no_untranslated_text(path: Path) -> None:
    assert loose_in_template(path.read_text()) == []


@pytest.mark.parametrize("path", RATER_CODE, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_code_shows_raters_only_translatable_messages(path: Path) -> None:
    assert loose_in_code(path.read_text()) == []


def scripts() -> set[str]:
    return {name for path in TEMPLATES for name in re.findall(r"asset\('([\w-]+\.js)'\)", path.read_text())}


@pytest.mark.parametrize("name", sorted(scripts() - {"htmx.js"}))
def test_script_shows_only_texts_from_the_page(name: str) -> None:
    assert loose_in_script((ROOT / "static" / "rating" / name).read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "<p>Thank you</p>",
        '<section aria-label="Both responses">',
        "<button>{{ 'Finish' if is_last else _('Next') }}</button>",
        "<p>{{ n }} item{{ '' if n == 1 else 's' }}</p>",
        "<p>{{ 'turn ' ~ n }}</p>",
        "{% set words = 'Your code:' %}",
        '<p data-saved="Saved"></p>',
        "{{ draw(field, 'Turn') }}",
        "<b title=\"{{ 'why' if x else 'how' }}\"></b>",
    ],
)
def test_untranslated_text_in_template_is_detected(source: str) -> None:
    assert loose_in_template(source)


@pytest.mark.parametrize(
    "source",
    [
        "<p>{{ _('Thank you') }} · <kbd>Enter</kbd> {{ n }}</p>",
        "<b id=\"{{ 'on' if x else 'off' }}\">{{ _('Continue') if x == 'about' else ngettext('a', 'b', n) }}</b>",
        '<p data-group="points" data-saved="{{ _(\'Saved\') }}">{{ option(field, name ~ ".strength", "radio") }}</p>',
    ],
)
def test_translated_text_in_template_is_accepted(source: str) -> None:
    assert loose_in_template(source) == []


def test_untranslated_text_in_code_and_scripts_is_detected() -> None:
    assert loose_in_code('"""Says a thing."""\nf(f"{n} items are done", message("All is well."))') == [
        " items are done"
    ]
    script = 'say("Saved"); // Says it all.\nfind("a.b, c"); say(`${n} are missing`); say("please wait");'
    assert loose_in_script(script) == ["Saved", " are missing", "please wait"]
