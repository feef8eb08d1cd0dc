// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Flame graphs written by async-profiler as HTML: the calls in its script that draw frames, callers before callees.
// Since 3.0, names are in a pool ("const cpool") in which each entry repeats the start of the previous one, and
//     f(name*8+type,level,left,width,…)
//     u(name*8+type,width,…) one level deeper
//     n(name*8+type,width,…) next to it
// draw them; a missing width is the previous one. Earlier versions use f(level,left,width,type,'name',…). In
// differential graphs (jfrconv --diff), widths are those of the second profile. Also call trees (-o tree), lists of
//     <li><div>[0] 99.47% 1,880 self: 1.00% 20</div><span class="t1"> NAME</span>
// since 3.0 <li><div>99.47% [1,880] …. Numbers are samples unless the script has a unit.
//
// Pages of --reverse have the leaves at the root; their stacks are turned around. Flame graphs since 4.0 do not record
// it: they only record that they are drawn inverted, which may have other reasons.
class AsprofHtmlReader {
 public:
  explicit AsprofHtmlReader(ProfileBuilder* builder) : builder_(builder) {}

  // Whole lines. Call again with what follows, and Finish at the end.
  Result<void> AddLines(std::string_view lines);
  Result<void> Finish();

  static bool LooksLike(std::string_view head);

 private:
  // A frame whose callees are still being read.
  struct OpenFrame {
    StackId stack = 0;  // from the root of the page
    FrameId frame = 0;
    int64_t rest = 0;  // of its width, without its callees
  };

  Result<void> AddLine(std::string_view line);
  Result<void> AddFrame(std::string_view call, char function);
  Result<void> AddTreeFrame(std::string_view item);
  Result<void> Open(size_t level, std::string_view name, FrameKind kind);
  void AddEvent();
  Result<void> Expect(std::string_view what);
  void AddName(std::string_view line);
  void Close(size_t level);
  // Samples of the innermost open frame, in the order of a profile.
  StackId InnermostStack();

  ProfileBuilder* builder_;
  uint64_t line_number_ = 0;
  bool in_pool_ = false;
  bool has_event_ = false;
  bool is_whole_ = false;  // the script with the frames has ended
  bool is_reversed_ = false;
  bool is_inverted_ = false;
  bool is_difference_ = false;
  std::string unit_ = "samples";
  std::string last_name_;
  std::vector<std::string> names_;
  std::vector<OpenFrame> open_;
  size_t tree_level_ = 0;  // open lists of a call tree
  int64_t width_ = 0;
};

}  // namespace sparkprof
