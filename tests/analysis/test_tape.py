"""GradientTape: what it records, and where a value that its gradient should flow through was computed outside."""

from __future__ import annotations

import pytest

from tests.marked import TF, check

# Recorded


def test_what_is_computed_inside_is_recorded() -> None:
    check(
        TF,
        """
        x = tf.Variable(3.0)

        def step():
            with tf.GradientTape() as tape:
                square = x ** 2
                loss = square + 1.0
            return tape.gradient(loss, x)
        """,
    )


def test_what_does_not_depend_on_the_source_may_be_outside() -> None:
    check(
        TF,
        """
        x = tf.Variable(3.0)

        def step(data, labels):
            features = tf.math.log(tf.abs(data) + 1.0)
            scale = tf.constant(2.0) ** 2
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((features * x * scale - labels) ** 2)
            return tape.gradient(loss, x)
        """,
    )


def test_a_watched_constant_is_a_source_from_there_on() -> None:
    check(
        TF,
        """
        def slope():
            x = tf.constant(3.0)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x
            return tape.gradient(y, x)

        def leaks():
            x = tf.constant(3.0)
            y = x * x  # error: [NL601]
            with tf.GradientTape() as tape:
                tape.watch(x)
                z = y + 1.0
            return tape.gradient(z, x)
        """,
    )


def test_a_persistent_tape_gives_several_gradients() -> None:
    check(
        TF,
        """
        x = tf.Variable(3.0)

        def both():
            with tf.GradientTape(persistent=True) as tape:
                y = x * x
                z = y * y
            first, second = tape.gradient(z, x), tape.gradient(y, x)
            del tape
            return first, second

        def leaks():
            y = x * x  # error: [NL601]
            with tf.GradientTape(persistent=True) as tape:
                z = y * y
                w = x + 1.0
            return tape.gradient(z, x), tape.gradient(w, x)
        """,
    )


def test_nested_tapes_record_each_other() -> None:
    check(
        TF,
        """
        x = tf.Variable(3.0)

        def second():
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    y = x ** 3
                slope = inner.gradient(y, x)
            return outer.gradient(slope, x)

        def together():
            with tf.GradientTape() as outer, tf.GradientTape() as inner:
                y = x ** 3
            return inner.gradient(y, x)
        """,
    )


def test_a_first_derivative_taken_outside_has_no_second() -> None:
    check(
        TF,
        """
        x = tf.Variable(3.0)

        def second():
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    y = x ** 3
            slope = inner.gradient(y, x)  # error: [NL601]
            return outer.gradient(slope, x)
        """,
    )


def test_a_helper_called_inside_is_recorded_called_outside_it_is_not() -> None:
    check(
        TF,
        """
        x = tf.Variable(3.0)

        def square():
            return x ** 2

        def inside():
            with tf.GradientTape() as tape:
                loss = square() + 1.0
            return tape.gradient(loss, x)

        def outside():
            before = square()  # error: [NL601]
            with tf.GradientTape() as tape:
                loss = before + 1.0
            return tape.gradient(loss, x)
        """,
    )


def test_a_model_run_before_the_tape_loses_its_variables() -> None:
    check(
        TF,
        """
        model = tf.keras.Sequential([tf.keras.layers.Dense(4)])

        def inside(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - y) ** 2)
            return tape.gradient(loss, model.trainable_variables)

        def outside(x, y):
            prediction = model(x)  # error: [NL601]
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((prediction - y) ** 2)
            return tape.gradient(loss, model.trainable_variables)
        """,
    )


def test_a_model_given_as_an_argument_is_a_model() -> None:
    check(
        TF,
        """
        def outside(model, x, y):
            prediction = model(x, training=True)  # error: [NL601]
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((prediction - y) ** 2)
            return tape.gradient(loss, model.trainable_weights)

        def inside(model, x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
            return tape.gradient(loss, model.trainable_weights)
        """,
    )


# Deliberately outside


def test_a_target_network_is_outside_on_purpose() -> None:
    check(
        TF,
        """
        def update(model, target, states, rewards, following):
            future = tf.reduce_max(target(following), axis=1)
            wanted = rewards + 0.99 * future
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((wanted - model(states)) ** 2)
            return tape.gradient(loss, model.trainable_variables)
        """,
    )


def test_a_stopped_gradient_is_outside_on_purpose() -> None:
    check(
        TF,
        """
        def update(model, states, following):
            wanted = tf.stop_gradient(model(following))
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((wanted - model(states)) ** 2)
            return tape.gradient(loss, model.trainable_variables)
        """,
    )


def test_an_action_chosen_outside_is_an_integer_without_gradient() -> None:
    check(
        TF,
        """
        def update(model, states, returns):
            action = tf.argmax(model(states), axis=1)
            with tf.GradientTape() as tape:
                picked = tf.reduce_sum(model(states) * tf.one_hot(action, 4), axis=1)
                loss = tf.reduce_mean((returns - picked) ** 2)
            return tape.gradient(loss, model.trainable_variables)
        """,
    )


def test_a_value_turned_into_numpy_is_outside_on_purpose() -> None:
    check(
        TF,
        """
        def update(model, states, following):
            wanted = model(following).numpy()
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((wanted - model(states)) ** 2)
            return tape.gradient(loss, model.trainable_variables)
        """,
    )


