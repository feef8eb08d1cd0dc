// SPDX-License-Identifier: Apache-2.0
#include "formats/thread_dump/gdb_stacks_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "base/characters.h"
#include "base/lines.h"
#include "base/text.h"
#include "formats/feed_lines.h"
#include "formats/perf_script/perf_symbol.h"

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

// Behind the number of "#0  0x00007f in f () from x"; nothing for other lines.
std::optional<std::string_view> GdbFrameText(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  const size_t end = std::min(line.find(' '), line.size());
  if (!IsDigits(line.substr(1, end - 1))) return std::nullopt;
  return Trim(line.substr(end));
}

// "0x00007f3c1f2e0a35 in pthread_cond_wait () from /lib64/libpthread.so.0", "work (n=3) at work.c:12"
std::optional<Frame> ParseGdbFrame(std::string_view text, StringTable* strings) {
  if (text.starts_with("0x")) {
    const size_t in = text.find(" in ");
    if (in == std::string_view::npos) return std::nullopt;
    text.remove_prefix(in + 4);
  }
  if (text.starts_with("<signal handler called>")) {
    return Frame{.name = strings->Intern("<signal handler called>"), .kind = FrameKind::kNative};
  }
  const size_t arguments = text.find(" (");
  if (arguments == std::string_view::npos || arguments == 0) return std::nullopt;
  std::string name(text.substr(0, arguments));
  if (name == "??") name = "[unknown]";
  TidyPerfName(&name);
  Frame frame{.name = strings->Intern(name), .kind = FrameKind::kNative};
  const size_t library = text.rfind(") from "), source = text.rfind(") at ");
  if (library != std::string_view::npos) {
    frame.file = strings->Intern(text.substr(library + 7));
  } else if (source != std::string_view::npos) {
    const std::string_view place = text.substr(source + 5);
    const size_t colon = std::min(place.rfind(':'), place.size());
    frame.file = strings->Intern(place.substr(0, colon));
    if (colon < place.size()) std::from_chars(place.data() + colon + 1, place.data() + place.size(), frame.line);
  }
  return frame;
}

}  // namespace

bool GdbStacksReader::LooksLike(std::string_view head) {
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

void GdbStacksReader::EndThread() {
  found_any_ = found_any_ || !thread_.leaf_first.empty();
  samples_.Add(thread_);
  thread_ = {.is_runnable = false};
}

Result<void> GdbStacksReader::AddLine(std::string_view line) {
  ++line_number_;
  line = WithoutCarriageReturn(line);
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
  const std::optional<Frame> frame = ParseGdbFrame(*text, &builder_->profile().strings);
  if (!frame)
    return builder_->Damaged(fmt::format("line {}: expected a frame of gdb, '#0  0x… in FUNCTION (…)'", line_number_));
  thread_.leaf_first.push_back(builder_->profile().frames.Intern(*frame));
  return {};
}

Result<void> GdbStacksReader::AddLines(std::string_view lines) {
  return ForEachLine(lines, [&](std::string_view line) { return AddLine(line); });
}

Result<void> GdbStacksReader::Finish() {
  EndThread();
  if (found_any_) return {};
  return builder_->Damaged(fmt::format("line {}: expected stacks of gdb, found none", line_number_));
}

}  // namespace sparkprof
