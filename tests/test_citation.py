"""The files at the root that repeat facts of the package: citation and changelog."""

import re
from pathlib import Path

import bolicho
from bolicho.lab.published import WORKS

ROOT = Path(__file__).parents[1]


def test_citation_and_changelog_know_the_version():
    released = dict(re.findall(r"^## ([\d.]+) - ([\d-]+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE))
    cited = dict(re.findall(r"^(version|date-released): (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    assert cited == {"version": bolicho.__version__, "date-released": released[bolicho.__version__]}
    assert next(iter(released)) == bolicho.__version__


def test_citation_names_the_five_documents():
    text = (ROOT / "CITATION.cff").read_text()
    names = re.findall(r"given-names: (.+)\n +family-names: (.+)\n", text)
    assert re.findall(r'^    title: "(.+)"$', text, re.MULTILINE) == [work.title for work in WORKS]
    assert [f"{given} {family}" for given, family in names] == ", ".join(work.authors for work in WORKS).split(", ")
