// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answers.h"
#include "analysis/findings/advice.h"
#include "analysis/findings/failures/harmless_messages.h"
#include "analysis/findings/log_values.h"
#include "analysis/selection/known_parts.h"
#include "base/text/escaped_text.h"
#include "base/text/json_writer.h"
#include "capture/recording_options.h"
#include "fragments/fragment_answer.h"
#include "inputs/input_options.h"
#include "inputs/remote_options.h"
#include "inputs/shared_options.h"
#include "loader/application_loader.h"
#include "output/print_problems.h"
#include "output/progress.h"
#include "output/summary_text.h"
#include "render/report/answers_json.h"
#include "render/writers/answer_writers.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct FindingsOptions {
  std::vector<std::string> paths;
  std::string application;
  std::string fail_on;
  std::string markdown;
  std::string prices;
  bool json = false;
  InputOptions inputs;
};

constexpr std::string_view kExpected =
    "event logs, recordings, logs of a job, or what docs/findings.md lists under \"What you can paste\"";

// An application of which no rule found anything, as its inputs have no tasks.
std::string WhyNotChecked(const Application& application, const RulesApplied& rules, const ApplicationInputs& inputs) {
  if (!inputs.text_logs.empty() && inputs.event_logs.empty() && !inputs.recorded) {
    const Input& first = *inputs.text_logs.front();
    const bool is_only = inputs.text_logs.size() == 1;
    if (first.fragment != nullptr && (is_only || first.fragment->kind == FragmentKind::kYarnLogs))
      return WhyNoFindings(first);
    if (is_only && !first.seems.empty() && !HasData(application))
      return fmt::format("{}: no log; it seems to be {}. Expected {}", first.path, first.seems, kExpected);
  }
  if (application.logs.Size() == 0) return fmt::format("{}: {}", application.id, NoFindingsText(rules));
  const size_t logs = application.logs.sources.size();
  return fmt::format("{}: no known failure in {} of {}, which {} no tasks or stages to check", application.id,
                     Counted(static_cast<int64_t>(application.logs.Size()), "record"),
                     Counted(static_cast<int64_t>(logs), "log"), logs == 1 ? "has" : "have");
}

// The meaning of errors of a log that no finding of a failure explains.
std::vector<std::string> ErrorsWithoutFailure(const Application& application, const Answers& answers) {
  const bool has_failure = std::any_of(answers.findings.begin(), answers.findings.end(),
                                       [](const Finding& finding) { return finding.is_failure; });
  if (has_failure || !HasOnlyLogs(application)) return {};
  std::vector<std::string> texts = HarmlessMessages(application, LogLevel::kError);
  for (std::string& text : texts) text = "Not a failure: " + text;
  return texts;
}

// Jobs that succeeded and stages that run, of a log that shows no tasks.
std::vector<std::string> FactsOfCourse(const Application& application) {
  std::vector<std::string> facts;
  const auto succeeded = std::count_if(application.jobs.begin(), application.jobs.end(),
                                       [](const Job& job) { return job.status == RunStatus::kSucceeded; });
  if (succeeded > 0) facts.push_back(fmt::format("{} succeeded", Counted(succeeded, "job")));
  const auto running = std::find_if(application.stages.begin(), application.stages.end(),
                                    [](const Stage& stage) { return stage.status == RunStatus::kRunning; });
  if (running == application.stages.end() || application.ended) return facts;
  facts.push_back(
      fmt::format("Stage {}{} has no end here: it still runs, or the log stops before. Thread dumps of an executor "
                  "(jstack PID, or the page Executors of Spark's UI) show what its tasks do",
                  running->id, running->name.starts_with("stage ") ? "" : " (" + running->name + ")"));
  return facts;
}

// The findings of all applications and fragments, as JSON or text, and the highest severity among them.
class FindingsOutput {
 public:
  explicit FindingsOutput(bool is_json) : is_json_(is_json) { json_.BeginArray(); }

