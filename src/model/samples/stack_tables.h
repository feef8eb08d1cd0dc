// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/samples/stack_table.h"
#include "model/samples/string_table.h"

namespace sparkprof {

struct StackTables {
  StringTable strings;
  FrameTable frames;
  StackTable stacks;
};

// Copies stacks between sets of tables, each stack, frame and string once. Both must outlive it.
class StackCopier {
 public:
  // Accepts StackTables, or types with the same members: a profile, a segment.
  template <typename From, typename To>
  StackCopier(const From& from, To* to)
      : from_strings_(from.strings),
        from_frames_(from.frames),
        from_stacks_(from.stacks),
        to_strings_(to->strings),
        to_frames_(to->frames),
        to_stacks_(to->stacks),
        strings_(from.strings.Size()),
        frames_(from.frames.Size()),
        stacks_(from.stacks.Size()) {}

  using Rename = std::string (*)(std::string_view);

  // The following functions change what Copy does; call them before the first Copy. Places copies below this stack.
  void SetRoot(StackId root) { stacks_[0] = root; }
  // Drops lines: stacks that differ only in lines are merged.
  void DropLines() { keep_lines_ = false; }
  // Renames files with `name`.
  void NameFiles(Rename name) { name_file_ = name; }
  // Renames texts with `rename`, before NameFiles.
  void NameTexts(Rename rename) { name_text_ = rename; }
  // Beyond `max_stacks`, replaces a new stack by its nearest known caller plus this frame.
  void EndBeyond(size_t max_stacks, FrameId frame) {
    max_stacks_ = max_stacks;
    end_ = frame;
  }

  StackId Copy(StackId id);
  // Estimated size that the copies add to an encoded segment.
  size_t EncodedBytes() const { return encoded_bytes_; }

 private:
  StackId Push(StackId parent, FrameId frame);
  FrameId CopyFrame(FrameId id);
  StringId CopyString(StringId id, Rename name, std::vector<StringId>* copies);

  const StringTable& from_strings_;
  const FrameTable& from_frames_;
  const StackTable& from_stacks_;
  StringTable& to_strings_;
  FrameTable& to_frames_;
  StackTable& to_stacks_;
  std::vector<StringId> strings_;  // 0 = not copied yet
  std::vector<StringId> files_;    // the same for renamed files
  std::vector<FrameId> frames_;
  std::vector<StackId> stacks_;
  std::vector<StackId> path_;
  bool keep_lines_ = true;
  Rename name_file_ = nullptr;
  Rename name_text_ = nullptr;
  size_t max_stacks_ = SIZE_MAX;
  FrameId end_ = 0;
  size_t encoded_bytes_ = 0;
};

}  // namespace sparkprof
