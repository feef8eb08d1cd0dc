// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/jfr/jfr_cursor.h"

namespace sparkprof {

// JFR's six string encodings: one byte, followed by encoding-specific data.
enum class JfrStringEncoding : uint8_t { kNull = 0, kEmpty = 1, kConstant = 2, kUtf8 = 3, kCharArray = 4, kLatin1 = 5 };

// A string in a chunk. For kConstant, `constant` is a key of the pool of java.lang.String. Null and empty strings are
// equal here.
struct JfrText {
  bool is_constant = false;
  uint64_t constant = 0;
  std::string_view text;  // UTF-8; points into the chunk or into the scratch string
};

void SkipJfrString(JfrCursor* cursor);

// `scratch` stores the text if it is not UTF-8 in the chunk.
JfrText ReadJfrString(JfrCursor* cursor, std::string* scratch);

}  // namespace sparkprof
