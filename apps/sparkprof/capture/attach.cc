// SPDX-License-Identifier: Apache-2.0
#include "capture/attach.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "base/text/quantity.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/attach_remote.h"
#include "cpython/layout.h"
#include "inputs/shared_options.h"
#include "number_checks.h"
#include "output/profile_output.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr int64_t kShortestPythonInterval = 100'000;

struct AttachVerbOptions {
  AttachRequest jvm;
  bool list = false;
  bool all_spark = false;
  bool all_jvms = false;
  bool perf = false;
  bool python = false;
  bool subprocesses = false;
  bool no_lines = false;
  bool dump = false;
  bool json = false;
  std::string interval, duration, output_dir;
  RemoteTargets remote;
};

// Parses bytes, a time, or a count, depending on the event; a number without a unit is in bytes, ns or events.
Result<int64_t> ParseInterval(const std::string& text, const std::string& event) {
  if (event == "alloc" || event == "nativemem") return ParseBytes(text);
  if (const auto count = ParseInteger(text)) return *count;
  return ParseDuration(text);
}

int RunPython(const AttachVerbOptions& options, int64_t duration_ns) {
  const auto interval_ns = ParseDuration(options.interval.empty() ? "10ms" : options.interval);
  if (!interval_ns) return Complain(Refusal("--interval", options.interval, interval_ns.error()));
  if (*interval_ns < kShortestPythonInterval) {
    return Complain(fmt::format("--interval: must be at least {}", DurationText(kShortestPythonInterval)));
  }
  AttachRequest request = options.jvm;
  if (request.events.empty()) request.events.push_back("cpu");
  if (request.events.size() > 1 || (request.events.front() != "cpu" && request.events.front() != "wall")) {
    return Complain("--event: with --python must be cpu or wall");
  }
  request.interval = *interval_ns;
  request.duration_ns = duration_ns;
  return AttachToPython(request, {.subprocesses = options.subprocesses, .lines = !options.no_lines});
}

int RunJvm(const AttachVerbOptions& options, int64_t duration_ns) {
  AttachRequest request = options.jvm;
  if (request.events.empty()) request.events.push_back("cpu");
  request.duration_ns = duration_ns;
  if (duration_ns == 0) return Complain("--duration: must be greater than 0");
  if (!options.interval.empty()) {
    const Result<int64_t> interval = ParseInterval(options.interval, request.events.front());
    if (!interval) return Complain(Refusal("--interval", options.interval, interval.error()));
    if (*interval <= 0) return Complain("--interval: must be greater than 0");
    request.interval = *interval;
  }
  if (options.all_spark) {
    if (!request.output.empty()) return Complain("-o: with --all-spark, use --output-dir");
    request.output = options.output_dir;
    request.application = options.remote.application;
    request.executors = options.remote.executors;
    return AttachToAllSpark(std::move(request));
  }
  if (options.perf) return AttachByPerf(request);
  return options.list ? ListEventsOfJvm(request) : AttachToOneJvm(request);
}

// Whether options specify how or where to profile, so that a missing target is an error.
bool AsksForProfile(const AttachVerbOptions& options) {
  const AttachRequest& jvm = options.jvm;
  return !jvm.events.empty() || !jvm.output.empty() || !jvm.format.empty() || !options.interval.empty() ||
         !options.duration.empty() || !options.output_dir.empty();
}

int RunAttach(AttachVerbOptions options, const CLI::App& command) {
  const bool is_remote = options.remote.IsRemote(options.all_spark);
  const bool is_one = options.jvm.pid != 0;
  if (!is_one && !options.all_spark && !is_remote) {
    if (AsksForProfile(options)) return Misuse(command, "missing process ID; `sparkprof attach` alone lists them");
    return ListAttachable(options.all_jvms, options.json);
  }
  if (is_one && options.json && !options.dump) return Misuse(command, "--json is for the list and for --dump");
  if (is_one && !options.output_dir.empty()) return Misuse(command, "--output-dir is for several JVMs; use -o");
  if (options.dump) return PrintPythonStacks(options.jvm.pid, options.json);
  const Result<int64_t> duration_ns = options.duration.empty()
                                          ? Result<int64_t>(options.python ? 0 : 30 * kNanosPerSecond)
                                          : ParseDurationOrSeconds(options.duration);
  if (!duration_ns) return Complain(Refusal("--duration", options.duration, duration_ns.error()));
  if (is_remote) {
    return AttachToRemote(options.remote, {.duration_ns = *duration_ns,
                                           .events = options.jvm.events,
                                           .interval = options.interval,
                                           .output_dir = options.output_dir,
                                           .plugin_jar = options.jvm.plugin_jar});
  }
  if (options.jvm.output.empty() && options.jvm.format.empty() && !options.list && !options.all_spark) {
    options.jvm.output = FileForTerminal();
    options.jvm.prints_top = !options.jvm.output.empty();
  }
  return options.python ? RunPython(options, *duration_ns) : RunJvm(options, *duration_ns);
}

}  // namespace

