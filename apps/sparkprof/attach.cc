// SPDX-License-Identifier: Apache-2.0
#include "apps/sparkprof/attach.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "apps/sparkprof/attach_python.h"
#include "apps/sparkprof/verb.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kShortestPythonInterval = 100'000;

struct AttachOptions {
  AttachRequest jvm;
  bool list = false;
  bool python = false;
  bool subprocesses = false;
  bool no_lines = false;
  std::string interval, duration;
};

// A bare number of a duration counts as seconds.
Result<int64_t> ParseSeconds(const std::string& text) {
  if (const auto seconds = ParseInteger(text)) return *seconds * kNanosPerSecond;
  const auto duration_ns = ParseDuration(text);
  if (duration_ns && *duration_ns >= 0) return *duration_ns;
  return Fail(fmt::format("--duration {}: expected a time such as 30s", text));
}

int RunPython(const AttachOptions& options, int64_t duration_ns) {
  const auto interval_ns = ParseDuration(options.interval.empty() ? "10ms" : options.interval);
  if (!interval_ns || *interval_ns < kShortestPythonInterval) {
    return Complain(fmt::format("--interval {}: expected a time of 0.1ms or more, such as 10ms", options.interval));
  }
  const std::string event = options.jvm.events.empty() ? "cpu" : options.jvm.events.front();
  if (options.jvm.events.size() > 1 || (event != "cpu" && event != "wall")) {
    return Complain("--event: Python is sampled for cpu or wall");
  }
  return AttachToPython(
      {options.jvm.pid, options.subprocesses, duration_ns, *interval_ns, event, !options.no_lines, options.jvm.output});
}

int RunJvm(const AttachOptions& options, int64_t duration_ns) {
  AttachRequest request = options.jvm;
  if (request.events.empty()) request.events.push_back("cpu");
  request.duration_ns = duration_ns;
  if (!options.interval.empty()) {
    const auto time_ns = ParseDuration(options.interval);
    const auto bytes = ParseBytes(options.interval);
    if (!time_ns && !bytes) {
      return Complain(fmt::format("--interval {}: expected a time (10ms) or a size (512k)", options.interval));
    }
    request.interval = time_ns ? *time_ns : *bytes;
  }
  return options.list ? ListEventsOfJvm(request) : AttachToOneJvm(request);
}

int RunAttach(const AttachOptions& options) {
  const Result<int64_t> duration_ns = options.duration.empty()
                                          ? Result<int64_t>(options.python ? 0 : 30 * kNanosPerSecond)
                                          : ParseSeconds(options.duration);
  if (!duration_ns) return Complain(duration_ns.error().message);
  return options.python ? RunPython(options, *duration_ns) : RunJvm(options, *duration_ns);
}

}  // namespace

std::function<int()> DefineAttach(CLI::App& command) {
  const auto options = std::make_shared<AttachOptions>();
  command.add_option("pid", options->jvm.pid, "The process")->required()->check(CLI::PositiveNumber)->type_name("PID");
  command.add_option("--event", options->jvm.events, "cpu, wall, alloc, lock, itimer, ctimer, ...")->delimiter(',');
  command.add_option("--interval", options->interval, "Time, or bytes for alloc, between two samples");
  command.add_option("--duration", options->duration, "How long (30s, 2m)");
  command.add_option("-o,--output", options->jvm.output, "Write to this file instead of standard output")
      ->type_name("FILE");
  command.add_option("--format", options->jvm.format, "By the output's name when it is not given");
  command.add_option("--plugin-jar", options->jvm.plugin_jar, "The plugin's jar, which holds async-profiler");
  CLI::Option* list = command.add_flag("--list", options->list, "List the events of this machine and JVM");
  CLI::Option* python = command.add_flag("--python", options->python, "Sample a CPython 3.9 to 3.14 from outside");
  command.add_flag("--subprocesses", options->subprocesses, "Its descendants too")->needs(python);
  command.add_flag("--no-lines", options->no_lines, "Leave out the line that a Python function is at")->needs(python);
  python->excludes(list);
  command.footer(
      "With --python the process is not paused and nothing is installed in it; .svg, .sprof, else collapsed stacks.\n"
      "Examples:\n"
      "  sparkprof attach 4711 --event wall --duration 30s -o wall.svg\n"
      "  sparkprof attach 4711 --python --subprocesses --duration 30s -o flame.svg");
  return [options] { return RunAttach(*options); };
}

}  // namespace sparkprof
