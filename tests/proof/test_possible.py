"""An input that is shown is one that the program can be given: settings stay on, records are no numbers, names hold."""

from __future__ import annotations

from textwrap import dedent

import pytest

import nanlint
from nanlint.diagnostic import Witness
from tests.proof.programs import HEAD


def shown(text: str, code: str = "") -> list[Witness]:
    """The inputs that are shown for the findings of a program."""
    found = nanlint.check_source(HEAD + dedent(text), confidence="possible")
    return [one.witness for one in found if one.witness is not None and one.code.startswith(code)]


@pytest.mark.parametrize(
    ("log", "sigmoid"),
    [
        ("torch.log", "torch.sigmoid"),
        ("tf.math.log", "tf.nn.sigmoid"),
        ("jnp.log", "jax.nn.sigmoid"),
    ],
)
def test_an_entry_of_a_record_is_given_and_not_the_record(log: str, sigmoid: str) -> None:
    text = f"""
        def loss(batch, config):
            return {log}({sigmoid}(batch["score"] * config["slope"]))
    """
    (one,) = shown(text, "NL102")
    assert dict(one.inputs) == {'batch["score"]': (-200.0,), 'config["slope"]': (1.0,)}


@pytest.mark.parametrize("made", ["", "def __init__(self, config):\n        self.SEEN = config['SEEN']"])
def test_an_entry_that_an_attribute_names_is_given_and_not_the_record(made: str) -> None:
    text = f"""
class Model:
    {made}

    def loss(self, interaction):
        seen = interaction[self.SEEN] > 0
        return (interaction[self.SCORE] * seen).sum() / torch.sum(seen)
"""
    (one,) = shown(text, "NL301")
    assert {name for name, _ in one.inputs} == {"interaction[self.SEEN]", "interaction[self.SCORE]"}


def test_an_array_of_which_elements_are_taken_is_given_as_a_whole() -> None:
    text = """
        class Model:
            def loss(self, x):
                return torch.log(torch.relu(x[self.kept])) + x
    """
    (one,) = shown(text, "NL103")
    assert [name for name, _ in one.inputs] == ["x"]


@pytest.mark.parametrize("setting", ["config.temperature", "self.cfg.width", 'opt["scale"]', "args.alpha"])
def test_a_setting_is_neither_off_nor_large_nor_negative_where_data_does(setting: str) -> None:
    text = f"""
        class Model:
            def loss(self, logits, config, opt, args):
                return torch.log(torch.softmax(logits / {setting}, -1))
    """
    (one,) = shown(text, "NL101")
    given = dict(one.inputs)
    assert given.pop(setting) == (1.0,)
    assert given == {"logits": (0.0, 200.0)}


@pytest.mark.parametrize("name", ["sign", "signs"])
def test_a_sign_is_no_number_of_any_size(name: str) -> None:
    (one,) = shown(f"def loss({name}, score):\n    return -torch.log(torch.sigmoid({name} * score))\n", "NL102")
    given = dict(one.inputs)
    assert abs(given[name][0]) == 1.0
    assert abs(given["score"][0]) == 200.0


@pytest.mark.parametrize("name", ["tau", "temp", "lr", "radius"])
def test_a_number_that_is_not_negative_by_its_name_is_not_given_below_0(name: str) -> None:
    witnesses = shown(f"def f(x, {name}):\n    return torch.exp(x / {name}) / torch.exp(x / {name}).sum()\n", "NL401")
    assert witnesses
    assert all(number >= 0 for one in witnesses for number in dict(one.inputs)[name])


def test_an_imaginary_unit_is_no_input() -> None:
    text = """
        def f(x, y):
            z = x + 1j * y
            return jnp.where(abs(z) > 0, jnp.tanh(abs(z)) / abs(z), 0.0)
    """
    assert all("1j" not in dict(one.inputs) for one in shown(text))


def test_a_constant_of_an_enumeration_is_no_input() -> None:
    text = """
        def f(x, mode):
            if mode == Mode.LOGARITHM:
                x = torch.log(torch.relu(x))
            return x
    """
    (one,) = shown(text, "NL103")
    assert [name for name, _ in one.inputs] == ["x"]


@pytest.mark.parametrize(
    ("layer", "name"),
    [("torch.nn.Embedding(9, 3)", "self.table.weight"), ("torch.nn.Linear(9, 3)", "self.table.bias")],
)
def test_a_layer_is_given_by_weights_that_it_has(layer: str, name: str) -> None:
    text = f"""
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.table = {layer}

            def forward(self, ids):
                return torch.log(torch.relu(self.table(ids)))
    """
    (one,) = shown(text, "NL103")
    assert one.inputs == ((name, (0.0,)),)


def test_what_is_drawn_in_place_goes_by_the_name_of_what_holds_it() -> None:
    text = """
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.beta = torch.nn.Parameter(torch.empty(3))
                torch.nn.init.normal_(self.beta)

            def forward(self):
                return torch.log(1 + torch.exp(self.beta))
    """
    (one,) = shown(text, "NL107")
    assert [name for name, _ in one.inputs] == ["self.beta"]


@pytest.mark.parametrize("exp", ["torch.exp", "tf.exp", "jnp.exp"])
def test_a_quotient_of_zeros_shows_nothing_of_exponentials_that_overflow(exp: str) -> None:
    text = f"""
        def share(weight, rest, x):
            return weight * {exp}(x) / (weight * {exp}(x) + rest)
    """
    for one in shown(text, "NL403"):
        assert dict(one.inputs)["x"][0] > 88


def test_another_failure_beside_is_not_what_is_shown() -> None:
    text = """
        def energy(x, time):
            inverse = 1 / torch.relu(x)
            total = inverse * torch.log(time)
            return total
    """
    (one,) = shown(text, "NL303")
    given = dict(one.inputs)
    assert given["x"] == (0.0,)
    assert given.get("time", (1.0,))[0] > 0


def test_numbers_that_are_found_at_random_are_shown_with_few_digits() -> None:
    text = """
        def f(x, a, b):
            z = torch.exp(torch.clamp(a * 3.7 - b * 1.3, -110.0, 5.0) - 31.0 * a * a)
            return x / torch.where(torch.abs(z) < 1e-37, torch.zeros_like(z), z)
    """
    for one in shown(text, "NL303"):
        for name, row in one.inputs:
            assert all(number == float(f"{number:.3g}") for number in row), (name, row)
