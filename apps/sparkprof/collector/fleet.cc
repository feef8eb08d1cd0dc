// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "actions.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/recording_options.h"
#include "fleet/fleet_analysis.h"
#include "fleet/fleet_engine.h"
#include "fleet/fleet_policy.h"
#include "fleet/fleet_result.h"
#include "inputs/shared_options.h"
#include "launch/plugin_jar.h"
#include "number_checks.h"
#include "output/progress.h"
#include "text_log/given_time.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;

struct FleetOptions {
  std::string action;
  std::vector<std::string> paths;
  std::string output;
  std::string since, until;
  FleetFilter filter;
  std::string prices;
  std::string layout = "flat";
  int64_t memory_mebibytes = 2048;
  int64_t processes = 0;
  std::string policy;
  std::string master, plugin_jar;
  std::vector<std::string> settings;
  bool json = false;
};

// A date without a zone is in UTC, like the days of the files; a duration is relative to now.
Result<int64_t> TimeOf(std::string_view option, const std::string& text) {
  if (text.empty()) return 0;
  const Result<GivenTime> given = ParseGivenTime(option, text);
  if (!given) return tl::unexpected(given.error());
  return given->duration_ns ? EpochNanos() - *given->duration_ns : given->time.time_ns;
}

Result<void> ReadTimes(FleetOptions* options) {
  const Result<int64_t> since = TimeOf("--since", options->since);
  if (!since) return tl::unexpected(since.error());
  const Result<int64_t> until = TimeOf("--until", options->until);
  if (!until) return tl::unexpected(until.error());
  options->filter.since_ns = *since;
  options->filter.until_ns = *until;
  return {};
}

Result<std::string> OwnProgram() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0) return Fail("cannot find the program of this process: /proc is not mounted");
  return std::string(path, static_cast<size_t>(size));
}

// Options of the action that reads logs from its input. `prices`: the price file's path for the engine.
std::vector<std::string> EngineArguments(const FleetOptions& options, const std::string& prices) {
  std::vector<std::string> arguments;
  const auto add = [&arguments](const std::string& option, const std::string& value) {
    if (value.empty()) return;
    arguments.push_back(option);
    arguments.push_back(value);
  };
  add("--memory", std::to_string(options.memory_mebibytes));
  add("--prices", prices);
  add("--since", options.since);
  add("--until", options.until);
  add("--user", options.filter.user);
  add("--queue", options.filter.queue);
  add("--name", options.filter.name);
  return arguments;
}

std::string FileNameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// spark-submit with everything before the job's arguments. Ships the engine's program and the price file with the job.
Result<std::vector<std::string>> SubmitCommandOf(const FleetOptions& options, const std::string& program) {
  const Result<std::string> jar = FindPluginJar(options.plugin_jar);
  if (!jar) return tl::unexpected(jar.error());
  const char* const home = std::getenv("SPARK_HOME");
  std::vector<std::string> command{home == nullptr ? "spark-submit" : std::string(home) + "/bin/spark-submit",
                                   "--master",
                                   options.master,
                                   "--deploy-mode",
                                   "client",
                                   "--name",
                                   "sparkprof fleet",
                                   "--class",
                                   "org.sparkprof.fleet.FleetJob",
                                   "--files",
                                   program + (options.prices.empty() ? "" : "," + options.prices)};
  for (const std::string& setting : options.settings) {
    command.emplace_back("--conf");
    command.push_back(setting);
  }
  command.push_back(*jar);
  command.push_back(FileNameOf(program));
  return command;
}

// spark-submit's JVM only lists files and passes on bytes, for which the C1 compiler is sufficient; C2 takes more CPU
// time than a small fleet. The job's own Java options come later and take precedence.
void CompileFast() {
  constexpr const char* kOptions = "SPARK_SUBMIT_OPTS";
  const char* const given = std::getenv(kOptions);
  const std::string options = fmt::format("-XX:TieredStopAtLevel=1 {}", given == nullptr ? "" : given);
  setenv(kOptions, options.c_str(), 1);
}

int RunEngine(const FleetOptions& options) {
  Result<std::optional<PriceList>> prices = ReadPrices(options.prices);
  if (!prices) return Complain(prices.error().message);
  const Result<void> served = ServeFleetLogs(STDIN_FILENO, STDOUT_FILENO,
                                             {.prices = std::move(*prices),
                                              .filter = options.filter,
                                              .max_memory_bytes = options.memory_mebibytes * kMebibyte});
  return served ? kExitSuccess : Complain(served.error().message);
}

