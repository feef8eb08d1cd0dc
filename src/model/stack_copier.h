// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace sparkprof {

// Copies stacks from one set of tables into a profile's, each stack and frame once. Both must outlive it.
class StackCopier {
 public:
  StackCopier(const StringTable& strings, const FrameTable& frames, const StackTable& stacks, Profile* to);

  // Copies go below this stack; call before the first one.
  void SetRoot(StackId root) { stacks_[0] = root; }
  // Copies have functions only: stacks that differ in lines alone become one. Call before the first one.
  void DropLines() { keep_lines_ = false; }
  // Copies name a frame's file as `name` does. Call before the first one.
  void NameFiles(std::string (*name)(std::string_view)) { name_file_ = name; }
  StackId Copy(StackId id);

 private:
  FrameId CopyFrame(FrameId id);

  const StringTable& from_strings_;
  const FrameTable& from_frames_;
  const StackTable& from_stacks_;
  Profile* to_;
  std::vector<StackId> stacks_;  // 0 = not copied yet
  std::vector<FrameId> frames_;
  std::vector<StackId> path_;
  bool keep_lines_ = true;
  std::string (*name_file_)(std::string_view) = nullptr;
};

}  // namespace sparkprof