  void Add(const Application& application, const Answers& answers, const ApplicationInputs& inputs) {
    AddFindings(application, answers);
    const bool is_checked = answers.rules.any || !answers.findings.empty();
    if (!is_checked && AddUnchecked(application, answers.rules, inputs)) return;
    if (!is_json_ && is_checked)
      text_ += ListFindings(application, answers, ErrorsWithoutFailure(application, answers));
    markdown_ += (markdown_.empty() ? "" : "\n") + FindingsMarkdown(application, answers);
  }

  Result<void> AddFragment(const Input& input) {
    const Result<FragmentAnswer> fragment = AnswerFragment(input);
    if (!fragment) return tl::unexpected(fragment.error());
    AddFindings(fragment->application, fragment->answers);
    if (fragment->answers.findings.empty()) Complain(WhyNoFindings(input));
    AddTexts(fragment->application, fragment->answers, fragment->facts);
    return {};
  }

  std::string Take() { return is_json_ ? json_.EndArray().Take() + "\n" : std::move(text_); }
  const std::string& Markdown() const { return markdown_; }
  std::optional<Severity> Worst() const { return worst_; }
  // Whether an application had the data that the rules need.
  bool IsAnswered() const { return is_answered_; }

 private:
  // The reason on standard error, as an empty list alone would look like a clean bill of health; and what a log without
  // tasks shows nevertheless. False if that is nothing.
  bool AddUnchecked(const Application& application, const RulesApplied& rules, const ApplicationInputs& inputs) {
    Answers shown;
    std::vector<std::string> facts = FactsOfStreams(application);
    if (!facts.empty()) {
      const FragmentType& type = TypeOf(FragmentKind::kStreamingProgress);
      Complain(fmt::format("{}: {} without known problems; {}", application.id, type.name, type.more));
      shown.verdict = fmt::format("The progress of a streaming query: {}.",
                                  Counted(static_cast<int64_t>(application.streaming_batches.size()), "trigger"));
      for (const std::string& message : HarmlessMessages(application, LogLevel::kInfo))
        facts.push_back("Harmless: " + message);
    } else {
      Complain(WhyNotChecked(application, rules, inputs));
      facts = FactsOfCourse(application);
      for (std::string& error : UnknownErrors(application)) facts.push_back(std::move(error));
      shown.verdict = "The log has no known failure.";
      for (const std::string& message : HarmlessMessages(application, LogLevel::kInfo))
        facts.push_back("Harmless: " + message);
    }
    if (!facts.empty()) AddTexts(application, shown, facts);
    return !facts.empty();
  }

  void AddTexts(const Application& application, const Answers& answers, const std::vector<std::string>& facts) {
    if (!is_json_) text_ += ListFindings(application, answers, facts);
    markdown_ += (markdown_.empty() ? "" : "\n") + FindingsMarkdown(application, answers);
    for (const std::string& fact : facts) markdown_ += fmt::format("\n- {}\n", EscapeMarkdown(fact));
  }

  void AddFindings(const Application& application, const Answers& answers) {
    is_answered_ |= answers.rules.any || !answers.findings.empty();
    for (const Finding& finding : answers.findings) {
      if (!worst_ || finding.severity > *worst_) worst_ = finding.severity;
      if (is_json_) WriteFinding(application, finding, answers.costs, &json_);
    }
  }

  bool is_json_;
  bool is_answered_ = false;
  JsonWriter json_;
  std::string text_, markdown_;
  std::optional<Severity> worst_;
};

