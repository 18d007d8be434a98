"""https beside http, with the house's own authority: trusted by others' programs (OpenSSL, Chromium), HTTP/2, renewed by itself.

A real browser that trusts the authority as a phone does that installed it: wake lock, install criteria, offline page, one
connection for all tabs.
"""

from __future__ import annotations

import http.client
import shutil
import socket
import ssl
import stat
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from naqala.service import Place, Service
from naqala.settings import Settings
from naqala.web import authority as authorities
from naqala.web.authority import Authority
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, expect

from tests.conftest import CHROMIUM, FLAGS, PATIENCE_MS

HERE = "127.0.0.2"  # not the address that is for this machine alone


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Settings(tables={"oak": "virtual:oak?seed=3"}, journal=str(tmp_path / "journal.sqlite"))
    service = Service(made, tmp_path / "home", host=HERE, port=0, https_port=0)
    yield service.start()
    service.stop()


def openssl(*words: str) -> str:
    done = subprocess.run(
        ["openssl", *words], capture_output=True, text=True, input="", timeout=60, check=False
    )
    return done.stdout + done.stderr


def test_others_trust_what_the_authority_signed_and_nothing_else(tmp_path: Path, place: Place) -> None:
    where = urlsplit(place.secure)
    trusting = ssl.create_default_context(cafile=str(tmp_path / "home/https/authority.crt"))
    trusting.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection((HERE, where.port), 60) as plain,
        trusting.wrap_socket(plain, server_hostname=HERE) as private,
    ):
        assert private.selected_alpn_protocol() == "h2"
    strict = ssl.create_default_context(cafile=str(tmp_path / "home/https/authority.crt"))
    connection = http.client.HTTPSConnection(HERE, where.port, context=strict, timeout=60)
    connection.request("GET", "/t/oak/join")
    assert connection.getresponse().status == 200, "HTTP/1.1 over TLS"
    connection.close()
    with (
        pytest.raises(ssl.SSLCertVerificationError),
        socket.create_connection((HERE, where.port), 60) as plain,
    ):
        ssl.create_default_context().wrap_socket(plain, server_hostname=HERE)
    told = openssl("x509", "-in", str(tmp_path / "home/https/authority.crt"), "-noout", "-text")
    assert "CA:TRUE, pathlen:0" in told and "Name Constraints: critical" in told and "DNS:fritz.box" in told
    files = sorted((tmp_path / "home/https").iterdir())
    assert [file.name for file in files] == ["authority.crt", "authority.key", "house.crt", "house.key"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_stolen_authority_vouches_for_no_site_on_the_internet(tmp_path: Path) -> None:
    """OpenSSL signs what it is told to; whoever checks the constraints refuses it."""
    Authority(tmp_path)
    made = {"key": tmp_path / "evil.key", "csr": tmp_path / "evil.csr", "crt": tmp_path / "evil.crt"}
    (tmp_path / "names").write_text("subjectAltName=DNS:bank.example")
    openssl(
        "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=bank.example",
        "-keyout", str(made["key"]), "-out", str(made["csr"]),
    )  # fmt: skip
    openssl(
        "x509", "-req", "-in", str(made["csr"]), "-CA", str(tmp_path / "authority.crt"),
        "-CAkey", str(tmp_path / "authority.key"), "-CAcreateserial", "-days", "30",
        "-extfile", str(tmp_path / "names"), "-out", str(made["crt"]),
    )  # fmt: skip
    assert made["crt"].exists()
    verdict = openssl("verify", "-CAfile", str(tmp_path / "authority.crt"), str(made["crt"]))
    assert "permitted subtree violation" in verdict
    assert ": OK" in openssl(
        "verify", "-CAfile", str(tmp_path / "authority.crt"), str(tmp_path / "house.crt")
    )


def test_it_renews_itself_near_its_end_after_a_jump_of_the_clock_and_with_another_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = Authority(tmp_path)
    first = (tmp_path / "house.crt").read_bytes()
    kept = (tmp_path / "authority.crt").read_bytes()
    assert not house.renew() and not Authority(tmp_path).renew()
    for days in (320, -300, 360 * 9):
        monkeypatch.setattr(authorities, "_now", lambda days=days: datetime.now(UTC) + timedelta(days=days))
        assert house.renew() and not house.renew(), days
    monkeypatch.undo()
    assert house.renew()
    monkeypatch.setattr(authorities, "addresses", lambda: ["192.168.77.5"])
    assert house.renew() and not house.renew()
    assert (tmp_path / "house.crt").read_bytes() != first
    assert (tmp_path / "authority.crt").read_bytes() == kept, "phones need not install it again"
    (tmp_path / "house.crt").write_text("damaged")
    (tmp_path / "authority.key").write_text("damaged")
    Authority(tmp_path)
    assert ": OK" in openssl(
        "verify", "-CAfile", str(tmp_path / "authority.crt"), str(tmp_path / "house.crt")
    )


# --- a browser that installed the authority -------------------------------------------------------------------------


@pytest.fixture
def trusting(browser: Browser, tmp_path: Path, place: Place) -> Iterator[BrowserContext]:
    """Chromium with a list of authorities of its own."""
    store = tmp_path / "person/.pki/nssdb"
    store.mkdir(parents=True)
    certutil = [shutil.which("certutil") or "certutil", "-d", f"sql:{store}"]
    subprocess.run([*certutil, "-N", "--empty-password"], check=True)
    crt = str(tmp_path / "home/https/authority.crt")
    subprocess.run([*certutil, "-A", "-t", "C,,", "-n", "naqala", "-i", crt], check=True)
    own = browser.browser_type.launch(
        executable_path=CHROMIUM, args=FLAGS, env={"HOME": str(tmp_path / "person")}
    )
    context = own.new_context(viewport={"width": 375, "height": 812})
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()
    own.close()


def cdp(page: Page) -> CDPSession:
    return page.context.new_cdp_session(page)


def protocol(page: Page) -> str:
    found: str = page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol")
    return found


def test_a_browser_goes_private_stays_awake_and_can_install_the_page(
    trusting: BrowserContext, place: Place
) -> None:
    page = trusting.new_page()
    page.goto(f"{place.secure}/{place.codes['oak'].lower()}")
    page.wait_for_url("**/t/oak/join")
    assert protocol(page) == "h2"
    assert page.evaluate("isSecureContext")

    assert page.evaluate("navigator.serviceWorker.ready.then((one) => one.scope)") == f"{place.secure}/"
    session = cdp(page)
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [one["errorId"] for one in errors if one["errorId"] != "in-incognito"] == []
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == [] and manifest["url"].endswith("/manifest.webmanifest")


def test_the_wake_lock_is_taken_let_go_and_taken_again(trusting: BrowserContext, place: Place) -> None:
    page = trusting.new_page()
    page.add_init_script(WATCH_THE_LOCK)
    page.goto(f"{place.secure}/t/oak/join")
    expect(page.locator("body[data-awake=lock]")).to_be_attached()
    taken = page.evaluate("window.taken")
    page.evaluate("window.hide(true)")
    expect(page.locator("body[data-awake='']")).to_be_attached()
    page.evaluate("window.hide(false)")
    expect(page.locator("body[data-awake=lock]")).to_be_attached()
    assert page.evaluate("window.taken") == taken + 1
    page.get_by_label("Keep the screen on").uncheck()
    expect(page.locator("body[data-awake='']")).to_be_attached()
    page.reload()
    expect(page.get_by_label("Keep the screen on")).not_to_be_checked()
    assert page.evaluate("window.taken") == 0, "the choice is remembered"


# A browser without a screen has no lock to give: its answer is played, the page's part is real.
WATCH_THE_LOCK = """
window.taken = 0;
let last = null;
class Sentinel extends EventTarget {
  released = false;
  async release() { this.released = true; this.dispatchEvent(new Event("release")); }
}
Object.defineProperty(navigator, "wakeLock", { value: { request: async () => {
  if (document.visibilityState !== "visible") throw new DOMException("hidden", "NotAllowedError");
  window.taken += 1;
  return (last = new Sentinel());
} } });
let hidden = false;
Object.defineProperty(document, "visibilityState", { get: () => (hidden ? "hidden" : "visible") });
window.hide = async (yes) => {
  hidden = yes;
  if (yes) await last?.release();
  document.dispatchEvent(new Event("visibilitychange"));
};
"""


def test_where_there_is_no_wake_lock_a_silent_film_plays_after_the_first_touch(
    browser: Browser, place: Place
) -> None:
    """As on a phone that came by plain http. Without shared workers, too: such browsers have a stream of their own."""
    context = browser.new_context(viewport={"width": 375, "height": 812})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script("delete Navigator.prototype.wakeLock; delete window.SharedWorker;")
    try:
        page.goto(f"{place.phones}/t/oak/join")
        page.get_by_role("heading", name="Who are you?").click()
        expect(page.locator("body[data-awake=film]")).to_be_attached()
        assert page.evaluate("document.querySelector('video').error") is None
        page.wait_for_function("document.querySelector('video').currentTime > 0")
        page.get_by_label("Keep the screen on").uncheck()
        expect(page.locator("body[data-awake='']")).to_be_attached()
        assert page.evaluate("document.querySelector('video').paused")
        expect(page.locator("body:not([data-away])")).to_be_attached()
    finally:
        context.close()


KEPT = """new Promise((found) => {
  const look = async () => (await (await caches.open("naqala-pages")).keys()).length ? found(true) : setTimeout(look, 100);
  look();
})"""


def test_without_the_companion_the_last_known_state_is_shown_and_says_so(
    trusting: BrowserContext, tmp_path: Path, place: Place
) -> None:
    page = trusting.new_page()
    page.goto(f"{place.secure}/t/oak/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.evaluate(KEPT)
    trusting.set_offline(True)
    page.reload()
    expect(page.locator("#health")).to_be_attached()
    expect(page.locator("body[data-away]")).to_be_attached()
    expect(page.locator("#offline")).to_be_visible()
    page.goto(f"{place.secure}/t/oak/log")  # never seen
    expect(page.locator("[data-offline-page]")).to_be_visible()
    trusting.set_offline(False)
    page.goto(f"{place.secure}/t/oak/")
    expect(page.locator("body[data-away]")).not_to_be_attached()


def test_ten_tabs_of_one_browser_share_one_connection_and_all_answer(browser: Browser, place: Place) -> None:
    """Over plain http, where a browser opens six connections to a machine at most."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    try:
        tabs = [context.new_page() for _ in range(10)]
        for number, tab in enumerate(tabs):
            tab.goto(f"{place.phones}/t/oak/{'join' if number % 2 else ''}")
        for tab in tabs:
            expect(tab.locator("body:not([data-away])")).to_be_attached()
        for tab in tabs:
            assert tab.evaluate("fetch('/healthz').then((one) => one.status)") == 200
            tab.reload()
        assert open_streams(urlsplit(place.phones).port or 0) == 1
    finally:
        context.close()


def open_streams(port: int, patience_s: float = 20.0) -> int:
    """Connections of this machine to that port that last, as the kernel counts them: pages' own are closed when idle."""
    end = time.monotonic() + patience_s
    found = -1
    while found != 1 and time.monotonic() < end:
        rows: Any = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        found = sum(row[1].endswith(f":{port:04X}") and row[3] == "01" for row in rows)
        time.sleep(0.25)
    return found


def test_where_no_certificate_can_be_written_the_pages_are_served_without_https(tmp_path: Path) -> None:
    (tmp_path / "https").write_text("a file where the folder should be")
    made = Settings(tables={"oak": "virtual:oak?seed=3"}, journal=str(tmp_path / "journal.sqlite"))
    service = Service(made, tmp_path, host=HERE, port=0, https_port=0)
    place = service.start()
    try:
        assert place.secure == ""
        connection = http.client.HTTPConnection(HERE, urlsplit(place.phones).port, timeout=60)
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b'{"ok": true, "tables": {"oak": "up"}}\n')
    finally:
        service.stop()
