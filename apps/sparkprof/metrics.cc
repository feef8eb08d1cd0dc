// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "metrics_output.h"
#include "metrics_selection.h"
#include "record_inputs.h"
#include "recording_options.h"
#include "share_option.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct MetricsOptions {
  std::vector<std::string> paths;
  MetricsSelection selection;
  bool list = false;
  bool maxima = false;
  bool normalize = true;
  bool raw = false;
  bool json = false;
  bool csv = false;
  std::string output;
  InputOptions inputs;
};

std::string Render(const MetricsOptions& options, const ProfilerRecords& records,
                   const std::vector<MetricGroup>& groups) {
  const bool normalize = !options.raw;
  if (options.maxima) return options.json ? MaximaJson(groups, normalize) : MaximaText(groups, normalize);
  if (options.json) return SeriesJson(records, groups, normalize, !options.list);
  if (options.csv) return SeriesCsv(records, groups, normalize);
  if (!options.list) return SeriesTable(groups, normalize);
  std::string names;
  for (const MetricGroup& group : groups) names += group.name + "\n";
  return names;
}

int RunMetrics(const MetricsOptions& options) {
  const MetricsSelection& selection = options.selection;
  const Result<LoadedRecords> loaded = LoadRecords(
      options.paths, options.inputs, {.details = selection.all || !selection.include.empty(), .stacks = false});
  if (!loaded) return Complain(loaded.error().message);
  PrintNotes(*loaded);
  const std::vector<MetricGroup> groups = GroupByName(SelectSeries(loaded->records, selection));
  if (groups.empty()) {
    return Complain(loaded->records.series.empty() ? "no metrics in the inputs"
                                                   : "no metrics match --include, --ignore, --profiler and --id",
                    kExitNo);
  }
  const Result<void> written = WriteOutput(options.output, Render(options, loaded->records, groups));
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineMetrics(CLI::App& command) {
  const auto options = std::make_shared<MetricsOptions>();
  command.add_option("PATH", options->paths, "Files and folders with profiler records")->required();
  command.add_flag("--list", options->list, "Print the metrics' names");
  CLI::Option* const maxima = command.add_flag("--maxima", options->maxima, "Print the maximum of each metric");
  command.add_option("--include", options->selection.include, "Select metrics whose name contains one of these")
      ->type_name("NAME");
  command.add_option("--ignore", options->selection.ignore, "Omit metrics whose name contains one of these")
      ->type_name("NAME");
  command.add_option("--id", options->selection.id, "Select the PySpark worker with this PID")->type_name("PID");
  command
      .add_option("--profiler", options->selection.profiler,
                  "Select records of JVMProfiler, PySpark or babar (or part of the name)")
      ->type_name("NAME");
  command.add_flag("--all", options->selection.all, "Include details: memory pools, buffers, cores, process sizes");
  CLI::Option* const normalize =
      command.add_flag("--normalize", options->normalize, "Print bytes as MiB and times as minutes (the default)");
  command.add_flag("--raw", options->raw, "Print the recorded values")->excludes(normalize);
  CLI::Option* const json =
      command.add_flag("--json", options->json, "Print JSON, with the points unless --list is used");
  command.add_flag("--csv", options->csv, "Print one line per point")->excludes(json)->excludes(maxima);
  command.add_option("-o,--output", options->output, "Output file (default: standard output)")->type_name("FILE");
  AddShareTo(command);
  options->inputs.AddLimitsTo(command);
  command.footer(
      "Metrics have the names of their profilers, as in Phil's Stopwatch. The collectors of the young and the old\n"
      "generation are ScavengeColl* and MarkSweepColl* for every JVM. Exits with code 1 if there are no metrics.\n"
      "Examples:\n"
      "  sparkprof metrics CpuAndMemory.json.gz\n"
      "  sparkprof metrics logs/ --maxima --json\n"
      "  sparkprof metrics CombinedProfile.json.gz --profiler pyspark --id 931 --include pmem --csv");
  return [options] { return RunMetrics(*options); };
}

}  // namespace sparkprof
