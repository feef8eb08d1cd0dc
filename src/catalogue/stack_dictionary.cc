// SPDX-License-Identifier: Apache-2.0
#include "catalogue/stack_dictionary.h"

#include <algorithm>

#include "base/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kNotStored = "[stack not stored]";
constexpr uint32_t kNone = UINT32_MAX;

}  // namespace

// Copies stacks of one profile into the dictionary, shared callers once.
class StackDictionary::Copier {
 public:
  Copier(const Profile& from, StackDictionary* to)
      : from_(from), to_(to), stacks_(from.stacks.Size(), kNone), frames_(from.frames.Size(), kNone) {
    stacks_[0] = 0;
  }

  StackId Copy(StackId id) {
    path_.clear();
    for (; stacks_[id] == kNone; id = from_.stacks.Get(id).parent) path_.push_back(id);
    StackId copy = stacks_[id];
    for (auto node = path_.rbegin(); node != path_.rend(); ++node) {
      copy = Push(copy, CopyFrame(from_.stacks.Get(*node).frame));
      stacks_[*node] = copy;
    }
    return copy;
  }

 private:
  StackId Push(StackId parent, FrameId frame) {
    if (to_->stacks_.Size() < to_->max_stacks_) return to_->stacks_.Push(parent, frame);
    if (const StackId known = to_->stacks_.Find(parent, frame); known != 0) return known;
    const FrameId not_stored =
        to_->frames_.Intern({.name = to_->strings_.Intern(kNotStored), .kind = FrameKind::kSynthetic});
    // Frames below the one that ends a stack are part of it.
    return to_->stacks_.Get(parent).frame == not_stored ? parent : to_->stacks_.Push(parent, not_stored);
  }

  FrameId CopyFrame(FrameId id) {
    if (frames_[id] == kNone) {
      const Frame& frame = from_.frames.Get(id);
      const auto intern = [&](StringId text) { return to_->strings_.Intern(ToUtf8(from_.strings.Get(text))); };
      frames_[id] = to_->frames_.Intern({intern(frame.name), intern(frame.file), 0, frame.kind});
    }
    return frames_[id];
  }

  const Profile& from_;
  StackDictionary* to_;
  std::vector<StackId> stacks_;
  std::vector<FrameId> frames_;
  std::vector<StackId> path_;
};

std::vector<StackId> StackDictionary::Add(const Profile& from, const std::vector<StackId>& stacks) {
  Copier copier(from, this);
  std::vector<StackId> numbers;
  numbers.reserve(stacks.size());
  for (const StackId stack : stacks) numbers.push_back(copier.Copy(stack));
  return numbers;
}

bool StackDictionary::RestoreFrame(std::string_view function, std::string_view file, uint8_t kind) {
  const size_t next = frames_.Size();
  return kind <= static_cast<uint8_t>(FrameKind::kSynthetic) &&
         frames_.Intern({strings_.Intern(function), strings_.Intern(file), 0, static_cast<FrameKind>(kind)}) == next;
}

bool StackDictionary::RestoreStack(StackId parent, FrameId frame) {
  const size_t next = stacks_.Size();
  return parent < next && frame < frames_.Size() && stacks_.Push(parent, frame) == next;
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
  std::vector<StackId> copies(std::max<size_t>(1, std::min(rows_.size(), dictionary.Size())), kNone);
  constexpr StackId kUsed = kNone - 1;
  copies[0] = 0;
  for (const Row& row : sums_) {
    for (StackId id = row.stack; copies[id] == kNone; id = dictionary.Stack(id).parent) {
      copies[id] = kUsed;
    }
  }

  Profile profile;
  profile.events.push_back(event);
  std::vector<FrameId> frames(dictionary.FrameCount(), kNone);
  const auto copy_frame = [&](FrameId id) {
    if (frames[id] == kNone) {
      const Frame& frame = dictionary.GetFrame(id);
      frames[id] = profile.frames.Intern({profile.strings.Intern(dictionary.Text(frame.name)),
                                          profile.strings.Intern(dictionary.Text(frame.file)), 0, frame.kind});
    }
    return frames[id];
  };
  // Callers have smaller numbers, so they are copied before what they call.
  for (StackId id = 1; id < copies.size(); ++id) {
    if (copies[id] != kUsed) continue;
    const StackTable::Node& node = dictionary.Stack(id);
    copies[id] = profile.stacks.Push(copies[node.parent], copy_frame(node.frame));
  }
  profile.samples.reserve(sums_.size());
  for (const Row& row : sums_) {
    profile.samples.push_back({.stack = copies[row.stack], .weight = row.sum.weight, .count = row.sum.count});
  }
  return profile;
}

}  // namespace sparkprof
