// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/characters.h"
#include "base/text/text.h"
#include "formats/perf_script/perf_symbol.h"
#include "formats/read_input.h"
#include "formats/thread_dump/dumped_threads.h"

namespace sparkprof {
namespace {

// "Thread 2 (Thread 0x7f3c11aea700 (LWP 2345)):", "Thread 1 (process 2344):"
bool IsGdbThread(std::string_view line) {
  constexpr std::string_view kThread = "Thread ";
  if (!line.starts_with(kThread)) return false;
  const size_t open = line.find(" (");
  return open != std::string_view::npos && IsDigits(line.substr(kThread.size(), open - kThread.size())) &&
         (line.substr(open).starts_with(" (Thread 0x") || line.substr(open).starts_with(" (process ") ||
          line.substr(open).starts_with(" (LWP "));
}

// The text after the number of "#0  0x00007f in f () from x"; nullopt for other lines.
std::optional<std::string_view> GdbFrameText(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  const size_t end = std::min(line.find(' '), line.size());
  if (!IsDigits(line.substr(1, end - 1))) return std::nullopt;
  return Trim(line.substr(end));
}

// "0x00007f3c1f2e0a35 in pthread_cond_wait () from /lib64/libpthread.so.0", "work (n=3) at work.c:12"
std::optional<FrameId> AddGdbFrame(std::string_view text, ProfileBuilder* builder) {
  if (text.starts_with("0x")) {
    const size_t in = text.find(" in ");
    if (in == std::string_view::npos) return std::nullopt;
    text.remove_prefix(in + 4);
  }
  if (text.starts_with("<signal handler called>")) {
    return builder->AddFrame("<signal handler called>", FrameKind::kNative);
  }
  const size_t arguments = text.find(" (");
  if (arguments == std::string_view::npos || arguments == 0) return std::nullopt;
  std::string name(text.substr(0, arguments));
  if (name == "??") name = "[unknown]";
  TidyPerfName(&name);
  const size_t library = text.rfind(") from "), source = text.rfind(") at ");
  if (library != std::string_view::npos) {
    return builder->AddFrame(name, FrameKind::kNative, text.substr(library + 7), 0);
  }
  if (source == std::string_view::npos) return builder->AddFrame(name, FrameKind::kNative);
  const std::string_view place = text.substr(source + 5);
  const size_t colon = std::min(place.rfind(':'), place.size());
  return builder->AddFrame(name, FrameKind::kNative, place.substr(0, colon),
                           colon < place.size() ? LineNumberAt(place.substr(colon + 1)) : 0);
}

// Native stacks of threads as gdb's "thread apply all bt", and pstack and gstack, which run it, print them:
//   Thread 2 (Thread 0x7f3c11aea700 (LWP 2345) "worker"):
//   #0  0x00007f3c1f2e0a35 in pthread_cond_wait () from /lib64/libpthread.so.0
//   #1  work (n=3) at work.c:12
// A process with one thread may have no line for it. gdb does not print whether threads ran.
class GdbStacksReader {
 public:
  explicit GdbStacksReader(ProfileBuilder* builder) : builder_(builder), samples_(builder) {}

  Result<void> AddLine(std::string_view line) {
    ++line_number_;
    if (IsGdbThread(line)) {
      EndThread();
      const size_t id = line.find("(LWP "), process = line.find("(process ");
      const size_t digits = id != std::string_view::npos        ? id + 5
                            : process != std::string_view::npos ? process + 9
                                                                : line.size();
      std::from_chars(line.data() + digits, line.data() + line.size(), thread_.thread.tid);
      const size_t quote = line.find('"'), end = line.rfind('"');
      thread_.thread.name = quote < end ? std::string(line.substr(quote + 1, end - quote - 1))
                                        : fmt::format("thread {}", thread_.thread.tid);
      return {};
    }
    const std::optional<std::string_view> text = GdbFrameText(line);
    if (!text) return {};
    if (line.starts_with("#0 ") && !thread_.leaf_first.empty()) EndThread();
    const std::optional<FrameId> frame = AddGdbFrame(*text, builder_);
    if (!frame)
      return builder_->Damaged(
          fmt::format("line {}: expected a frame of gdb, '#0  0x… in FUNCTION (…)'", line_number_));
    thread_.leaf_first.push_back(*frame);
    return {};
  }

  Result<void> Finish() {
    EndThread();
    if (found_any_) return {};
    return builder_->Damaged(fmt::format("line {}: expected stacks of gdb, found none", line_number_));
  }

 private:
  void EndThread() {
    found_any_ = found_any_ || !thread_.leaf_first.empty();
    samples_.Add(thread_);
    thread_ = {.is_runnable = false};
  }

  ProfileBuilder* builder_;
  ThreadSamples samples_;
  uint64_t line_number_ = 0;
  bool found_any_ = false;
  DumpedThread thread_{.is_runnable = false};
};

}  // namespace

bool LooksLikeGdbStacks(std::string_view head) {
  bool after_thread = false;
  while (!head.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&head));
    const std::optional<std::string_view> frame = GdbFrameText(line);
    if (frame && line.starts_with("#0 ") &&
        (after_thread || (frame->starts_with("0x") && frame->find(" in ") != std::string_view::npos)))
      return true;
    after_thread = IsGdbThread(line);
  }
  return false;
}

Result<void> ReadGdbStacks(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return ReadLines<GdbStacksReader>(std::move(source), builder);
}

}  // namespace sparkprof
