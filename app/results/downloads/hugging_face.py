"""A folder that `datasets.load_dataset` reads: a card and a Parquet file per table."""

import io
import json
import zipfile
from pathlib import Path

from pyarrow.parquet import write_table

from app.analysis.data.study_folder import StudyFolder
from app.protocol.study import Protocol
from app.results.downloads.parquet import typed
from app.studies.folder.codebook import about_study, codebook_rows
from app.studies.folder.written_tables import Columns, tables_of

# One configuration of the data set per table; the first is what is loaded without a name.
_TABLES = ("ratings", "responses", "items", "raters")
_CARD = """\
---
{head}---

# {title}

{about}Each configuration is a table of the study; its only split is called `train`.
Count people only: keep rows whose `rater_kind` is `person` and whose `is_simulated` is false.

```python
from datasets import load_dataset

ratings = load_dataset("path/to/this/folder", split="train")
responses = load_dataset("path/to/this/folder", "responses", split="train")
```

No licence is stated. Add `license:` at the top before you share the data.

## Columns

| table | column | meaning |
|---|---|---|
{columns}
"""


def write_hugging_face(path: Path, study: StudyFolder) -> None:
    """Write README.md with the configurations, data/<table>.parquet and study.yaml as a zip file.

    https://huggingface.co/docs/datasets/repository_structure
    """
    tables = tables_of(study)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        root = study.protocol.slug
        archive.writestr(f"{root}/README.md", _card(study.protocol, tables))
        archive.writestr(f"{root}/study.yaml", study.yaml)
        for name in _TABLES:
            held = io.BytesIO()
            write_table(typed(tables[name]), held)
            archive.writestr(f"{root}/data/{name}.parquet", held.getvalue())


def _card(protocol: Protocol, tables: dict[str, Columns]) -> str:
    configs = [
        {
            "config_name": name,
            "data_files": [{"split": "train", "path": f"data/{name}.parquet"}],
            **({"default": True} if name == _TABLES[0] else {}),
        }
        for name in _TABLES
    ]
    head = {
        "pretty_name": protocol.title,
        "language": [protocol.language],
        "tags": ["human-ratings", "empathy"],
        "configs": configs,
    }
    names = {name: list(columns) for name, columns in tables.items()}
    rows = [
        f"| {file.removesuffix('.csv')} | {column} | {_cell(f'{label}: {meaning}')} |"
        for file, column, label, question, _, meaning in codebook_rows(protocol, names)
        if not question
    ]
    about = about_study(protocol)
    lines = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in head.items())
    return _CARD.format(head=lines, title=protocol.title, about=about and f"{about}\n\n", columns="\n".join(rows))


def _cell(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")
