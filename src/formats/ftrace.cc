// SPDX-License-Identifier: Apache-2.0
#include "formats/ftrace.h"

#include <algorithm>

#include "base/characters.h"
#include "base/lines.h"
#include "base/text.h"

namespace sparkprof {
namespace {

// A line of the kernel's ftrace, of Android's systrace and of trace-cmd: "TASK-TID (TGID) [CPU] FLAGS TIME: EVENT: …",
// with flags such as "d..2"; all but task, CPU, time and event may be missing. perf has no dash before the thread's ID.
bool IsFtraceLine(std::string_view line) {
  const size_t open = line.find(" [");
  if (open == std::string_view::npos) return false;
  std::string_view task = Trim(line.substr(0, open)), rest = line.substr(open + 2);
  if (task.ends_with(')')) task = Trim(task.substr(0, task.rfind('(')));  // the process
  const size_t dash = task.rfind('-');
  if (dash == std::string_view::npos || dash == 0 || !IsDigits(task.substr(dash + 1))) return false;
  const size_t close = rest.find(']');
  if (close == std::string_view::npos || !IsDigits(rest.substr(0, close))) return false;
  rest = Trim(rest.substr(close + 1));
  const auto take_word = [&] {
    const std::string_view word = rest.substr(0, std::min(rest.find_first_of(" \t"), rest.size()));
    rest = Trim(rest.substr(word.size()));
    return word;
  };
  std::string_view time = take_word();
  if (!time.ends_with(':')) time = take_word();
  if (!time.ends_with(':')) return false;
  time.remove_suffix(1);
  const size_t dot = time.find('.');
  if (dot == std::string_view::npos || !IsDigits(time.substr(0, dot)) || !IsDigits(time.substr(dot + 1))) return false;
  // perf names tracepoints with their subsystem, "sched:sched_switch:".
  const std::string_view event = take_word();
  return event.size() > 1 && event.find(':') == event.size() - 1 && !rest.empty();
}

}  // namespace

bool LooksLikeFtrace(std::string_view head) {
  if (head.starts_with("# tracer: ")) return true;
  // The first line that could be an event decides.
  for (int lines = 0; !head.empty() && lines < 64; ++lines) {
    const std::string_view line = TakeLine(&head);
    if (IsFtraceLine(line)) return true;
    if (line.find(": ") != std::string_view::npos && !line.starts_with('#')) return false;
  }
  return false;
}

}  // namespace sparkprof
