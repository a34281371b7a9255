"""errstate and seterr in every mode, callbacks, decorators, threads, warnings that are caught or turned into errors."""

import threading
import warnings

import numpy as np

with np.errstate(divide="ignore", invalid="ignore"):
    ratio = np.where(np.arange(3) > 0, 1 / np.maximum(np.arange(3.0), 1), 0.0)
print(ratio, np.geterr())
before = np.seterr(over="raise", under="ignore")
try:
    np.float32(3e38) * np.float32(1.5)
except FloatingPointError as error:
    print("raised", error)
np.seterr(**before)
told = []
with np.errstate(under="call", call=lambda kind, flag: told.append((kind, flag))):
    np.exp(np.float32(-100.0)) * np.float32(1e-10)
    np.multiply(np.float32(1e-30), np.float32(1e-30))
print(told, np.geterrcall())


@np.errstate(all="raise")
def careful(x):
    return np.sqrt(x) / (x + 1)


print(careful(np.array([1.0, 4.0])), np.geterr()["divide"])


def work():
    with np.errstate(invalid="raise"):
        states.append(np.geterr())
    states.append(np.geterr())


states: list[dict] = []
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(states)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        np.array([1.0, 2.0]).astype(int)[np.array([True, False])].mean()
        np.mean([])
    except (RuntimeWarning, Warning) as error:
        print("warned", error)
with np.printoptions(precision=3):
    print(np.log1p(np.linspace(0, 1, 4)))
