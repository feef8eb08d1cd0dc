// SPDX-License-Identifier: Apache-2.0
#include "model/samples/stack_table.h"

#include <algorithm>

namespace sparkprof {

FrameTable::FrameTable(std::vector<Frame> rows) : frames_(std::move(rows)), is_indexed_(false) {
  if (frames_.empty()) frames_.resize(1);
  frames_[0] = {};
}

void FrameTable::BuildIndex() {
  const auto hash = [&](uint32_t id) { return Hash(frames_[id]); };
  index_.Clear();
  for (FrameId id = 1; id < frames_.size(); ++id) {
    const uint32_t first = index_.Find(hash(id), [&](uint32_t other) { return frames_[other] == frames_[id]; });
    if (first == HashIndex::kNone) index_.Insert(hash(id), id, hash);
  }
  is_indexed_ = true;
}

uint64_t FrameTable::Hash(const Frame& frame) {
  const uint64_t name_and_file = uint64_t{frame.name} << 32 | frame.file;
  const uint64_t line_and_kind = uint64_t{frame.line} << 8 | static_cast<uint8_t>(frame.kind);
  return MixHash(MixHash(name_and_file) ^ line_and_kind);
}

FrameId FrameTable::Intern(const Frame& frame) {
  if (!is_indexed_) BuildIndex();
  const uint64_t hash = Hash(frame);
  const uint32_t found = index_.Find(hash, [&](uint32_t id) { return frames_[id] == frame; });
  if (found != HashIndex::kNone) return found;
  const auto id = static_cast<FrameId>(frames_.size());
  frames_.push_back(frame);
  index_.Insert(hash, id, [&](uint32_t other) { return Hash(frames_[other]); });
  return id;
}

StackTable::StackTable(std::vector<Node> nodes) : nodes_(std::move(nodes)), is_indexed_(false) {
  if (nodes_.empty()) nodes_.resize(1);
  nodes_[0] = {};
}

void StackTable::BuildIndex() {
  for (StackId id = 1; id < nodes_.size(); ++id) {
    const Node& node = nodes_[id];
    if (id != node.parent + 1) other_children_.Insert({node.parent, node.frame, id});
  }
  is_indexed_ = true;
}

StackId StackTable::PushOther(StackId parent, FrameId frame) {
  if (!is_indexed_) BuildIndex();
  const OtherChild child{parent, frame, static_cast<StackId>(nodes_.size())};
  if (const OtherChild* found = other_children_.Find(child)) return found->id;
  nodes_.push_back({parent, frame});
  other_children_.Insert(child);
  return child.id;
}

StackId StackTable::Find(StackId parent, FrameId frame) {
  const StackId next = parent + 1;
  if (next < nodes_.size() && nodes_[next].parent == parent && nodes_[next].frame == frame) return next;
  if (!is_indexed_) BuildIndex();
  const OtherChild* const found = other_children_.Find({parent, frame, 0});
  return found == nullptr ? 0 : found->id;
}

void StackTable::Unwind(StackId id, std::vector<FrameId>* frames) const {
  frames->clear();
  for (; id != 0; id = nodes_[id].parent) frames->push_back(nodes_[id].frame);
  std::reverse(frames->begin(), frames->end());
}

}  // namespace sparkprof
