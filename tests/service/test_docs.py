"""The document and its page, as served."""

from __future__ import annotations

import html
import re
from urllib.parse import urljoin

import pytest
import yaml

from service.rulebook import PAGES
from tests.service.clients import CheckedClient, code_of
from tests.service.document import OPENAPI_PATH
from trull.variants import VARIANTS


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


@pytest.mark.parametrize(
    ("path", "location", "page"),
    [
        ("/", "docs", "docs"),
        ("/docs/", "../docs", "docs"),
        ("/docs/rules/", "../rules", "docs/rules"),
        ("/docs/rules/tournaments/", "../tournaments", "docs/rules/tournaments"),
    ],
)
def test_the_address_itself_leads_to_the_page(
    client: CheckedClient, path: str, location: str, page: str
) -> None:
    response = client.get(path)
    assert (response.status_code, response.headers["Location"]) == (302, location)
    assert urljoin(f"http://club.example/trull{path}", location) == f"http://club.example/trull/{page}"


def test_the_index_leads_to_every_page_of_the_rules(client: CheckedClient) -> None:
    response = client.get("/docs/rules")
    text = response.get_data(as_text=True)
    assert "<title>The rules<" in text
    assert "http" not in response.headers["Content-Security-Policy"]
    links = {urljoin("/docs/rules", link) for link in re.findall(r'href="([^"]+)"', text)}
    assert links == {"/docs/favicon-32x32.png", "/docs/rules.css", *(f"/docs/rules/{page}" for page in PAGES)}
    for link in links:
        assert client.get(link).status_code == 200


@pytest.mark.parametrize("page", ["illustrated-tarock", "french-tarot", "tournaments"])
class TestRules:
    def test_each_clause_has_its_anchor(self, client: CheckedClient, page: str) -> None:
        source = (OPENAPI_PATH.parent / "docs" / "rules" / f"{page}.md").read_text()
        clauses = re.findall(r"^\*\*([A-Z]{2}-[0-9.]+)\*\*", source, re.M)
        assert len(clauses) >= 19
        response = client.get(f"/docs/rules/{page}")
        assert response.mimetype == "text/html"
        text = response.get_data(as_text=True)
        for clause in clauses:
            assert f'<p id="{clause}"><strong>{clause}</strong> ' in text
        for section in re.findall(r"^## ([A-Z]{2}-[0-9]+) ", source, re.M):
            assert f'<h2 id="{section}">{section} ' in text
        ids = re.findall(r' id="([^"]+)"', text)
        assert len(ids) == len(set(ids))

    def test_everything_on_it_comes_from_the_service(self, client: CheckedClient, page: str) -> None:
        response = client.get(f"/docs/rules/{page}")
        text = response.get_data(as_text=True)
        assert "<table>" in text
        assert re.search("<title>([A-Z][a-z]+ Taro(t|ck)|Tournaments): the rules<", text)
        assert "//" not in text
        assert "<script" not in text
        links = re.findall(r'(?:src|href)="([^"]+)"', text)
        assert links == ["../favicon-32x32.png", "../rules.css", "../rules", "../../docs"]
        for link in links:
            assert client.get(urljoin(f"/docs/rules/{page}", link)).status_code == 200
        assert "http" not in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize("name", VARIANTS)
class TestVariants:
    def test_a_variant_leads_to_its_page(self, client: CheckedClient, name: str) -> None:
        page = client.get(client.get(f"/v1/variants/{name}").get_json()["page"])
        assert f"<title>{html.escape(VARIANTS[name].name)}<" in page.get_data(as_text=True)

    def test_every_link_leads_to_a_clause_or_a_page(self, client: CheckedClient, name: str) -> None:
        text = client.get(f"/docs/rules/{name}").get_data(as_text=True)
        links = set(re.findall(r'href="([^"]+)"', text)) - {
            "../favicon-32x32.png",
            "../rules.css",
            "../rules",
            "../../docs",
        }
        assert len(links) > 10
        for link in links:
            page, _, anchor = urljoin(f"/docs/rules/{name}", link).partition("#")
            assert not anchor or f' id="{anchor}"' in client.get(page).get_data(as_text=True), link


def test_a_page_of_house_rules_is_not_there(client: CheckedClient) -> None:
    assert client.get("/docs/rules/house-club").status_code == 404


def test_the_document_leads_to_the_rules(client: CheckedClient) -> None:
    document = client.get("/openapi.json").get_json()
    links = re.findall(r"\]\(([^)]+)\)", document["info"]["description"])
    said = document["components"]["schemas"]["Clause"]["description"]
    paths = [*(urljoin("/docs", link) for link in links), *re.findall(r"`(/docs/[^`]+)`", said)]
    assert len(paths) == 6
    for path in paths:
        page, _, anchor = path.partition("#")
        assert f'id="{anchor}"' in client.get(page).get_data(as_text=True) if anchor else client.get(page)
