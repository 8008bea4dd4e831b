"""attune preregister: a study's protocol and plan, frozen with a time and a hash."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from app.analysis.document.judges import judges_of_folder
from app.analysis.document.registration import Registration, registration_json
from app.base.files.new_folder import new_folder
from app.cli.options import NewFolder
from app.cli.output import fail, say
from app.cli.reading import read_study_folder
from app.cli.report import Formats, chosen_formats, write_files
from app.cli.store import store, stored_study
from app.cli.study_argument import BareName, Study, folder_or_slug
from app.protocol.rating_columns import GOLD
from app.results.documents.report_context import REGISTRATION
from app.results.registration.preregister import ToRegister, register, register_study, registration_files
from app.studies.creation.read_new_study import planned_items

Write: TypeAlias = Callable[[Registration], None]


def preregister(study: Study, out: NewFolder, format_: Formats = None, is_folder: BareName = None) -> None:
    """Preregister a study: freeze its protocol and the power of its plan with a time and a hash.

    Writes the forms of OSF and AsPredicted, filled in, and preregistration.json. A stored study keeps the registration;
    in a study folder it is saved as preregistration.json, once. The report compares what was done with it.
    """
    formats = chosen_formats(format_)
    which = folder_or_slug(study, command="preregister", is_folder=is_folder)
    with new_folder(out) as half:
        files: dict[str, bytes] = {}

        def write(registration: Registration) -> None:
            """Write the files before the registration is kept, which is done once and never again."""
            files.update(registration_files(registration, formats))
            write_files(half, files)

        made = _of_folder(which, write) if isinstance(which, Path) else _of_stored(which, write)
    say(f"Registered {made.registered_at} (UTC), SHA-256 {made.sha256}. {len(files)} files written to {out}.")


def _of_folder(path: Path, write: Write) -> Registration:
    if (path / REGISTRATION).exists():
        fail(f"{path / REGISTRATION} exists: this folder is registered already. A registration is never overwritten.")
    folder = read_study_folder(path)
    raters = folder.raters
    simulated = (
        raters["rater"][raters["is_simulated"].eq(other=True)] if "is_simulated" in raters else raters["rater"][:0]
    )
    is_simulated = folder.ratings["rater"].isin(simulated)
    reasons = folder.ratings["exclude"][~is_simulated].value_counts()
    asked = ToRegister(
        folder.protocol,
        planned_items(folder),
        len(folder.ratings),
        judges=judges_of_folder(path),
        n_simulated=int(is_simulated.sum()),
        left_out={str(why): int(n) for why, n in reasons.items() if why != GOLD},
    )
    registration = register(asked)
    write(registration)
    kept = path / REGISTRATION
    try:
        kept.write_text(registration_json(registration), encoding="utf-8", newline="")
    except OSError:
        kept.unlink(missing_ok=True)
        raise
    return registration


def _of_stored(slug: str, write: Write) -> Registration:
    with store() as engine, engine.begin() as db:
        registration = register_study(db, stored_study(db, slug))
        write(registration)
        return registration