std::function<int()> DefineAttach(CLI::App& command) {
  const auto options = std::make_shared<AttachVerbOptions>();
  CLI::Option* pid =
      command.add_option("PID", options->jvm.pid, "Process ID; without it, list the Spark processes of this host")
          ->check(AtLeast(1));
  AddOption(command, "-e,--event EVENT", &options->jvm.events,
            "Event; cpu (default), wall, alloc, lock, itimer, ctimer, nativemem, nativelock, a perf event such as "
            "cache-misses, or a Java method as Class.method; cpu,alloc,lock for several")
      ->delimiter(',')
      ->allow_extra_args(false);
  AddOption(command, "--interval TIME", &options->interval,
            "Sampling interval; a time, or a size for alloc and nativemem; a bare number is ns, bytes or events");
  AddOption(command, "-d,--duration TIME", &options->duration,
            "Stop after this time; 30, 30s, 2m (default: 30s, with --python until the process exits); Ctrl-C "
            "stops earlier");
  AddOption(command, "-o,-f,--output FILE", &options->jvm.output,
            "Output file; its name selects the format; .jfr, with --python .sprof, is the recording itself (default: "
            "standard output)");
  AddOption(command, "--format FORMAT", &options->jvm.format,
            "Output format; (default: by the output's name; html with --all-spark)");
  AddOption(command, "--output-dir DIR", &options->output_dir,
            "Output folder; of several JVMs (default: sparkprof-attach)");
  AddShareTo(command);
  AddOption(command, "--plugin-jar FILE", &options->jvm.plugin_jar, kPluginJarPurpose);
  CLI::Option* list = command.add_flag("--list", options->list, "List the events that this machine and JVM support");
  CLI::Option* all_spark =
      command.add_flag("--all-spark", options->all_spark, "Profile all JVMs of this host that run Spark")
          ->excludes(pid);
  options->remote.AddTo(command);
  CLI::Option* perf =
      command.add_flag("--perf", options->perf, "Profile with Linux's perf, with names of Java methods");
  CLI::Option* python = command.add_flag("--python", options->python,
                                         "Sample a CPython " SPARKPROF_PYTHON_VERSIONS " process from outside");
  command.add_flag("--subprocesses", options->subprocesses, "Include descendants")->needs(python);
  command.add_flag("--no-lines", options->no_lines, "One frame per function, without lines")->needs(python);
  CLI::Option* dump =
      command.add_flag("--dump", options->dump, "Print the current stacks of a Python process, and exit")
          ->excludes(list, all_spark, perf);
  CLI::Option* all_jvms = command.add_flag("--all-jvms", options->all_jvms, "Include JVMs without Spark in the list");
  CLI::Option* json = command.add_flag("--json", options->json, "Print JSON; the list, or with --dump");
  python->excludes(list, all_spark, perf);
  perf->excludes(list, all_spark);
  list->excludes(all_spark);
  all_jvms->excludes(pid, all_spark);
  json->excludes(all_spark);
  for (CLI::Option* const action : {list, python, perf, dump}) action->needs(pid);
  command.footer(
      "Without a PID, lists drivers, executors, masters and workers with their Python processes, from /proc and the\n"
      "JVMs' counters. CPU is in percent of one core, measured over half a second. Exits with code 1 if there are "
      "none.\n"
      "With a PID, prints collapsed stacks by default; on a terminal, writes flame.svg and prints the top functions. "
      "Exits with\n"
      "code 1 if there are no samples.\n"
      "--python does not pause the process and installs nothing in it.\n"
      "Examples:\n"
      "  sparkprof attach\n"
      "  sparkprof attach --all-jvms --json\n"
      "  sparkprof attach 4711 --event wall --duration 30s -o wall.svg\n"
      "  sparkprof attach 4711 --event cpu,alloc,lock --duration 5m -o all.jfr\n"
      "  sparkprof attach --all-spark --output-dir profiles\n"
      "  sparkprof attach --k8s job-exec-1,job-exec-2 --duration 30s\n"
      "  sparkprof attach --app spark-0123 --all --duration 30s --dry-run\n"
      "  sparkprof attach --yarn application_1_0001 --executor 3\n"
      "  sparkprof attach 4711 --python --subprocesses --duration 30s -o flame.svg\n"
      "  sparkprof attach 4711 --dump");
  return [options, &command] { return RunAttach(*options, command); };
}

}  // namespace sparkprof
