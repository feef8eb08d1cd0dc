// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "analysis/answers.h"
#include "analysis/costs/price_list.h"
#include "analysis/selection/time_range.h"
#include "analysis/tuning/tuning.h"
#include "base/text/escaped_text.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/recording_options.h"
#include "collector_parts.h"
#include "inputs/application_input.h"
#include "inputs/remote_options.h"
#include "inputs/shared_options.h"
#include "loader/remote_inputs.h"
#include "output/terminal_style.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct TuneOptions {
  ApplicationInput input;
  std::string goal = "cost";
  std::string format = "conf";
  std::string prices;
  std::string fleet, job;
  bool json = false;
};

void WriteRange(std::string_view key, const TuningRange& range, JsonWriter* json) {
  json->Key(key).BeginObject().Member("low", range.low).Member("high", range.high).EndObject();
}

TuningRange Cost(const Tuning& tuning, const PriceList& prices) {
  return {prices.Cost(tuning.core_hours.low, tuning.gb_hours.low),
          prices.Cost(tuning.core_hours.high, tuning.gb_hours.high)};
}

TuningRange Millis(const TuningRange& ns) {
  constexpr auto kMilli = static_cast<double>(kNanosPerMilli);
  return {ns.low / kMilli, ns.high / kMilli};
}

std::string Json(const Application& application, const Tuning& tuning, const std::optional<PriceList>& prices) {
  JsonWriter json;
  json.BeginObject().Member("application", application.id).Key("settings").BeginArray();
  for (const TunedSetting& one : tuning.settings) {
    json.BeginObject().Member("key", one.key).Member("value", one.value).Member("was", one.was).Member("why", one.why);
    json.EndObject();
  }
  const Resources& recorded = tuning.recorded;
  json.EndArray().Key("recorded").BeginObject();
  json.Member("durationMs", recorded.duration_ns / kNanosPerMilli).Key("gbHours");
  recorded.gb_hours > 0 ? json.Value(recorded.gb_hours) : json.Null();
  json.Member("coreHours", recorded.core_hours).Key("cost");
  if (prices && recorded.gb_hours > 0) {
    json.Value(prices->Cost(recorded.core_hours, recorded.gb_hours));
  } else {
    json.Null();
  }
  json.EndObject().Key("predicted").BeginObject();
  WriteRange("durationMs", Millis(tuning.duration_ns), &json);
  if (recorded.gb_hours > 0) {
    WriteRange("gbHours", tuning.gb_hours, &json);
  } else {
    json.Key("gbHours").Null();
  }
  json.Key("cost");
  if (prices && recorded.gb_hours > 0) {
    const TuningRange cost = Cost(tuning, *prices);
    json.BeginObject()
        .Member("low", cost.low)
        .Member("high", cost.high)
        .Member("currency", prices->currency)
        .EndObject();
  } else {
    json.Null();
  }
  return json.EndObject().EndObject().Take() + "\n";
}

std::string SettingLine(const TunedSetting& setting, std::string_view format) {
  if (format == "properties") return fmt::format("{} {}", setting.key, setting.value);
  if (format == "python") return fmt::format("    .config(\"{}\", \"{}\")", setting.key, setting.value);
  return "--conf " + ShellWord(fmt::format("{}={}", setting.key, setting.value));
}

std::string RangeText(double low, double high, std::string_view unit) {
  return low == high ? fmt::format("{:.3g} {}", low, unit) : fmt::format("{:.3g}–{:.3g} {}", low, high, unit);
}

std::string Text(const Application& application, const Tuning& tuning, const std::optional<PriceList>& prices,
                 std::string_view format) {
  const TerminalStyle style;
  const Resources& recorded = tuning.recorded;
  const size_t count = tuning.settings.size();
  std::string text =
      style.Bold(style.Wrap(fmt::format("{} · {}: {}", application.name, application.id,
                                        count == 0 ? "no setting would make a difference that the recorded data show"
                                                   : fmt::format("{} setting{}", count, count == 1 ? "" : "s")),
                            0, 2));
  for (const TunedSetting& setting : tuning.settings) {
    text += SettingLine(setting, format) + "\n";
    text += "      # " + style.Wrap(fmt::format("was {}. {}.", setting.was, setting.why), 8, 8);
  }
  if (recorded.duration_ns == 0) return text;
  text += fmt::format(
      "Time    {}, was {}\n",
      FormatDurationRange(static_cast<int64_t>(tuning.duration_ns.low), static_cast<int64_t>(tuning.duration_ns.high)),
      FormatDuration(recorded.duration_ns));
  if (recorded.gb_hours > 0) {
    text += fmt::format("Memory  {}, was {:.3g}\n", RangeText(tuning.gb_hours.low, tuning.gb_hours.high, "GB-hours"),
                        recorded.gb_hours);
  }
  if (prices && recorded.gb_hours > 0) {
    const TuningRange cost = Cost(tuning, *prices);
    text += fmt::format("Cost    {}, was {:.3g}\n", RangeText(cost.low, cost.high, prices->currency),
                        prices->Cost(recorded.core_hours, recorded.gb_hours));
  }
  return text;
}

