"""Processor time of the PDF of a report: 36 raters, 11 questions, three sources, in a new process.

The report is computed before; the process reads it and writes the PDF, as the job for a download does. For comparison,
in the same run: a new process that only loads the libraries for numbers, charts and pages, and draws one empty page.
Processor seconds of all threads, the median of five processes; a missed target is reported, not asserted.
Run: python -m benchmarks.report_pdf
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

GOAL_S, N_PROCESSES = 5.0, 5
LIBRARIES = """
import altair, numpy, pandas, scipy.special, typst, vl_convert, tempfile, pathlib
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "main.typ"
    source.write_text("An empty page.")
    typst.compile(str(source))
import time
print(time.process_time())
"""


def write_pdf(folder: Path) -> None:
    """Write the PDF of the report in this folder; to be run in its own process."""
    from app.analysis.document.report_context import ReportContext
    from app.analysis.report.stored_report import read_stored
    from app.protocol.study import Protocol
    from app.results.documents.document_formats import ReportJob
    from app.results.documents.report_files import report_documents

    report = read_stored((folder / "report.json").read_text())
    protocol = Protocol.model_validate_json((folder / "study.yaml").read_text())
    files, _ = report_documents(ReportJob(report, protocol, ReportContext("2026-11-28"), ("pdf",)))
    (folder / "report.pdf").write_bytes(files["report.pdf"])
    print(time.process_time())


def compute(folder: Path) -> None:
    """Write the study, and its report as it is kept."""
    from app.analysis import analyze
    from app.analysis.data.study_folder import frames_of
    from app.analysis.report.stored_report import stored_text
    from app.studies.folder.read import read_folder
    from benchmarks.usual_study import write

    write(folder)
    study = read_folder(folder)
    (folder / "report.json").write_text(stored_text(analyze(frames_of(study), study.protocol)))


def seconds(*command: str) -> float:
    """What a new process prints as its processor seconds: the median of several."""
    # modules are compiled once and kept, as an installation does
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = (
        subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True, env=environment).stdout
        for _ in range(N_PROCESSES)
    )
    return median(float(said) for said in runs)


def main() -> None:
    with TemporaryDirectory() as place:
        folder = Path(place)
        compute(folder)
        pdf, libraries = seconds("-m", "benchmarks.report_pdf", place), seconds("-c", LIBRARIES)
        n_bytes = (folder / "report.pdf").stat().st_size
    said = "met" if pdf <= GOAL_S else "missed"
    print(f"PDF of 36 raters x 11 questions: {pdf:.2f} s of processor, goal {GOAL_S:.0f} s {said}; {n_bytes:,} bytes")
    print(f"libraries and an empty page alone: {libraries:.2f} s; the PDF takes {pdf / libraries:.1f} times as long")
    print(f"load on the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_pdf(Path(sys.argv[1]))
    else:
        main()
