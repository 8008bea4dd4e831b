"""Potato 2.12 under the same load, if installed: sends what its script sends for an item with five answers.

These are two saves while the rater answers, a third when *Next* is pressed, the step to the next item, and its page.
Potato uses one process (its documentation warns against a second one) and stores data in files.
"""

import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvloop

from benchmarks.load_client import Connection, Spent, Tally, drive
from benchmarks.serving import Served, free_port, processor_s, wait_for

N_ITEMS = 400
CONFIG = """\
annotation_task_name: Load
task_dir: .
output_annotation_dir: annotation_output
data_files: [items.jsonl]
item_properties: {id_key: id, text_key: text}
user_config: {allow_all_users: true, users: []}
require_password: false
login: {type: url_direct, url_argument: PROLIFIC_PID}
num_annotators_per_item: 1000
max_annotations_per_user: 400
annotation_schemes:
  - {annotation_type: radio, name: preference, description: Which response is better, labels: [A, B, tie]}
  - {annotation_type: likert, name: empathy_a, description: Empathy of A, size: 5, min_label: not, max_label: very}
  - {annotation_type: likert, name: empathy_b, description: Empathy of B, size: 5, min_label: not, max_label: very}
  - {annotation_type: likert, name: warmth_a, description: Warmth of A, size: 5, min_label: not, max_label: very}
  - {annotation_type: likert, name: warmth_b, description: Warmth of B, size: 5, min_label: not, max_label: very}
html_layout: default
"""
FIRST_HALF = {"preference:A": "A", "empathy_a:4": "4"}
WHOLE = FIRST_HALF | {"empathy_b:2": "2", "warmth_a:5": "5", "warmth_b:1": "1"}
_ITEM = re.compile(rb'name="instance_id"[^>]*value="([^"]+)"')


def command() -> str | None:
    """Return the `potato` command, from the POTATO variable or the search path, or None."""
    return os.environ.get("POTATO") or shutil.which("potato")


def measure(n_raters: int, seconds: float) -> Spent:
    """Measure raters on a new study, after each has opened the first page."""
    with _served() as served:
        tally = Tally()
        raters = [PotatoRater(served.address, f"rater-{number}", tally) for number in range(n_raters)]
        before, begun = processor_s(served.pid), time.perf_counter()
        uvloop.run(drive(raters, seconds))
        return Spent(tally, time.perf_counter() - begun, processor_s(served.pid) - before, 0.0)


@contextmanager
def _served() -> Iterator[Served]:
    potato = command()
    assert potato
    with tempfile.TemporaryDirectory() as place:
        items = [
            {"id": f"item-{n}", "text": "I hear how hard this week has been for you. " * 12} for n in range(N_ITEMS)
        ]
        Path(place, "items.jsonl").write_text("\n".join(map(json.dumps, items)))
        Path(place, "config.yaml").write_text(CONFIG)
        port = free_port()
        start = [potato, "start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(start, cwd=place, **quiet) as process:  # type: ignore[call-overload]
            wait_for(port, 120)
            yield Served(f"http://127.0.0.1:{port}", process.pid)
            process.terminate()


class PotatoRater:
    """A browser that rates in Potato."""

    def __init__(self, address: str, who: str, tally: Tally) -> None:
        """Arrive and read the first page."""
        self.tally, self.connection = tally, Connection(address)
        asked = http.client.HTTPConnection(self.connection.host, self.connection.port, timeout=120)
        asked.request("GET", f"/?PROLIFIC_PID={who}")
        answer = asked.getresponse()
        answer.read()
        self.cookie = (answer.getheader("Set-Cookie") or "").split(";")[0]
        asked.request("GET", "/annotate", headers={"Cookie": self.cookie})
        self.item = _item_of(asked.getresponse().read())
        asked.close()

    async def run(self, is_over: Callable[[], bool]) -> None:
        """Rate until time is up."""
        while not is_over() and self.item:
            await self._save(FIRST_HALF)
            await self._save(WHOLE)
            begun = time.perf_counter()
            await self._save(WHOLE)
            await self._post("/annotate", {"action": "next_instance", "instance_id": self.item})
            status, _, page = await self.connection.ask("GET", "/annotate", b"", f"Cookie: {self.cookie}\r\n")
            self.tally.submit_s.append(time.perf_counter() - begun)
            self.tally.acknowledged += status == 200
            self.item = _item_of(page)
        self.connection.close()

    async def _save(self, answers: dict[str, str]) -> None:
        status = await self._post("/updateinstance", {"instance_id": self.item, "annotations": answers})
        self.tally.n_errors += status != 200

    async def _post(self, path: str, body: object) -> int:
        status, _, _ = await self.connection.ask("POST", path, json.dumps(body).encode(), self._headers())
        return status

    def _headers(self) -> str:
        return f"Cookie: {self.cookie}\r\nContent-Type: application/json\r\n"


def _item_of(page: bytes) -> str:
    found = _ITEM.search(page)
    return found[1].decode() if found else ""
