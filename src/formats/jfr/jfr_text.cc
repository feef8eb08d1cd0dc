// SPDX-License-Identifier: Apache-2.0
#include "base/text/characters.h"
#include "base/text/text.h"
#include "formats/jfr/jfr_cursor.h"

namespace sparkprof {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

bool IsAscii(std::string_view bytes) {
  for (const char c : bytes) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

std::string_view ReadUtf8(JfrCursor* cursor, std::string* scratch) {
  const std::string_view bytes = cursor->Bytes(cursor->Varint());
  if (IsAscii(bytes) || IsUtf8(bytes)) return bytes;
  return *scratch = ToUtf8(bytes);
}

std::string_view ReadLatin1(JfrCursor* cursor, std::string* scratch) {
  const std::string_view bytes = cursor->Bytes(cursor->Varint());
  if (IsAscii(bytes)) return bytes;
  scratch->clear();
  for (const char c : bytes) AppendUtf8(static_cast<unsigned char>(c), scratch);
  return *scratch;
}

// UTF-16 code units, one compressed integer each.
std::string_view ReadCharArray(JfrCursor* cursor, std::string* scratch) {
  scratch->clear();
  const uint64_t count = cursor->Varint();
  if (count > cursor->Remaining()) {
    cursor->Fail();
    return {};
  }
  uint32_t high = 0;  // a high surrogate that waits for its low one
  for (uint64_t i = 0; i < count && !cursor->Failed(); ++i) {
    const auto unit = static_cast<uint32_t>(cursor->Varint() & 0xFFFF);
    const bool is_low = unit >= 0xDC00 && unit < 0xE000;
    if (high != 0) {
      AppendUtf8(is_low ? 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00) : kReplacement, scratch);
      high = 0;
      if (is_low) continue;
    }
    if (unit >= 0xD800 && unit < 0xDC00) {
      high = unit;
    } else {
      AppendUtf8(is_low ? kReplacement : unit, scratch);
    }
  }
  if (high != 0) AppendUtf8(kReplacement, scratch);
  return *scratch;
}

}  // namespace

void SkipJfrString(JfrCursor* cursor) {
  switch (static_cast<JfrStringEncoding>(cursor->Byte())) {
    case JfrStringEncoding::kNull:
    case JfrStringEncoding::kEmpty:
      return;
    case JfrStringEncoding::kConstant:
      cursor->Varint();
      return;
    case JfrStringEncoding::kUtf8:
    case JfrStringEncoding::kLatin1:
      cursor->Skip(cursor->Varint());
      return;
    case JfrStringEncoding::kCharArray: {
      const uint64_t count = cursor->Varint();
      if (count > cursor->Remaining()) {
        cursor->Fail();
      } else {
        cursor->SkipVarints(count);
      }
      return;
    }
  }
  cursor->Fail();
}

JfrText ReadJfrString(JfrCursor* cursor, std::string* scratch) {
  switch (static_cast<JfrStringEncoding>(cursor->Byte())) {
    case JfrStringEncoding::kNull:
    case JfrStringEncoding::kEmpty:
      return {};
    case JfrStringEncoding::kConstant:
      return {.is_constant = true, .constant = cursor->Varint()};
    case JfrStringEncoding::kUtf8:
      return {.text = ReadUtf8(cursor, scratch)};
    case JfrStringEncoding::kCharArray:
      return {.text = ReadCharArray(cursor, scratch)};
    case JfrStringEncoding::kLatin1:
      return {.text = ReadLatin1(cursor, scratch)};
  }
  cursor->Fail();
  return {};
}

}  // namespace sparkprof
