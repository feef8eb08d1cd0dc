// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Records with parts that are secrets because of the record's form. The parts are redacted when the search reaches
// them.

// Redacts a line of a .pgpass file: host:port:database:user:X, with PostgreSQL's port or after the file's name.
size_t RedactPasswordFile(ScannedText* scan, size_t at);

// Redacts the values of a Kubernetes Secret below "data:" or "stringData:", in YAML and JSON. `at` is the start of that
// word.
size_t RedactSecretData(ScannedText* scan, size_t at);

// Redacts "value: X" before "name: NAME" of a secret. `at` is the start of "value".
size_t RedactValueBeforeName(ScannedText* scan, size_t at);

}  // namespace sparkprof::redaction
