"""The document and its page, as served."""

from __future__ import annotations

import re

import yaml

from tests.service.clients import CheckedClient, code_of
from tests.service.document import OPENAPI_PATH


def test_the_document_is_served_as_it_is_kept(client: CheckedClient) -> None:
    response = client.get("/openapi.yaml")
    assert response.data == OPENAPI_PATH.read_bytes()
    assert response.mimetype == "application/yaml"


def test_the_json_says_the_same(client: CheckedClient) -> None:
    assert client.get("/openapi.json").get_json() == yaml.safe_load(OPENAPI_PATH.read_bytes())


def test_everything_on_the_page_comes_from_the_service(client: CheckedClient) -> None:
    page = client.get("/docs")
    text = page.get_data(as_text=True)
    assert "<title>Trull: the HTTP interface</title>" in text
    assert "//" not in text
    links = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert len(links) == 5
    for link in links:
        assert client.get(f"/{link}").status_code == 200
    assert "http" not in page.headers["Content-Security-Policy"]
    assert "<script>" not in text


def test_the_page_asks_for_the_document_and_no_outside_judge(client: CheckedClient) -> None:
    script = client.get("/docs/docs.js").get_data(as_text=True)
    assert 'url: "openapi.json"' in script
    assert "validatorUrl: null" in script


def test_no_other_files_are_served(client: CheckedClient) -> None:
    for name in ("docs.html", "oauth2-redirect.html", "LICENSE", "..%2Fapp.py", "%2e%2e", "swagger-ui.js"):
        assert code_of(client.get(f"/docs/{name}"), 404) == "not-found"
