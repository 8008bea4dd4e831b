"""Known vulnerabilities of the packages in requirements.lock: `python -m tests.kit.audit`, or `make audit`.

Without network, or where the package index has no such data, it says so and succeeds.
"""

import json
import subprocess
import sys
from typing import Any

COMMAND = ("pip_audit", "--requirement", "requirements.lock", "--require-hashes", "--disable-pip", "--format", "json")


def verdict(printed: str) -> tuple[int, str]:
    """The exit code and what to say about the output of pip-audit.

    >>> verdict("")
    (0, 'Skipped: the vulnerability data cannot be reached.')
    >>> one = {"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}
    >>> verdict(json.dumps({"dependencies": [one, {"name": "b", "skip_reason": "unknown"}]}))
    (1, 'a 1: CVE-1, fixed in 2')
    """
    try:
        found: list[dict[str, Any]] = json.loads(printed)["dependencies"]
    except (ValueError, KeyError):
        found = []
    audited = [one for one in found if "skip_reason" not in one]
    if not audited:
        return 0, "Skipped: the vulnerability data cannot be reached."
    lines = [
        f"{one['name']} {one['version']}: {vuln['id']}, fixed in {' or '.join(vuln['fix_versions']) or 'no version'}"
        for one in audited
        for vuln in one["vulns"]
    ]
    return int(bool(lines)), "\n".join(lines) or f"{len(audited)} packages, no known vulnerability."


def main() -> None:
    """Run pip-audit and print the verdict."""
    done = subprocess.run([sys.executable, "-m", *COMMAND], capture_output=True, text=True, check=False)
    code, words = verdict(done.stdout)
    print(words)  # noqa: T201 - a command
    sys.exit(code)


if __name__ == "__main__":
    main()
