// SPDX-License-Identifier: Apache-2.0
#include "catalogue/stack_dictionary.h"

#include <algorithm>

#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kNotStored = "[stack not stored]";

}  // namespace

std::vector<StackId> StackDictionary::Add(const Profile& from, const std::vector<StackId>& stacks) {
  StackCopier copier(from, &tables_);
  copier.DropLines();
  copier.NameTexts(ToUtf8);
  if (Size() + from.stacks.Size() > max_stacks_) {
    copier.EndBeyond(max_stacks_, tables_.frames.Intern(
                                      {.name = tables_.strings.Intern(kNotStored), .kind = FrameKind::kSynthetic}));
  }
  std::vector<StackId> numbers;
  numbers.reserve(stacks.size());
  for (const StackId stack : stacks) numbers.push_back(copier.Copy(stack));
  return numbers;
}

bool StackDictionary::RestoreFrame(std::string_view function, std::string_view file, uint8_t kind) {
  const size_t next = tables_.frames.Size();
  return kind <= static_cast<uint8_t>(FrameKind::kSynthetic) &&
         tables_.frames.Intern(
             {tables_.strings.Intern(function), tables_.strings.Intern(file), 0, static_cast<FrameKind>(kind)}) == next;
}

bool StackDictionary::RestoreStack(StackId parent, FrameId frame) {
  const size_t next = tables_.stacks.Size();
  return parent < next && frame < tables_.frames.Size() && tables_.stacks.Push(parent, frame) == next;
}

bool StackSums::Grow(StackId stack) {
  if (stack > limit_) {
    ++unknown_;
    return false;
  }
  rows_.resize(std::min(limit_ + 1, std::max<size_t>({size_t{stack} + 1, rows_.size() * 2, 1'024})));
  return true;
}

int64_t StackSums::Count() const {
  int64_t count = 0;
  for (const Row& row : sums_) AddSaturated(row.sum.count, &count);
  return count;
}

bool StackSums::AreIn(const StackDictionary& dictionary) const {
  return unknown_ == 0 &&
         std::all_of(sums_.begin(), sums_.end(), [&](const Row& row) { return row.stack < dictionary.Size(); });
}

Profile StackSums::ToProfile(const StackDictionary& dictionary, const ProfileEvent& event) const {
  Profile profile;
  profile.events.push_back(event);
  StackCopier copier(dictionary.Tables(), &profile);
  profile.samples.reserve(sums_.size());
  for (const Row& row : sums_) {
    profile.samples.push_back({.stack = copier.Copy(row.stack), .weight = row.sum.weight, .count = row.sum.count});
  }
  return profile;
}

}  // namespace sparkprof
