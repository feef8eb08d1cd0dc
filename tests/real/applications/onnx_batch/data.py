# SPDX-License-Identifier: Apache-2.0
"""Image embeddings as arrays of 128 floats, and a classifier for them as an ONNX model."""

import pathlib
import sys

import numpy
import pyarrow
from pyarrow import parquet
from skl2onnx import to_onnx
from sklearn.neural_network import MLPClassifier

OUTPUT = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(24)

ROWS, FILES, WIDTH, CLASSES = 900_000, 6, 128, 12
centers = random.normal(size=(CLASSES, WIDTH)).astype("float32")


def embeddings(rows):
    label = random.integers(0, CLASSES, rows)
    return label, (centers[label] * 0.35 + random.normal(size=(rows, WIDTH))).astype("float32")


label, values = embeddings(8_000)
model = MLPClassifier((256, 64), random_state=1, max_iter=8).fit(values, label)
(OUTPUT / "classifier.onnx").write_bytes(to_onnx(model, values[:1], options={"zipmap": False}).SerializeToString())
(OUTPUT / "embeddings").mkdir()
for number in range(FILES):
    rows = ROWS // FILES
    label, values = embeddings(rows)
    lists = pyarrow.ListArray.from_arrays(numpy.arange(0, rows * WIDTH + 1, WIDTH, dtype="int32"), pyarrow.array(values.ravel()))
    parquet.write_table(
        pyarrow.table(
            {"id": numpy.arange(number * rows, (number + 1) * rows), "album": (label * 31 % 50).astype("int32"), "embedding": lists}
        ),
        OUTPUT / "embeddings" / f"part-{number}.parquet",
        use_dictionary=False,
    )
