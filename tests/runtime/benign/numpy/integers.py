"""Integers that wrap around, divisions, shifts, casts, booleans, bits, dtypes that are promoted, Python's own math."""

import math
import struct

import numpy as np

a = np.array([250, 5], np.uint8)
print(a + np.uint8(10), a // 3, a % 7, a << 1, ~a, a.astype(np.int8), np.right_shift(a, 2), -a)
print(
    np.int32(2**31 - 1) - np.int32(1),
    np.array([7, -7]) // 2,
    np.array([7, -7]) % 3,
    np.remainder(-7.5, 2),
    np.fmod(-7.5, 2),
)
print(
    np.bitwise_count(a),
    np.packbits([1, 0, 1]),
    np.unpackbits(a)[:8],
    np.gcd(12, 18),
    np.lcm([4, 6], 10),
    np.power(2, [3, 4]),
)
print(
    np.result_type(np.int8, np.float16),
    (np.float32(1) + 1).dtype,
    (np.array([1], np.float32) * np.float64(2)).dtype,
    np.can_cast("i4", "f4"),
)
flags = np.array([True, False, True])
print(
    flags.sum(),
    flags.mean(),
    flags & ~flags,
    np.logical_xor(flags, True),
    np.where(flags, 1, 0) / max(flags.sum(), 1),
    flags.astype(float).std(),
)
print(
    np.round([0.5, 1.5, -2.5]),
    np.floor(-0.5),
    np.trunc(1.9),
    np.rint(2.5),
    np.float32(1e-45) > 0,
    np.spacing(1.0),
    np.nextafter(1, 2),
)
print(
    math.log(8),
    math.sqrt(2),
    math.hypot(3, 4),
    sum(x / 3 for x in range(4)),
    struct.pack("<f", 1.5),
    float("inf") > 1,
    7 // 2,
)
sizes = np.array([0, 3, 5])
print(
    np.divide(10, sizes, where=sizes > 0, out=np.zeros(3)),
    10 / np.maximum(sizes, 1),
    np.repeat([1, 2], [2, 0]),
    np.tile([1], 3),
)
print(
    np.searchsorted([1, 3, 5], [0, 4]),
    np.flatnonzero(sizes),
    np.take_along_axis(sizes, np.argsort(-sizes), 0),
    np.lexsort((sizes, -sizes)),
)
