// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "model/stack_tables.h"

namespace sparkprof {

// The stacks of many applications, each once: frames without lines, as functions are what applications have in common.
// Numbers of frames and stacks are rows of its tables, never change, and are what a catalogue stores. Not thread-safe.
class StackDictionary {
 public:
  // New stacks beyond so many are those of their callers that are known, with the frame "[stack not stored]" at the
  // end.
  explicit StackDictionary(size_t max_stacks) : max_stacks_(max_stacks) {}

  // The numbers of `stacks`, which are stacks of `from`. Stack 0 is 0.
  std::vector<StackId> Add(const Profile& from, const std::vector<StackId>& stacks);

  // Restores the next frame or stack from storage; false if it is not as Add makes them (damaged).
  bool RestoreFrame(std::string_view function, std::string_view file, uint8_t kind);
  bool RestoreStack(StackId parent, FrameId frame);

  size_t Size() const { return tables_.stacks.Size(); }  // with the empty stack
  size_t FrameCount() const { return tables_.frames.Size(); }
  const StackTable::Node& Stack(StackId id) const { return tables_.stacks.Get(id); }
  const Frame& GetFrame(FrameId id) const { return tables_.frames.Get(id); }
  std::string_view Text(StringId id) const { return tables_.strings.Get(id); }
  const StackTables& Tables() const { return tables_; }

 private:
  size_t max_stacks_;
  StackTables tables_;
};

// Weights by number of a dictionary, as a profile of one event with one sample for each stack.
class StackSums {
 public:
  // Numbers beyond `limit` do not exist: they are counted only.
  explicit StackSums(size_t limit) : limit_(limit) {}

  void Add(StackId stack, int64_t weight, int64_t count) {
    if (stack >= rows_.size() && !Grow(stack)) return;
    uint32_t& row = rows_[stack];
    if (row == 0) {
      sums_.push_back({stack, {}});
      row = static_cast<uint32_t>(sums_.size());
    }
    StackWeight& sum = sums_[row - 1].sum;
    AddSaturated(weight, &sum.weight);
    AddSaturated(count, &sum.count);
  }

  int64_t Count() const;  // of samples
  // False if the dictionary has not all stacks.
  bool AreIn(const StackDictionary& dictionary) const;
  // All stacks must be in the dictionary.
  Profile ToProfile(const StackDictionary& dictionary, const ProfileEvent& event) const;

 private:
  struct Row {
    StackId stack = 0;
    StackWeight sum;
  };
  bool Grow(StackId stack);

  size_t limit_;
  std::vector<uint32_t> rows_;  // by stack: row of sums_ + 1, 0 = none
  std::vector<Row> sums_;
  int64_t unknown_ = 0;
};

}  // namespace sparkprof
