// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actions.h"
#include "base/io/file.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/recording_options.h"
#include "embedded_server.h"
#include "inputs/server_options.h"
#include "launch/output_folder.h"
#include "number_checks.h"
#include "suite/comparison.h"
#include "suite/job_monitor.h"
#include "suite/suite_reports.h"
#include "suite/suite_runner.h"
#include "suite_server.h"
#include "suite_watcher.h"
#include "verb.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

struct SuiteOptions {
  std::string action;
  std::vector<std::string> paths;
  std::string output;
  std::string baseline;
  std::string junit, markdown;
  std::vector<std::string> measures;
  double significance = ComparisonOptions().significance;
  CollectorOptions server;
  bool json = false;
};

std::string UserName() {
  const passwd* const user = getpwuid(getuid());
  return user == nullptr ? std::to_string(getuid()) : user->pw_name;
}

// Formats "summary.json, etl-1/, etl-2/ and 7 more".
std::string ContentsOf(const std::string& folder) {
  constexpr size_t kMaxNamed = 6;
  std::error_code error;
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string() + (entry.is_directory(error) ? "/" : ""));
  }
  std::sort(names.begin(), names.end());
  const size_t others = names.size() - std::min(names.size(), kMaxNamed);
  names.resize(names.size() - others);
  return fmt::format("{}{}", fmt::join(names, ", "), others == 0 ? "" : fmt::format(" and {} more", others));
}

Result<std::vector<std::string>> Profiler(const SuiteOptions& options) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Fail("/proc/self/exe: " + error.message());
  std::vector<std::string> command = {self, "run", "--no-report"};
  if (!options.server.server.empty()) command.insert(command.end(), {"--server", options.server.server});
  if (!options.server.token_file.empty()) command.insert(command.end(), {"--token-file", options.server.token_file});
  return command;
}

Result<void> WriteReports(const SuiteOptions& options, const std::string& junit, const std::string& markdown) {
  if (!options.junit.empty()) {
    if (Result<void> written = WriteOutput(options.junit, junit); !written) return written;
  }
  return options.markdown.empty() ? Result<void>() : WriteOutput(options.markdown, markdown);
}

// Server for the run: the given collector, or one that ends with the run.
struct RunServer {
  std::unique_ptr<EmbeddedServer> embedded;
  std::string url;  // empty = no embedded server could be started

  static Result<RunServer> Open(const SuiteOptions& options, const std::string& output) {
    RunServer opened{.url = options.server.server};
    if (!opened.url.empty()) return opened;
    Result<std::unique_ptr<EmbeddedServer>> embedded = EmbeddedServer::Start(output + "/server");
    if (!embedded) return tl::unexpected(embedded.error());
    opened.embedded = std::move(*embedded);
    opened.url = opened.embedded->Url();
    return opened;
  }

  Result<ServerClient> Connect(const SuiteOptions& options) const {
    CollectorOptions collector = embedded ? CollectorOptions() : options.server;
    collector.server = url;
    return ServerClient::Create(collector);
  }
};

// Runs in the watcher of a killed suite. The embedded collector died with the suite, so it is started again.
void InterruptRun(const SuiteOptions& options, const std::string& output, int64_t run, SuiteResults results) {
  const Result<RunServer> server = RunServer::Open(options, output);
  const Result<ServerClient> client =
      server ? server->Connect(options) : Result<ServerClient>(tl::unexpected(server.error()));
  if (!client)
    return PrintNote(fmt::format("run {}: cannot store that it was interrupted: {}", run, client.error().message));
  results.status = "interrupted";
  results.end_ns = EpochNanos();
  SuiteRunOnServer(*client, run).Finish(results);
}

