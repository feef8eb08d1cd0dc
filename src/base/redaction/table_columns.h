// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Redacts the columns of secrets below a header line (CSV with commas, semicolons, tabs or bars, or Spark's table
// output) that contains `name` with known secrecy. The values are redacted when the search reaches them.
void RedactColumns(ScannedText* scan, Range name, Secrecy secrecy);

// RedactColumns for INSERT INTO t (user, password) VALUES ('joe', 'X').
void RedactInserted(ScannedText* scan, Range name);

}  // namespace sparkprof::redaction
