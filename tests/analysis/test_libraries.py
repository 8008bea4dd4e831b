import subprocess
import sys

REPORT = """
import sys
from app.analysis import analyze, load_libraries
from app.analysis.data.study_folder import frames_of
from app.studies.folder.read import read_files
from tests.kit.small import small

folder = read_files(small())
load_libraries()
before = set(sys.modules)
assert analyze(frames_of(folder), folder.protocol).estimates
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""


def test_report_imports_no_library_after_they_were_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", REPORT], check=True, capture_output=True, text=True)
    assert not {"app", "krippendorff", "scipy", "vaderSentiment"} & set(done.stdout.split())
