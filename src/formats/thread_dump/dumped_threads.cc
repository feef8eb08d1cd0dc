// SPDX-License-Identifier: Apache-2.0
#include "formats/thread_dump/dumped_threads.h"

#include <charconv>
#include <string>

#include "base/text/characters.h"
#include "base/text/text.h"
#include "base/time.h"
#include "formats/perf_script/perf_symbol.h"

namespace sparkprof {
namespace {

// Behind the last "/" that does not begin the address of a hidden class: "app//V$$Lambda/0x00007f30.run".
std::string_view WithoutModule(std::string_view name) {
  size_t slash = name.rfind('/');
  while (slash != std::string_view::npos && slash + 1 < name.size() && IsDigit(name[slash + 1])) {
    if (slash == 0) return name;
    slash = name.rfind('/', slash - 1);
  }
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

}  // namespace

ThreadSamples::ThreadSamples(ProfileBuilder* builder)
    : builder_(builder),
      samples_(builder->AddEvent("samples", "count")),
      runnable_(builder->AddEvent("runnable", "count")) {
  builder->profile().default_event = samples_;
}

void ThreadSamples::Add(const DumpedThread& thread) {
  if (thread.leaf_first.empty()) return;
  Sample sample{.event = samples_, .time_ns = thread.time_ns, .weight = 1, .count = 1};
  sample.state = thread.is_runnable ? ThreadState::kRunning : ThreadState::kSleeping;
  if (thread.is_truncated) {
    sample.stack = builder_->profile().stacks.Push(0, builder_->AddFrame("[truncated]", FrameKind::kSynthetic));
  }
  sample.stack = builder_->AddLeafFirst(thread.leaf_first, sample.stack);
  sample.thread = builder_->AddThread(thread.thread);
  builder_->Add(sample);
  if (!thread.is_runnable) return;
  sample.event = runnable_;
  builder_->Add(sample);
}

std::optional<int64_t> ParseDumpTime(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00 00:00:00";
  if (text.size() < kShape.size()) return std::nullopt;
  for (size_t i = 0; i < kShape.size(); ++i) {
    const bool fits = kShape[i] == '0'   ? IsDigit(text[i])
                      : kShape[i] == ' ' ? text[i] == ' ' || text[i] == 'T'
                                         : text[i] == kShape[i];
    if (!fits) return std::nullopt;
  }
  std::string_view rest = text.substr(kShape.size());
  int64_t nanos = 0;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    int64_t unit = kNanosPerSecond;
    while (!rest.empty() && IsDigit(rest.front())) {
      unit /= 10;
      nanos += (rest.front() - '0') * unit;
      rest.remove_prefix(1);
    }
  }
  if (!rest.empty() && rest != "Z") return std::nullopt;
  std::string seconds(text.substr(0, kShape.size()));
  seconds[kShape.find(' ')] = 'T';
  const std::optional<int64_t> time_ns = ParseTimestamp(seconds + "Z");
  return time_ns ? std::optional(*time_ns + nanos) : std::nullopt;
}

uint32_t LineNumberAt(std::string_view text) {
  uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<Frame> ParseJavaFrame(std::string_view text, StringTable* strings) {
  const size_t open = text.rfind('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  std::string_view place = text.substr(open + 1, text.size() - open - 2);
  place.remove_prefix(place.rfind('/') + 1);
  Frame frame{.name = strings->Intern(WithoutModule(text.substr(0, open))), .kind = FrameKind::kJit};
  if (const size_t colon = place.rfind(':'); colon != std::string_view::npos) {
    frame.file = strings->Intern(place.substr(0, colon));
    frame.line = LineNumberAt(place.substr(colon + 1));
  }
  return frame;
}

std::optional<Frame> ParseAgentFrame(std::string_view text, StringTable* strings) {
  size_t bci = std::string_view::npos;
  for (const std::string_view mark : {" @bci=", " bci:", "(bci=", "(@bci="}) {
    if (bci = text.find(mark); bci != std::string_view::npos) break;
  }
  if (bci == std::string_view::npos || bci == 0) return std::nullopt;
  std::string_view name = text.substr(0, bci);
  name = Trim(name.substr(0, name.find('(')));
  const std::string_view behind = text.substr(bci);
  const bool is_interpreted = behind.find("(Interpreted") != std::string_view::npos;
  Frame frame{.name = strings->Intern(WithoutModule(name)),
              .kind = is_interpreted ? FrameKind::kInterpreted : FrameKind::kJit};
  const size_t line = behind.find("line");
  if (line != std::string_view::npos && line + 5 < behind.size()) frame.line = LineNumberAt(behind.substr(line + 5));
  return frame;
}

Frame ParseMixedFrame(std::string_view text, StringTable* strings) {
  if (text.starts_with("* ")) {
    if (const std::optional<Frame> frame = ParseAgentFrame(text.substr(2), strings)) return *frame;
  }
  if (text == "<Unknown compiled code>") return {.name = strings->Intern(text), .kind = FrameKind::kJit};
  if (text.starts_with('?')) return {.name = strings->Intern("[unknown]"), .kind = FrameKind::kNative};
  std::string name(text.substr(0, text.find(" + 0x")));
  TidyPerfName(&name);
  return {.name = strings->Intern(name), .kind = FrameKind::kNative};
}

}  // namespace sparkprof
