// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Finds the key among the arguments of aes_encrypt(text, 'KEY', 'GCM') and other functions of [function], in SQL and in
// Spark's plans, where literals are unquoted: cast(KEY as binary), 0x4b4559. Keeps columns. The key is redacted when
// the search reaches it, because calls are nested. Returns the next position to search.
size_t RedactKeyArgument(ScannedText* scan, size_t at, const FunctionRule& function);

}  // namespace sparkprof::redaction
