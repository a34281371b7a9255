"""What a function of plain data gave is known for all of the same content, and for no other."""

from __future__ import annotations

from dataclasses import dataclass

from nanlint.proof.repeated import by_content


@dataclass(frozen=True)
class Program:
    steps: dict[str, float]


def test_each_content_is_executed_once() -> None:
    executed: list[tuple[Program, int]] = []

    @by_content
    def total(program: Program, *, times: int) -> float:
        executed.append((program, times))
        return sum(program.steps.values()) * times

    asked = [({"a": 1.0}, 1), ({"a": 1.0}, 1), ({"a": 1.0}, 2), ({"b": 1.0}, 1), ({"a": -1.0}, 1), ({"a": 1.0}, 1)]
    assert [total(Program(steps), times=times) for steps, times in asked] == [1.0, 1.0, 2.0, 1.0, -1.0, 1.0]
    assert [(program.steps, times) for program, times in executed] == [asked[0], *asked[2:5]]
