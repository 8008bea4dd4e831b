"""Find Chromium for the journeys; `python -m tests.browser` installs it if possible, or explains how."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HOW = (
    "The journeys need Chromium, and none was found. Debian and Ubuntu: apt-get install chromium fonts-dejavu-core. "
    "Elsewhere: .venv/bin/python -m playwright install chromium. Or name one: ATTUNE_CHROMIUM=/path/to/chrome make test"
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


def install() -> None:
    """Install Chromium: with the system's package manager as root, otherwise Playwright's download."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        packages = ["chromium", "fonts-dejavu-core"]
        subprocess.run(["apt-get", "update", "-qq"], check=False, stdin=subprocess.DEVNULL)  # noqa: S607 - the system's own
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
        subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if find_chromium() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


if __name__ == "__main__":
    if find_chromium() is None:
        install()
    if find_chromium() is None:
        sys.exit(HOW)
