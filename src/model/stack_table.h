// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_table.h"
#include "base/hash_index.h"
#include "model/frame.h"

namespace sparkprof {

using FrameId = uint32_t;  // a position in a FrameTable; 0 = no frame
using StackId = uint32_t;  // a position in a StackTable; 0 = the empty stack

// Frames stored once each. Not thread-safe.
class FrameTable {
 public:
  FrameTable() : frames_(1) {}

  FrameId Intern(const Frame& frame);
  const Frame& Get(FrameId id) const { return frames_[id]; }
  size_t Size() const { return frames_.size(); }

 private:
  static uint64_t Hash(const Frame& frame);

  std::vector<Frame> frames_;
  HashIndex index_;
};

// Stacks as a prefix tree, root first: a stack is the id of its leaf's node. A parent's id is smaller than its
// children's, so one pass from the end adds up totals. Not thread-safe.
class StackTable {
 public:
  struct Node {
    StackId parent = 0;
    FrameId frame = 0;
  };

  StackTable() : nodes_(1), first_children_(1) {}

  // The stack `parent` with `frame` called from its leaf.
  StackId Push(StackId parent, FrameId frame) {
    const FirstChild& first = first_children_[parent];
    return first.frame == frame && first.id != 0 ? first.id : PushOther(parent, frame);
  }

  const Node& Get(StackId id) const { return nodes_[id]; }
  size_t Size() const { return nodes_.size(); }

  // Frame ids of `id`, root first, into `frames` (cleared before).
  void Unwind(StackId id, std::vector<FrameId>* frames) const;

 private:
  struct OtherChild {
    StackId parent = 0;
    FrameId frame = 0;
    StackId id = 0;

    bool IsUsed() const { return id != 0; }
    uint64_t Hash() const { return MixHash(uint64_t{parent} << 32 | frame); }
    bool HasKeyOf(const OtherChild& other) const { return parent == other.parent && frame == other.frame; }
  };
  struct FirstChild {
    FrameId frame = 0;
    StackId id = 0;  // 0 = none
  };

  StackId PushOther(StackId parent, FrameId frame);

  std::vector<Node> nodes_;
  // By node. Most nodes have one child only, and it follows its parent in memory: a stack is found and added without
  // hashing until it parts from those before.
  std::vector<FirstChild> first_children_;
  FlatTable<OtherChild> other_children_;
};

}  // namespace sparkprof
