// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sparkprof {

// Makes the bytes of an hsperfdata file, as perfMemory.hpp describes them.
class PerfDataBuilder {
 public:
  explicit PerfDataBuilder(bool little_endian = true) : little_endian_(little_endian) {}

  PerfDataBuilder& Number(std::string_view name, int64_t value) {
    std::string data;
    Append(&data, static_cast<uint64_t>(value), 8);
    return Entry(name, 'J', 0, data);
  }

  PerfDataBuilder& Text(std::string_view name, std::string_view text) {
    std::string data(text);
    data.push_back('\0');
    return Entry(name, 'B', data.size(), data);
  }

  std::string Build() const {
    std::string file("\xca\xfe\xc0\xc0", 4);
    file += static_cast<char>(little_endian_ ? 1 : 0);
    file += '\2';  // version 2.0
    file += '\0';
    file += '\1';  // may be read
    Append(&file, 32 + entries_.size(), 4);
    Append(&file, 0, 4);
    Append(&file, 0, 8);
    Append(&file, 32, 4);
    Append(&file, count_, 4);
    return file + entries_;
  }

 private:
  PerfDataBuilder& Entry(std::string_view name, char type, size_t vector_length, std::string_view data) {
    const size_t data_offset = (20 + name.size() + 1 + 7) / 8 * 8;
    std::string entry;
    Append(&entry, data_offset + (data.size() + 3) / 4 * 4, 4);
    Append(&entry, 20, 4);
    Append(&entry, vector_length, 4);
    entry += type;
    entry.append(3, '\0');
    Append(&entry, data_offset, 4);
    entry += name;
    entry.resize(data_offset);
    entry += data;
    entry.resize((entry.size() + 3) / 4 * 4);
    entries_ += entry;
    ++count_;
    return *this;
  }

  void Append(std::string* out, uint64_t value, size_t size) const {
    for (size_t i = 0; i < size; ++i) {
      *out += static_cast<char>(value >> 8 * (little_endian_ ? i : size - 1 - i));
    }
  }

  bool little_endian_;
  std::string entries_;
  uint64_t count_ = 0;
};

}  // namespace sparkprof
