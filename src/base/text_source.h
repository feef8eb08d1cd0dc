// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/byte_source.h"

namespace sparkprof {

// Converts `source` to what readers of text expect: UTF-8 without a byte order mark, lines that end in LF. Converts
// UTF-16 with a byte order mark (from PowerShell), CRLF, and CR in text without LF. An invalid UTF-16 unit becomes
// U+FFFD; half a unit at the end is an error after all text. Binary data is unchanged. `name` is for messages.
std::unique_ptr<ByteSource> DecodeText(std::unique_ptr<ByteSource> source, std::string name);

}  // namespace sparkprof
