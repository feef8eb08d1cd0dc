// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/redaction/redaction.h"
#include "base/text/escaped_text.h"
#include "capture/run.h"
#include "launch/spark_submit.h"
#include "output/terminal_style.h"

namespace sparkprof {
namespace {

bool leaves_out_scheduler_lines = false;

void Print(const std::string& line) {
  if (leaves_out_scheduler_lines && IsReadByScheduler(line)) return;
  fmt::print(stderr, "{}\n", line);
}

}  // namespace

void LeaveOutSchedulerLines() { leaves_out_scheduler_lines = true; }

void Say(const std::string& text) { Print(fmt::format("sparkprof: {}", ForTerminal(RedactText(text)))); }

void SayPath(const std::string& what, const std::string& path) { Print(fmt::format("sparkprof: {}: {}", what, path)); }

void SaySummary(const std::string& summary) {
  const std::string text = leaves_out_scheduler_lines ? WithoutSchedulerLines(summary) : summary;
  fmt::print(stderr, "\n{}\n", StyledForTerminal(text, STDERR_FILENO));
}

}  // namespace sparkprof