# Loops and several sources


def test_a_tape_in_a_loop_records_each_turn() -> None:
    check(
        TF,
        """
        w = tf.Variable(1.0)

        def train(batches):
            for x, y in batches:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((w * x - y) ** 2)
                w.assign_sub(0.1 * tape.gradient(loss, w))

        def leaks(batches):
            for x, y in batches:
                prediction = w * x  # error: [NL601]
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((prediction - y) ** 2)
                w.assign_sub(0.1 * tape.gradient(loss, w))
        """,
    )


def test_a_prediction_made_once_before_the_loop_is_outside() -> None:
    check(
        TF,
        """
        w = tf.Variable(1.0)

        def train(x, y):
            prediction = w * x  # error: [NL601]
            for _ in range(10):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((prediction - y) ** 2)
                w.assign_sub(0.1 * tape.gradient(loss, w))
        """,
    )


@pytest.mark.parametrize("sources", ["[x, y]", "(x, y)", "{'x': x, 'y': y}", "sources=[x, y]"])
def test_each_of_several_sources_has_its_own_path(sources: str) -> None:
    check(
        TF,
        f"""
        x, y = tf.Variable(3.0), tf.Variable(2.0)

        def leaks():
            square = x ** 2  # error: [NL601]
            with tf.GradientTape() as tape:
                loss = square + y ** 2
            return tape.gradient(loss, {sources})

        def recorded():
            with tf.GradientTape() as tape:
                loss = x ** 2 + y ** 2
            return tape.gradient(loss, {sources})
        """,
    )


def test_a_jacobian_is_a_gradient() -> None:
    check(
        TF,
        """
        x = tf.Variable([3.0, 2.0])

        def leaks():
            square = x ** 2  # error: [NL601]
            with tf.GradientTape() as tape:
                y = tf.sin(square)
            return tape.jacobian(y, x)
        """,
    )


def test_a_loss_computed_after_the_tape_is_outside() -> None:
    check(
        TF,
        """
        w = tf.Variable(1.0)

        def step(x, y):
            with tf.GradientTape() as tape:
                prediction = w * x
            loss = tf.reduce_mean((prediction - y) ** 2)  # error: [NL601]
            return tape.gradient(loss, w)
        """,
    )


def test_a_tape_without_a_with_is_left_alone() -> None:
    check(
        TF,
        """
        w = tf.Variable(1.0)

        def step(x, tape):
            loss = w * x
            return tape.gradient(loss, w)
        """,
    )


def test_a_gradient_depends_on_the_output_gradients_it_is_given() -> None:
    """Forward mode by two backward passes: what pulls back through the inner tape is the source of the outer one."""
    check(
        TF,
        """
        def push_forward(f, x, tangent, mode):
            with tf.GradientTape(persistent=True) as backward:
                backward.watch(x)
                y = f(x)
                if mode != "plain":
                    dummy = tf.ones_like(y)
                    with tf.GradientTape() as forward:
                        forward.watch(dummy)
                        pulled = backward.gradient(y, x, output_gradients=dummy)
            if mode != "plain":
                return forward.gradient(pulled, dummy, output_gradients=tangent)
        """,
    )


def test_two_tensors_of_ones_are_two_tensors() -> None:
    check(
        TF,
        """
        def slope(x):
            y = x * tf.ones(3)
            with tf.GradientTape() as tape:
                seed = tf.ones(3)
                tape.watch(seed)
                loss = tf.reduce_sum(y * seed)
            return tape.gradient(loss, seed)
        """,
    )


# Updates


def test_a_variable_that_is_updated_by_its_gradient_is_the_same_source() -> None:
    check(
        TF,
        """
        weight, bias = tf.Variable([1.0, 2.0]), tf.Variable(0.0)

        def train(x, y):
            for _ in range(10):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((tf.linalg.matvec(x, weight) + bias - y) ** 2)
                slope, shift = tape.gradient(loss, [weight, bias])
                weight.assign_sub(0.1 * slope)
                bias.assign_sub(0.1 * shift)

        def one_of_them(x, y):
            for _ in range(10):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((tf.linalg.matvec(x, weight) + bias - y) ** 2)
                gradient = tape.gradient(loss, weight)
                weight.assign_sub(0.1 * gradient)

        def twice(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.linalg.matvec(x, weight) ** 2)
            weight.assign_sub(0.1 * tape.gradient(loss, weight))
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.linalg.matvec(x, weight) ** 2)
            weight.assign_sub(0.1 * tape.gradient(loss, weight))
        """,
    )


def test_what_was_computed_of_it_before_is_not() -> None:
    check(
        TF,
        """
        def train(x, y):
            weight = tf.Variable([1.0, 2.0])
            square = weight ** 2  # error: [NL601]
            for _ in range(10):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((tf.linalg.matvec(x, square) - y) ** 2)
                weight.assign_sub(0.1 * tape.gradient(loss, weight))

        def after(x, y):
            weight = tf.Variable([1.0, 2.0])
            weight.assign_add([1.0, 1.0])
            square = weight ** 2  # error: [NL601]
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(x, square) - y) ** 2)
            return tape.gradient(loss, weight)
        """,
    )
