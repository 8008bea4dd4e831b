"""A Psych-DS dataset: the tables under names that say what they hold, and two machine-readable descriptions."""

import json
import re
import tempfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.analysis.data.study_folder import StudyFolder
from app.base.files.csv_cells import write_csv
from app.protocol.study import Protocol
from app.studies.folder.codebook import about_study, codebook_rows
from app.studies.folder.written_tables import tables_of

README = """\
{title}

{about}data/ holds the tables of the study, one row per item, response, rater and answer.
dataset_description.json (Psych-DS) and ro-crate-metadata.json (RO-Crate) describe each file and column. study.yaml is
the protocol of the study.
"""


def write_psych_ds(path: Path, study: StudyFolder) -> None:
    """Write the dataset as a zip file: both descriptions, README.md, study.yaml and data/*_data.csv."""
    tables = tables_of(study)
    names = {name: list(columns) for name, columns in tables.items()}
    root, about = study.protocol.slug, about_study(study.protocol)
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        described = json.dumps(_description(study.protocol, names), ensure_ascii=False, indent=2)
        archive.writestr(f"{root}/dataset_description.json", described + "\n")
        archive.writestr(f"{root}/README.md", README.format(title=study.protocol.title, about=about and f"{about}\n\n"))
        archive.writestr(f"{root}/study.yaml", study.yaml)
        for name, columns in tables.items():
            file = Path(folder) / f"{name}.csv"
            write_csv(file, columns)
            archive.write(file, f"{root}/data/{data_name(root, name)}")
        crate = json.dumps(_crate(study.protocol, names), ensure_ascii=False, indent=2)
        archive.writestr(f"{root}/ro-crate-metadata.json", crate + "\n")


def data_name(slug: str, table: str) -> str:
    """Return the name of a data file: pairs of keyword and value, of letters and digits only.

    >>> data_name("my-study", "ratings")
    'study-mystudy_description-ratings_data.csv'
    """
    return f"study-{re.sub('[^A-Za-z0-9]', '', slug)}_description-{table}_data.csv"


def _crate(protocol: Protocol, tables: dict[str, list[str]]) -> dict[str, Any]:
    """Return the metadata of an RO-Crate 1.2 (https://w3id.org/ro/crate/1.2): the data set, its files and columns."""
    described = _description(protocol, tables)
    variables = [{"@id": f"#{one['name']}", **one} for one in described["variableMeasured"]]
    files: list[dict[str, Any]] = [
        {"@id": "README.md", "@type": "File", "name": "What is where", "encodingFormat": "text/markdown"},
        {"@id": "study.yaml", "@type": "File", "name": "Protocol of the study", "encodingFormat": "application/yaml"},
        *(
            {
                "@id": f"data/{data_name(protocol.slug, name)}",
                "@type": "File",
                "name": name,
                "encodingFormat": "text/csv",
                "variableMeasured": [{"@id": f"#{column}"} for column in columns],
            }
            for name, columns in tables.items()
        ),
    ]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": described["name"],
        "description": described["description"],
        "datePublished": datetime.now(UTC).date().isoformat(),
        "license": {"@id": "#license"},
        "hasPart": [{"@id": file["@id"]} for file in files],
        "variableMeasured": [{"@id": one["@id"]} for one in variables],
    }
    license_ = {
        "@id": "#license",
        "@type": "CreativeWork",
        "name": "No licence is stated",
        "description": "Ask the authors, or replace this by the licence under which you publish the data.",
    }
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.2"},
    }
    context = "https://w3id.org/ro/crate/1.2/context"
    return {"@context": context, "@graph": [descriptor, root, license_, *files, *variables]}


def _description(protocol: Protocol, tables: dict[str, list[str]]) -> dict[str, Any]:
    """Return the description in the vocabulary of schema.org, with a variable per column name."""
    variables: dict[str, dict[str, str]] = {}
    for _, column, label, question, _, meaning in codebook_rows(protocol, tables):
        if not question:
            words = f"{label}: {meaning}"
            variables.setdefault(column, {"@type": "PropertyValue", "name": column, "description": words})
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": protocol.title,
        "description": about_study(protocol) or protocol.title,
        "variableMeasured": list(variables.values()),
    }
