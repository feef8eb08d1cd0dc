// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Redacts what is assigned to the name around `at`, when it is a secret. Returns where to go on.
size_t RedactAssignment(ScannedText* scan, size_t at);

}  // namespace sparkprof::redaction
