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
    UNCONFIRMED OF_A_CALLER OTHERS_UNKNOWN OTHERS_POSSIBLE OTHERS_LIKELY BY_FORM USED_SO OFTEN_USED_SO
    DEGENERATE ORDINARY EQUAL_INPUTS SATURATED UNCHECKED
    BY_SETTINGS BOUNDED_BELOW HIDDEN REPAIRED ZERO_STAYS CHOSEN_ONCE NO_SUCH_ROW BY_CALLERS
    UNLEARNED DECIDES DISCARDED BELIEVED
    IGNORED_EPSILON CONVERTED OTHER_FACTOR PLACEHOLDER IN_NUMPY WEAK_IN_NUMPY BY_NAME
    LOOKED_AT WHOLE_POWER SPARED EXPECTED TESTED ABSORBED HELD MEANT PROTECTED
    LOSES_DIGITS AT_A_POINT FLAT BOUNDED BY_IDENTITY LOGITS_FOUND OF_DATA OF_TRAINED BY_FORMAT OLDER_RELEASES ROUNDS
    USELESS_EPSILON AT_THE_POLE PARTLY_LOST UNSEEN_METHOD MAY_BE_EMPTY NO_LOSS NOT_FITTED
    MADE_BEFORE UNSURE DRAWN WATCHED WEIGHED_AGAIN
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


