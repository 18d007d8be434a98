"""The host's page about the house: backups are downloaded, uploaded, looked at and restored at the next start; keys come and go."""

from __future__ import annotations

import io
import re
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from flask.testing import FlaskClient
from naqala.backup import make
from naqala.backup.keeper import Keeper
from naqala.journal import Journal
from naqala.service import Service
from naqala.settings import Settings

from tests.dashboard.stand import Stand, app_for, snapshot_after
from tests.dashboard.stand import a_game as a_record
from tests.journal.test_damage import BODIES, a_game

RECORD = a_record(2)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Journal.open(str(tmp_path / "journal.sqlite")) as journal:
        a_game(journal, 12, "finished")
    return tmp_path


@pytest.fixture
def app(home: Path) -> Any:
    journal = str(home / "journal.sqlite")
    keeper = Keeper(lambda why: make(journal, home, home / "backups", why=why), home / "backups", None)
    return app_for(home, Stand(snapshot_after(RECORD, 3)), keeper=keeper)


class Browser:
    """The host's browser, or a stranger's."""

    def __init__(self, app: Any, owner: bool = True) -> None:
        self.client: FlaskClient = app.test_client()
        if owner:
            self.client.get(f"/owner?token={app.extensions['naqala-keys'].owner}")
        self.client.get("/owner/house" if owner else "/t/oak/")

    def page(self) -> str:
        return self.client.get("/owner/house").text

    def post(self, path: str, **form: Any) -> Any:
        with self.client.session_transaction() as session:
            token = session.get("csrf", "")
        return self.client.post(
            f"/owner/house{path}", data={"csrf": token, **form}, headers={"Origin": "http://localhost"}
        )


POSTS = ("/backup", "/upload", "/restore", "/programs", "/programs/x/revoke")


def test_it_is_the_hosts_alone(app: Any) -> None:
    host = Browser(app)
    host.post("/backup")
    name = re.findall(r"naqala-[\d-]+\.zip", host.page())[0]
    stranger = Browser(app, owner=False)
    assert stranger.client.get("/owner/house").status_code == 403
    assert stranger.client.get(f"/owner/house/backup/{name}").status_code == 403
    assert [stranger.post(path).status_code for path in POSTS] == [403] * len(POSTS)
    assert "/owner/house" not in stranger.client.get("/t/oak/").text
    assert "/owner/house" in host.client.get("/t/oak/log").text


def test_a_backup_is_made_and_downloaded(app: Any, home: Path) -> None:
    host = Browser(app)
    assert "There is no backup yet" in host.page()
    assert host.post("/backup").status_code == 303
    name = re.findall(r"naqala-[\d-]+\.zip", host.page())[0]
    got = host.client.get(f"/owner/house/backup/{name}")
    assert got.data == (home / "backups" / name).read_bytes()
    assert zipfile.ZipFile(io.BytesIO(got.data)).testzip() is None
    for other in ("journal.sqlite", "..%2Fjournal.sqlite", "%2e%2e/journal.sqlite"):
        assert host.client.get(f"/owner/house/backup/{other}").status_code == 404


def upload(host: Browser, data: bytes) -> Any:
    return host.post("/upload", backup=(io.BytesIO(data), "mine.zip"))


def test_an_upload_is_looked_at_before_anything_happens(app: Any, home: Path) -> None:
    host = Browser(app)
    archive = make(str(home / "journal.sqlite"), home, home / "elsewhere")
    before = (home / "journal.sqlite").read_bytes()
    upload(host, archive.read_bytes())
    assert "All its games are as they were written" in host.page() and "Ann" in host.page()
    assert host.post("/restore", agreed="no").status_code == 303
    assert "A backup file" in host.page()
    assert (home / "journal.sqlite").read_bytes() == before
    assert list(home.glob("*backup.zip")) == []


@pytest.mark.parametrize("how", ["nothing", "text", "cut"])
def test_what_is_no_backup_is_not_kept(app: Any, home: Path, how: str) -> None:
    host = Browser(app)
    archive = make(str(home / "journal.sqlite"), home, home / "elsewhere").read_bytes()
    said = upload(host, {"nothing": b"", "text": b"hello", "cut": archive[:-50]}[how])
    assert said.status_code == 303
    assert "cannot be restored" in host.page()
    assert list(home.glob("*backup.zip")) == []
    host.post("/restore", agreed="yes")
    assert list(home.glob("restore-at-start.zip")) == []


