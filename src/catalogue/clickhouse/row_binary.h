// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// ClickHouse's RowBinary format: numbers are 8 bytes, little-endian; texts and arrays have a varint length.
class RowBinaryWriter {
 public:
  template <typename... Values>
  void Row(const Values&... values) {
    (Add(values), ...);
    ++rows_;
  }
  size_t Rows() const { return rows_; }
  const std::string& Bytes() const { return bytes_; }

 private:
  void Add(int64_t value) { AddWord(static_cast<uint64_t>(value)); }
  void Add(uint64_t value) { AddWord(value); }
  void Add(double value);
  void Add(std::string_view text);
  void Add(const std::string& text) { Add(std::string_view(text)); }
  void Add(const std::vector<uint64_t>& words);
  void AddWord(uint64_t word);
  void AddLength(uint64_t length);

  std::string bytes_;
  size_t rows_ = 0;
};

// Reads rows with columns known to the caller. After a truncated value, all further values are 0 or empty, and Failed()
// returns true.
class RowBinaryReader {
 public:
  explicit RowBinaryReader(std::string_view bytes) : rest_(bytes) {}

  bool AtEnd() const { return rest_.empty(); }
  bool Failed() const { return failed_; }
  uint64_t Word();
  int64_t Integer() { return static_cast<int64_t>(Word()); }
  double Number();
  std::string_view Text();  // points into the bytes
  std::vector<uint64_t> Words();

 private:
  uint64_t Length();
  void Fail() {
    failed_ = true;
    rest_ = {};
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace sparkprof
