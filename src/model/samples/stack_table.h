// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/flat_table.h"
#include "base/hash_index.h"
#include "model/samples/frame.h"

namespace sparkprof {

using FrameId = uint32_t;  // a position in a FrameTable; 0 = no frame
using StackId = uint32_t;  // a position in a StackTable; 0 = the empty stack

// Deduplicated frames. Not thread-safe.
class FrameTable {
 public:
  FrameTable() : frames_(1) {}
  // Rows may contain duplicates; row 0 means no frame. Hashed on the next Intern.
  explicit FrameTable(std::vector<Frame> rows);

  FrameId Intern(const Frame& frame);
  const Frame& Get(FrameId id) const { return frames_[id]; }
  size_t Size() const { return frames_.size(); }

 private:
  static uint64_t Hash(const Frame& frame);
  void BuildIndex();

  std::vector<Frame> frames_;
  HashIndex index_;
  bool is_indexed_ = true;
};

// Stacks as a prefix tree, root first: a stack is the ID of its leaf's node. A parent's ID is smaller than its
// children's, so one pass from the end computes totals. Not thread-safe.
class StackTable {
 public:
  struct Node {
    StackId parent = 0;
    FrameId frame = 0;
  };

  StackTable() : nodes_(1) {}
  // Nodes must follow their parents and may contain duplicates; node 0 is the empty stack. Hashed on the next Push or
  // Find.
  explicit StackTable(std::vector<Node> nodes);

  StackId Push(StackId parent, FrameId frame) {
    const StackId next = parent + 1;
    if (next == nodes_.size()) {
      nodes_.push_back({parent, frame});
      return next;
    }
    const Node& node = nodes_[next];
    return node.parent == parent && node.frame == frame ? next : PushOther(parent, frame);
  }

  // The stack that Push would return; 0 if it does not exist.
  StackId Find(StackId parent, FrameId frame);

  // Prefetches for an upcoming Push.
  void Prefetch(StackId parent, FrameId frame) const {
    __builtin_prefetch(nodes_.data() + parent + 1);
    other_children_.Prefetch({parent, frame});
  }

  const Node& Get(StackId id) const { return nodes_[id]; }
  size_t Size() const { return nodes_.size(); }

  // Stores the frame IDs of `id`, root first, in `frames` (cleared before).
  void Unwind(StackId id, std::vector<FrameId>* frames) const;

 private:
  // A child that does not directly follow its parent.
  struct OtherChild {
    StackId parent = 0;
    FrameId frame = 0;
    StackId id = 0;

    bool IsUsed() const { return id != 0; }
    uint64_t Hash() const { return MixHash(uint64_t{parent} << 32 | frame); }
    bool HasKeyOf(const OtherChild& other) const { return parent == other.parent && frame == other.frame; }
  };
  StackId PushOther(StackId parent, FrameId frame);
  void BuildIndex();

  // Most nodes have a single child, which follows its parent in memory: a stack is found and added without hashing
  // until it diverges from earlier ones.
  std::vector<Node> nodes_;
  FlatTable<OtherChild> other_children_;
  bool is_indexed_ = true;
};

}  // namespace sparkprof
