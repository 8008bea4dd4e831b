"""Find Chromium for the journeys; `python -m tests.kit.browser` installs it if possible, or explains how.

The journeys prefer Chromium's headless shell: the same engine without windows, for half the processor time.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
APT = ("apt-get", "-y", "-qq", "--no-install-recommends", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10")
HOW = (
    "The journeys need Chromium, and none was found. Debian: apt-get install chromium-headless-shell fonts-dejavu-core "
    "(Ubuntu and older releases: chromium). Elsewhere: .venv/bin/python -m playwright install chromium. "
    "Or name one: ATTUNE_CHROMIUM=/path/to/chrome make test"
)

# Playwright's Node.js needs this library, which Chromium's headless shell does not bring along.
LIBRARY = "libatomic1"
HOW_DRIVER = (
    "The journeys need Playwright, whose Node.js does not start here, mostly because a library is missing. "
    f"Debian and Ubuntu: apt-get install {LIBRARY}"
)


def find_chromium() -> str | None:
    """Return the path of Chromium: from ATTUNE_CHROMIUM, on the PATH, or Playwright's own."""
    named = os.environ.get("ATTUNE_CHROMIUM")
    if named:
        return named if os.access(named, os.X_OK) else None
    on_path = next((path for name in NAMES if (path := shutil.which(name))), None)
    return on_path or _of_playwright()


def _of_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.access(path, os.X_OK) else None


def starts_driver() -> bool:
    """Whether Playwright's own program can run on this machine."""
    command = [sys.executable, "-m", "playwright", "--version"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def install() -> None:
    """Install the headless shell, or else Chromium if there is none, or else Playwright's download of it.

    Only root installs packages. What cannot be downloaded in time is left; an installed Chromium keeps its version.
    """
    if os.geteuid() == 0 and shutil.which("apt-get"):
        has_chromium = find_chromium() is not None
        _install_package(SHELL, limit_s=60 if has_chromium else 600, is_optional=has_chromium)
        if find_chromium() is None:
            _install_package("chromium", limit_s=600)
    if find_chromium() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def _install_package(name: str, *, limit_s: float, is_optional: bool = False) -> None:
    """Install a package and a font. Only the download is limited in time, so that nothing stays half unpacked."""
    install = ("install", name, "fonts-dejavu-core")
    download = (*install, "--download-only")
    is_here = _apt(*download, limit_s=limit_s) is not None
    if not is_here and _apt("update", limit_s=limit_s) is not None:
        is_here = _apt(*download, limit_s=limit_s) is not None
    if is_here and not (is_optional and _changes_others(install)):
        _apt(*install)


def _changes_others(install: tuple[str, ...]) -> bool:
    """Return whether an installation would upgrade or remove installed packages."""
    steps = _apt(*install, "--simulate")
    return steps is None or re.search(r"^(Inst \S+ \[|Remv )", steps, re.MULTILINE) is not None


def _apt(*arguments: str, limit_s: float | None = None) -> str | None:
    """Return what apt-get printed, or None if it failed or took longer."""
    with tempfile.TemporaryFile("w+") as printed:
        try:
            subprocess.run(
                [*APT, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.DEVNULL,
                check=True,
                timeout=limit_s,
                env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return None
        printed.seek(0)
        return printed.read()


if __name__ == "__main__":
    if not starts_driver() and os.geteuid() == 0 and shutil.which("apt-get"):
        _install_package(LIBRARY, limit_s=60)
    if not starts_driver():
        sys.exit(HOW_DRIVER)
    if not os.environ.get("ATTUNE_CHROMIUM") and not shutil.which(SHELL):
        install()
    if find_chromium() is None:
        sys.exit(HOW)