int RunSuiteFile(const SuiteOptions& options, const CLI::App& command) {
  if (options.paths.size() != 1) return Misuse(command, "run requires one FILE");
  const std::string& path = options.paths[0];
  const Result<std::string> text = ReadFile(path);
  if (!text) return Complain(text.error().message);
  const Result<Suite> suite = ParseSuite(*text, path);
  if (!suite) return Complain(suite.error().message);
  Result<std::vector<std::string>> profiler = Profiler(options);
  if (!profiler) return Complain(profiler.error().message);
  if (const Result<ServerClient> client = ServerClient::Create(options.server);
      !options.server.server.empty() && !client) {
    return Misuse(command, client.error().message);
  }
  const Result<std::string> output = NewOutputFolder(options.output);
  if (!output) return Complain(output.error().message);

  SuiteResults results;
  results.suite = suite->name;
  results.version = suite->version;
  results.user = UserName();
  WaitedSignals signals;  // before the server's threads, which must not receive these signals
  SuiteWatcher watcher([&](int64_t id) { InterruptRun(options, *output, id, results); });
  Result<RunServer> server = RunServer::Open(options, *output);
  std::optional<SuiteRunOnServer> on_server;
  if (server) {
    const Result<ServerClient> client = server->Connect(options);
    if (!client) return Complain(client.error().message);
    Result<SuiteRunOnServer> created = SuiteRunOnServer::Create(*client, results);
    if (!created) return Complain(created.error().message);
    on_server.emplace(std::move(*created));
    watcher.Watch(on_server->Id());
  } else {
    PrintNote(fmt::format("the run is stored without a server: {}", server.error().message));
  }

  SuiteRunOptions run;
  run.output = *output;
  run.suite_folder = fs::absolute(path).lexically_normal().parent_path();
  run.profiler = std::move(*profiler);
  run.places = {{"suite", run.suite_folder}, {"output", run.output}};
  if (on_server) {
    results.run = on_server->Id();
    run.environment["SPARKPROF_RUN"] = run.places["run"] = std::to_string(on_server->Id());
    run.places["server"] = server->url;
    if (server->embedded) PrintNote(fmt::format("run {} is at {}/ while it runs", on_server->Id(), server->url));
  }
  run.mark = [&](std::string_view type, const std::string& message) {
    PrintNote(type == "start" ? message : fmt::format("{}: {}", type, message));
    if (on_server) on_server->Log(type, message);
  };
  run.finished = [&](const RepeatResult& repeat) {
    const auto rows = ReadFile(fmt::format("{}/{}/{}", *output, repeat.folder, kProcessRowsName));
    if (on_server && rows) on_server->AddProcesses(*rows);
  };
  const Result<void> ran = RunSuite(*suite, run, &signals, &results);
  if (on_server) on_server->Finish(results);
  watcher.Finish();
  const std::string summary = fmt::format("{}/{}", *output, kSummaryName);
  if (const Result<void> written = WriteFile(summary, SummaryJson(results)); !written)
    return Complain(written.error().message);
  if (!ran) return Complain(ran.error().message);
  const std::string markdown = ResultsMarkdown(results);
  Result<void> printed = WriteReports(options, ResultsJunit(results), markdown);
  if (printed) printed = WriteOutput("-", options.json ? SummaryJson(results) : markdown);
  if (!printed) return Complain(printed.error().message);
  PrintNote(fmt::format("summary: {}", summary));
  PrintNote(fmt::format("stored in {}: {}", *output, ContentsOf(*output)));
  if (server && server->embedded)
    PrintNote(fmt::format("pages: sparkprof serve --data {0}/server --watch {0}", *output));
  if (on_server && !on_server->Problem().empty())
    return Complain("parts of the run are missing on the server: " + on_server->Problem());
  if (signals.Received() != 0) return 128 + signals.Received();
  return results.status == "passed" ? kExitSuccess : kExitNo;
}

// `run`: a summary, its folder, or the ID of a run on the server.
Result<SuiteResults> LoadResults(const SuiteOptions& options, const std::string& run) {
  const std::optional<int64_t> id = ParseInteger(run);
  if (id && !options.server.server.empty()) {
    const Result<ServerClient> client = ServerClient::Create(options.server);
    if (!client) return tl::unexpected(client.error());
    return FetchResults(*client, *id);
  }
  std::error_code error;
  const std::string path = fs::is_directory(run, error) ? run + "/" + kSummaryName : run;
  const Result<std::string> text = ReadFile(path);
  return text ? ParseSummary(*text, path) : tl::unexpected(text.error());
}

std::string Explain(const MeasureComparison& measure) {
  if (measure.verdict == Verdict::kTooFewRepeats) {
    return fmt::format("{}: {}: {}", measure.job, measure.measure, TooFewRepeats(measure));
  }
  return fmt::format("{}: {} got {}: {} instead of {} (p = {:.3f})", measure.job, measure.measure,
                     VerdictName(measure.verdict), MeasureText(measure.measure, measure.later_median),
                     MeasureText(measure.measure, measure.earlier_median), measure.probability);
}