#: in the order in which they count
ROWS = {
    row.name: row
    for row in (
        Row(Seen.UNCONFIRMED, "a number is put there, and nothing says that it is still there", most=POSSIBLE),
        Row(Seen.OF_A_CALLER, "a caller's data would have to be degenerate, or at an end", most=POSSIBLE),
        Row(Seen.OTHERS_UNKNOWN, "nothing is known of what must hold of another operand", most=UNKNOWN),
        Row(Seen.OTHERS_POSSIBLE, "what must hold of another operand is only possible", most=POSSIBLE),
        Row(Seen.OTHERS_LIKELY, "what must hold of another operand is only likely", most=LIKELY),
        Row(Seen.BY_FORM, "the way it is written says that it happens", least=LIKELY),
        Row(Seen.USED_SO, "the way the result is used says that it may happen", least=POSSIBLE),
        Row(Seen.OFTEN_USED_SO, "the way the result is used says that it happens", least=LIKELY),
        Row(Seen.DEGENERATE, "degenerate data that may be met takes it there", least=POSSIBLE),
        Row(Seen.ORDINARY, "degenerate data that is ordinary takes it there", least=LIKELY),
        Row(Seen.EQUAL_INPUTS, "two inputs may be equal, and their difference is divided by", least=LIKELY),
        Row(Seen.SATURATED, "functions that saturate come to ends that take it there", least=LIKELY),
        Row(Seen.UNCHECKED, "a caller gives it, and nothing checks it", least=POSSIBLE),
        Row(Seen.BY_SETTINGS, "another operand is set to a number that keeps it off", most=POSSIBLE),
        Row(Seen.BOUNDED_BELOW, "a bound below passes no gradient on beyond its end", most=LIKELY),
        Row(Seen.REPAIRED, "the value is repaired, and nothing says that the operand is learned", most=POSSIBLE),
        Row(Seen.ZERO_STAYS, "a gradient of 0 stays 0 there", most=POSSIBLE),
        Row(Seen.UNLEARNED, "nothing learned is seen to meet it, or no gradient to be taken", most=POSSIBLE),
        Row(Seen.DECIDES, "every use of it is a comparison", most=POSSIBLE),
        Row(Seen.DISCARDED, "no call takes the result", most=POSSIBLE),
        Row(Seen.BELIEVED, "that a gradient is taken is believed", most=LIKELY),
        Row(Seen.CHOSEN_ONCE, "in NumPy who writes a condition has seen the data", most=POSSIBLE),
        Row(Seen.NO_SUCH_ROW, "no call gives it data of which a row may be 0", most=POSSIBLE),
        Row(Seen.BY_CALLERS, "all calls that are seen keep it off", most=POSSIBLE),
        Row(Seen.OF_DATA, "it takes data that is met now and then", most=LIKELY),
        Row(Seen.OF_TRAINED, "what is trained, or nothing bounds, takes it there", most=LIKELY),
        Row(Seen.MAY_BE_EMPTY, "a selection may be empty", most=LIKELY),
        Row(Seen.ROUNDS, "only rounding error is left", most=LIKELY),
        Row(Seen.BY_FORMAT, "the format of a variable is that of what it was made with", most=LIKELY),
        Row(Seen.BOUNDED, "the loss is bounded where its gradient is 0", most=LIKELY),
        Row(Seen.USELESS_EPSILON, "an epsilon does not do what it is there for", most=LIKELY),
        Row(Seen.LOGITS_FOUND, "Keras may find the logits behind the activation", most=LIKELY),
        Row(Seen.OLDER_RELEASES, "only older releases of the framework do so", most=LIKELY),
        Row(Seen.PARTLY_LOST, "other terms of the gradient are left, or it is meant to have none", most=LIKELY),
        Row(Seen.LOSES_DIGITS, "it costs digits, seldom all of them", most=POSSIBLE),
        Row(Seen.AT_A_POINT, "it takes one point to be met exactly", most=POSSIBLE),
        Row(Seen.FLAT, "the loss is finite, and has no gradient for the worst predictions", most=POSSIBLE),
        Row(Seen.BY_IDENTITY, "it compares objects, or asks for what marks that there is no value", most=POSSIBLE),
        Row(Seen.AT_THE_POLE, "the finding at the singular point shows it", most=POSSIBLE),
        Row(Seen.UNSEEN_METHOD, "it is computed in a method that is not seen", most=POSSIBLE),
        Row(Seen.NOT_FITTED, "nothing is seen to be fitted to it", most=POSSIBLE),
        Row(Seen.MADE_BEFORE, "the operation that makes it is not seen", most=POSSIBLE),
        Row(Seen.UNSURE, "little says that it is met", most=POSSIBLE),
        Row(Seen.DRAWN, "it is drawn from, and has no gradient", most=POSSIBLE),
        Row(Seen.WATCHED, "its author looks for it, or takes no gradient", most=POSSIBLE),
        Row(Seen.WEIGHED_AGAIN, "who weighs it with the mask again expects it", most=POSSIBLE),
        Row(Seen.IGNORED_EPSILON, "a parameter that should prevent it is never used", least=LIKELY),
        Row(Seen.CONVERTED, "a gradient would have to pass a conversion from what may be whole numbers", most=POSSIBLE),
        Row(Seen.OTHER_FACTOR, "little says that the other factor is 0", most=LIKELY),
        Row(Seen.PLACEHOLDER, "only the gradient meets the placeholder", most=LIKELY),
        Row(Seen.IN_NUMPY, "in NumPy an infinity may be meant", less=1, least=POSSIBLE),
        Row(Seen.WEAK_IN_NUMPY, "in NumPy an infinity may be meant, and little speaks for this one", less=1),
        Row(Seen.ABSORBED, "every use, or its name, takes -inf for what it means", less=1),
        Row(Seen.BY_NAME, "only a name says so", less=1),
        Row(Seen.LOOKED_AT, "what a metric of NumPy divides by was looked at", less=1),
        Row(Seen.WHOLE_POWER, "the exponent may be whole", less=1),
        Row(Seen.SPARED, "what comes back to the singular point is 0, and stays so", less=1),
        Row(Seen.NO_LOSS, "it is no loss that is trained on", less=1),
        Row(Seen.EXPECTED, "the author expects it: the result is tested for nan and inf", less=2),
        Row(Seen.TESTED, "the result is tested for nan and inf", less=1),
        Row(Seen.MEANT, "-inf is intended here, or has no bad effect", less=2),
        Row(Seen.HELD, "bounds that stand elsewhere may keep it off", less=2),
        Row(Seen.PROTECTED, "the selection drops the nan of its own gradient", less=1),
        Row(Seen.NOT_SHOWN, "no ordinary input is shown to fail", most=LIKELY),
        Row(Seen.NOT_TAKEN, "the program as it is written does not compute it, or does not take it", most=LIKELY),
        Row(Seen.OF_TESTS, "tests expect numbers that they chose themselves", most=POSSIBLE),
        Row(Seen.ABSURD, "only an absurd input fails when it is executed", less=1, least=POSSIBLE),
        Row(Seen.REFUTED, "no input can fail when it is executed", less=1, least=POSSIBLE),
        Row(Seen.SEARCHED, "no input was found that fails when it is executed", most=LIKELY),
    )
}


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
