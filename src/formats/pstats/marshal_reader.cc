// SPDX-License-Identifier: Apache-2.0
#include "formats/pstats/marshal_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>

namespace sparkprof {
namespace {

using MarshalType = MarshalValue::Type;

constexpr int kMaxMarshalDepth = 32;
constexpr char kReferenced = '\x80';  // a flag of a type: later values may refer to this one

MarshalValue IntegerValue(int64_t integer) {
  MarshalValue value;
  value.type = MarshalType::kInteger;
  value.integer = integer;
  return value;
}

MarshalValue NumberValue(double number) {
  MarshalValue value;
  value.type = MarshalType::kNumber;
  value.number = number;
  return value;
}

}  // namespace

std::optional<double> MarshalValue::Number() const {
  if (type == MarshalType::kInteger) return static_cast<double>(integer);
  if (type == MarshalType::kNumber && std::isfinite(number)) return number;
  return std::nullopt;
}

std::optional<MarshalValue> MarshalReader::Expect(std::string_view what) {
  if (fault_.empty()) fault_ = what;
  return std::nullopt;
}

std::optional<uint64_t> MarshalReader::ReadWord(size_t bytes) {
  if (bytes_.size() - at_ < bytes) {
    at_ = bytes_.size();
    Expect("the rest of a value, found the end of the file");
    return std::nullopt;
  }
  uint64_t word = 0;
  for (size_t i = 0; i < bytes; ++i) word |= uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
  at_ += bytes;
  return word;
}

std::optional<MarshalValue> MarshalReader::ReadText(uint64_t size) {
  if (bytes_.size() - at_ < size || size > UINT32_MAX) return Expect("a text within the file");
  MarshalValue value;
  value.type = MarshalType::kText;
  value.size = static_cast<uint32_t>(size);
  value.text = bytes_.data() + at_;
  at_ += size;
  return value;
}

// A count, negative for a negative number, of digits of 15 bits.
std::optional<MarshalValue> MarshalReader::ReadLong() {
  const std::optional<uint64_t> word = ReadWord(4);
  if (!word) return std::nullopt;
  const auto count = static_cast<int32_t>(*word);
  const uint64_t digits = count < 0 ? -static_cast<int64_t>(count) : count;
  if (digits > (bytes_.size() - at_) / 2) return Expect("an integer within the file");
  int64_t integer = 0;
  bool fits = true;
  for (uint64_t i = 0; i < digits; ++i) {
    const std::optional<uint64_t> digit = ReadWord(2);
    if (!digit) return std::nullopt;
    fits = fits &&
           (*digit == 0 || (i < 5 && (*digit << (15 * i)) >> (15 * i) == *digit && *digit << (15 * i) <= INT64_MAX));
    if (fits && i < 5) integer |= static_cast<int64_t>(*digit << (15 * i));
  }
  if (!fits) integer = INT64_MAX;
  return IntegerValue(count < 0 ? -integer : integer);
}

std::optional<MarshalValue> MarshalReader::ReadNumberText() {
  const std::optional<uint64_t> size = ReadWord(1);
  if (!size) return std::nullopt;
  const std::optional<MarshalValue> text = ReadText(*size);
  if (!text) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text->text, text->text + text->size, number);
  if (error != std::errc() || end != text->text + text->size) return Expect("a number as text");
  return NumberValue(number);
}

std::optional<MarshalValue> MarshalReader::ReadContainer(MarshalType type, std::optional<uint32_t> size, int depth) {
  if (depth >= kMaxMarshalDepth) return Expect("values that are nested less deeply");
  const size_t first = open_.size();
  for (uint32_t i = 0; !size || i < *size; ++i) {
    const std::optional<MarshalValue> item = Read(depth + 1);
    if (!item) {
      if (fault_.empty() && type == MarshalType::kDict && (open_.size() - first) % 2 == 0) break;
      return Expect("another item");
    }
    open_.push_back(*item);
  }
  const MarshalValue value = AddItems(type, open_.data() + first, open_.size() - first);
  open_.resize(first);
  return value;
}

MarshalValue MarshalReader::AddItems(MarshalType type, const MarshalValue* items, size_t size) {
  MarshalValue value;
  value.type = type;
  value.size = static_cast<uint32_t>(size);
  value.first_item = items_.size();
  items_.insert(items_.end(), items, items + size);
  return value;
}

