"""Studies for looking at and measuring rating pages: every template, the demo, and cases that templates lack."""

import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn
from playwright.sync_api import Page
from sqlalchemy import Engine

from app.base.database.engine import make_engine
from app.base.database.migrate import upgrade
from app.base.postgres import EmbeddedPostgres
from app.main import create_app
from app.rating.arrival.arrivals import get_arrival_study
from app.rating.life_cycle import open_study
from app.rating.rater_path import Arrival, arrive
from app.settings import folder
from app.studies.folder.read import read_folder
from app.studies.folder.study_templates import list_templates, template_folder
from app.studies.load import load_study
from app.studies.protocols import get_protocol
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of
from tests.kit.postgres_fixture import create_database, reachable_folder

QUALITY = {
    "key": "quality",
    "target": "response",
    "type": "rating",
    "text": "How good is the advice?",
    "cannot_judge": True,
    "scale": {1: "Very poor", 2: "Poor", 3: "Acceptable", 4: "Good", 5: "Very good"},
}
SLIDER = {
    "key": "warm",
    "target": "response",
    "type": "slider",
    "text": "How warm is the response?",
    "cannot_judge": True,
    "min_words": "Not warm at all",
    "max_words": "As warm as can be",
}
AGREE = {
    "key": "heard",
    "target": "response",
    "type": "rating",
    "text": "The person would feel heard.",
    "scale": {
        1: "Strongly disagree",
        2: "Disagree",
        3: "Somewhat disagree",
        4: "Neither",
        5: "Somewhat agree",
        6: "Agree",
        7: "Strongly agree",
    },
}
TEN = {
    "key": "ten",
    "target": "response",
    "type": "rating",
    "text": "How empathic is the response?",
    "scale": {0: "Not at all", **dict.fromkeys(range(1, 10), ""), 10: "Completely"},
}
SENTENCE = "You said that nobody asked you how you were, and I can hear how tiring that has become over the weeks. "
SITUATION = (
    "My sister moved out last month and the flat is so quiet that I leave the radio on all night. I keep cooking for "
    "two. Yesterday I caught myself setting a second plate, and then I just sat there until the food was cold."
)


