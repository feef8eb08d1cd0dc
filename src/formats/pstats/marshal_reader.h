// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// A value of Python's marshal format. Texts are views of the input; the items of tuples and dicts are rows of
// MarshalReader::Items, those of a dict alternately keys and values.
struct MarshalValue {
  enum class Type : uint8_t { kOther, kInteger, kNumber, kText, kTuple, kDict };

  Type type = Type::kOther;
  uint32_t size = 0;  // bytes of a text, items of a tuple or dict
  union {
    int64_t integer = 0;
    double number;
    const char* text;
    uint64_t first_item;
  };

  std::string_view Text() const { return type == Type::kText ? std::string_view(text, size) : std::string_view(); }
  // An integer, a number, or nothing; infinite numbers are none.
  std::optional<double> Number() const;
};

// Reads values of Python's marshal format, versions 0 (Python 2) to 5 (Python 3.14), as documented by
// Python/marshal.c. A code object becomes the tuple (file, line, name). No length is trusted, nesting is bounded, and a
// container that contains itself is a fault. Not thread-safe.
class MarshalReader {
 public:
  explicit MarshalReader(std::string_view bytes) : bytes_(bytes) {}

  // The next value; nullopt at the end of a dict, and after a fault.
  std::optional<MarshalValue> Read() { return Read(0); }

  // Reads only the start of a dict: its keys and values are to be read next, until Read() gives nothing.
  bool BeginDict();

  // Items of values returned by Read. Invalidated by Read.
  const MarshalValue* Items(const MarshalValue& value) const { return items_.data() + value.first_item; }

  // "expected …" with the position it refers to; empty if all is well.
  const std::string& Fault() const { return fault_; }
  size_t Position() const { return at_; }

 private:
  std::optional<MarshalValue> Read(int depth);
  std::optional<MarshalValue> ReadContainer(MarshalValue::Type type, std::optional<uint32_t> size, int depth);
  std::optional<MarshalValue> ReadCode(int depth);
  MarshalValue AddItems(MarshalValue::Type type, const MarshalValue* items, size_t size);
  std::optional<MarshalValue> ReadText(uint64_t size);
  std::optional<MarshalValue> ReadLong();
  std::optional<MarshalValue> ReadNumberText();
  std::optional<MarshalValue> Expect(std::string_view what);
  std::optional<uint64_t> ReadWord(size_t bytes);

  std::string_view bytes_;
  size_t at_ = 0;
  std::string fault_;
  std::vector<MarshalValue> items_;
  std::vector<MarshalValue> open_;  // items of containers that are still being read
  std::vector<MarshalValue> references_;
  std::vector<MarshalValue> interned_;  // strings of Python 2
};

}  // namespace sparkprof