// Integers, the byte code, constants, names and so on. Python 2 has 4 integers before the byte code, 3.0 and 3.11
// 5, 3.8
// 6. Since 3.11, one text (the kinds of variables) instead of two tuples precedes file, name, [qualified name,] line.
std::optional<MarshalValue> MarshalReader::ReadCode(int depth) {
  if (depth >= kMaxMarshalDepth) return Expect("values that are nested less deeply");
  constexpr size_t kFewestIntegers = 4, kMaxIntegers = 6, kIntegerSize = 4;
  size_t integers = kFewestIntegers;
  // The flags among the integers may look like the type of the byte code, but are no size that fits.
  const auto is_byte_code_after = [&](size_t count) {
    MarshalReader ahead(bytes_.substr(std::min(bytes_.size(), at_ + count * kIntegerSize)));
    const std::optional<uint64_t> type = ahead.ReadWord(1), size = ahead.ReadWord(4);
    return size && (*type & 0x7f) == 's' && ahead.ReadText(*size);
  };
  while (integers < kMaxIntegers && !is_byte_code_after(integers)) ++integers;
  for (size_t i = 0; i < integers; ++i) {
    if (!ReadWord(kIntegerSize)) return std::nullopt;
  }
  std::array<MarshalValue, 10> parts;
  const auto read_parts = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const std::optional<MarshalValue> part = Read(depth + 1);
      if (!part) return false;
      parts[i] = *part;
    }
    return true;
  };
  if (!read_parts(0, 5)) return Expect("a part of a code object");
  const bool is_since_3_11 = parts[4].type == MarshalType::kText;
  const size_t file = is_since_3_11 ? 5 : 6, end = 8;
  if (!read_parts(5, end)) return Expect("a part of a code object");
  const std::optional<uint64_t> line = ReadWord(kIntegerSize);
  if (!line || !read_parts(end, end + (is_since_3_11 ? 2 : 1))) return Expect("a part of a code object");
  const MarshalValue place[] = {parts[file], IntegerValue(static_cast<int32_t>(*line)), parts[file + 1]};
  return AddItems(MarshalType::kTuple, place, std::size(place));
}

bool MarshalReader::BeginDict() {
  if (at_ < bytes_.size() && (bytes_[at_] & ~kReferenced) == '{') {
    if ((bytes_[at_++] & kReferenced) != 0) references_.emplace_back();
    return true;
  }
  Expect("a dict");
  return false;
}

std::optional<MarshalValue> MarshalReader::Read(int depth) {
  if (!fault_.empty()) return std::nullopt;
  const std::optional<uint64_t> byte = ReadWord(1);
  if (!byte) return std::nullopt;
  const char type = static_cast<char>(static_cast<char>(*byte) & ~kReferenced);
  std::optional<size_t> reference;
  if ((static_cast<char>(*byte) & kReferenced) != 0) {
    // Containers are counted before what they contain; until they are complete, a reference gives kOther.
    reference = references_.size();
    references_.emplace_back();
  }
  std::optional<MarshalValue> value;
  std::optional<uint64_t> word;
  switch (type) {
    case '0':
      return std::nullopt;
    case 'N':
    case 'F':
    case '.':
    case 'S':
      value = MarshalValue();
      break;
    case 'T':
      value = IntegerValue(1);
      break;
    case 'i':
      if (!(word = ReadWord(4))) return std::nullopt;
      value = IntegerValue(static_cast<int32_t>(*word));
      break;
    case 'I':
      if (!(word = ReadWord(8))) return std::nullopt;
      value = IntegerValue(static_cast<int64_t>(*word));
      break;
    case 'l':
      value = ReadLong();
      break;
    case 'f':
      value = ReadNumberText();
      break;
    case 'g': {
      if (!(word = ReadWord(8))) return std::nullopt;
      double number;
      std::memcpy(&number, &*word, sizeof number);
      value = NumberValue(number);
      break;
    }
    case 'x':
      value = ReadNumberText();
      if (value) value = ReadNumberText();
      break;
    case 'y':
      if (!ReadWord(8) || !ReadWord(8)) return std::nullopt;
      value = MarshalValue();
      break;
    case 's':
    case 't':
    case 'u':
    case 'a':
    case 'A':
      if (!(word = ReadWord(4))) return std::nullopt;
      value = ReadText(*word);
      // Python 2 has references to interned strings ('R'); Python 3 flags what is referred to.
      if (value && type == 't' && !reference) interned_.push_back(*value);
      break;
    case 'z':
    case 'Z':
      if (!(word = ReadWord(1))) return std::nullopt;
      value = ReadText(*word);
      break;
    case '(':
    case '[':
    case '<':
    case '>':
      if (!(word = ReadWord(4))) return std::nullopt;
      value = ReadContainer(MarshalType::kTuple, static_cast<uint32_t>(*word), depth);
      break;
    case ')':
      if (!(word = ReadWord(1))) return std::nullopt;
      value = ReadContainer(MarshalType::kTuple, static_cast<uint32_t>(*word), depth);
      break;
    case '{':
      value = ReadContainer(MarshalType::kDict, std::nullopt, depth);
      break;
    case 'c':
      value = ReadCode(depth);
      break;
    case ':':  // a slice of constants
      value = ReadContainer(MarshalType::kTuple, 3, depth);
      break;
    case 'r':
    case 'R': {
      if (!(word = ReadWord(4))) return std::nullopt;
      const std::vector<MarshalValue>& known = type == 'r' ? references_ : interned_;
      if (*word >= known.size()) return Expect("a reference to an earlier value");
      return known[*word];
    }
    default:
      --at_;
      return Expect("a value of Python's marshal format that a profile can have");
  }
  if (value && reference) references_[*reference] = *value;
  return value;
}

}  // namespace sparkprof