def _texts(n_words: int, n: int = 2, *, n_paragraphs: int = 1) -> list[dict[str, Any]]:
    """Return one item whose `n` responses have `n_words` words each, in paragraphs."""
    words = (SENTENCE * (n_words // 15 + 2)).split()
    sources = ("person", "model", "other")[:n]
    each = n_words // n_paragraphs
    replies = {
        key: "\n\n".join(" ".join(words[k + p * each : k + (p + 1) * each]) for p in range(n_paragraphs))
        for k, key in enumerate(sources)
    }
    return [{"key": "one", "text": SITUATION, "responses": replies}]


ARABIC = {
    "language": "ar",
    "title": "الردود على رسائل كُتبت ليلًا",
    "questions": [
        {**PREFERENCE, "text": "لو كنت مكان هذا الشخص، أي الردين تفضّل أن يصلك؟", "strength": True, "neither": True},
        {
            **EMPATHY,
            "text": "إلى أي مدى يفهم الرد ما يشعر به هذا الشخص؟",
            "scale": {1: "لا يفهمه", 2: "يفهم القليل", 3: "يفهم الشعور الرئيسي", 4: "يفهمه جيدًا", 5: "يفهمه تمامًا"},
        },
        {**SLIDER, "text": "ما مدى دفء الرد؟", "min_words": "بارد", "max_words": "دافئ جدًا"},
    ],
}
ARABIC_TEXTS = [
    {
        "key": "one",
        "text": "فقدت وظيفتي أمس، ولا أعرف كيف أخبر عائلتي. ما زلت أخرج كل صباح كأن شيئًا لم يكن.",
        "responses": {
            "person": "يؤسفني ذلك. الخروج كل صباح يبدو مرهقًا جدًا. كيف تشعر الآن؟",
            "model": "من الطبيعي أن تخشى ردة فعلهم. هل هناك شخص واحد في العائلة يمكنك أن تبدأ به؟",
        },
    }
]
THREE = {"person": {"kind": "human"}, "model": {"kind": "model"}, "other": {"kind": "model"}}
# A questionnaire of 16 statements with one scale, as personality inventories are.
STATEMENTS = [
    {**AGREE, "key": f"self{n}", "target": "rater", "text": f"I notice how others feel, even if they say little ({n})."}
    for n in range(1, 17)
]
QUESTIONNAIRE = {
    "questions": [EMPATHY, *STATEMENTS],
    "flow": {"before": [{"questions": [question["key"] for question in STATEMENTS]}]},
}
# In addition to the templates: the name, parts of the protocol, and texts.
OWN: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "pair-120-words": ({"questions": [PREFERENCE, QUALITY, EMPATHY, AGREE]}, _texts(120)),
    "pair-120-words-in-paragraphs": ({"questions": [PREFERENCE, QUALITY, EMPATHY, AGREE]}, _texts(120, n_paragraphs=4)),
    "pair-600-words": ({"questions": [PREFERENCE, QUALITY, EMPATHY, AGREE]}, _texts(600)),
    "sliders": ({"questions": [{**PREFERENCE, "strength": True, "neither": True}, SLIDER, TEN]}, _texts(80)),
    "column": ({"questions": [PREFERENCE, {**QUALITY, "orientation": "column"}, EMPATHY]}, _texts(80)),
    "three-responses": (
        {"sources": THREE, "questions": [QUALITY, EMPATHY], "design": {"trials": "set"}},
        _texts(80, 3),
    ),
    "arabic": (ARABIC, ARABIC_TEXTS),
    "questionnaire": (QUESTIONNAIRE, _texts(80)),
}


@dataclass(frozen=True, slots=True)
class Scene:
    """An open study in the running application; `cookie` belongs to a rater who has arrived."""

    name: str
    slug: str
    cookie: str


def _arrived(engine: Engine, name: str, slug: str) -> Scene:
    """Let one rater arrive: of the pool of the open link, or of the first pool if there is no open link."""
    with engine.begin() as db:
        study = get_arrival_study(db, slug)
        assert study is not None
        design = get_protocol(db, study.id, study.protocol_version, study.sha256).design
        pool = design.open_pool or next(iter(design.pools), None)
        rating_session = arrive(db, study, Arrival("participant", "rater-1", {}), pool=pool)
        assert rating_session is not None
        return Scene(name, slug, rating_session.token)


def _load(engine: Engine, name: str, path: Path) -> Scene:
    study = read_folder(path)
    with engine.begin() as db:
        load_study(db, study, None)
        open_study(db, study.protocol.slug)
    return _arrived(engine, name, study.protocol.slug)


def _build(engine: Engine, name: str, parts: dict[str, Any], texts: list[dict[str, Any]]) -> Scene:
    protocol = protocol_of(name, **parts)
    with engine.begin() as db:
        build_study(db, protocol, texts=texts)
        open_study(db, name)
    return _arrived(engine, name, name)


def _scenes(engine: Engine, names: Sequence[str]) -> Iterator[Scene]:
    folders = {template.name: template_folder(template.name) for template in list_templates()}
    for name, path in {"demo": folder("app") / "demo" / "study", **folders}.items():
        if not names or name in names:
            yield _load(engine, name, path)
    for name, (parts, texts) in OWN.items():
        if not names or name in names:
            yield _build(engine, name, parts, texts)


@contextmanager
def scenes(names: Sequence[str] = ()) -> Iterator[tuple[str, list[Scene]]]:
    """Run the application on its own database; yield its address and the named studies, or all of them."""
    with reachable_folder() as home:
        postgres = EmbeddedPostgres(home, durable=False)
        postgres.start()
        try:
            engine = make_engine(create_database(postgres, "layout"))
            upgrade(engine, folder("migrations"))
            with _serving(engine) as address:
                yield address, list(_scenes(engine, names))
            engine.dispose()
        finally:
            postgres.stop()


@contextmanager
def _serving(engine: Engine) -> Iterator[str]:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        config = uvicorn.Config(create_app(engine), log_level="warning", lifespan="off", ws="none")
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


WALK = """() => {
  const form = document.querySelector("form[data-save], form[data-unsaved]");
  for (const group of document.querySelectorAll("fieldset[data-group]")) {
    const input = group.querySelector("input[type=radio], input[type=checkbox]");
    if (input) input.checked = true;
    const number = group.querySelector("input[type=number]");
    if (number && !input) number.value = number.min;
  }
  for (const text of document.querySelectorAll("textarea")) text.value = "Nothing more to say about it, really.";
}"""


def go_to_study(page: Page, address: str, scene: Scene) -> None:
    """Open the study as the rater who has arrived, where they are."""
    page.context.add_cookies([{"name": f"attune-rater-{scene.slug}", "value": scene.cookie, "url": address}])
    page.goto(f"{address}/s/{scene.slug}/rate")


def go_to_first_item(page: Page, address: str, scene: Scene) -> None:
    """Open the study and complete all steps before the first item."""
    go_to_study(page, address, scene)
    for _ in range(12):
        if page.locator("form[data-save]#rate-form").count():
            return
        page.evaluate(WALK)
        page.locator("main form button[type=submit], a#next").last.click()
        page.wait_for_load_state()
    raise RuntimeError(f"{scene.name}: no item at {page.url}")
