// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/samples/profile.h"
#include "model/samples/stack_tables.h"

namespace sparkprof {

// Deduplicated stacks of many applications. Frames have no line numbers, because functions are what applications have
// in common. Numbers of frames and stacks are table rows; they never change, and catalogues store them. Not
// thread-safe.
class StackDictionary {
 public:
  // Beyond `max_stacks`, a new stack is replaced by its nearest known caller plus the frame "[stack not stored]".
  explicit StackDictionary(size_t max_stacks) : max_stacks_(max_stacks) {}

  // Numbers for `stacks` of `from`. Stack 0 is 0.
  std::vector<StackId> Add(const Profile& from, const std::vector<StackId>& stacks);

  // Restores the next stored frame or stack. Returns false if Add cannot have produced it (damaged).
  bool RestoreFrame(std::string_view function, std::string_view file, uint8_t kind);
  bool RestoreStack(StackId parent, FrameId frame);

  size_t Size() const { return tables_.stacks.Size(); }  // includes the empty stack
  size_t FrameCount() const { return tables_.frames.Size(); }
  const StackTable::Node& Stack(StackId id) const { return tables_.stacks.Get(id); }
  const Frame& GetFrame(FrameId id) const { return tables_.frames.Get(id); }
  std::string_view Text(StringId id) const { return tables_.strings.Get(id); }
  const StackTables& Tables() const { return tables_; }

 private:
  size_t max_stacks_;
  StackTables tables_;
};

// Weights by stack number, convertible to a profile with one event and one sample per stack.
class StackSums {
 public:
  // Stack numbers beyond `limit` are invalid and only counted.
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

  int64_t Count() const;  // number of samples
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
  std::vector<uint32_t> rows_;  // by stack: row of sums_ + 1; 0 = none
  std::vector<Row> sums_;
  int64_t unknown_ = 0;
};

}  // namespace sparkprof
