// SPDX-License-Identifier: Apache-2.0
#include "model/samples/stack_tables.h"

namespace sparkprof {

StackId StackCopier::Copy(StackId id) {
  path_.clear();
  for (; id != 0 && stacks_[id] == 0; id = from_stacks_.Get(id).parent) path_.push_back(id);
  StackId stack = stacks_[id];
  for (size_t i = path_.size(); i > 0; --i) {
    stack = Push(stack, CopyFrame(from_stacks_.Get(path_[i - 1]).frame));
    stacks_[path_[i - 1]] = stack;
  }
  constexpr size_t kStackBytes = 6;
  encoded_bytes_ += path_.size() * kStackBytes;
  return stack;
}

StackId StackCopier::Push(StackId parent, FrameId frame) {
  if (to_stacks_.Size() < max_stacks_) return to_stacks_.Push(parent, frame);
  if (const StackId known = to_stacks_.Find(parent, frame); known != 0) return known;
  // Frames below the frame that ends a truncated stack are dropped.
  return to_stacks_.Get(parent).frame == end_ ? parent : to_stacks_.Push(parent, end_);
}

FrameId StackCopier::CopyFrame(FrameId id) {
  constexpr size_t kFrameBytes = 10;
  if (id == 0 || frames_[id] != 0) return frames_[id];
  Frame frame = from_frames_.Get(id);
  frame.name = CopyString(frame.name, nullptr, &strings_);
  if (name_file_ != nullptr) files_.resize(strings_.size());
  frame.file = CopyString(frame.file, name_file_, name_file_ == nullptr ? &strings_ : &files_);
  if (!keep_lines_) frame.line = 0;
  encoded_bytes_ += kFrameBytes;
  return frames_[id] = to_frames_.Intern(frame);
}

StringId StackCopier::CopyString(StringId id, Rename name, std::vector<StringId>* copies) {
  constexpr size_t kLengthBytes = 3;
  StringId& copy = (*copies)[id];
  if (id == 0 || copy != 0) return copy;
  const std::string_view text = from_strings_.Get(id);
  encoded_bytes_ += text.size() + kLengthBytes;
  if (name == nullptr && name_text_ == nullptr) return copy = to_strings_.Intern(text);
  const std::string shown = name_text_ == nullptr ? std::string(text) : name_text_(text);
  return copy = to_strings_.Intern(name == nullptr ? shown : name(shown));
}

}  // namespace sparkprof