// The runs of the job with the longest run, that run first. `is_one_job`: all are runs of one job, whatever their
// names.
std::vector<const Application*> RunsOfOneJob(const std::vector<Application>& applications, bool is_one_job) {
  std::vector<const Application*> runs;
  for (const Application& application : applications) runs.push_back(&application);
  std::stable_sort(runs.begin(), runs.end(), [](const Application* a, const Application* b) {
    return RangeOf(*a).Duration() > RangeOf(*b).Duration();
  });
  if (is_one_job) return runs;
  std::erase_if(runs, [&, name = runs.front()->name](const Application* one) { return one->name != name; });
  return runs;
}

int RunTune(TuneOptions* options, const CLI::App& command) {
  const std::optional<TuningGoal> goal = ParseTuningGoal(options->goal);
  if (!goal) return Misuse(command, fmt::format("--goal {}: must be time or cost", options->goal));
  if (options->format != "conf" && options->format != "properties" && options->format != "python")
    return Misuse(command, fmt::format("--format {}: must be conf, properties or python", options->format));
  const Result<std::optional<PriceList>> prices = ReadPrices(options->prices);
  if (!prices) return Complain(prices.error().message);
  const bool is_of_fleet = !options->fleet.empty();
  if (is_of_fleet != !options->job.empty()) return Misuse(command, "--fleet and --job need each other");
  if (is_of_fleet != options->input.paths.empty()) return Misuse(command, "expected INPUT, or --fleet with --job");
  if (is_of_fleet) {
    Result<std::vector<std::string>> logs = FindLogsOfJob(options->fleet, options->job);
    if (!logs) return Complain(logs.error().message);
    options->input.paths = std::move(*logs);
  }
  const bool is_of_group = !options->input.paths.empty() && IsGroupUrl(UrlOf(options->input.paths.front()));
  const Result<std::vector<Application>> applications = LoadApplications(options->input);
  if (!applications) return Complain(applications.error().message);
  if (applications->empty()) return kExitNo;
  const std::vector<const Application*> chosen = RunsOfOneJob(*applications, is_of_fleet || is_of_group);
  if (chosen.size() < applications->size()) {
    Complain(fmt::format("{} applications; using the {} of {}, which ran longest", applications->size(), chosen.size(),
                         chosen.front()->name));
  }
  std::vector<Answers> answers;
  for (const Application* application : chosen) answers.push_back(Answer(*application));
  std::vector<TunedRun> runs;
  for (size_t i = 0; i < chosen.size(); ++i) runs.push_back({chosen[i], &answers[i]});
  const Tuning tuning = Tune(runs, *goal);
  const Result<void> written =
      WriteOutput("-", options->json ? Json(*chosen.front(), tuning, *prices)
                                     : Text(*chosen.front(), tuning, *prices, options->format));
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineTune(CLI::App& command) {
  const auto options = std::make_shared<TuneOptions>();
  options->input.AddTo(command);
  command.get_option("INPUT")->required(false);
  AddOption(command, "--fleet DIR", &options->fleet, "Output of sparkprof fleet analyze; in place of INPUT; see --job");
  AddOption(command, "--job ID", &options->job,
            "Select a job: the name of applications in --fleet, such as 'daily_sales_*'; the last 20 are read");
  AddOption(command, "--goal GOAL:{cost,time}", &options->goal,
            "cost makes the next run cheaper and at most 2% slower; time makes it faster, with more executors")
      ->capture_default_str();
  AddOption(command, "--format FORMAT:{conf,properties,python}", &options->format,
            "Output format: conf, properties or python")
      ->capture_default_str();
  AddPricesTo(command, &options->prices);
  command.add_flag("--json", options->json, "Print JSON");
  command.footer(
      "Prints settings for the next run of a job, each with its present value and the reason, and predicts time and\n"
      "memory. Sizes come from what was used, with a margin; of several runs of a job, from what 95% of them used at "
      "most.\n"
      "Settings that change nothing, or that the deploy mode ignores, are not printed.\n"
      "Examples:\n"
      "  sparkprof tune application_1603128018386_7846.zstd\n"
      "  sparkprof tune http://collector:8320/groups/daily_sales\n"
      "  sparkprof tune --fleet fleet --job 'daily_sales_*' --prices prices.json\n"
      "  sparkprof tune eventlogs/ --goal time --format properties\n"
      "  sparkprof tune recording.sprof --prices prices.json --json | jq .predicted");
  return [options, &command] { return RunTune(options.get(), command); };
}

}  // namespace sparkprof
