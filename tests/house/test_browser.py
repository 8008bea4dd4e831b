"""The journeys' Chromium: the headless shell where it can be had, and nothing that a machine has is changed for it."""

from pathlib import Path

import pytest

from tests.kit import browser

FAKE_APT = """#!/bin/sh
echo "$@" >> "$LOG"
case "$*" in *{unknown}*) exit 100;; esac
case "$*" in
  *--simulate*) echo "{simulated}";;
  *--download-only*) ;;
  *install*chromium-headless-shell*) : > "$BIN/chromium-headless-shell"; /bin/chmod +x "$BIN/chromium-headless-shell";;
  *install*chromium*) : > "$BIN/chromium"; /bin/chmod +x "$BIN/chromium";;
esac
"""


class Machine:
    """A machine whose PATH holds an apt-get that only writes down what it is asked."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.bin, self.log = folder / "bin", folder / "log"
        self.bin.mkdir()
        self.log.touch()
        for name, value in {"PATH": self.bin, "BIN": self.bin, "LOG": self.log}.items():
            patch.setenv(name, str(value))
        patch.delenv("ATTUNE_CHROMIUM", raising=False)
        patch.setattr("os.geteuid", lambda: 0)
        patch.setattr(browser, "_of_playwright", lambda: None)

    def add(self, name: str, script: str = "#!/bin/sh\n") -> None:
        (self.bin / name).write_text(script)
        (self.bin / name).chmod(0o755)

    def add_apt(self, *, unknown: str = "nothing", simulated: str = "Inst chromium-headless-shell (1)") -> None:
        self.add("apt-get", FAKE_APT.format(unknown=unknown, simulated=simulated))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_headless_shell_is_preferred_to_chromium(machine: Machine) -> None:
    machine.add("chromium")
    machine.add("chromium-headless-shell")
    assert browser.find_chromium() == str(machine.bin / "chromium-headless-shell")


def test_named_chromium_is_preferred_to_all(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.add("chromium-headless-shell")
    machine.add("mine")
    monkeypatch.setenv("ATTUNE_CHROMIUM", str(machine.bin / "mine"))
    assert browser.find_chromium() == str(machine.bin / "mine")


def test_bare_machine_gets_headless_shell(machine: Machine) -> None:
    machine.add_apt()
    browser.install()
    assert browser.find_chromium() == str(machine.bin / "chromium-headless-shell")


def test_release_without_headless_shell_gets_chromium(machine: Machine) -> None:
    machine.add_apt(unknown="headless-shell")
    browser.install()
    assert browser.find_chromium() == str(machine.bin / "chromium")


def test_headless_shell_is_added_beside_chromium(machine: Machine) -> None:
    machine.add("chromium")
    machine.add_apt()
    browser.install()
    assert browser.find_chromium() == str(machine.bin / "chromium-headless-shell")


@pytest.mark.parametrize("step", ["Inst chromium [1] (2)", "Remv chromium [1]"])
def test_installed_chromium_keeps_its_version(machine: Machine, step: str) -> None:
    machine.add("chromium")
    machine.add_apt(simulated=step)
    browser.install()
    assert browser.find_chromium() == str(machine.bin / "chromium")


def test_installed_chromium_is_used_where_nothing_can_be_downloaded(machine: Machine) -> None:
    machine.add("chromium")
    machine.add_apt(unknown="-y")
    browser.install()
    assert browser.find_chromium() == str(machine.bin / "chromium")
    assert [line.split()[-1] for line in machine.log.read_text().splitlines()] == ["--download-only", "update"]


def test_nothing_is_installed_by_other_users(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.add("chromium")
    machine.add_apt()
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    browser.install()
    assert machine.log.read_text() == ""


def test_download_that_hangs_ends_in_time(machine: Machine) -> None:
    machine.add("apt-get", "#!/bin/sh\nexec /bin/sleep 60\n")
    assert browser._apt("update", limit_s=0.05) is None
