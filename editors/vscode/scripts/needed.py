"""Prints what nanlint needs and can be brought for every system: the distributions without compiled modules.

Those with compiled modules make nanlint faster, or its fixes neater; the server runs without them.
"""

from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement

OLDEST = {"python_version": "3.10", "python_full_version": "3.10.0", "extra": ""}
COMPILED = (".so", ".pyd")


def gather(wanted: Requirement, found: dict[str, str | None]) -> None:
    """A distribution and what it requires: name -> what pip is asked for, None if it is compiled."""
    name = wanted.name.lower().replace("_", "-")
    if name in found:
        return
    try:
        one = distribution(name)
    except PackageNotFoundError:  # for an older Python than this one
        found[name] = f"{name}{wanted.specifier}"
        return
    compiled = any(str(path).endswith(COMPILED) for path in one.files or ())
    found[name] = None if compiled else f"{name}{wanted.specifier}"
    for line in () if compiled else one.requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate(OLDEST):
            gather(requirement, found)


found: dict[str, str | None] = {}
gather(Requirement("nanlint"), found)
del found["nanlint"]
print("\n".join(sorted(filter(None, found.values()))))