std::string CountsText(const FleetCounts& counts) {
  std::string text;
  if (counts.others > 0) text += fmt::format("files that are not event logs: {}\n", counts.others);
  if (counts.filtered > 0)
    text += fmt::format("logs with applications that the options leave out: {}\n", counts.filtered);
  return text + fmt::format("{} applications, {} failed, {} unchanged\n", counts.applications, counts.failed,
                            counts.unchanged);
}

int RunFleetAnalysis(const FleetOptions& options, const CLI::App& command) {
  if (options.paths.empty())
    return Misuse(command, "analyze requires a location: a folder, hdfs://, s3a://, gs:// or abfss://");
  if (options.output.empty()) return Misuse(command, "analyze requires --output DIR");
  if (options.layout != "flat" && options.layout != "hive")
    return Misuse(command, fmt::format("--layout {}: must be flat or hive", options.layout));
  // Checked before the engines read it, for one message instead of many.
  if (const auto prices = ReadPrices(options.prices); !prices) return Complain(prices.error().message);
  const Result<std::string> program = OwnProgram();
  if (!program) return Complain(program.error().message);
  signal(SIGPIPE, SIG_IGN);  // so that writing to a crashed engine fails with an error
  FleetProgress progress;
  FleetRequest request{.locations = options.paths,
                       .output = options.output,
                       .layout = options.layout == "hive" ? FleetLayout::kHive : FleetLayout::kFlat,
                       .filter = options.filter,
                       .engine = {},
                       .processes = static_cast<size_t>(options.processes)};
  const Result<FleetCounts> counts = [&]() -> Result<FleetCounts> {
    const Progress shown("reading event logs", {.done = [&] { return progress.done_bytes.load(); },
                                                .all_now = [&] { return progress.all_bytes.load(); }});
    if (options.master.empty()) {
      request.engine = EngineArguments(options, options.prices);
      request.engine.insert(request.engine.begin(), {*program, "fleet", "engine"});
      return AnalyzeFleet(request, &progress);
    }
    const Result<std::vector<std::string>> submit = SubmitCommandOf(options, *program);
    if (!submit) return tl::unexpected(submit.error());
    request.engine = EngineArguments(options, options.prices.empty() ? "" : "files:" + FileNameOf(options.prices));
    CompileFast();
    return AnalyzeFleetOnSpark(request, *submit, &progress);
  }();
  if (!counts) return Complain(counts.error().message);
  for (const std::string& problem : counts->problems) Complain(problem);
  const Result<void> written = WriteOutput("-", CountsText(*counts));
  if (!written) return Complain(written.error().message);
  const bool is_empty =
      counts->applications + counts->failed + counts->unchanged + counts->filtered + counts->others == 0;
  return is_empty ? Complain("no event logs found", kExitNo) : kExitSuccess;
}

int RunFleetReport(const FleetOptions& options, const CLI::App& command) {
  if (options.paths.size() != 1) return Misuse(command, "report requires one folder, the output of analyze");
  const Result<std::optional<PriceList>> prices = ReadPrices(options.prices);
  if (!prices) return Complain(prices.error().message);
  const Result<std::string> page = [&] {
    const Progress shown("adding up applications");
    return FleetReport(options.paths.front(), *prices);
  }();
  if (!page) return Complain(page.error().message);
  const std::string output = options.output.empty() ? "fleet.html" : options.output;
  Result<void> written = WriteOutput(output, *page);
  if (written && output != "-") written = WriteOutput("-", output + "\n");
  return written ? kExitSuccess : Complain(written.error().message);
}

// The violated rules, each followed by its rows. Omits rules that accept so many.
std::string CheckText(const std::vector<PolicyResult>& results) {
  std::string text;
  for (const PolicyResult& result : results) {
    if (!result.IsBroken()) continue;
    text += fmt::format("{}: rows of {}: {}, at most {} allowed{}\n", result.rule.name, result.rule.table, result.rows,
                        result.rule.most, result.rule.message.empty() ? "" : ": " + result.rule.message);
    for (const std::string& example : result.examples) text += "  " + example + "\n";
    const auto shown = static_cast<int64_t>(result.examples.size());
    if (result.rows > shown) text += fmt::format("  and {} more\n", result.rows - shown);
  }
  return text.empty() ? fmt::format("all rules hold: {}\n", results.size()) : text;
}

