"""The house's own pages: join codes, what makes the page installable, the private connection."""

from __future__ import annotations

import json
import re
from pathlib import Path

from naqala.dashboard.codes import LETTERS, codes
from naqala.web.authority import Authority

from tests.dashboard.stand import Stand, a_game, app_for, snapshot_after

RECORD = a_game(3, 5)


def stand(table: str) -> Stand:
    return Stand(snapshot_after(RECORD, 3, table))


def test_a_code_leads_to_the_names_in_any_case_and_each_table_has_its_own(tmp_path: Path) -> None:
    app = app_for(tmp_path, stand("oak"), stand("elm"), address="http://192.168.1.5:8000")
    client = app.test_client()
    with app.app_context():
        found = codes(app.extensions["naqala-keys"].signing, ["oak", "elm"])
    assert len(set(found.values())) == 2
    for table, code in found.items():
        assert re.fullmatch(f"[{LETTERS}]{{4}}", code)
        for typed in (code, code.lower()):
            answer = client.get(f"/{typed}")
            assert (answer.status_code, answer.location) == (302, f"/t/{table}/join")
        assert f'>192.168.1.5:8000/<span class="code">{code}</span>' in client.get(f"/t/{table}/").text
        assert code in client.get("/").text
    assert client.get("/AEIO").status_code == 404


def test_codes_stay_from_evening_to_evening_and_with_a_new_table() -> None:
    before = codes("key", ["oak", "elm"])
    after = codes("key", ["ash", "elm", "oak"])
    assert {table: after[table] for table in before} == before
    assert codes("another key", ["oak"]) != codes("key", ["oak"])
    many = codes("key", [f"t{number}" for number in range(2000)])
    assert len(set(many.values())) == 2000


def test_the_installed_page_begins_at_ones_seat(tmp_path: Path) -> None:
    client = app_for(tmp_path, stand("oak")).test_client()
    assert client.get("/start").location == "/"
    token = re.search(r'name="csrf" value="([^"]+)"', client.get("/t/oak/join").text)
    assert token
    sent = {"csrf": token[1], "name": "Ann"}
    client.post("/t/oak/sit", data=sent, headers={"Origin": "http://localhost"})
    assert client.get("/start").location == "/t/oak/seat"


def test_the_manifest_and_the_service_worker_name_files_that_are_there(tmp_path: Path) -> None:
    client = app_for(tmp_path, stand("oak")).test_client()
    manifest = client.get("/manifest.webmanifest").get_json(force=True)
    assert manifest["start_url"] == "/start" and manifest["display"] == "standalone"
    worker = client.get("/sw.js")
    assert worker.mimetype == "text/javascript"
    kept = json.loads(re.findall(r"const KEPT = (\[.*\]);", worker.text)[0])
    for address in (*kept, *(icon["src"] for icon in manifest["icons"]), "/offline"):
        assert client.get(address).status_code == 200, address


def test_the_private_connection_is_explained_where_there_is_one(tmp_path: Path) -> None:
    client = app_for(tmp_path, stand("oak")).test_client()
    assert client.get("/authority").status_code == client.get("/authority.crt").status_code == 404
    assert "/authority" not in client.get("/t/oak/join").text
    authority = Authority(tmp_path / "https")
    client = app_for(
        tmp_path, stand("oak"), secure="https://10.0.0.5:8443", authority=authority
    ).test_client()
    assert 'href="/authority"' in client.get("/t/oak/join").text
    page = client.get("/authority").text
    assert authority.fingerprint() in page and "https://10.0.0.5:8443/start" in page
    answer = client.get("/authority.crt")
    assert answer.mimetype == "application/x-x509-ca-cert" and answer.data == authority.certificate()
