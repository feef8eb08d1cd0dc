// SPDX-License-Identifier: Apache-2.0
#include "formats/thread_dump/thread_dump_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "base/characters.h"
#include "base/lines.h"
#include "base/text.h"
#include "base/time.h"
#include "formats/feed_lines.h"

namespace sparkprof {
namespace {

constexpr std::string_view kFaultHandler = "(most recent call first)";

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The number after `key`, hexadecimal after "0x"; 0 without one.
int64_t NumberBehind(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  if (at == std::string_view::npos) return 0;
  line.remove_prefix(at + key.size());
  int base = 10;
  if (line.starts_with("0x")) {
    line.remove_prefix(2);
    base = 16;
  }
  uint64_t number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number, base);
  return number > INT64_MAX ? 0 : static_cast<int64_t>(number);
}

uint32_t LineOf(std::string_view text) {
  uint32_t line = 0;
  std::from_chars(text.data(), text.data() + text.size(), line);
  return line;
}

bool IsJavaThread(std::string_view line) {
  return line.starts_with('"') && (Has(line, " tid=") || Has(line, " nid=") || Has(line, " #"));
}
bool IsFaultHandlerThread(std::string_view line) {
  return (line.starts_with("Thread 0x") || line.starts_with("Current thread 0x")) && Has(line, kFaultHandler);
}
// HotSpot's dumps have a start and an end marker.
bool IsHotSpotBegin(std::string_view line) { return line.starts_with("Full thread dump ") && Has(line, " VM ("); }
bool IsHotSpotEnd(std::string_view line) { return line.starts_with("JNI global ref"); }
// The time that HotSpot prints above a dump, "2026-11-21 13:00:00", read as UTC because it has no zone.
std::optional<int64_t> TimeOf(std::string_view line) {
  constexpr std::string_view kShape = "0000-00-00 00:00:00";
  if (line.size() != kShape.size()) return std::nullopt;
  for (size_t i = 0; i < line.size(); ++i) {
    if (kShape[i] == '0' ? !IsDigit(line[i]) : line[i] != kShape[i]) return std::nullopt;
  }
  const auto number = [&](size_t begin, size_t size) {
    int value = 0;
    std::from_chars(line.data() + begin, line.data() + begin + size, value);
    return value;
  };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  // Nanoseconds of other years may be too many.
  if (!day.ok() || number(0, 4) < 1970 || number(0, 4) > 2200) return std::nullopt;
  const int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  return (((days * 24 + number(11, 2)) * 60 + number(14, 2)) * 60 + number(17, 2)) * kNanosPerSecond;
}
bool IsPySpyThread(std::string_view line) {
  return line.starts_with("Thread ") && (Has(line, " (active") || Has(line, " (idle)"));
}

}  // namespace

ThreadDumpReader::ThreadDumpReader(ProfileBuilder* builder)
    : builder_(builder),
      samples_(builder->AddEvent("samples", "count")),
      runnable_(builder->AddEvent("runnable", "count")) {
  builder->profile().default_event = samples_;
}

bool ThreadDumpReader::LooksLike(std::string_view head) {
  if (Has(head, "Full thread dump ") || Has(head, kFaultHandler)) return true;
  while (!head.empty()) {
    const std::string_view line = TakeLine(&head);
    if (IsPySpyThread(line)) return true;
    if (IsJavaThread(line) && (Has(line, " tid=") || Has(line, " nid="))) return true;
  }
  return false;
}

bool ThreadDumpReader::BeginThread(std::string_view line) {
  thread_ = {};
  is_runnable_ = true;  // unless a state follows
  if (IsJavaThread(line)) {
    const size_t end = line.find('"', 1);
    if (end == std::string_view::npos) return false;
    thread_.name = std::string(line.substr(1, end - 1));
    thread_.tid = NumberBehind(line.substr(end), " nid=");
    is_runnable_ = Has(line.substr(end), " runnable");
    return true;
  }
  if (IsFaultHandlerThread(line)) {
    // Since Python 3.14 with the thread's name: "Thread 0x… [name] (most …".
    const size_t open = line.find('['), close = line.find(']');
    if (open != std::string_view::npos && close != std::string_view::npos && close > open) {
      thread_.name = std::string(line.substr(open + 1, close - open - 1));
    } else {
      const size_t begin = line.find("0x");
      thread_.name = fmt::format("thread {}", line.substr(begin, line.find(' ', begin) - begin));
    }
    return true;
  }
  if (IsPySpyThread(line)) {
    thread_.tid = NumberBehind(line, "Thread ");
    const size_t name = line.find(": \"");
    if (name != std::string_view::npos) thread_.name = std::string(line.substr(name + 3, line.rfind('"') - name - 3));
    is_runnable_ = Has(line, " (active");
    return true;
  }
  return false;
}

Result<void> ThreadDumpReader::Expect(std::string_view what) {
  return builder_->Damaged(fmt::format("line {}: expected {}", line_number_, what));
}

