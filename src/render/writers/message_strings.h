// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text/text.h"

namespace sparkprof {

// The string table of a protobuf message: unique, valid UTF-8, and starting with the empty string, as pprof and OTLP
// require.
class MessageStrings {
 public:
  MessageStrings() { Row(""); }

  int32_t Row(std::string_view text) {
    const auto [entry, is_new] = rows_.emplace(ToUtf8(text), static_cast<int32_t>(rows_.size()));
    if (is_new) order_.push_back(entry->first);
    return entry->second;
  }
  const std::vector<std::string>& All() const { return order_; }

 private:
  std::unordered_map<std::string, int32_t> rows_;
  std::vector<std::string> order_;
};

}  // namespace sparkprof