int RunFleetCheck(const FleetOptions& options, const CLI::App& command) {
  if (options.paths.size() != 1 || options.policy.empty())
    return Misuse(command, "check requires one folder, the output of analyze, and --policy FILE");
  const Result<Policy> policy = ReadPolicy(options.policy);
  if (!policy) return Complain(policy.error().message);
  const Result<std::vector<PolicyResult>> results = CheckPolicy(options.paths.front(), *policy);
  if (!results) return Complain(results.error().message);
  const bool is_broken =
      std::any_of(results->begin(), results->end(), [](const PolicyResult& result) { return result.IsBroken(); });
  const Result<void> written = WriteOutput(options.output.empty() ? "-" : options.output,
                                           options.json ? PolicyJson(*results) + "\n" : CheckText(*results));
  if (!written) return Complain(written.error().message);
  if (is_broken && !policy->webhook.empty()) {
    if (const Result<void> sent = SendPolicyResults(policy->webhook, CheckText(*results), *results); !sent)
      return Complain(sent.error().message);
  }
  return is_broken ? kExitNo : kExitSuccess;
}

int RunFleetAction(FleetOptions* options, const CLI::App& command) {
  if (const Result<void> read = ReadTimes(options); !read) return Misuse(command, read.error().message);
  if (options->action == "analyze") return RunFleetAnalysis(*options, command);
  if (options->action == "report") return RunFleetReport(*options, command);
  if (options->action == "check") return RunFleetCheck(*options, command);
  if (options->action == "engine") return RunEngine(*options);
  return Misuse(command, fmt::format("unknown action '{}'; use analyze, report or check", options->action));
}

}  // namespace

std::function<int()> DefineFleet(CLI::App& command) {
  const auto options = std::make_shared<FleetOptions>();
  AddActionTo(command, &options->action);
  command.add_option("LOCATION", options->paths,
                     "analyze: folders of event logs: local, hdfs://, s3a://, gs:// or abfss://; report, check: the "
                     "folder of the tables");
  AddOption(command, "-o,--output FILE", &options->output,
            "Output file; analyze: the folder of the tables, to which the next run adds what is new; report: "
            "fleet.html by default");
  AddOption(command, "--since TIME", &options->since, "Applications that ran at this time or later: 2026-11-25");
  AddOption(command, "--until TIME", &options->until, "Applications that started before this time");
  AddOption(command, "--user PATTERN", &options->filter.user, "Applications of this user; * and ? match any text");
  AddOption(command, "--queue PATTERN", &options->filter.queue,
            "Applications in this YARN queue or Kubernetes namespace");
  AddOption(command, "--name PATTERN", &options->filter.name, "Applications of this name: 'etl_*'");
  AddPricesTo(command, &options->prices);
  AddOption(command, "--layout LAYOUT:{flat,hive}", &options->layout,
            "analyze: names of the files: TABLE/DATE-NUMBER.parquet (flat) or TABLE/date=DATE/NUMBER.parquet (hive)")
      ->capture_default_str();
  AddOption(command, "--memory MIB", &options->memory_mebibytes, "Memory of each process that reads logs, in MiB")
      ->check(AtLeast(64))
      ->capture_default_str();
  AddOption(command, "--processes NUMBER", &options->processes, "Processes that read logs (default: number of cores)")
      ->check(AtLeast(0));
  AddOption(command, "--master MASTER", &options->master, "analyze: read the logs as a Spark job on this master: yarn");
  AddOption(command, "--conf KEY=VALUE", &options->settings, "Setting of the Spark job; may be repeated");
  AddOption(command, "--plugin-jar FILE", &options->plugin_jar, kPluginJarPurpose);
  AddOption(command, "--policy FILE", &options->policy, "check: YAML file with the rules");
  command.add_flag("--json", options->json, "Print JSON");
  AddShareTo(command);
  command.footer(
      "Reads only logs that are new or have changed since the last run with the same --output. A log that cannot be\n"
      "read is a row of the table failures. The last line of the output counts applications, failed and unchanged "
      "logs.\n"
      "Examples:\n"
      "  sparkprof fleet analyze hdfs://namenode/spark-history --output fleet\n"
      "  sparkprof fleet analyze /logs s3a://bucket/logs --output fleet --prices prices.json --since 2026-01-01\n"
      "  sparkprof fleet analyze hdfs:///spark-history --output fleet --master yarn --conf "
      "spark.executor.instances=50\n"
      "  sparkprof fleet report fleet -o fleet.html\n"
      "  sparkprof fleet check fleet --policy policy.yaml");
  return [options, &command] { return RunFleetAction(options.get(), command); };
}

}  // namespace sparkprof
