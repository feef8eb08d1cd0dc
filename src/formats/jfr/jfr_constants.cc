// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_constants.h"

#include <algorithm>

#include "formats/jfr/jfr_chunk_header.h"

namespace sparkprof {
namespace {

constexpr uint64_t kPoolOfConstants = 1;
// A string may refer to a constant string; that one refers to no other.
constexpr int kMaxTextDepth = 4;
// Entries reserved by an untrusted count; larger pools grow as their records are found.
constexpr uint64_t kMaxReserve = 4096;
// Places for each constant up to which keys are not hashed: async-profiler numbers stacks by their place in a table.
constexpr uint64_t kMaxPlacesPerKey = 8;

}  // namespace

JfrPool::Entry* JfrPool::Find(uint64_t key) {
  if (!places_.empty()) {
    const uint64_t place = key - least_key_;
    return place < places_.size() && places_[place] != 0 ? &entries_[places_[place] - 1] : nullptr;
  }
  const uint32_t found = hashed_.Find(MixHash(key), [&](uint32_t id) { return entries_[id].key == key; });
  return found == HashIndex::kNone ? nullptr : &entries_[found];
}

void JfrPool::BuildIndex() {
  if (entries_.empty()) return;
  const auto by_key = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  const auto [least, most] = std::minmax_element(entries_.begin(), entries_.end(), by_key);
  const uint64_t range = most->key - least->key;
  const auto count = static_cast<uint32_t>(entries_.size());
  if (range / kMaxPlacesPerKey < count) {
    least_key_ = least->key;
    places_.resize(range + 1);
    for (uint32_t id = count; id > 0; --id) places_[entries_[id - 1].key - least_key_] = id;
    return;
  }
  const auto hash = [&](uint32_t id) { return MixHash(entries_[id].key); };
  for (uint32_t id = 0; id < count; ++id) {
    if (Find(entries_[id].key) == nullptr) hashed_.Insert(hash(id), id, hash);
  }
}

uint64_t JfrConstants::Read(size_t position) {
  const uint64_t damaged = ReadEvents(position);
  for (auto& [type, pool] : pools_) pool.BuildIndex();
  return damaged;
}

uint64_t JfrConstants::ReadEvents(size_t position) {
  uint64_t damaged = 0;
  for (;;) {
    int64_t offset_of_previous = 0;
    if (!ReadEvent(position, &offset_of_previous)) ++damaged;
    if (offset_of_previous == 0) return damaged;
    // Only backwards, so that the chain ends.
    const auto lowest = static_cast<int64_t>(kJfrHeaderSize) - static_cast<int64_t>(position);
    if (offset_of_previous > 0 || offset_of_previous < lowest) return damaged + 1;
    position = static_cast<size_t>(static_cast<int64_t>(position) + offset_of_previous);
  }
}

bool JfrConstants::ReadEvent(size_t position, int64_t* offset_of_previous) {
  JfrCursor frame(chunk_, position, chunk_.size());
  const uint64_t size = frame.Varint();
  if (frame.Failed() || size > chunk_.size() - position || position + size < frame.Position()) return false;
  JfrCursor cursor(chunk_, frame.Position(), position + size);
  if (cursor.Varint() != kPoolOfConstants) return false;
  cursor.Varint();  // start
  cursor.Varint();  // duration
  const auto previous = static_cast<int64_t>(cursor.Varint());
  cursor.Byte();  // flags: what caused the event
  if (cursor.Failed()) return false;
  *offset_of_previous = previous;
  return ReadPools(&cursor);
}

bool JfrConstants::ReadPools(JfrCursor* cursor) {
  const uint64_t pool_count = cursor->Varint();
  for (uint64_t i = 0; i < pool_count && !cursor->Failed(); ++i) {
    const uint64_t type = cursor->Varint();
    const uint64_t count = cursor->Varint();
    if (count > cursor->Remaining()) return false;
    const JfrPlan& plan = plans_->Get(plans_->For(type));
    if (!plan.usable) return false;
    JfrPool& pool = pools_.try_emplace(type, &plan).first->second;
    pool.Reserve(std::min<uint64_t>(count, kMaxReserve));
    for (uint64_t j = 0; j < count; ++j) {
      const uint64_t key = cursor->Varint();
      const size_t position = cursor->Position();
      plans_->Skip(plan, cursor, 1);
      if (cursor->Failed()) return false;
      pool.Add(key, static_cast<uint32_t>(position), static_cast<uint32_t>(cursor->Position() - position));
    }
  }
  return !cursor->Failed();
}

JfrPool* JfrConstants::Find(uint64_t type) {
  const auto found = pools_.find(type);
  return found == pools_.end() ? nullptr : &found->second;
}

JfrPool* JfrConstants::FindByName(std::string_view type_name) {
  for (const JfrType& type : metadata_->types) {
    if (type.name != type_name) continue;
    if (JfrPool* pool = Find(type.id)) return pool;
  }
  return nullptr;
}

bool JfrConstants::ReadConstant(JfrPool* pool, uint64_t key, JfrValues* values) const {
  const JfrPool::Entry* entry = pool == nullptr ? nullptr : pool->Find(key);
  if (entry == nullptr) return false;
  JfrCursor cursor(chunk_, entry->position, chunk_.size());
  plans_->Read(pool->Plan(), &cursor, values);
  return true;
}

std::string_view JfrConstants::Text(const JfrStep* step, int64_t value, std::string* scratch) {
  if (step == nullptr) return {};
  if (step->constant_pool) return RecordText(Find(step->type), static_cast<uint64_t>(value), scratch);
  if (step->op == JfrOp::kString) return TextAt(static_cast<size_t>(value), 0, scratch);
  return {};
}

std::string_view JfrConstants::TextAt(size_t position, int depth, std::string* scratch) {
  JfrCursor cursor(chunk_, position, chunk_.size());
  const JfrText text = ReadJfrString(&cursor, scratch);
  if (!text.is_constant) return text.text;
  const auto is_string = [](const JfrType& type) { return type.name == "java.lang.String"; };
  const auto type = std::find_if(metadata_->types.begin(), metadata_->types.end(), is_string);
  if (type == metadata_->types.end()) return {};
  return RecordTextAt(Find(type->id), text.constant, depth + 1, scratch);
}

std::string_view JfrConstants::RecordText(JfrPool* pool, uint64_t key, std::string* scratch) {
  return RecordTextAt(pool, key, 0, scratch);
}

std::string_view JfrConstants::RecordTextAt(JfrPool* pool, uint64_t key, int depth, std::string* scratch) {
  const JfrPool::Entry* entry = pool == nullptr || depth > kMaxTextDepth ? nullptr : pool->Find(key);
  if (entry == nullptr) return {};
  JfrCursor cursor(chunk_, entry->position, chunk_.size());
  if (!plans_->SeekString(pool->Plan(), &cursor)) return {};
  return TextAt(cursor.Position(), depth, scratch);
}

}  // namespace sparkprof