int RunFindings(const FindingsOptions& options, const CLI::App& command) {
  const std::optional<Severity> fail_on = ParseSeverity(options.fail_on);
  if (!options.fail_on.empty() && !fail_on) {
    return Misuse(command, fmt::format("--fail-on {}: must be high, medium or low", options.fail_on));
  }
  const Result<std::optional<LogZone>> zone = options.inputs.Zone();
  if (!zone) return Complain(zone.error().message);
  const Result<std::optional<PriceList>> prices = ReadPrices(options.prices);
  if (!prices) return Complain(prices.error().message);
  Result<ApplicationLoader> loader = [&] {
    const Progress progress("scanning the inputs", BytesOfPaths(options.paths));
    return ApplicationLoader::Find(options.paths, {.limits = options.inputs.Limits(),
                                                   .event_logs = options.inputs.EventLog(),
                                                   .zone = *zone,
                                                   .log_records = true});
  }();
  if (!loader) return Complain(loader.error().message);
  FindingsOutput output(options.json);
  bool is_found = false;
  std::vector<InputOutcome> all_outcomes;
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    const ApplicationInputs& inputs = loader->applications()[row];
    if (!IsAsked(options.application, inputs.id, inputs.attempt)) continue;
    const Progress progress(fmt::format("reading {}", inputs.id), BytesOfFiles(inputs.FileBytes()));
    std::vector<InputOutcome> outcomes;
    const std::vector<Application> applications = loader->Read(row, &outcomes);
    // Returns the readers' memory to the system before the answers need memory.
    malloc_trim(0);
    all_outcomes.insert(all_outcomes.end(), outcomes.begin(), outcomes.end());
    for (const Application& application : applications) {
      const Answers answers = Answer(application, *prices);
      if (inputs.IsFragment() && answers.findings.empty()) {
        if (const Result<void> added = output.AddFragment(*inputs.text_logs.front()); !added)
          return Complain(added.error().message);
      } else {
        output.Add(application, answers, inputs);
      }
    }
    is_found = true;
  }
  for (const Input& input : loader->inputs().inputs) {
    const bool has_application = input.kind != InputKind::kFragment && input.kind != InputKind::kProfile;
    if (has_application || input.fragment == nullptr || !options.application.empty()) continue;
    if (const Result<void> added = output.AddFragment(input); !added) return Complain(added.error().message);
    is_found = true;
  }
  const InputProblems problems =
      ProblemsOf(loader->inputs(), loader->recording_status(), all_outcomes, /*reads_fragments=*/true);
  if (!is_found && loader->applications().empty()) {
    if (options.json) {
      if (const Result<void> written = WriteOutput("-", output.Take()); !written)
        return Complain(written.error().message);
    }
    return ComplainNothingUsable(options.paths, problems);
  }
  PrintProblems(problems);
  if (!is_found) return Complain(fmt::format("application {} not found in the inputs", options.application));
  if (!options.markdown.empty()) {
    const Result<void> written = WriteOutput(options.markdown, output.Markdown());
    if (!written) return Complain(written.error().message);
  }
  if (const Result<void> written = WriteOutput("-", output.Take()); !written) return Complain(written.error().message);
  const bool has_failed = fail_on && output.Worst() && *output.Worst() >= *fail_on;
  return has_failed || !output.IsAnswered() ? kExitNo : kExitSuccess;
}

}  // namespace

std::function<int()> DefineFindings(CLI::App& command) {
  const auto options = std::make_shared<FindingsOptions>();
  command
      .add_option(
          "PATH", options->paths,
          "Files, folders and archives: recordings, event logs, driver and executor logs, profiler records, and "
          "fragments such as GC logs, query plans, dumps and stack traces")
      ->required();
  AddApplicationTo(command, &options->application);
  AddOption(command, "--fail-on SEVERITY:{high,medium,low}", &options->fail_on,
            "Exit with code 1 for a finding of at least this severity: high, medium or low");
  AddOption(command, "--markdown FILE", &options->markdown, "Also write Markdown");
  command.add_flag("--json", options->json, "Print JSON");
  AddPricesTo(command, &options->prices);
  options->inputs.AddTo(command);
  AcceptUrls(command, &options->paths);
  command.footer(
      "Prints why a job was slow or failed, and what to change: failures first, then by the time you could save.\n"
      "Examples:\n"
      "  sparkprof findings recording.sprof\n"
      "  sparkprof findings http://collector:8320/applications/application_1603128018386_7846\n"
      "  sparkprof findings eventlogs/ --fail-on high\n"
      "  sparkprof findings driver.log --json | jq -r '.[] | \"\\(.rule): \\(.change)\"'");
  return [options, &command] { return RunFindings(*options, command); };
}

}  // namespace sparkprof
