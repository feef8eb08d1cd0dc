// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_source.h"

namespace sparkprof {

// How text starts that is UTF-16.
struct Utf16Head {
  bool is_utf16 = false;
  bool is_big_endian = false;
  size_t mark = 0;  // bytes of the byte order mark
};

// By the byte order mark, or by a zero in every other byte, which Latin letters have. 64 bytes are enough.
Utf16Head Utf16HeadOf(std::string_view head);

// `source` as readers of text expect it: UTF-8 without a byte order mark, lines that end in LF. Converts UTF-16 (as
// PowerShell writes it), CRLF, and CR alone in text without LF. An invalid UTF-16 unit becomes U+FFFD; half a unit at
// the end is an error after all text. Binary data passes unchanged. `name` is for messages.
std::unique_ptr<ByteSource> DecodeText(std::unique_ptr<ByteSource> source, std::string name);

}  // namespace sparkprof