def test_keys_are_made_shown_once_and_revoked(app: Any) -> None:
    host = Browser(app)
    shown = host.post("/programs", **{"name": "score board", "scope.public": "yes"}).text
    token = re.findall(r"nq_[\w-]+", shown)[0]
    asked = {"Authorization": f"Bearer {token}"}
    assert app.test_client().get("/api/tables", headers=asked).status_code == 200
    assert token not in host.page() and "score board" in host.page()
    program = re.findall(r"programs/(\w+)/revoke", host.page())[0]
    host.post(f"/programs/{program}/revoke")
    assert app.test_client().get("/api/tables", headers=asked).status_code == 401


def test_a_key_for_a_seat_is_told_to_everybody(app: Any) -> None:
    host = Browser(app)
    shown = host.post("/programs", **{"name": "arm", "scope.tell": "yes", "player": "oak\nAnn"}).text
    assert "nq_" in shown
    log = Browser(app, owner=False).client.get("/t/oak/log").text
    assert "The host made a key" in log and "Ann" in log
    for player in ("", "oak\nZoe", "elm\nAnn"):
        host.post("/programs", **{"name": "arm", "scope.seat": "yes", "player": player})
    host.post("/programs", name="nothing at all")
    host.post("/programs", **{"name": "", "scope.public": "yes"})
    assert len(app.extensions["naqala-programs"].all) == 1


def multipart(fields: dict[str, bytes]) -> tuple[bytes, str]:
    edge = uuid4().hex
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"'.encode()
        + (b'; filename="b.zip"' if name == "backup" else b"")
        + b"\r\n\r\n" + value + b"\r\n"
        for name, value in fields.items()
    ]  # fmt: skip
    return b"".join(parts) + f"--{edge}--\r\n".encode(), f"multipart/form-data; boundary={edge}"


def test_uploaded_to_the_running_service_and_restored_at_its_next_start(home: Path, tmp_path: Path) -> None:
    """Through the real server, whose usual limit for a body is 64 KB; a stranger's upload is refused at the door."""
    other = tmp_path / "other"
    with Journal.open(str(other / "journal.sqlite")) as journal:
        for _ in range(2):
            a_game(journal, 30)
        journal.new_game("oak", {"players": [], "noise": [str(uuid4()) for _ in range(6000)]})
    archive = make(str(other / "journal.sqlite"), other, tmp_path / "usb")
    assert archive.stat().st_size > 100_000
    settings = Settings(tables={"oak": "virtual"}, journal=str(home / "journal.sqlite"), backup_at="")
    service = Service(settings, home, port=0)
    place = service.start()
    try:
        host = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        host.open(place.owner, timeout=60)
        page = host.open(f"{place.address}/owner/house", timeout=60).read().decode()
        token = re.findall(r'name="csrf" value="([^"]+)"', page)[0].encode()
        body, kind = multipart({"csrf": token, "backup": archive.read_bytes()})
        head = {"Content-Type": kind, "Origin": place.address}
        upload = urllib.request.Request(f"{place.address}/owner/house/upload", body, head)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.build_opener().open(upload, timeout=60)
        assert refused.value.code == 413
        assert "3 games" in host.open(upload, timeout=60).read().decode()
        data = urllib.parse.urlencode({"csrf": token.decode(), "agreed": "yes"}).encode()
        agreed = urllib.request.Request(
            f"{place.address}/owner/house/restore", data, {"Origin": place.address}
        )
        assert "starts the next time" in host.open(agreed, timeout=60).read().decode()
    finally:
        service.stop()
    service = Service(settings, home, port=0)
    service.start()
    service.stop()
    with Journal.open(str(home / "journal.sqlite")) as journal:
        assert [game.entries for game in journal.games()] == [30, 30, 0]
        assert [entry.body for entry in journal.entries(2)] == BODIES[:30]
    (aside,) = home.glob("before-restore-*")
    with Journal.open(str(aside / "journal.sqlite")) as journal:
        assert [game.entries for game in journal.games()] == [12]
    assert not (home / "restore-at-start.zip").exists()
