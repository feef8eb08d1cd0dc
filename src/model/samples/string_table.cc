// SPDX-License-Identifier: Apache-2.0
#include "model/samples/string_table.h"

#include "model/hash_bytes.h"

namespace sparkprof {

StringTable::StringTable(const StringTable& other) : is_indexed_(false) {
  strings_.reserve(other.strings_.size());
  for (const std::string_view text : other.strings_) strings_.push_back(Store(text));
}

StringId StringTable::Intern(std::string_view text) {
  if (!is_indexed_) BuildIndex();
  const uint64_t hash = HashBytes(text);
  const uint32_t found = index_.Find(hash, [&](uint32_t id) { return strings_[id] == text; });
  if (found != HashIndex::kNone) return found;
  const auto id = static_cast<StringId>(strings_.size());
  strings_.push_back(Store(text));
  index_.Insert(hash, id, [&](uint32_t other) { return HashBytes(strings_[other]); });
  return id;
}

StringId StringTable::Append(std::string_view text) {
  is_indexed_ = false;
  strings_.push_back(Store(text));
  return static_cast<StringId>(strings_.size() - 1);
}

void StringTable::BuildIndex() {
  const auto hash = [&](uint32_t id) { return HashBytes(strings_[id]); };
  index_.Clear();
  for (StringId id = 0; id < strings_.size(); ++id) {
    const uint64_t of_text = hash(id);
    const uint32_t first = index_.Find(of_text, [&](uint32_t other) { return strings_[other] == strings_[id]; });
    if (first == HashIndex::kNone) index_.Insert(of_text, id, hash);
  }
  is_indexed_ = true;
}

std::string_view StringTable::Store(std::string_view text) {
  constexpr size_t kFirstChunkSize = 4 << 10;  // many segments have few strings
  constexpr size_t kChunkSize = 64 << 10;
  if (text.empty()) return {};
  if (chunks_.empty() || chunks_.back().size() + text.size() > chunks_.back().capacity()) {
    chunks_.emplace_back().reserve(std::max(chunks_.empty() ? kFirstChunkSize : kChunkSize, text.size()));
  }
  std::string& chunk = chunks_.back();
  const size_t start = chunk.size();
  chunk.append(text);
  return std::string_view(chunk).substr(start);
}

}  // namespace sparkprof
