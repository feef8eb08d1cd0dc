// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Records whose form makes parts of them secrets. The parts are redacted when the search reaches them.

// A line of a .pgpass file: host:port:database:user:X, with a port of PostgreSQL or behind the file's name.
size_t RedactPasswordFile(ScannedText* scan, size_t at);

// The values of a Kubernetes Secret below "data:" or "stringData:", in YAML and JSON. `at` is the word's.
size_t RedactSecretData(ScannedText* scan, size_t at);

// "value: X" before "name: NAME" of a secret. `at` is that of "value".
size_t RedactValueBeforeName(ScannedText* scan, size_t at);

}  // namespace sparkprof::redaction
