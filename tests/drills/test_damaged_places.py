"""Random damage to a published place: a pull brings the published file as it is, or ends in one sentence.

The damage is drawn with a fixed seed; `make drills` draws a hundred times as often as the suite.
"""

import json
import random

import pytest
from published_place import FIRST, write_place

import accelmart
from accelmart.remote import FILE_NAME, POINTER

pytestmark = pytest.mark.drills
SEED = 20261129
ODD = (
    None,
    True,
    -1,
    0,
    1e308,
    10**30,
    "",
    ".",
    "../../etc/passwd",
    "/dev/zero",
    "a" * 400,
    "\0",
    "é",
    [],
    {},
    [[]],
)


def cut(content, chance):
    return content[: chance.randrange(len(content))]


def flipped(content, chance):
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


def repeated(content, chance):
    at = chance.randrange(len(content))
    return content[:at] + content[at : at + chance.randrange(1, 500)] * 3 + content[at:]


def odd_value(content, chance):
    """Replace one value of a pointer, or all of it."""
    document = json.loads(content)
    within = chance.choice([document, document["database"]])
    within[chance.choice(list(within))] = chance.choice(ODD)
    return json.dumps(chance.choice([document] * 9 + [chance.choice(ODD)])).encode()


def without_key(content, chance):
    document = json.loads(content)
    within = chance.choice([document, document["database"]])
    del within[chance.choice(list(within))]
    return json.dumps(document).encode()


@pytest.mark.parametrize("part", ["pointer", "file", "compressed file"])
def test_a_damaged_place_is_refused_or_read_whole(part, tries, report_drill, tmp_path, monkeypatch):
    monkeypatch.setenv("ACCELMART_CACHE", str(tmp_path / "cache"))
    place = write_place(tmp_path / "place", FIRST, compressed=part == "compressed file")
    (file,) = place.glob(f"generations/*/{FILE_NAME}")
    published = file.read_bytes()
    damaged = {
        "pointer": place / POINTER,
        "file": file,
        "compressed file": file.with_name(f"{file.name}.gz"),
    }[part]
    content, chance = damaged.read_bytes(), random.Random(SEED)
    ways = (cut, flipped, repeated, *((odd_value, without_key) if part == "pointer" else ()))
    lost, n_tries, n_refused = [], tries(2000, 20), 0
    for number in range(n_tries):
        way, target = chance.choice(ways), tmp_path / f"home{number}" / FILE_NAME
        damaged.write_bytes(way(content, chance))
        try:
            accelmart.pull(str(place), target)
        except accelmart.ReaderError as error:
            n_refused += 1
            is_sentence = len(str(error)) < 700 and str(error).isprintable()
            problem = f"{error!r}" if target.exists() or not is_sentence else ""
        except Exception as error:  # noqa: BLE001  what the drill looks for
            problem = repr(error)
        else:
            problem = "" if target.read_bytes() == published else "another file was pulled"
        if problem:
            lost.append(f"{way.__name__} {number}: {problem[:300]}")
    report_drill(f"damaged {part}", n_tries, lost, f"{n_refused} refused")
