// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_index.h"

namespace sparkprof {

// A position in a StringTable; 0 is the empty string.
using StringId = uint32_t;

// Deduplicated strings. Views stay valid while the table exists, even if it is moved. Not thread-safe.
class StringTable {
 public:
  StringTable() { Intern({}); }
  // A copy has its own bytes and the same IDs. Moving is noexcept so that a growing vector moves tables instead of
  // copying them.
  StringTable(const StringTable& other);
  StringTable& operator=(const StringTable& other) { return *this = StringTable(other); }
  StringTable(StringTable&&) noexcept = default;
  StringTable& operator=(StringTable&&) noexcept = default;

  StringId Intern(std::string_view text);
  // Adds a row that may be a duplicate. Hashed on the next Intern.
  StringId Append(std::string_view text);

  std::string_view Get(StringId id) const { return strings_[id]; }
  size_t Size() const { return strings_.size(); }

 private:
  std::string_view Store(std::string_view text);
  void BuildIndex();

  std::vector<std::string_view> strings_;
  std::vector<std::string> chunks_;  // never so short that its bytes move with the string object
  HashIndex index_;
  bool is_indexed_ = true;
};

}  // namespace sparkprof
