"""Uploads read in the test's own process: the process for them takes seconds to start, in each worker of pytest.

That what is read comes back from that process, and its limits, are held by tests/base/processes/test_reading_bounds.py
and by the journeys.
"""

from typing import Any

from app.studies.creation.upload_process import Read, UploadReader


class ReadsHere(UploadReader):
    """Reads where it is asked to."""

    def read(self, read: Read, upload: object) -> Any:  # noqa: ANN401 - what `read` returns
        return read(upload, self._bounds.limits)
