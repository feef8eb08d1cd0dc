// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/text/text.h"
#include "formats/read_input.h"
#include "formats/thread_dump/dumped_threads.h"

namespace sparkprof {
namespace {

// "com/example/Work.fib(Work.java:12(Compiled Code))", also without a line: "(Native Method)", "(Bytecode PC:7)"
std::optional<FrameId> AddJavacoreFrame(std::string_view text, ProfileBuilder* builder) {
  const size_t open = text.find('(');
  if (open == std::string_view::npos || open == 0 || !text.ends_with(')')) return std::nullopt;
  std::string name(text.substr(0, open));
  std::replace(name.begin(), name.end(), '/', '.');
  std::string_view place = text.substr(open + 1);
  const bool is_compiled = place.find("(Compiled Code)") != std::string_view::npos;
  place = place.substr(0, place.find_first_of("()"));
  const FrameKind kind = is_compiled ? FrameKind::kJit : FrameKind::kInterpreted;
  const size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || place.starts_with("Bytecode PC")) return builder->AddFrame(name, kind);
  return builder->AddFrame(name, kind, place.substr(0, colon), LineNumberAt(place.substr(colon + 1)));
}

// The threads of a javacore, the diagnostic file of Eclipse OpenJ9 and IBM's JVMs. Each line begins with a tag; the
// others are skipped:
//   3XMTHREADINFO      "main" J9VMThread:0x…, omrthread_t:0x…, java/lang/Thread:0x…, state:R, prio=5
//   3XMTHREADINFO1            (native thread ID:0x1E9F, native priority:0x5, …)
//   4XESTACKTRACE                at com/example/Work.fib(Work.java:12(Compiled Code))
// Format: the documentation of OpenJ9, "Java dump".
class JavacoreReader {
 public:
  explicit JavacoreReader(ProfileBuilder* builder) : builder_(builder), samples_(builder) {}

  Result<void> AddLine(std::string_view line) {
    ++line_number_;
    const size_t tag_end = std::min(line.find(' '), line.size());
    const std::string_view tag = line.substr(0, tag_end), text = Trim(line.substr(tag_end));
    if (tag == "3XMTHREADINFO") {
      EndThread();
      const size_t name_end = text.rfind('"');
      // "Anonymous native thread" has no name.
      in_thread_ = text.starts_with('"') && name_end > 0;
      if (!in_thread_) return {};
      thread_.thread.name = std::string(text.substr(1, name_end - 1));
      thread_.is_runnable = text.substr(name_end).find("state:R,") != std::string_view::npos;
    } else if (tag == "3XMTHREADINFO1" && in_thread_) {
      constexpr std::string_view kId = "native thread ID:0x";
      if (const size_t at = text.find(kId); at != std::string_view::npos) {
        std::from_chars(text.data() + at + kId.size(), text.data() + text.size(), thread_.thread.tid, 16);
      }
    } else if (tag == "4XESTACKTRACE" && in_thread_) {
      const std::optional<FrameId> frame =
          text.starts_with("at ") ? AddJavacoreFrame(text.substr(3), builder_) : std::nullopt;
      if (!frame) {
        return builder_->Damaged(fmt::format("line {}: expected at CLASS.METHOD(FILE:LINE)", line_number_));
      }
      thread_.leaf_first.push_back(*frame);
    } else if (tag == "0SECTION") {
      EndThread();
      is_whole_ = is_whole_ || found_any_;
    }
    return {};
  }

  Result<void> Finish() {
    EndThread();
    if (!found_any_)
      return builder_->Damaged(fmt::format("line {}: expected threads of a javacore, found none", line_number_));
    if (is_whole_) return {};
    return builder_->Damaged(fmt::format("line {}: expected a section after the threads, found the end", line_number_));
  }

 private:
  void EndThread() {
    if (std::exchange(in_thread_, false)) {
      found_any_ = true;
      samples_.Add(thread_);
    }
    thread_ = {};
  }

  ProfileBuilder* builder_;
  ThreadSamples samples_;
  uint64_t line_number_ = 0;
  bool in_thread_ = false;
  bool found_any_ = false;
  bool is_whole_ = false;  // the section of threads has ended
  DumpedThread thread_;
};

}  // namespace

bool LooksLikeJavacore(std::string_view head) {
  return head.find("0SECTION ") != std::string_view::npos &&
         head.find("subcomponent dump routine") != std::string_view::npos;
}

Result<void> ReadJavacore(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return ReadLines<JavacoreReader>(std::move(source), builder);
}

}  // namespace sparkprof
