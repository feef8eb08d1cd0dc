// SPDX-License-Identifier: Apache-2.0
#include "model/stack_copier.h"

namespace sparkprof {

StackCopier::StackCopier(const StringTable& strings, const FrameTable& frames, const StackTable& stacks, Profile* to)
    : from_strings_(strings),
      from_frames_(frames),
      from_stacks_(stacks),
      to_(to),
      stacks_(stacks.Size()),
      frames_(frames.Size()) {}

StackId StackCopier::Copy(StackId id) {
  path_.clear();
  for (; id != 0 && stacks_[id] == 0; id = from_stacks_.Get(id).parent) path_.push_back(id);
  StackId stack = stacks_[id];
  for (size_t i = path_.size(); i > 0; --i) {
    stack = to_->stacks.Push(stack, CopyFrame(from_stacks_.Get(path_[i - 1]).frame));
    stacks_[path_[i - 1]] = stack;
  }
  return stack;
}

FrameId StackCopier::CopyFrame(FrameId id) {
  if (frames_[id] == 0) {
    Frame frame = from_frames_.Get(id);
    frame.name = to_->strings.Intern(from_strings_.Get(frame.name));
    const std::string_view file = from_strings_.Get(frame.file);
    frame.file = to_->strings.Intern(name_file_ == nullptr ? file : name_file_(file));
    if (!keep_lines_) frame.line = 0;
    frames_[id] = to_->frames.Intern(frame);
  }
  return frames_[id];
}

}  // namespace sparkprof
