// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "analysis/answers.h"
#include "analysis/comparison/compared_runs.h"
#include "analysis/python/stitch.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "capture/predicted_run.h"
#include "capture/recording_options.h"
#include "inputs/application_input.h"
#include "inputs/remote_options.h"
#include "inputs/shared_options.h"
#include "number_checks.h"
#include "output/terminal_style.h"
#include "render/writers/answer_writers.h"
#include "verb.h"

namespace sparkprof {
namespace {

// Texts for options of `compare` that `diff` also has (pictures/picture_options.cc).
constexpr const char* kTopPurpose = "Number of rows in the text";
constexpr const char* kFailAbovePurpose = "Exit with code 1 if AFTER is more than this percentage above BEFORE";

// Parses "10%" or "10" as a non-negative number.
CLI::Validator Percentage() {
  return CLI::Validator(
      [](std::string& text) {
        if (text.ends_with('%')) text.pop_back();
        return AtLeast(0)(text);
      },
      "");
}

struct CompareOptions {
  std::string before, after;
  PredictionOptions prediction;
  InputOptions input;
  double fail_above = -1;  // percent; negative = never
  size_t top = 10;
  std::string markdown, output;
  std::string prices;
  bool json = false;
};

std::string Signed(double change) { return fmt::format("{:+.1f}%", change * 100); }

double Relative(int64_t before, int64_t after) {
  return before <= 0 ? 0 : static_cast<double>(after - before) / static_cast<double>(before);
}

std::string FindingLines(const char* heading, const std::vector<const Finding*>& findings) {
  if (findings.empty()) return {};
  std::string text = fmt::format("{} ({})\n", heading, findings.size());
  for (const Finding* finding : findings) text += fmt::format("  {}\n", finding->title);
  return text;
}

// "stages 3, 4", or "60 stages: 3, 4, 5 …".
std::string StagesText(const std::vector<int64_t>& ids) {
  constexpr size_t kMaxStages = 5, kMaxNamed = 3;
  if (ids.size() <= kMaxStages) return fmt::format("stages {}", fmt::join(ids, ", "));
  return fmt::format("{} stages: {} …", ids.size(), fmt::join(ids.begin(), ids.begin() + kMaxNamed, ", "));
}

std::string StageLine(const StageChange& stage) {
  const bool is_in_both = !stage.before_ids.empty() && !stage.after_ids.empty();
  std::string line =
      fmt::format("  {:>9} -> {:>9} {:>8}  {}", FormatDuration(stage.before_ns), FormatDuration(stage.after_ns),
                  is_in_both ? Signed(Relative(stage.before_ns, stage.after_ns)) : "", stage.name);
  if (is_in_both) {
    const std::string after = StagesText(stage.after_ids);
    line += fmt::format(" ({} -> {})", StagesText(stage.before_ids),
                        after.starts_with("stages ") ? after.substr(sizeof "stages " - 1) : after);
  }
  line += "\n";
  for (const std::string& cause : stage.causes) line += fmt::format("  {:>33}{}\n", "", cause);
  return line;
}

std::string PlanLine(const PlanChange& plan) {
  const auto names = [](const std::vector<std::string>& all) {
    return all.empty() ? std::string("none") : fmt::format("{}", fmt::join(all, ", "));
  };
  const std::string query = plan.before_id == plan.after_id
                                ? fmt::format("query {}", plan.after_id)
                                : fmt::format("queries {} -> {}", plan.before_id, plan.after_id);
  return fmt::format("  {} ({}): {} -> {}\n", plan.name, query, names(plan.gone), names(plan.added));
}

std::string Text(const ComparedRuns& runs, const AnsweredRun& run_before, const AnsweredRun& run_after, size_t top) {
  const Application &before = run_before.application, &after = run_after.application;
  const RunComparison& comparison = runs.comparison;
  const std::vector<RunCause>& causes = runs.causes;
  std::string text = fmt::format("{} ({}) -> {} ({}): {} -> {}, {}\n", before.name, before.id, after.name, after.id,
                                 FormatDuration(comparison.before_ns), FormatDuration(comparison.after_ns),
                                 Signed(comparison.Change()));
  if (const std::string cost = CostChange(run_before.answers.costs, run_after.answers.costs); !cost.empty())
    text += fmt::format("  {}\n", cost);
  for (const std::string& cause : comparison.causes) text += fmt::format("  {}\n", cause);
  if (!causes.empty() && top > 0) text += "Causes, largest first\n";
  for (size_t i = 0; i < causes.size() && i < top; ++i) {
    const int64_t delta_ns = causes[i].delta_ns;
    text +=
        fmt::format("  {:>9}  {}\n", (delta_ns > 0 ? "+" : "-") + FormatDuration(std::abs(delta_ns)), causes[i].text);
  }
  text +=
      FindingLines("Findings that are gone", runs.findings.gone) + FindingLines("New findings", runs.findings.added);
  text += fmt::format("Stages, largest change first ({} of {})\n", std::min(top, comparison.stages.size()),
                      comparison.stages.size());
  for (size_t i = 0; i < comparison.stages.size() && i < top; ++i) text += StageLine(comparison.stages[i]);
  if (!runs.plans.empty() && top > 0) {
    text += fmt::format("Plans that differ ({} of {})\n", std::min(top, runs.plans.size()), runs.plans.size());
  }
  for (size_t i = 0; i < runs.plans.size() && i < top; ++i) text += PlanLine(runs.plans[i]);
  if (!comparison.settings.empty()) text += fmt::format("Settings ({})\n", comparison.settings.size());
  for (const SettingChange& setting : comparison.settings) {
    const auto value = [](const std::string& one) { return one.empty() ? "not set" : Shorten(one, 60); };
    text += fmt::format("  {}: {} -> {}\n", setting.name, value(setting.before), value(setting.after));
  }
  return text;
}

// Writes the page; merges Python stacks into those of the JVM.
Result<void> WritePage(const std::string& path, const ComparedRuns& runs, const AnsweredRun& before,
                       const AnsweredRun& after) {
  Application shown_before = before.application, shown_after = after.application;
  for (Application* const shown : {&shown_before, &shown_after})
    ChooseLanguage(shown, Language::kMerged, /*fold=*/false);
  const Result<std::string> page = RenderComparePage(runs, before, after, shown_before, shown_after);
  if (!page) return tl::unexpected(page.error());
  return WriteOutput(path, *page);
}

int RunCompare(const CompareOptions& options, const CLI::App& command) {
  if (options.prediction.IsGiven() != options.after.empty()) {
    return Misuse(command,
                  "expected either AFTER, or --executors, --cores, --no-skew, or --stage with --twice-as-fast");
  }
  if (!options.after.empty() && !options.prediction.application.empty())
    return Misuse(command, "AFTER excludes --application, which selects the run of a prediction");
  if (options.prediction.IsGiven() &&
      (options.fail_above >= 0 || !options.markdown.empty() || !options.output.empty())) {
    return Misuse(command, "--fail-above, --markdown and --output require AFTER; a prediction is text or --json");
  }
  if (options.prediction.IsGiven())
    return ComparePrediction(options.before, options.prediction, options.input, options.json, command);
  const Result<std::optional<Application>> loaded_before = LoadOneApplication(options.before, {}, options.input);
  if (!loaded_before) return Complain(loaded_before.error().message);
  const Result<std::optional<Application>> loaded_after = LoadOneApplication(options.after, {}, options.input);
  if (!loaded_after) return Complain(loaded_after.error().message);
  if (!*loaded_before || !*loaded_after) return kExitNo;
  const Result<std::optional<PriceList>> prices = ReadPrices(options.prices);
  if (!prices) return Complain(prices.error().message);
  const Answers answers_before = Answer(**loaded_before, *prices), answers_after = Answer(**loaded_after, *prices);
  const AnsweredRun before{**loaded_before, answers_before}, after{**loaded_after, answers_after};
  const ComparedRuns runs = CompareAnswered(before, after);
  if (!options.markdown.empty()) {
    const Result<void> written = WriteOutput(options.markdown, RunsMarkdown(runs, before, after, options.top));
    if (!written) return Complain(written.error().message);
  }
  if (!options.output.empty()) {
    if (const Result<void> written = WritePage(options.output, runs, before, after); !written)
      return Complain(written.error().message);
  }
  std::string text;
  if (options.json) {
    JsonWriter json;
    WriteRuns(runs, before, after, &json);
    text = json.Take() + "\n";
  } else {
    text = WrapForTerminal(Text(runs, before, after, options.top));
    if (!options.output.empty()) text += fmt::format("Page  {}\n", options.output);
  }
  if (const Result<void> written = options.output == "-" ? Result<void>() : WriteOutput("-", text); !written)
    return Complain(written.error().message);
  const double change = runs.comparison.Change() * 100;
  if (options.fail_above < 0 || change <= options.fail_above) return kExitSuccess;
  return Complain(fmt::format("{} took {:.1f}% longer than {}, more than {:g}%", options.after, change, options.before,
                              options.fail_above),
                  kExitNo);
}

}  // namespace

std::function<int()> DefineCompare(CLI::App& command) {
  const auto options = std::make_shared<CompareOptions>();
  command
      .add_option("BEFORE", options->before,
                  "The baseline: an event log, a recording, or logs of a job; a file or a folder")
      ->required();
  command.add_option("AFTER", options->after, "The run to compare with the baseline");
  options->prediction.AddTo(command);
  AddOption(command, "--fail-above PERCENT", &options->fail_above, std::string(kFailAbovePurpose) + "; the duration")
      ->transform(Percentage());
  AddOption(command, "--top NUMBER", &options->top, kTopPurpose)->capture_default_str();
  AddOption(command, "--markdown FILE", &options->markdown, "Also write Markdown");
  AddOption(command, "-o,--output FILE", &options->output,
            "Output file; the comparison as a page, - is standard output");
  command.add_flag("--json", options->json, "Print JSON");
  AddPricesTo(command, &options->prices);
  options->input.AddTo(command);
  AcceptUrls(command, {&options->before, &options->after});
  command.footer(
      "Matches the stages of two runs by their plan and line of code, and prints which got slower and why, and\n"
      "which findings are gone or new. Without AFTER, predicts the run's duration under other conditions: places its\n"
      "recorded tasks on the given cores, in the scheduler's order, and keeps the driver's pauses and the order of "
      "the\n"
      "stages.\n"
      "Examples:\n"
      "  sparkprof compare yesterday.zstd today.zstd\n"
      "  sparkprof compare baseline.sprof sparkprof-output/recording.sprof -o compare.html\n"
      "  sparkprof compare baseline.sprof sparkprof-output/recording.sprof --fail-above 10%\n"
      "  sparkprof compare a.zstd b.zstd --json | jq '.stages[0]'\n"
      "  sparkprof compare recording.sprof --executors 20 --no-skew\n"
      "  sparkprof whatif recording.sprof --cores 8\n"
      "  sparkprof compare recording.sprof --stage 4 --twice-as-fast --json | jq .predictedMs");
  return [options, &command] { return RunCompare(*options, command); };
}

}  // namespace sparkprof
