"""Steps of a program, told line by line: `ok <step>` or `not ok <step> # <why>`."""

import json
import os
from importlib.metadata import version as version_of

places = json.loads(os.environ["COIN_PLACES"])
with open(os.environ["COIN_COUPON"], encoding="utf-8") as file:
    coupon = json.load(file)
ann, bob = places["people"][:2]


def version(name):
    print(f"version {version_of(name)}", flush=True)


def step(name, work):
    """Runs a step; its failure doesn't end the program."""
    try:
        result = work()
        print(f"ok {name}", flush=True)
        return result
    except Exception as error:  # whatever a client throws is its answer
        words = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        print(f"not ok {name} # {words}", flush=True)
        return None


def expect(condition, what):
    if not condition:
        raise AssertionError(f"expected {what}")
