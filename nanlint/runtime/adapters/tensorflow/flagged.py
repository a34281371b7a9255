"""Flagged expressions in graphs: the ops that a line with a finding became, of one function graph."""

from __future__ import annotations

from typing import Any

from nanlint.runtime.adapter import Watch


class SiteProbe:
    """The rows of the ops at flagged expressions."""

    @classmethod
    def of(cls, graph: Any, outputs: Any, watch: Watch, places: Any, backward: Any) -> SiteProbe | None:
        """None where no line is flagged."""
        return None

    def build(self, alarm: Any) -> None:
        """Add to the graph that is being built."""

    def read(self, watch: Watch) -> None:
        """Tell what was left."""

    def finish(self, watch: Watch) -> None:
        """Tell what was kept."""
