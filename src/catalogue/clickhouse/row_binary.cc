// SPDX-License-Identifier: Apache-2.0
#include "catalogue/clickhouse/row_binary.h"

#include <bit>
#include <cstring>

namespace sparkprof {

static_assert(std::endian::native == std::endian::little);

void RowBinaryWriter::AddWord(uint64_t word) { bytes_.append(reinterpret_cast<const char*>(&word), sizeof(word)); }

void RowBinaryWriter::Add(double value) { AddWord(std::bit_cast<uint64_t>(value)); }

void RowBinaryWriter::Add(std::string_view text) {
  AddLength(text.size());
  bytes_ += text;
}

void RowBinaryWriter::Add(const std::vector<uint64_t>& words) {
  AddLength(words.size());
  for (const uint64_t word : words) AddWord(word);
}

void RowBinaryWriter::AddLength(uint64_t length) {
  for (; length >= 0x80; length >>= 7) bytes_ += static_cast<char>(length | 0x80);
  bytes_ += static_cast<char>(length);
}

uint64_t RowBinaryReader::Word() {
  uint64_t word = 0;
  if (rest_.size() < sizeof(word)) {
    Fail();
    return 0;
  }
  std::memcpy(&word, rest_.data(), sizeof(word));
  rest_.remove_prefix(sizeof(word));
  return word;
}

double RowBinaryReader::Number() { return std::bit_cast<double>(Word()); }

std::string_view RowBinaryReader::Text() {
  const uint64_t length = Length();
  if (length > rest_.size()) {
    Fail();
    return {};
  }
  const std::string_view text = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return text;
}

std::vector<uint64_t> RowBinaryReader::Words() {
  const uint64_t count = Length();
  std::vector<uint64_t> words;
  if (count > rest_.size() / sizeof(uint64_t)) {
    Fail();
    return words;
  }
  words.reserve(count);
  for (uint64_t i = 0; i < count; ++i) words.push_back(Word());
  return words;
}

uint64_t RowBinaryReader::Length() {
  uint64_t length = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    length |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return length;
  }
  Fail();
  return 0;
}

}  // namespace sparkprof
