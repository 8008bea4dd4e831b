"""Study folders: files in, a StudyFolder or all problems out; and back to files."""

from app.analysis.data.study_folder import StudyFolder, frames_of
from app.exchange.folder.read import read_files, read_folder
from app.exchange.folder.write import write_folder, write_zip
from app.exchange.uploads import read_upload

__all__ = [
    "StudyFolder",
    "frames_of",
    "read_files",
    "read_folder",
    "read_upload",
    "write_folder",
    "write_zip",
]
