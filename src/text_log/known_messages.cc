// SPDX-License-Identifier: Apache-2.0
#include "text_log/known_messages.h"

#include <cstring>

#include "base/text/characters.h"
#include "base/text/text.h"

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

bool MessageTable::FindIn(std::string_view line, size_t* begin, size_t* end) const {
  constexpr size_t kMinBegin = 8;  // shorter ones occur in any text
  for (size_t at = 0; at + kKeySize <= line.size(); ++at) {
    const char before = at == 0 ? ' ' : line[at - 1];
    if (!IsUpper(line[at]) || IsAlnum(before) || before == '.' || before == '_' || before == '-') continue;
    for (const uint32_t row : buckets_[Bucket(line.data() + at)]) {
      const std::string_view wording = patterns_[row].Begin();
      if (wording.size() < kMinBegin || wording.find(' ') == std::string_view::npos) continue;
      bool is_open = false;
      const size_t size = patterns_[row].SizeIn(line.substr(at), &is_open);
      if (size == std::string_view::npos) continue;
      *begin = at;
      *end = is_open ? std::string_view::npos : at + size;
      return true;
    }
  }
  return false;
}

const MessageTable& AllMessages() {
  static const MessageTable table = [] {
    std::vector<KnownMessage> messages(EventMessages().begin(), EventMessages().end());
    for (const std::string_view line : Split(kMessageTables, '\n')) {
      if (!line.empty() && line.front() != '#') messages.push_back({MessageKind::kOther, line});
    }
    return MessageTable(std::move(messages));
  }();
  return table;
}

}  // namespace sparkprof
