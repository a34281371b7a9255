"""Which functions are worth lowering: by what they hold, and whom they call."""

from __future__ import annotations

import ast
from textwrap import dedent

from nanlint.frontend.modules import functions_of
from nanlint.frontend.worth import interesting

CLASSES = """
    class Scale(Module):
        def __init__(self, n):
            super().__init__()
            self.factor = 1 / n

    class Half(Scale):
        def __init__(self):
            super().__init__(2)

    class Other(Module):
        def __init__(self):
            super().__init__()
            self.start()

        def start(self):
            self.steps = 0

    class Started(Module):
        def start(self):
            return 1 / self.rate

    class Owner(Module):
        def __init__(self, inner):
            inner.start()
    """


def wanted(code: str) -> set[str]:
    tree = ast.parse(dedent(code))
    found = interesting(tree, frozenset())
    return {f"{cls.name}.{function.name}" for function, cls in functions_of(tree) if cls and function in found}


def test_a_method_of_the_object_itself_is_one_of_its_class_or_of_a_related_one() -> None:
    """Not every constructor of a file is worth a look because one of them divides."""
    assert wanted(CLASSES) == {"Scale.__init__", "Half.__init__", "Started.start", "Owner.__init__"}


def test_classes_are_related_through_one_without_methods() -> None:
    between = """
    class Between(Scale):
        pass

    class Last(Between):
        def __init__(self):
            super().__init__(3)
    """
    assert "Last.__init__" in wanted(CLASSES + between)
