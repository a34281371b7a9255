"""The search of the site: what people type leads to the page that answers it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.runtime.inspecting.browser import Browser
from tests.site.conftest import NODE, ROOT

#: what is typed, and the pages that answer it: one is among the first three
ANSWERS = {
    "nan": {"symptoms/", "rules/comparison-with-nan/", "rules/nan-gradient-masked/"},
    "loss is nan": {"symptoms/", "rules/ctc-infinite-loss/"},
    "gradient is nan": {"symptoms/", "rules/nan-gradient-masked/"},
    "nan in softmax": {"rules/masked-softmax/", "rules/log-of-softmax/", "rules/handwritten-softmax/"},
    "inf": {"rules/mask-times-inf/", "rules/infinite-max-shift/"},
    "log of zero": {"rules/zero-times-log/"},
    "log of a softmax": {"rules/log-of-softmax/"},
    "division by zero": {"rules/division-by-zero-able/"},
    "sqrt gradient": {"rules/sqrt-at-zero/"},
    "masked softmax": {"rules/masked-softmax/"},
    "padding mask": {"rules/masked-softmax/", "symptoms/"},
    "where gradient": {"rules/where-gradient/"},
    "GradientTape None": {"rules/tape-scope-leak/", "symptoms/"},
    "NL203": {"rules/where-gradient/"},
    "torch.atan2": {"rules/atan2-at-origin/"},
    "ignore a finding": {"configuration/", "faq/"},
    "pre-commit": {"ci/"},
    "vscode": {"editors/"},
    "jupyter": {"notebooks/", "editors/"},
    "detect_anomaly": {"verify/", "nan-loss-pytorch/", "counterparts/", "faq/"},
    "torchfix": {"counterparts/"},
    "wandb": {"faq/", "counterparts/"},
    "huggingface": {"faq/", "verify/"},
    "false positive": {"faq/"},
    "loss nan pytorch": {"nan-loss-pytorch/"},
    "loss nan keras": {"nan-loss-keras-tensorflow/"},
    "loss nan jax": {"nan-loss-jax/"},
    "mixed precision": {"nan-mixed-precision/"},
}
#: of pages that are not there yet
SYMPTOMS = {query: {"symptoms/"} for query in ("loss is nan", "gradient is nan", "fp16", "LSTM", "accuracy at chance")}


@pytest.fixture(scope="module")
def found(site: Path) -> dict[str, list[str]]:
    """The pages that the theme's search finds, by query."""
    if shutil.which("node") is None:
        pytest.skip("node is needed")
    queries = [*ANSWERS, *SYMPTOMS]
    done = subprocess.run(
        ["node", str(NODE / "search.mjs"), str(site), json.dumps(queries)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(queries, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("query", ANSWERS)
def test_one_of_the_first_three_answers(query: str, found: dict[str, list[str]]) -> None:
    assert set(found[query][:3]) & ANSWERS[query], found[query][:6]


@pytest.mark.skipif(not (ROOT / "docs" / "symptoms.md").exists(), reason="there is no page of symptoms")
@pytest.mark.parametrize("query", SYMPTOMS)
def test_a_symptom_leads_to_its_page(query: str, found: dict[str, list[str]]) -> None:
    assert set(found[query][:3]) & SYMPTOMS[query], found[query][:6]


def test_the_name_of_the_program_and_tables_of_measurements_are_left_out(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    pages = {one["location"].partition("#")[0] for one in index}
    assert "verify/" in pages
    assert not pages & {"soundness/", "proofs/", "measurements/"}
    assert not [one for one in index if re.search(r"(?<![\w\u200b])nanlint", one["title"] + one["text"])]


def test_the_box_of_the_page_leaves_out_what_says_nothing(address: str, browser: Browser) -> None:
    browser.visit(f"{address}configuration/")
    browser.click("[data-md-component=search-query]")
    browser.type("[data-md-component=search-query]", "nan in a softmax")
    browser.until("document.querySelectorAll('.md-search-result__link').length > 2")
    browser.settle()
    first = browser.js(
        "[...document.querySelectorAll('.md-search-result__item > .md-search-result__link')].map((one) => one.pathname)"
    )
    assert {f"/{page}" for page in ANSWERS["nan in softmax"]} & set(first[:3]), first[:6]
