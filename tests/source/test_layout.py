"""A long statement is broken as Ruff breaks it, and what it means stays."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nanlint.source.layout import broken

RUFF = shutil.which("ruff") or str(Path(sys.executable).parent / "ruff")
STATEMENTS = """\
deviation = jnp.where(variance != 0, jnp.sqrt(jnp.where(variance != 0, variance, 1.0)), 0.0)
return torch.sum((weights / torch.where(total == 0, 1.0, total)) * torch.pow(first - second, 2)) / 2.0
lengths[index] = (torch.where(radicand != 0, torch.where(radicand != 0, radicand, 1.0).sqrt(), 0.0))
f = lambda x: jnp.sin(jnp.where(jnp.abs(x) != 0, jnp.sqrt(jnp.where(jnp.abs(x) != 0, jnp.abs(x), 1.0)), 0.0))
ratio[i] = np.log(np.maximum(length, np.finfo(length.dtype).tiny)) - np.log(np.maximum(norm, np.finfo(norm).tiny))
out = max(t.abs(), torch.where(radicand != 0, radicand, 1.0).sqrt(), torch.where(squared != 0, squared, 1.0).sqrt())
loss = -(labels * F.logsigmoid(logits_of_the_model) + (1 - labels) * F.logsigmoid(-logits_of_the_model)).mean()
r = torch.where(radicand != 0, torch.sqrt(torch.where(radicand != 0, radicand, 1.0)), 0.0).view(1, 5).contiguous()
ddy = k2 * (-(m0 + m) * y / torch.where(denominator == 0, 1.0, denominator)) + forces.sum(2) + something_else
a, b = torch.where(first_total == 0, 1.0, first_total), torch.where(second_total == 0, 1.0, second_total)
x = something_that_is_long(argument_one_is_long)[index_one, index_two].method_is_long(argument=value, other=value)
return (x - mean) / jnp.where(deviation == 0, 1.0, deviation), mean_of_the_whole_thing, deviation_of_the_whole
return torch.where(total == 0, torch.zeros_like(total), numerator_is_long / total) if condition_holds else None
c = torch.where(norms <= limit, torch.ones_like(norms), limit / torch.where(norms <= limit, 1.0, norms).sqrt())
loss = F.binary_cross_entropy_with_logits(prediction, target_of_the_model, reduction="none", weight=[1.0, 2.0])
total += weight_of_the_loss * F.binary_cross_entropy_with_logits(prediction_of_the_model, target_of_the_model)
assert torch.isfinite(F.binary_cross_entropy_with_logits(prediction_of_the_model, target_of_the_model)), "message"
print(f"loss {F.binary_cross_entropy_with_logits(prediction_of_the_model, target_of_the_model)}", flush=True)
shares = [torch.where(total == 0, 1.0, total) for total in totals_of_the_batch if total is not None and total > 0]
shares = {"a": torch.where(total == 0, 1.0, total), "b": torch.where(other_total == 0, 1.0, other_total)}
return (upper_value_of_the_function - lower_value_of_the_function(argument, another_argument)) / (2.0 * epsilon)
y = [(first if isinstance(first, Tensor) else second) for first, second in zip(firsts_of_all, seconds_of_all)]
model.fit(inputs, targets, callbacks=[EarlyStopping(patience=3), ModelCheckpoint(path, save_best_only=True)])
""".splitlines()


@pytest.mark.parametrize("indent", [4, 8, 12])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_is_broken_as_ruff_breaks_it(statement: str, indent: int) -> None:
    around = "".join(" " * i + "if x:\n" for i in range(4, indent, 4))
    text = f"def f():\n{around}{' ' * indent}{statement}\n"
    command = [RUFF, "format", "--isolated", "--line-length=88", "-"]
    expected = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    assert f"def f():\n{around}{' ' * indent}{broken(statement, indent, 88)}\n" == expected


@pytest.mark.parametrize("width", [20, 40, 60, 200])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_means_what_it_meant(statement: str, width: int) -> None:
    text = broken(statement, 0, width)
    assert text is not None
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(statement))


@pytest.mark.parametrize(
    "statement",
    ["x = f(\n    1,  # one\n    2,\n)", 'x = """\na\n"""', "x = 1 + \\\n    2", "x = ("],
    ids=["comment", "string over lines", "backslash", "no statement"],
)
def test_what_cannot_be_broken_stays(statement: str) -> None:
    assert broken(statement, 0, 88) is None


def test_a_comma_at_the_end_keeps_its_bracket_broken() -> None:
    assert broken("x = f(\n    1,\n    2,\n)", 0, 88) == "x = f(\n    1,\n    2,\n)"
    assert broken("x = f(\n    1,\n    2\n)", 0, 88) == "x = f(1, 2)"
