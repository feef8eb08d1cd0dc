# SPDX-License-Identifier: Apache-2.0
"""Customer records of two systems: each person occurs one to four times, with typing errors and missing values."""

import pathlib
import sys

import numpy
import pyarrow
from pyarrow import parquet

OUTPUT = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(22)

PEOPLE = 9_000
SYLLABLES = ["an", "bel", "cor", "da", "el", "fin", "ga", "har", "is", "jo", "ka", "lo", "mar", "ni", "or", "pe", "ri", "sa", "ter", "vi"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def names(count, syllables):
    made = set()
    while len(made) < count:
        made.add("".join(SYLLABLES[i] for i in random.integers(0, len(SYLLABLES), syllables)).title())
    return sorted(made)


def typo(text):
    place = int(random.integers(0, len(text)))
    kind = random.integers(0, 3)
    letter = LETTERS[int(random.integers(0, 26))]
    if kind == 0:
        return text[:place] + letter + text[place + 1 :]
    if kind == 1:
        return text[:place] + text[place + 1 :]
    return text[:place] + letter + text[place:]


def noisy(text, errors, missing):
    if random.random() < missing:
        return None
    return typo(text) if random.random() < errors else text


first_names, surnames, cities = names(300, 2), names(3_000, 3), names(80, 4)
rows = []
for person in range(PEOPLE):
    first = first_names[int(random.random() ** 2 * len(first_names))]
    last = surnames[int(random.random() ** 1.5 * len(surnames))]
    born = str(numpy.datetime64("1940-01-01") + int(random.integers(0, 22_000)))
    city = cities[int(random.random() ** 2 * len(cities))]
    mail = f"{first}.{last}{random.integers(1, 99)}@example.org".lower()
    for _ in range(int(random.choice([1, 2, 3, 4], p=[0.45, 0.3, 0.15, 0.1]))):
        rows.append(
            {
                "person": person,
                "first_name": noisy(first, 0.1, 0.03),
                "surname": noisy(last, 0.1, 0.02),
                "dob": noisy(born, 0.04, 0.05),
                "city": noisy(city, 0.05, 0.1),
                "email": noisy(mail, 0.08, 0.2),
            }
        )
order = random.permutation(len(rows))
rows = [{"unique_id": number, **rows[place]} for number, place in enumerate(order)]
parquet.write_table(pyarrow.Table.from_pylist(rows), OUTPUT / "customers.parquet")
