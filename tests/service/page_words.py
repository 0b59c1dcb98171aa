"""What the pages say, read from their scripts, which are kept to what can be read so."""

from __future__ import annotations

import re

from service.docs import OWN
from service.terms import TERMS


def said_by(file: str) -> dict[str, dict[str, str]]:
    """The words of a script by language and name."""
    blocks = re.findall(r"^  (\w\w): \{$(.*?)^  \},$", (OWN / file).read_text(), re.M | re.S)
    return {language: dict(re.findall(r'(\w+): "([^"]*)"', block)) for language, block in blocks}


def known_to(*files: str) -> set[str]:
    """The names that a page with these scripts has words for."""
    return {*TERMS, *(name for file in files for name in said_by(file)["en"])}
