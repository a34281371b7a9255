"""How sure a finding is: one function of what was seen of it, over a table of rows. Nothing else sets a level."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from nanlint.diagnostic import Confidence
from nanlint.ops.value import CERTAIN, LIKELY, NEVER, POSSIBLE, UNKNOWN, Reach

#: what may be seen of a hazard or of a form: who makes it, what guards it, where it goes, what its rule sees besides
Seen = Enum(
    "Seen",
    """
    UNCONFIRMED OF_A_CALLER OTHERS_UNKNOWN OTHERS_POSSIBLE OTHERS_LIKELY
    BY_FORM POWER_IN_LOGS TOO_LATE USED_SO OFTEN_USED_SO
    COINCIDENT ROUNDED BOTH_ZERO ROW_OF_ZEROS SUM_OF_ZEROS SLOPE_AT_ZERO OWN_FACTOR
    SATURATED EQUAL ZERO SET_SO NOT_MET OTHER_TAKEN UNCHECKED
    BY_SETTINGS BOUNDED_BELOW HIDDEN REPAIRED ZERO_STAYS CHOSEN_ONCE BY_CALLERS
    UNLEARNED DECIDES LOGGED COUNTED DISCARDED DOCUMENTED BELIEVED
    IGNORED_EPSILON CONVERTED OTHER_FACTOR PLACEHOLDER IN_NUMPY WEAK_IN_NUMPY BY_NAME
    LOOKED_AT WHOLE_POWER SPARED EXPECTED TESTED ABSORBED HELD MEANT PROTECTED
    LOSES_DIGITS AT_A_POINT FLAT BOUNDED BY_IDENTITY LOGITS_FOUND OF_DATA OF_TRAINED BY_FORMAT OLDER_RELEASES ROUNDS
    USELESS_EPSILON AT_THE_POLE PARTLY_LOST MAY_BE_EMPTY NO_LOSS NOT_FITTED
    MADE_BEFORE UNSURE WEIGHED_AGAIN
    OF_TESTS NOT_SHOWN NOT_TAKEN ABSURD REFUTED SEARCHED
    """,
)


@dataclass(frozen=True)
class Row:
    """What one thing that is seen, in words, does to a level: at most, so many steps less, at least; in this order."""

    seen: Seen
    why: str
    most: Reach = CERTAIN
    less: int = 0
    least: Reach = NEVER

    @property
    def name(self) -> str:
        return self.seen.name.lower().replace("_", "-")

    def of(self, reach: Reach) -> Reach:
        """What it makes of a level."""
        return max(Reach(max(min(reach, self.most) - self.less, NEVER)), self.least)


def rows(most: Reach = CERTAIN, less: int = 0, least: Reach = NEVER, **seen: str) -> list[Row]:
    """Rows of things that do the same, by what is seen, each in words."""
    return [Row(Seen[name], why, most, less, least) for name, why in seen.items()]


#: in the order in which they count
ROWS = {
    row.name: row
    for row in (
        # who makes the singular number
        *rows(
            most=POSSIBLE,
            UNCONFIRMED="a number is put there, and nothing says that it is still there",
            OF_A_CALLER="a caller's data would have to be degenerate, or at an end",
            OTHERS_POSSIBLE="what must hold of another operand is only possible",
        ),
        *rows(
            most=UNKNOWN,
            OTHERS_UNKNOWN="nothing is known of what must hold of another operand",
        ),
        *rows(
            most=LIKELY,
            OTHERS_LIKELY="what must hold of another operand is only likely",
        ),
        # what speaks for it where little is known
        *rows(
            least=LIKELY,
            BY_FORM="the way it is written says that it happens",
            POWER_IN_LOGS="a power is computed in log space, whose base and exponent may both be 0",
            TOO_LATE="what guards the result says that it happens",
            OFTEN_USED_SO="the way the result is used says that it happens",
            COINCIDENT="points that coincide are ordinary, and its slope is infinite there",
            ROUNDED="what is 0 in exact arithmetic is rounded to less",
            BOTH_ZERO="what is divided is 0 together with its divisor",
            ROW_OF_ZEROS="a row of zeros is ordinary",
            SUM_OF_ZEROS="who takes the logarithm of a sum has terms of one sign, and all may be 0",
            SLOPE_AT_ZERO="data that is 0 is ordinary, and its slope is infinite there",
            OWN_FACTOR="the product with it should be 0 there",
            SATURATED="functions that saturate come to ends that take it there",
        ),
        *rows(
            least=POSSIBLE,
            USED_SO="the way the result is used says that it may happen",
            EQUAL="things that may be equal take it there",
            ZERO="data that may be 0 takes it there",
            SET_SO="what is set, or stands in a grid, would have to take it there",
            NOT_MET="degenerate data that is hardly met takes it there",
            OTHER_TAKEN="degenerate data takes it there, where a selection takes another number",
            UNCHECKED="a caller gives it, and nothing checks it",
        ),
        # what guards it, and where it goes; and forms
        *rows(
            most=POSSIBLE,
            BY_SETTINGS="another operand is set to a number that keeps it off",
            REPAIRED="the value is repaired, and nothing says that the operand is learned",
            ZERO_STAYS="a gradient of 0 stays 0 there",
            UNLEARNED="nothing learned is seen to meet it, or no gradient to be taken",
            DECIDES="every use of it is a comparison",
            LOGGED="it is only printed or logged",
            COUNTED="what is counted is mostly there, and no loss is made of it",
            DISCARDED="nothing takes the result",
            DOCUMENTED="the documentation of its function speaks of nan",
            CHOSEN_ONCE="in NumPy who writes a condition has seen the data",
            BY_CALLERS="all calls that are seen keep it off",
            LOSES_DIGITS="it costs digits, seldom all of them",
            AT_A_POINT="it takes one point to be met exactly",
            FLAT="the loss is finite, and has no gradient for the worst predictions",
            BY_IDENTITY="it compares objects, or asks for what marks that there is no value",
            AT_THE_POLE="the finding at the singular point shows it",
            NOT_FITTED="nothing is seen to be fitted to it",
            MADE_BEFORE="what makes it is not seen",
            UNSURE="little says that it is met",
            WEIGHED_AGAIN="who weighs it with the mask again expects it",
            CONVERTED="a gradient would have to pass a conversion from what may be whole numbers",
        ),
        *rows(
            most=LIKELY,
            BOUNDED_BELOW="a bound below passes no gradient on beyond its end",
            BELIEVED="that a gradient is taken is believed",
            OF_DATA="it takes data that is met now and then",
            OF_TRAINED="what is trained, or nothing bounds, takes it there",
            MAY_BE_EMPTY="a selection may be empty",
            ROUNDS="only rounding error is left",
            BY_FORMAT="the format of a variable is that of what it was made with",
            BOUNDED="the loss is bounded where its gradient is 0",
            USELESS_EPSILON="an epsilon does not do what it is there for",
            LOGITS_FOUND="Keras may find the logits behind the activation",
            OLDER_RELEASES="only older releases of the framework do so",
            PARTLY_LOST="other terms of the gradient are left, or it is meant to have none",
            OTHER_FACTOR="little says that the other factor is 0",
            PLACEHOLDER="only the gradient meets the placeholder",
        ),
        # what should guard it, and does not
        *rows(
            least=LIKELY,
            IGNORED_EPSILON="a parameter that should prevent it is never used",
        ),
        # what is lowered by a step or two
        *rows(
            least=POSSIBLE,
            less=1,
            IN_NUMPY="in NumPy an infinity may be meant",
        ),
        *rows(
            less=1,
            WEAK_IN_NUMPY="in NumPy an infinity may be meant, and little speaks for this one",
            ABSORBED="every use, or its name, takes -inf for what it means",
            BY_NAME="only a name says so",
            LOOKED_AT="what a metric of NumPy divides by was looked at",
            WHOLE_POWER="the exponent may be whole",
            SPARED="what comes back to the singular point is 0, and stays so",
            NO_LOSS="it is no loss that is trained on",
            TESTED="the result is tested for nan and inf",
            PROTECTED="the selection drops the nan of its own gradient",
        ),
        *rows(
            less=2,
            EXPECTED="the author expects it: the result is tested for nan and inf",
            MEANT="-inf is intended here, or has no bad effect",
            HELD="bounds that stand elsewhere may keep it off",
        ),
        # what is seen in the end, and when it is executed
        *rows(
            most=LIKELY,
            NOT_SHOWN="no ordinary input is shown to fail",
            NOT_TAKEN="the program as it is written does not compute it, or does not take it",
            SEARCHED="no input was found that fails when it is executed",
        ),
        *rows(
            most=POSSIBLE,
            OF_TESTS="tests expect numbers that they chose themselves",
        ),
        *rows(
            least=POSSIBLE,
            less=1,
            ABSURD="only an absurd input fails when it is executed",
            REFUTED="no input can fail when it is executed",
        ),
    )
}


def row_of(seen: Seen) -> Row:
    """The row of one thing that may be seen."""
    return next(row for row in ROWS.values() if row.seen is seen)


class Level(NamedTuple):
    """How sure, and the row that decided, with why: the last that changed it, else how the singular number is made."""

    reach: Reach
    row: str
    why: str

    @property
    def confidence(self) -> Confidence:
        """The same as what a user reads; only what is possible at least is told."""
        return Confidence(self.reach - 1)


def level(start: Level, seen: Collection[Seen | bool]) -> Level:
    """The level of what starts at one, by all that was seen of it; False is nothing."""
    for row in ROWS.values():
        reach = row.of(start.reach) if row.seen in seen else start.reach
        start = Level(reach, row.name, row.why) if reach is not start.reach else start
    return start
