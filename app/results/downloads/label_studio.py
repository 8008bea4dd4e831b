"""Tasks for Label Studio: one per response, with the questions about responses; who wrote it is not shown."""

import hashlib
import json
import zipfile
from html import escape
from pathlib import Path

from app.analysis.data.study_folder import StudyFolder
from app.protocol.questions.category import CategoryQuestion
from app.protocol.questions.rating import RatingQuestion
from app.protocol.questions.slider import SliderQuestion
from app.protocol.questions.text import TextQuestion
from app.protocol.study import Protocol
from app.studies.folder.written_tables import Columns, tables_of


def write_label_studio(path: Path, study: StudyFolder) -> None:
    """Write tasks.json and the labeling interface as a zip file.

    https://labelstud.io/guide/task_format and https://labelstud.io/tags. Ratings of the tasks, exported as JSON, can be
    imported into the study again with `--response reply`: the controls are named after its questions.
    """
    tables = tables_of(study)
    shown = dict(zip(tables["items"]["item"], _texts(tables["items"]), strict=True))
    replies = [
        *zip(tables["responses"]["item"], tables["responses"]["response"], _texts(tables["responses"]), strict=True)
    ]
    # Neither an ID nor the order tells who wrote a response.
    replies.sort(key=lambda one: (one[0], hashlib.blake2b(str(one[1]).encode()).digest()))
    tasks = [{"data": {"item": item, "situation": shown[item], "reply": words}} for item, _, words in replies]
    controls = "\n".join(map(_control, _asked(study.protocol)))
    interface = _INTERFACE.format(controls=controls)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        root = study.protocol.slug
        archive.writestr(f"{root}/tasks.json", json.dumps(tasks, ensure_ascii=False, indent=1) + "\n")
        archive.writestr(f"{root}/labeling_interface.xml", interface)


_INTERFACE = """\
<View>
  <Text name="situation" value="$situation" />
  <Text name="reply" value="$reply" />
{controls}
</View>
"""


def _asked(protocol: Protocol) -> list[RatingQuestion | SliderQuestion | CategoryQuestion | TextQuestion]:
    """The questions about a response; controls for passages, orders and shares differ too much from Attune's."""
    return [
        question
        for question in protocol.questions
        if question.target == "response"
        and isinstance(question, RatingQuestion | SliderQuestion | CategoryQuestion | TextQuestion)
    ]


def _control(question: RatingQuestion | SliderQuestion | CategoryQuestion | TextQuestion) -> str:
    """The control of a question; the value of an answer is its `alias`, as in ratings.csv."""
    head = f'  <Header value="{escape(question.text)}" />\n'
    named = f'name="{question.key}" toName="reply"'
    match question:
        case TextQuestion():
            return f"{head}  <TextArea {named} />"
        case SliderQuestion():
            return f'{head}  <Number {named} min="{question.min:g}" max="{question.max:g}" step="{question.step:g}" />'
    several = "multiple" if isinstance(question, CategoryQuestion) and question.multiple else "single-radio"
    choices = "\n".join(
        f'    <Choice value="{escape(words or value)}" alias="{escape(value)}" />'
        for value, words in question.meanings()
    )
    return f'{head}  <Choices {named} choice="{several}">\n{choices}\n  </Choices>'


def _texts(columns: Columns) -> list[str]:
    """The text of each row, or its turns with who speaks."""
    texts = columns["text"].to_numpy(dtype=object)
    turns = columns["turns"].to_numpy(dtype=object) if "turns" in columns else [None] * len(texts)
    return [
        str(text) if isinstance(text, str) and text else _spoken(said) for text, said in zip(texts, turns, strict=True)
    ]


def _spoken(turns: object) -> str:
    said = json.loads(turns) if isinstance(turns, str) and turns else turns
    return "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in said) if isinstance(said, list) else ""
