// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.h"

namespace sparkprof {

// The strings of a protobuf message, once each and valid UTF-8; the first is empty, as pprof and OTLP want it.
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
