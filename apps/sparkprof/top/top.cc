// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/text/quantity.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/recording_options.h"
#include "loader/remote_inputs.h"
#include "output/terminal_style.h"
#include "top/top_screen.h"
#include "top/top_source.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr int64_t kShortestIntervalNs = kNanosPerSecond / 5;
constexpr int64_t kFirstIntervalNs = kNanosPerSecond / 2;  // interval for a single picture of a host
constexpr size_t kWidthOfFiles = 160;
// Reading takes at most this fraction of the time.
constexpr int64_t kWaitForWork = 4;

struct TopOptions {
  std::string input;
  std::string application;
  std::string interval = "2s";
  std::string last = "30s";
  bool once = false;
  InputOptions inputs;
  CollectorOptions server;
};

std::unique_ptr<TopSource> SourceOf(const TopOptions& options, int64_t window_ns) {
  if (options.input.empty()) return HostTop();
  if (IsUrl(options.input) && !RecordingUrl(options.input)) {
    CollectorOptions server = options.server;
    server.server = options.input;
    return ServerTop(server);
  }
  return ApplicationTop(options.input, options.application, window_ns, options.inputs, options.server);
}

int PrintOnce(TopSource* source) {
  const WorkTextStyle style{.width = OutputWidth(kWidthOfFiles), .color = HasColors()};
  Result<std::vector<std::string>> lines = source->Lines(style);
  if (lines && source->IsOfInterval()) {
    const int64_t end_ns = MonotonicNanos() + kFirstIntervalNs;
    while (MonotonicNanos() < end_ns) {
      source->Measure();
      const timespec pause{0, 20 * kNanosPerMilli};
      nanosleep(&pause, nullptr);
    }
    lines = source->Lines(style);
  }
  if (!lines) return Complain(lines.error().message);
  std::string text;
  for (const std::string& line : *lines) text += line + "\n";
  const Result<void> written = WriteOutput("-", HasColors() ? StyledForTerminal(text) : text);
  return written ? kExitSuccess : Complain(written.error().message);
}

int ShowUntilQuit(TopSource* source, int64_t interval_ns) {
  TopScreen screen;
  // The first picture of a host has no preceding interval.
  int64_t wait_ns = source->IsOfInterval() ? kFirstIntervalNs : interval_ns;
  for (;;) {
    const int64_t begin_ns = MonotonicNanos();
    const size_t height = std::max<size_t>(screen.Height(), 5);
    const WorkTextStyle style{.width = OutputWidth(kWidthOfFiles), .height = height - 2, .color = HasColors()};
    Result<std::vector<std::string>> lines = source->Lines(style);
    // An unreadable input may appear later: the folder of a job that is starting.
    if (!lines) lines = std::vector<std::string>{ToOneLine(lines.error().message)};
    lines->resize(height - 2);
    lines->emplace_back();
    lines->push_back(TitleLine(fmt::format("q quit  space refresh  {}", source->Keys()), style));
    screen.Show(*lines);
    wait_ns = std::max(wait_ns, kWaitForWork * (MonotonicNanos() - begin_ns));
    for (;;) {
      const char key = screen.WaitForKey(wait_ns, [&] { source->Measure(); });
      if (key == TopScreen::kQuit) return kExitSuccess;
      if (key == TopScreen::kNoKey || key == TopScreen::kResized || key == ' ' || source->OnKey(key)) break;
    }
    wait_ns = interval_ns;
  }
}

int RunTop(const TopOptions& options, const CLI::App& command) {
  const Result<int64_t> interval = ParseDuration(options.interval);
  if (!interval) return Misuse(command, Refusal("--refresh", options.interval, interval.error()));
  if (*interval < kShortestIntervalNs) return Misuse(command, "--refresh: must be at least 200ms");
  const Result<int64_t> window = ParseDuration(options.last);
  if (!window) return Misuse(command, Refusal("--last", options.last, window.error()));
  const std::unique_ptr<TopSource> source = SourceOf(options, *window);
  if (options.once || isatty(STDOUT_FILENO) != 1 || isatty(STDIN_FILENO) != 1) return PrintOnce(source.get());
  return ShowUntilQuit(source.get(), *interval);
}

}  // namespace

std::function<int()> DefineTop(CLI::App& command) {
  const auto options = std::make_shared<TopOptions>();
  command.add_option("INPUT", options->input,
                     "Recording, event log or folder of a running job, the URL of a collector or of an application on "
                     "it (default: the Spark processes of this host)");
  AddApplicationTo(command, &options->application);
  AddOption(command, "--last TIME", &options->last, "Time that owners of CPU and lines are of; 0s = the whole run")
      ->capture_default_str();
  AddOption(command, "--refresh TIME", &options->interval, "Time between two pictures")->capture_default_str();
  command.add_flag("--once", options->once, "Print one picture, as for a file or a pipe");
  options->inputs.AddTo(command);
  options->server.AddAccessTo(command, "Server");
  command.footer(
      "Shows a running application: tasks by stage, owners of CPU, lines of your code, and findings so far. Of a host, "
      "it\n"
      "shows the Spark processes with the owners of their CPU and the lines of Python, without a profiler in the job; "
      "of a\n"
      "collector, the applications that run. It is as current as what the job has written (see "
      "spark.sparkprof.uploadInterval).\n"
      "Keys: q quits, s sorts, w switches between the last seconds and the whole run, space refreshes.\n"
      "Examples:\n"
      "  sparkprof top\n"
      "  sparkprof top recordings/\n"
      "  sparkprof top http://collector:8320\n"
      "  sparkprof top http://collector:8320/applications/application_1603128018386_7846\n"
      "  sparkprof top eventlogs/app-20261126.inprogress --once");
  return [options, &command] { return RunTop(*options, command); };
}

}  // namespace sparkprof
