// SPDX-License-Identifier: Apache-2.0
#include "text_log/known_messages.h"

#include <cstring>

namespace sparkprof {

uint32_t MessageTable::Bucket(const char* key) {
  uint32_t bytes = 0;
  std::memcpy(&bytes, key, kKeySize);
  return bytes * 2654435761U >> 20;  // multiplicative hashing: 12 bits
}

MessageTable::MessageTable(std::vector<KnownMessage> messages) : messages_(std::move(messages)) {
  for (const KnownMessage& message : messages_) {
    const auto row = static_cast<uint32_t>(patterns_.size());
    const std::string_view begin = patterns_.emplace_back(message.pattern).Begin();
    if (begin.size() < kKeySize) {
      anywhere_.push_back(row);
    } else {
      buckets_[Bucket(begin.data())].push_back(row);
    }
  }
}

size_t MessageTable::Find(std::string_view message, MessageValues* values) const {
  if (message.size() >= kKeySize) {
    for (const uint32_t row : buckets_[Bucket(message.data())]) {
      if (patterns_[row].Match(message, values)) return row;
    }
  }
  for (const uint32_t row : anywhere_) {
    if (patterns_[row].Match(message, values)) return row;
  }
  return kNone;
}

}  // namespace sparkprof
