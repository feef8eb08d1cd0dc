// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// The key among the arguments of aes_encrypt(text, 'KEY', 'GCM') and the other functions of [function], in SQL and in
// Spark's plans, where a literal has no quotes: cast(KEY as binary), 0x4b4559. Columns stay. The key is redacted when
// the search reaches it, because calls are nested. Returns where to go on.
size_t RedactKeyArgument(ScannedText* scan, size_t at, const FunctionRule& function);

}  // namespace sparkprof::redaction