Result<void> ThreadDumpReader::AddFrame(std::string_view line) {
  const std::string_view text = Trim(line);
  StringTable& strings = builder_->profile().strings;
  Frame frame;
  if (line.starts_with("\tat ") || line.starts_with("        at ")) {
    // "at java.lang.Thread.run(Thread.java:840)"; either part may start with a module
    const size_t open = text.rfind('(');
    if (open == std::string_view::npos || !text.ends_with(')')) return Expect("at CLASS.METHOD(FILE:LINE)");
    std::string_view name = text.substr(3, open - 3);
    if (const size_t module = name.rfind('/'); module != std::string_view::npos && !Has(name.substr(0, module), "$$")) {
      name.remove_prefix(module + 1);
    }
    std::string_view place = text.substr(open + 1, text.find(')', open) - open - 1);
    place.remove_prefix(place.rfind('/') + 1);  // the module: "java.base@17.0.1/Thread.java:840"
    const size_t colon = place.rfind(':');
    frame.name = strings.Intern(name);
    frame.kind = FrameKind::kJit;
    if (colon != std::string_view::npos) {
      frame.file = strings.Intern(place.substr(0, colon));
      frame.line = LineOf(place.substr(colon + 1));
    }
  } else if (text.starts_with("File \"")) {
    // File "/x/job.py", line 12 in burn
    const size_t end = text.find("\", line ");
    constexpr std::string_view kExpected = "File \"FILE\", line NUMBER in FUNCTION";
    if (end == std::string_view::npos) return Expect(kExpected);
    const std::string_view behind = text.substr(end + 8);
    const size_t in = behind.find(" in ");
    if (in == std::string_view::npos) return Expect(kExpected);
    frame = {.name = strings.Intern(behind.substr(in + 4)), .file = strings.Intern(text.substr(6, end - 6))};
    frame.line = LineOf(behind);
    frame.kind = FrameKind::kPython;
  } else if (line.starts_with("    ") && text.ends_with(')') && Has(text, " (")) {
    // py-spy: "burn (job.py:12)"
    const size_t open = text.rfind(" (");
    const std::string_view place = text.substr(open + 2, text.size() - open - 3);
    const size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) return {};
    frame = {.name = strings.Intern(text.substr(0, open)), .file = strings.Intern(place.substr(0, colon))};
    frame.line = LineOf(place.substr(colon + 1));
    frame.kind = FrameKind::kPython;
  } else {
    return {};  // which locks there are
  }
  leaf_first_.push_back(builder_->profile().frames.Intern(frame));
  return {};
}

void ThreadDumpReader::EndThread() {
  if (!in_thread_) return;
  in_thread_ = false;
  found_any_ = true;
  if (leaf_first_.empty()) return;
  Sample sample{.event = samples_, .time_ns = time_ns_, .weight = 1, .count = 1};
  sample.state = is_runnable_ ? ThreadState::kRunning : ThreadState::kSleeping;
  for (size_t i = leaf_first_.size(); i > 0; --i) {
    sample.stack = builder_->profile().stacks.Push(sample.stack, leaf_first_[i - 1]);
  }
  leaf_first_.clear();
  sample.thread = builder_->AddThread(thread_);
  builder_->Add(sample);
  if (!is_runnable_) return;
  sample.event = runnable_;
  builder_->Add(sample);
}

Result<void> ThreadDumpReader::AddLine(std::string_view line) {
  ++line_number_;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (IsJavaThread(line) || IsFaultHandlerThread(line) || IsPySpyThread(line)) {
    EndThread();
    in_thread_ = BeginThread(line);
    return {};
  }
  if (IsHotSpotEnd(line)) {
    in_dump_ = false;
    EndThread();
    time_ns_ = kNoTime;
    return {};
  }
  if (IsHotSpotBegin(line)) {
    EndThread();
    const bool was_cut = std::exchange(in_dump_, true);
    return was_cut ? Expect("the end of the previous dump (JNI global refs), found another dump") : Result<void>();
  }
  if (!in_thread_) {
    if (const std::optional<int64_t> time = TimeOf(line)) time_ns_ = *time;
    return {};
  }
  const std::string_view text = Trim(line);
  if (text.empty()) {
    EndThread();
  } else if (text.starts_with("java.lang.Thread.State:")) {
    is_runnable_ = Has(text, "RUNNABLE");
  } else {
    return AddFrame(line);
  }
  return {};
}

Result<void> ThreadDumpReader::AddLines(std::string_view lines) {
  return ForEachLine(lines, [&](std::string_view line) { return AddLine(line); });
}

Result<void> ThreadDumpReader::Finish() {
  EndThread();
  if (!found_any_) return Expect("a thread dump, found none");
  return in_dump_ ? Expect("the end of the dump (JNI global refs), found the end of the input") : Result<void>();
}

}  // namespace sparkprof
