// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/redaction/assigned_value.h"
#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Redacts the value assigned to `name` if it is a secret. `quote_before` is the position of the quote directly before
// the name, or npos. Returns the next position: `next` if it is not a secret.
size_t RedactAssigned(ScannedText* scan, AssignedValue found, size_t quote_before, std::string_view name,
                      Secrecy secrecy, size_t next);

// Redacts IDENTIFIED BY 'X', IDENTIFIED BY X, IDENTIFIED WITH plugin BY 'X'.
size_t RedactIdentifiedBy(ScannedText* scan, size_t at, size_t behind);

}  // namespace sparkprof::redaction
