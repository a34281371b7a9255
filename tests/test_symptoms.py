"""docs/symptoms.md: each program has the symptom that it is shown for, and the command below it finds the cause."""

from __future__ import annotations

import logging
import math
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nanlint
from nanlint.testing import blocks, sections

PAGE = (Path(__file__).parents[1] / "docs" / "symptoms.md").read_text(encoding="utf-8")
SYMPTOMS = sections(PAGE)
SYMPTOMS.pop("", None)
LARGEST = 3.4028234663852886e38  # of float32
CHECKS: dict[str, tuple[str, Callable[[dict[str, Any]], bool]]] = {}
Check = Callable[[dict[str, Any]], bool]


def shows(symptom: str, framework: str) -> Callable[[Check], Check]:
    """What a program leaves in its names is the symptom."""

    def keep(check: Check) -> Check:
        CHECKS[symptom] = framework, check
        return check

    return keep


def are_nan(values: Any) -> list[bool]:
    """For each number of an array, or of a parameter, whether it is NaN."""
    values = values.detach() if hasattr(values, "detach") else values
    values = values.float() if hasattr(values, "float") else values
    flat = values.numpy().ravel() if hasattr(values, "numpy") else values.ravel()
    return [math.isnan(value) for value in flat.tolist()]


@shows("Loss is nan after n steps", "torch")
def _(names: dict[str, Any]) -> bool:
    first, second, *others = names["losses"]
    return math.isfinite(first) and math.isinf(second) and all(map(math.isnan, others))


@shows("Gradient is nan but the loss is not", "jax")
def _(names: dict[str, Any]) -> bool:
    return float(names["loss"]) == 1.5 and are_nan(names["gradient"]) == [True, False, False]


@shows("NaN with fp16 or bf16", "torch")
def _(names: dict[str, Any]) -> bool:
    import torch

    program = blocks(SYMPTOMS["NaN with fp16 or bf16"], "python")[0].replace("float16", "float32")
    exec(program, wide := {})  # type: ignore[var-annotated]
    return all(are_nan(names["result"])) and wide["result"].dtype == torch.float32 and not any(are_nan(wide["result"]))


@shows("NaN only with padding", "torch")
def _(names: dict[str, Any]) -> bool:
    return are_nan(names["result"]) == [False] * 3 + [True] * 3


@shows("Accuracy stuck at chance", "tensorflow")
def _(names: dict[str, Any]) -> bool:
    return set(names["predicted"].numpy().tolist()) == {0} and all(are_nan(names["weights"]))


@shows("Weights are nan or 3.4e38", "torch")
def _(names: dict[str, Any]) -> bool:
    return bool(names["variances"][2] == -LARGEST) and not any(are_nan(names["variances"]))


@shows("Clipping gradients does not help", "torch")
def _(names: dict[str, Any]) -> bool:
    gradients = [parameter.grad for parameter in names["model"].parameters()]
    return math.isfinite(names["loss"].item()) and all(all(are_nan(gradient)) for gradient in gradients)


@shows("LSTM on long sequences", "torch")
def _(names: dict[str, Any]) -> bool:
    short, longer = names["results"]
    return not any(are_nan(short)) and all(are_nan(longer))


@shows("GradientTape returns None", "tensorflow")
def _(names: dict[str, Any]) -> bool:
    return names["gradient"] is None


@shows("NaN on the second epoch", "tensorflow")
def _(names: dict[str, Any]) -> bool:
    first, second = names["losses"]
    return bool(first == 4.0) and math.isnan(second)


@shows("Fine on CPU", "torch")
def _(names: dict[str, Any]) -> bool:
    return not any(are_nan(names["on_cpu"])) and all(are_nan(names["on_gpu"]))


def test_every_symptom_is_checked() -> None:
    assert set(SYMPTOMS) == {*CHECKS, "Model diverged with loss = NaN"}
    assert len(SYMPTOMS) == 12


@pytest.mark.slow
@pytest.mark.parametrize("symptom", CHECKS)
def test_the_program_has_the_symptom(symptom: str) -> None:
    framework, check = CHECKS[symptom]
    pytest.importorskip(framework)
    (program,) = blocks(SYMPTOMS[symptom], "python")
    exec(program, names := {"__name__": "shown"})
    assert check(names)


@pytest.mark.slow
def test_the_hook_of_tensorflow_logs_what_people_search_for(caplog: pytest.LogCaptureFixture) -> None:
    tf = pytest.importorskip("tensorflow")
    symptom = "Model diverged with loss = NaN"
    (program,) = blocks(SYMPTOMS[symptom], "python")
    logger = logging.getLogger("tensorflow")
    logger.addHandler(caplog.handler)
    try:
        with pytest.raises(tf.compat.v1.train.NanLossDuringTrainingError, match="NaN loss during training"):
            exec(program, {})
    finally:
        logger.removeHandler(caplog.handler)
    assert symptom in caplog.text


@pytest.mark.parametrize("symptom", SYMPTOMS)
def test_the_command_finds_what_is_marked(symptom: str) -> None:
    """With its options alone, at the marked lines, by a rule that the entry links to."""
    text = SYMPTOMS[symptom]
    (program,), (command,) = blocks(text, "python"), blocks(text, "sh")
    assert text.rstrip().endswith("```"), "the entry ends with the command"
    nanlint_, check, *options, _ = shlex.split(command)
    assert (nanlint_, check) == ("nanlint", "check")
    values = dict(zip(options[::2], options[1::2], strict=True))
    assert set(values) <= {"--select", "--confidence"}
    found = nanlint.check_source(
        program, select=values["--select"].split(","), confidence=values.get("--confidence", "likely")
    )
    marked = {
        (row, code)
        for row, line in enumerate(program.splitlines(), start=1)
        for code in re.findall(r"# error: \[(NL\d{3})\]", line)
    }
    assert marked
    assert marked <= {(one.span.row, one.code) for one in found}
    linked = re.findall(r"\[(NL\d{3}) [a-z0-9-]+\]\(rules/", text)
    assert {code for _, code in marked} <= set(linked)
    assert all(code.startswith(tuple(values["--select"].split(","))) for code in linked), (
        "a linked rule is not selected"
    )