// Prints the result of a check. Returns whether something got worse.
bool SayVerdicts(const SuiteComparison& comparison) {
  bool worse = !comparison.failures.empty();
  for (const MeasureComparison& measure : comparison.measures) {
    if (measure.verdict == Verdict::kSame || measure.verdict == Verdict::kBetter) continue;
    PrintNote(Explain(measure));
    worse = worse || measure.verdict == Verdict::kWorse;
  }
  for (const std::string& failure : comparison.failures) PrintNote(failure);
  return worse;
}

int Compare(const SuiteOptions& options, const std::string& earlier, const std::string& later, bool is_check) {
  const Result<SuiteResults> before = LoadResults(options, earlier);
  if (!before) return Complain(before.error().message);
  const Result<SuiteResults> after = LoadResults(options, later);
  if (!after) return Complain(after.error().message);
  ComparisonOptions how;
  how.significance = options.significance;
  if (!options.measures.empty()) how.measures = options.measures;
  if (options.measures.empty() && !is_check) how.measures.clear();
  const SuiteComparison comparison = CompareSuites(*before, *after, how);
  if (comparison.measures.empty() && comparison.failures.empty()) {
    return Complain("the runs have no measure in common", kExitNo);
  }
  const std::string markdown = ComparisonMarkdown(comparison);
  Result<void> printed = WriteReports(options, ComparisonJunit(comparison), markdown);
  if (printed) printed = WriteOutput("-", options.json ? ComparisonJson(comparison) : ComparisonSummary(comparison));
  if (!printed) return Complain(printed.error().message);
  return is_check && SayVerdicts(comparison) ? kExitNo : kExitSuccess;
}

int Import(const SuiteOptions& options, const CLI::App& command) {
  if (options.paths.empty() || options.server.server.empty())
    return Misuse(command, "import requires files and --server");
  const Result<ServerClient> client = ServerClient::Create(options.server);
  if (!client) return Misuse(command, client.error().message);
  const Result<std::string> imported = ImportTables(*client, options.paths);
  if (!imported) return Complain(imported.error().message);
  const Result<void> printed = WriteOutput("-", *imported);
  return printed ? kExitSuccess : Complain(printed.error().message);
}

int RunAction(const SuiteOptions& options, const CLI::App& command) {
  if (options.action == "run") return RunSuiteFile(options, command);
  if (options.action == "compare") {
    if (options.paths.size() != 2) return Misuse(command, "compare requires two runs, the earlier one first");
    return Compare(options, options.paths[0], options.paths[1], false);
  }
  if (options.action == "check") {
    if (options.paths.size() != 1 || options.baseline.empty())
      return Misuse(command, "check requires a run and --against RUN");
    return Compare(options, options.baseline, options.paths[0], true);
  }
  if (options.action == "import") return Import(options, command);
  return Misuse(command, fmt::format("unknown action '{}'; use run, compare, check or import", options.action));
}

}  // namespace

std::function<int()> DefineSuite(CLI::App& command) {
  const auto options = std::make_shared<SuiteOptions>();
  AddActionTo(command, &options->action);
  command.add_option(
      "PATH", options->paths,
      "run: the suite's YAML file; import: CSV files; else runs: output folders, or IDs of runs with --server");
  AddOption(command, "--output-dir DIR", &options->output,
            "Output folder; run: new, for its results (default: ./sparkprof-DATE-TIME)");
  AddOption(command, "--against RUN", &options->baseline, "check: the run to compare with");
  AddOption(command, "--measure NAME", &options->measures,
            "Measures to compare: seconds, cpuSeconds, maxRssBytes, and maxRssBytes.TYPE, maxCpuPercent.TYPE, "
            "maxPrivateBytes.TYPE, maxVirtualBytes.TYPE; compare: all by default; check: the first three by "
            "default")
      ->delimiter(',');
  AddOption(command, "--significance LEVEL", &options->significance, "Level of the rank test")
      ->capture_default_str()
      ->check(MoreThanZero());
  AddOption(command, "--junit FILE", &options->junit, "Also write JUnit XML");
  AddOption(command, "--markdown FILE", &options->markdown, "Also write Markdown");
  command.add_flag("--json", options->json, "Print JSON");
  options->server.AddTo(command);
  command.get_option("--server")->required(false);
  command.footer(
      "docs/measure.md describes the file.\n"
      "Examples:\n"
      "  sparkprof suite run examples/suite.yaml --output-dir results\n"
      "  sparkprof suite compare baseline results\n"
      "  sparkprof suite check results --against baseline --junit check.xml\n"
      "  sparkprof suite import Runs.csv Log.csv --server http://collector:8320");
  return [options, &command] { return RunAction(*options, command); };
}

}  // namespace sparkprof
