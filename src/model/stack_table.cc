// SPDX-License-Identifier: Apache-2.0
#include "model/stack_table.h"

#include <algorithm>

namespace sparkprof {

uint64_t FrameTable::Hash(const Frame& frame) {
  const uint64_t name_and_file = uint64_t{frame.name} << 32 | frame.file;
  const uint64_t line_and_kind = uint64_t{frame.line} << 8 | static_cast<uint8_t>(frame.kind);
  return MixHash(MixHash(name_and_file) ^ line_and_kind);
}

FrameId FrameTable::Intern(const Frame& frame) {
  const uint64_t hash = Hash(frame);
  const uint32_t found = index_.Find(hash, [&](uint32_t id) { return frames_[id] == frame; });
  if (found != HashIndex::kNone) return found;
  const auto id = static_cast<FrameId>(frames_.size());
  frames_.push_back(frame);
  index_.Insert(hash, id, [&](uint32_t other) { return Hash(frames_[other]); });
  return id;
}

StackId StackTable::Push(StackId parent, FrameId frame) {
  const auto hash_of = [](const Node& node) { return MixHash(uint64_t{node.parent} << 32 | node.frame); };
  const Node node{parent, frame};
  const uint64_t hash = hash_of(node);
  const uint32_t found = index_.Find(
      hash, [&](uint32_t id) { return nodes_[id].parent == parent && nodes_[id].frame == frame; });
  if (found != HashIndex::kNone) return found;
  const auto id = static_cast<StackId>(nodes_.size());
  nodes_.push_back(node);
  index_.Insert(hash, id, [&](uint32_t other) { return hash_of(nodes_[other]); });
  return id;
}

void StackTable::Unwind(StackId id, std::vector<FrameId>* frames) const {
  frames->clear();
  for (; id != 0; id = nodes_[id].parent) frames->push_back(nodes_[id].frame);
  std::reverse(frames->begin(), frames->end());
}

}  // namespace sparkprof
