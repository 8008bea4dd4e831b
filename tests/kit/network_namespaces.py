"""Network namespaces of Linux as machines of their own, and links between them that can be cut.

A cut link drops packets in silence, as a broken switch or a firewall does: no connection is reset.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

# Reserved for tests of networks (RFC 2544): no real network has these addresses.
NETWORK = "198.18"
NOWHERE = "02:00:00:00:00:01"
HERE = ""


@dataclass(frozen=True)
class End:
    """One end of a link: its namespace ("" is that of the tests), device and address."""

    namespace: str
    device: str
    address: str

    def ip(self, *arguments: str) -> None:
        ip(*(("-n", self.namespace) if self.namespace else ()), *arguments)


@dataclass(frozen=True)
class Link:
    """A cable between two namespaces."""

    left: End
    right: End

    def cut(self) -> None:
        """Drop all packets in both directions: they are sent to an Ethernet address that nobody has."""
        for end, other in ((self.left, self.right), (self.right, self.left)):
            permanent = ("lladdr", NOWHERE, "nud", "permanent", "dev", end.device)
            end.ip("neigh", "replace", other.address, *permanent)

    def mend(self) -> None:
        for end, other in ((self.left, self.right), (self.right, self.left)):
            end.ip("neigh", "del", other.address, "dev", end.device)


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)  # noqa: S607 - in /sbin or /usr/sbin


def within(namespace: str) -> tuple[str, ...]:
    """The beginning of a command that is run in a namespace."""
    return ("ip", "netns", "exec", namespace)


def why_not() -> str:
    """Why namespaces cannot be used here; empty if they can."""
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("setpriv"):
        return "network namespaces need root, ip and setpriv"
    try:
        with namespaces("probe") as (probe,), linked(HERE, probe, 250):
            return ""
    except subprocess.CalledProcessError as error:
        return f"network namespaces are not allowed here: {error.stderr.decode().strip()}"


@contextmanager
def namespaces(*names: str) -> Iterator[tuple[str, ...]]:
    """Yield new namespaces with these words in their names; they and their links are removed at the end."""
    own = tuple(f"attune-{os.getpid()}-{name}" for name in names)
    with ExitStack() as stack:
        for name in own:
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
            ip("-n", name, "link", "set", "lo", "up")
        yield own


@contextmanager
def linked(left: str, right: str, number: int) -> Iterator[Link]:
    """Yield a link between two namespaces; each link of a test has another number, which is in its addresses."""
    ends = [
        End(name, f"at{os.getpid() % 10_000_000}-{number}{side}", f"{NETWORK}.{number}.{side}")
        for side, name in ((1, left), (2, right))
    ]
    ip("link", "add", ends[0].device, "type", "veth", "peer", "name", ends[1].device)
    try:
        for end in ends:
            if end.namespace:
                ip("link", "set", end.device, "netns", end.namespace)
            end.ip("addr", "add", f"{end.address}/30", "dev", end.device)
            end.ip("link", "set", end.device, "up")
        yield Link(*ends)
    finally:
        ends[0].ip("link", "del", ends[0].device)
