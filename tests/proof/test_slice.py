"""What of a program is executed: operations back to what comes from outside, under the names it has there."""

from __future__ import annotations

from nanlint.proof.slice import Domain
from tests.proof.programs import LOG_OF_SOFTMAX, ROOT_AT_ZERO, only, slice_of


def sources(text: str) -> dict[str, Domain]:
    """The sources of a program's slice by name."""
    program = slice_of(text)
    return {program.steps[i].name: program.steps[i].domain for end in program.ends for i in program.sources(end)}


def test_a_slice_goes_back_to_parameters_and_forward_to_what_is_returned() -> None:
    program = slice_of(LOG_OF_SOFTMAX["torch"])
    assert program.steps[program.at].op == "log"
    assert [program.steps[i].name for i in program.sources(program.at)] == ["logits"]
    assert program.steps[program.ends[-1]].name == "loss(...)"
    assert set(sources(LOG_OF_SOFTMAX["torch"])) == {"logits", "labels"}


def test_a_step_keeps_the_function_it_was_written_as() -> None:
    program = slice_of(LOG_OF_SOFTMAX["numpy"])
    assert {step.spelling for step in program.steps} >= {"numpy.log", "scipy.special.softmax"}
    assert program.framework == "numpy"


def test_the_pole_is_known_by_its_operand_and_class() -> None:
    program = slice_of(ROOT_AT_ZERO["jax"])
    breaking = program.breaking
    assert breaking is not None
    assert (program.steps[breaking.operand].op, breaking.cls, breaking.trap) == ("sum", "zero", True)


def test_unknown_calls_and_attributes_are_sources_under_their_text() -> None:
    text = """
        import torch

        class Policy(torch.nn.Module):
            def forward(self, x):
                scores = self.body(x) / self.heat
                return torch.log(torch.softmax(scores, -1))
    """
    assert set(sources(text)) == {"self.body(x)", "self.heat"}


def test_the_result_of_an_unknown_call_has_the_name_of_its_variable() -> None:
    text = """
        import torch

        def loss(model, x):
            scores = model(x)
            return torch.log(torch.softmax(scores, -1))
    """
    assert set(sources(text)) == {"scores"}


def test_a_parameter_with_a_default_is_that_number() -> None:
    text = """
        import torch

        def loss(logits, heat=2.0):
            return torch.log(torch.softmax(logits / heat, -1))
    """
    assert sources(text)["heat"].number == 2.0


def test_what_the_analysis_excludes_no_source_may_be() -> None:
    assert not Domain(0.0, 1.0, frozenset({"low"})).admits(0.0)
    assert not Domain(excluded=frozenset({"neg"})).admits(-1.0)
    assert not Domain(whole=True).admits(0.5)
    assert not Domain().admits(float("inf"))
    assert Domain(0.0, 1.0).admits(0.0)


def test_a_branch_in_a_loop_whose_condition_depends_on_the_branch_taken_before_is_sliced() -> None:
    text = """
        import numpy as np

        def climb(p, steps):
            best, most = p, -np.inf
            for step in steps:
                trial = best / np.sum(best) + step
                level = np.log(np.sum(np.exp(trial)))
                if most < level:
                    best, most = trial, level
            return best
    """
    (program,) = only(text).slices
    (chosen, _) = (step for step in program.steps if step.op == "phi")
    assert program.steps[chosen.args["cond"]].op == "lt"


def test_rules_that_are_not_about_numbers_have_no_slice() -> None:
    text = """
        import tensorflow as tf

        def slope(x):
            y = tf.square(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
            return tape.gradient(y, x)
    """
    assert only(text).slices == ()


def test_a_finding_met_in_several_calls_has_a_slice_for_each_its_own_function_first() -> None:
    text = """
        import torch

        def loss(logits):
            return torch.log(torch.softmax(logits, -1))

        def train(net, x):
            return loss(net(x))
    """
    by_itself, called = only(text).slices
    assert [by_itself.steps[i].name for i in by_itself.sources(by_itself.at)] == ["logits"]
    assert [called.steps[i].name for i in called.sources(called.at)] == ["net(x)"]
