"""Statements that belong into a GradientTape: which move, where to, and which stay."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.fixes.programs import Mend, Shown

HEAD = "import tensorflow as tf\n\nx = tf.Variable(3.0)\n\n\n"

MOVED = {
    "from above": (
        """
        def f():
            # the square
            y = x**2  # of x
            with tf.GradientTape() as tape:
                loss = y * 2.0
            return tape.gradient(loss, x)
        """,
        """
        def f():
            with tf.GradientTape() as tape:
                # the square
                y = x**2  # of x
                loss = y * 2.0
            return tape.gradient(loss, x)
        """,
    ),
    "from below": (
        """
        def f():
            with tf.GradientTape() as tape:
                y = x**2
            loss = y * 2.0
            return tape.gradient(loss, x)
        """,
        """
        def f():
            with tf.GradientTape() as tape:
                y = x**2
                loss = y * 2.0
            return tape.gradient(loss, x)
        """,
    ),
    "with what depends on it": (
        """
        def f(names):
            y = x**2
            label = str(names)
            z = y + 1.0
            with tf.GradientTape() as tape:
                loss = z * 2.0
            return tape.gradient(loss, x), label
        """,
        """
        def f(names):
            label = str(names)
            with tf.GradientTape() as tape:
                y = x**2
                z = y + 1.0
                loss = z * 2.0
            return tape.gradient(loss, x), label
        """,
    ),
    "below what is watched": (
        """
        def f(c):
            y = c**2
            with tf.GradientTape() as tape:
                tape.watch(c)
                loss = y * 2.0
            return tape.gradient(loss, c)
        """,
        """
        def f(c):
            with tf.GradientTape() as tape:
                tape.watch(c)
                y = c**2
                loss = y * 2.0
            return tape.gradient(loss, c)
        """,
    ),
    "over several lines": (
        """
        def f():
            y = (
                x**2
                # and one
                + 1.0
            )
            with tf.GradientTape() as tape:
                loss = y * 2.0
            return tape.gradient(loss, x)
        """,
        """
        def f():
            with tf.GradientTape() as tape:
                y = (
                    x**2
                    # and one
                    + 1.0
                )
                loss = y * 2.0
            return tape.gradient(loss, x)
        """,
    ),
    "used afterwards": (
        """
        def f():
            y = x**2
            with tf.GradientTape() as tape:
                loss = y * 2.0
            return tape.gradient(loss, x), y
        """,
        """
        def f():
            with tf.GradientTape() as tape:
                y = x**2
                loss = y * 2.0
            return tape.gradient(loss, x), y
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), MOVED.values(), ids=MOVED)
def test_it_moves_when_asked_to(mend: Mend, before: str, after: str) -> None:
    text = HEAD + dedent(before).lstrip()
    assert mend("NL601", text) == text
    assert mend("NL601", text, unsafe=True) == HEAD + dedent(after).lstrip()


STAYING = {
    "another statement changes what it reads": (
        """
        def f(c):
            y = x**2 + c
            c += 1
            with tf.GradientTape() as tape:
                loss = y * 2.0
            return tape.gradient(loss, x), c
        """
    ),
    "a statement that depends on it is no assignment": (
        """
        def f():
            y = x**2
            print(y)
            with tf.GradientTape() as tape:
                loss = y * 2.0
            return tape.gradient(loss, x)
        """
    ),
    "the tape is in a loop": (
        """
        def f():
            y = x**2
            for _ in range(2):
                with tf.GradientTape() as tape:
                    loss = y * 2.0
                print(tape.gradient(loss, x))
        """
    ),
    "it shares its line": (
        """
        def f():
            y = x**2; c = 1
            with tf.GradientTape() as tape:
                loss = y * 2.0
            return tape.gradient(loss, x), c
        """
    ),
    "the body is on the line of the tape": (
        """
        def f():
            y = x**2
            with tf.GradientTape() as tape: loss = y * 2.0
            return tape.gradient(loss, x)
        """
    ),
}


@pytest.mark.parametrize("body", STAYING.values(), ids=STAYING)
def test_it_stays_where_moving_could_change_more(mend: Mend, shown: Shown, body: str) -> None:
    text = HEAD + dedent(body).lstrip()
    assert mend("NL601", text, unsafe=True) == text
    assert [a for a, _ in shown("NL601", text)] == ["display"]
