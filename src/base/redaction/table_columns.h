// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Redacts the columns of secrets below a line of names (CSV with commas, semicolons, tabs or bars, as Spark shows
// tables), if `name`, whose secrecy is known, is in such a line. The values are redacted when the search reaches them.
void RedactColumns(ScannedText* scan, Range name, Secrecy secrecy);

// The same for INSERT INTO t (user, password) VALUES ('joe', 'X').
void RedactInserted(ScannedText* scan, Range name);

}  // namespace sparkprof::redaction
