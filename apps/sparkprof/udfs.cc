// SPDX-License-Identifier: Apache-2.0
#include "analysis/udfs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>

#include "base/json_writer.h"
#include "base/text.h"
#include "recording_options.h"
#include "render/python_json.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct UdfsOptions {
  RecordingOptions recording;
  bool json = false;
};

std::string Json(const std::vector<UdfCost>& costs) {
  JsonWriter json;
  json.BeginArray();
  for (const UdfCost& cost : costs) WriteUdf(cost, &json);
  return json.EndArray().Take() + "\n";
}

std::string Text(const std::vector<UdfCost>& costs, int64_t python_cpu_ns) {
  std::string text = fmt::format("{:>9} {:>7} {:>9} {:>8} {:>12}  {:<26} {:<10} {}\n", "CPU", "share", "wall",
                                 "samples", "rows", "kind", "stages", "function");
  for (const UdfCost& cost : costs) {
    const double share =
        python_cpu_ns > 0 ? static_cast<double>(cost.cpu_ns) / static_cast<double>(python_cpu_ns) : 0.0;
    text += fmt::format("{:>9} {:>7} {:>9} {:>8} {:>12}  {:<26} {:<10} {} ({}:{})\n", FormatDuration(cost.cpu_ns),
                        FormatShare(share), FormatDuration(cost.wall_ns), cost.samples,
                        cost.rows ? std::to_string(*cost.rows) : "", EvalTypeName(cost.eval_type),
                        fmt::format("{}", fmt::join(cost.stages, ",")), cost.name, cost.file, cost.line);
  }
  return text +
         fmt::format("Share: of the {} of sampled CPU time of the Python workers.\n", FormatDuration(python_cpu_ns));
}

int RunUdfs(const UdfsOptions& options) {
  const Result<LoadedRecording> loaded = Load(options.recording);
  if (!loaded) return Complain(loaded.error().message);
  const Application& application = loaded->Longest();
  if (!loaded->OthersNote().empty()) Complain(fmt::format("showing {}. {}", application.id, loaded->OthersNote()));
  const std::vector<UdfCost> costs = CostOfUdfs(application);
  if (costs.empty() && !options.json) {
    return Complain(fmt::format("{}: no functions of Python workers recorded", loaded->name), kExitNo);
  }
  const Result<void> written =
      WriteOutput("-", options.json ? Json(costs) : Text(costs, CpuOfPythonWorkers(application)));
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineUdfs(CLI::App& command) {
  const auto options = std::make_shared<UdfsOptions>();
  options->recording.AddTo(command);
  command.add_flag("--json", options->json, "Print JSON");
  command.footer(
      "The cost of a function includes everything it called in the Python workers. Rows are the returned rows, if the\n"
      "SQL plan has them.\n"
      "Exits with code 1 if there are no functions; --json then prints an empty list.\n"
      "Examples:\n"
      "  sparkprof udfs sparkprof-output/recording.sprof\n"
      "  sparkprof udfs --json recording.sprof | jq '.[0].name'");
  return [options] { return RunUdfs(*options); };
}

}  // namespace sparkprof
