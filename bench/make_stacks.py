#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_stacks.py FOLDER: writes FOLDER/stacks.folded (60 MB, 56,000 stacks, nearly all distinct) and FOLDER/perf.txt
(`perf script` text of 40,000 samples, 100 MB). Stacks are random walks: they begin alike and end differently, a few
functions are everywhere and thousands are rare. Always the same bytes."""

import pathlib
import random
import sys
import zlib

FUNCTIONS = ["java.lang.Thread.run", "scala.collection.Iterator.foreach", "_PyEval_EvalFrameDefault"]
FUNCTIONS += [f"org.apache.spark.part{n % 17}.Class{n % 211}$Inner.method_{n}" for n in range(3000)]


class Stacks:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.trunks = [[self.random.choice(FUNCTIONS) for _ in range(self.random.randrange(10, 30))] for _ in range(40)]

    def next(self, number):
        trunk = self.trunks[number % len(self.trunks)]
        frames = trunk[: self.random.randrange(4, len(trunk))]
        for _ in range(self.random.randrange(5, 25)):
            frames.append(FUNCTIONS[int(self.random.paretovariate(0.6)) % len(FUNCTIONS)])
        return frames


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    stacks = Stacks(seed=1)
    with open(folder / "stacks.folded", "w", encoding="ascii") as file:
        for number in range(56_000):
            file.write(";".join([f"worker-{number % 16}", *stacks.next(number)]) + f" {stacks.random.randrange(1, 500)}\n")
    with open(folder / "perf.txt", "w", encoding="ascii") as file:
        for number in range(40_000):
            file.write(f"java {4000 + number % 16} [00{number % 2}] {1000 + number / 1e4:.6f}:   10000000 cpu-clock:pppH: \n")
            for name in reversed(stacks.next(number)):
                address, offset = 0x7F0000000000 + zlib.crc32(name.encode()), stacks.random.randrange(4096)
                file.write(f"\t{address:16x} {name.replace('.', '_')}+0x{offset:x} (/usr/lib/jvm/lib/server/libjvm.so)\n")
            file.write("\n")


if __name__ == "__main__":
    main()
