"""The network isolation of a page, and the command that starts a browser with it.

The strong isolation is a network namespace without an interface, which allows no traffic at all.
The weaker one is flags of the browser: names do not resolve, everything goes through a nonexistent
proxy, which WebRTC may not bypass. The flags are always set; so are the policy in the page's
headers and the interception of each request.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmaker.errors import PrerequisiteError
from benchmaker.record import ProbeIsolation

NOBODY = 65534
"""The unprivileged user of a browser that root starts."""

POLICY = (
    "sandbox allow-scripts allow-forms allow-modals;"
    " default-src http: https: data: blob: 'unsafe-inline' 'unsafe-eval';"
    " connect-src http: https: data: blob:; object-src 'none'; base-uri 'none'"
)
"""The page's policy. Plain requests pass it, so that interception can name and refuse each;
sockets, which interception does not see, do not."""

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "msedge",
    "chromium-headless-shell",
)
"""The names of browsers. The last has no error pages of its own, so that a page that tries to
leave for another address looks otherwise in it."""

INSTALL_BROWSER = "sudo apt-get install chromium"
CHOOSE_BROWSER = "Give the path of Chromium or a compatible browser, or leave out --browser."
INSTALL_DRIVER = "pip install 'benchmaker[browser]'"

_FEATURES_OFF = (
    "SpareRendererForSitePerProcess",
    "MultipleSpareRPHs",
    "RenderDocument",
    "IsolateSandboxedIframes",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
)
"""The browser's features that the probe has no use for. The last three are pages of the address
bar, which each new tab would open in a process of 45 MB."""

FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--disable-quic",
    "--disable-gpu",
    "--js-flags=--max-old-space-size=256",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--disable-partial-raster",
    "--disable-checker-imaging",
    "--disable-composited-antialiasing",
    "--force-device-scale-factor=1",
    f"--disable-features={','.join(_FEATURES_OFF)}",
)
"""The browser's flags: those of the network first, then limits and what makes pictures equal."""


@dataclass(frozen=True, slots=True)
class Wall:
    """One way to start a browser in isolation.

    ``before`` is the prefix of the browser's command; ``keeps_sandbox`` is False if the browser
    cannot have its own sandbox; ``uid`` is the owner of its files.
    """

    isolation: ProbeIsolation
    before: tuple[str, ...]
    keeps_sandbox: bool = True
    uid: int | None = None


def walls(isolation: ProbeIsolation | None = None) -> tuple[Wall, ...]:
    """The ways to try on this machine, the strongest first; those of ``isolation`` if given."""
    ways = _of_root() if os.geteuid() == 0 else _of_a_user()
    return tuple(way for way in ways if isolation in (None, way.isolation))


def find_browser() -> str | None:
    """Return the path of the first installed browser, None without one."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def require_browser(browser: str) -> str:
    """Return the path of the chosen browser; a name without a folder is looked for on PATH.

    Raises:
        PrerequisiteError: no such file, or it is not executable.
    """
    if found := shutil.which(browser):
        return str(Path(found).absolute())
    if not browser:
        fault = "the path of the browser is empty."
    elif not Path(browser).exists():
        fault = "the browser does not exist."
    elif not Path(browser).is_dir() and os.access(browser, os.X_OK):
        fault = f"no such browser on PATH. The program in the current folder is ./{browser}"
    elif Path(browser).is_dir():
        fault = "the browser is a folder, not a program."
    else:
        fault = "the browser is not executable."
    raise PrerequisiteError(fault, where=browser, hint=CHOOSE_BROWSER)


def _of_root() -> list[Wall]:
    """Return root's methods: drop the network, then become nobody; keep the browser sandbox."""
    unshare, setpriv = shutil.which("unshare"), shutil.which("setpriv")
    if setpriv is None:
        alone = Wall(ProbeIsolation.FLAGS, (), keeps_sandbox=False)
        bare = Wall(ProbeIsolation.NAMESPACE, (unshare or "", "-n", "--"), keeps_sandbox=False)
        return [bare, alone] if unshare else [alone]
    step = (setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
    flags = Wall(ProbeIsolation.FLAGS, step, uid=NOBODY)
    unboxed = Wall(ProbeIsolation.FLAGS, step, keeps_sandbox=False, uid=NOBODY)
    if unshare is None:
        return [flags, unboxed]
    apart = (unshare, "-n", "--", *step)
    return [
        Wall(ProbeIsolation.NAMESPACE, apart, uid=NOBODY),
        Wall(ProbeIsolation.NAMESPACE, apart, keeps_sandbox=False, uid=NOBODY),
        flags,
        unboxed,
    ]


def _of_a_user() -> list[Wall]:
    """A user makes a namespace of users first; seen as root in there, the browser needs no box."""
    flags = [Wall(ProbeIsolation.FLAGS, ()), Wall(ProbeIsolation.FLAGS, (), keeps_sandbox=False)]
    unshare = shutil.which("unshare")
    if unshare is None:
        return flags
    return [
        Wall(ProbeIsolation.NAMESPACE, (unshare, "--map-current-user", "-n", "--")),
        Wall(ProbeIsolation.NAMESPACE, (unshare, "-r", "-n", "--"), keeps_sandbox=False),
        *flags,
    ]
