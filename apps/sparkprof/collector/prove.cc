// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/answers.h"
#include "analysis/comparison/compared_runs.h"
#include "analysis/machines/executor_memory.h"
#include "analysis/owners/resources.h"
#include "base/io/file.h"
#include "base/redaction/redaction.h"
#include "base/text/quantity.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/recording_options.h"
#include "inputs/application_input.h"
#include "inputs/server_options.h"
#include "inputs/shared_options.h"
#include "launch/output_folder.h"
#include "launch/submit_command.h"
#include "launch/submit_options.h"
#include "model/application_group.h"
#include "number_checks.h"
#include "output/terminal_style.h"
#include "prove/proof.h"
#include "prove_baseline.h"
#include "verb.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShownCauses = 3;

struct ProveOptions {
  std::vector<std::string> changes;  // KEY=VALUE
  std::string finding, from;         // ID, and the input that has it
  std::string after;                 // command line
  std::string reset;                 // command line
  std::string output, markdown;
  std::string budget;
  std::string check = "full";
  std::string prices;
  std::vector<std::string> baseline;
  CollectorOptions server;
  std::optional<int64_t> runs;
  bool allows_writes = false;
  bool json = false;
};

using Settings = std::vector<std::pair<std::string, std::string>>;

// The change that the options describe, with what a finding promises of it.
struct Change {
  Settings settings;
  std::optional<ProofPromise> promise;
  ProofSubject subject;  // the finding and its application

  // The verdict is about what the advice is about.
  ProofMeasure Decisive() const { return promise ? promise->measure : ProofMeasure::kTime; }
};

std::optional<ProofPromise> PromiseOf(const Application& application, const Finding& finding) {
  if (finding.saving.IsKnown()) {
    return ProofPromise{ProofMeasure::kTime, static_cast<double>(finding.saving.low_ns) / kNanosPerSecond,
                        static_cast<double>(finding.saving.high_ns) / kNanosPerSecond};
  }
  // The only advice that saves memory, not time.
  if (finding.rule != "unused-memory") return std::nullopt;
  const Resources use = ResourcesOf(application);
  const int64_t heap = SmallerHeap(use);
  const double saved = use.gb_hours - use.GbHours(use.executors, heap + OverheadOf(application, heap));
  return ProofPromise{ProofMeasure::kGbHours, saved, saved};
}

// The settings of a finding's advice.
Result<Settings> AdvisedBy(const Finding& finding) {
  Settings settings;
  for (const AdvisedSetting& setting : finding.settings) {
    // Advice about code, or about a size that is not known, is in words.
    if (setting.after.empty() || setting.after.find(' ') != std::string::npos) continue;
    if (setting.is_in_code) {
      return Fail(
          fmt::format("the program sets {} in its code, which takes precedence; change it there, and give the "
                      "changed program with --after",
                      setting.name));
    }
    settings.emplace_back(setting.name, setting.after);
  }
  if (!settings.empty()) return settings;
  return Fail(
      fmt::format("{}: its advice is no setting with a value: {}. Change the program, and give its command "
                  "with --after",
                  finding.id, finding.change));
}

// The saving of a finding, with the settings of its advice unless a changed program stands for them.
Result<Change> ChangeOfFinding(const ProveOptions& options) {
  const Result<std::optional<Application>> application = LoadOneApplication(options.from, "", {});
  if (!application) return tl::unexpected(application.error());
  if (!*application) return Fail(options.from + ": no application with tasks");
  const Answers answers = Answer(**application);
  const auto found = std::find_if(answers.findings.begin(), answers.findings.end(),
                                  [&](const Finding& finding) { return finding.id == options.finding; });
  if (found == answers.findings.end()) {
    std::vector<std::string> ids;
    for (const Finding& finding : answers.findings) ids.push_back(finding.id);
    return Fail(fmt::format("{}: no finding {}; it has {}", options.from, options.finding,
                            ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ", "))));
  }
  Change change;
  if (options.after.empty()) {
    Result<Settings> settings = AdvisedBy(*found);
    if (!settings) return tl::unexpected(settings.error());
    change.settings = std::move(*settings);
  }
  change.promise = PromiseOf(**application, *found);
  change.subject.finding = found->id;
  change.subject.rule = found->rule;
  change.subject.application = (*application)->id;
  change.subject.group = GroupOf(**application);
  return change;
}

Result<Change> ChangeOf(const ProveOptions& options) {
  Change change;
  if (!options.finding.empty()) {
    Result<Change> of_finding = ChangeOfFinding(options);
    if (!of_finding) return of_finding;
    change = std::move(*of_finding);
  }
  for (const std::string& text : options.changes) {
    const auto conf = SplitConf(text);
    if (!conf || !conf->first.starts_with("spark.")) {
      return Fail(fmt::format("--change {}: expected KEY=VALUE with a setting of Spark", text));
    }
    change.settings.emplace_back(conf->first, conf->second);
  }
  std::vector<std::string> texts;
  for (const auto& [key, value] : change.settings)
    texts.push_back(fmt::format("{}={}", key, RedactSetting(key, value)));
  if (!options.after.empty()) texts.insert(texts.begin(), RedactText(options.after));
  change.subject.change = fmt::format("{}", fmt::join(texts, ", "));
  return change;
}

// The command with these settings, and the plugin's for this check of results.
Result<ProvedProgram> ProgramWith(const std::vector<std::string>& command, Settings settings,
                                  const std::string& check) {
  if (check == "full") settings.emplace_back("spark.sparkprof.results", "full");
  if (settings.empty()) return ProvedProgram{command, {}};
  Result<SubmitCommand> submit = SetSettings(
      {.command = command, .environment = ProcessEnvironment(), .plugin_jar = "", .settings = std::move(settings)});
  if (!submit) return tl::unexpected(submit.error());
  if (submit->launcher == Launcher::kNoJob) return Fail("the command runs no job");
  return ProvedProgram{std::move(submit->command), std::move(submit->environment)};
}

Result<ProvedProgram> ProgramAfter(const std::vector<std::string>& command, const ProveOptions& options,
                                   const Change& change, const std::string& check) {
  std::vector<std::string> changed = command;
  if (!options.after.empty()) {
    Result<std::vector<std::string>> words = SplitWords(options.after);
    if (!words) return Fail(fmt::format("--after: {}", words.error().message));
    if (words->empty()) return Fail("--after: no command");
    changed = std::move(*words);
  }
  return ProgramWith(changed, change.settings, check);
}

// The settings that the changed program did not run with, because its code sets them.
std::vector<std::string> Ineffective(const Application& after, const Settings& settings) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : settings) {
    bool is_other = false;
    for (const auto& [group, entries] : after.environment) {
      for (const auto& [name, used] : entries) is_other |= name == key && used != value;
    }
    for (const SqlExecution& execution : after.sql_executions) {
      for (const auto& [name, used] : execution.settings) is_other |= name == key && used != value;
    }
    if (is_other) keys.push_back(key);
  }
  return keys;
}

// The largest causes of the difference between the last two runs, and settings without effect.
std::string Explain(const Proof& proof, const Settings& settings) {
  if (proof.last_before.empty()) return {};
  const auto before = LoadOneApplication(proof.last_before + "/profile", "", {});
  const auto after = LoadOneApplication(proof.last_after + "/profile", "", {});
  if (!before || !*before || !after || !*after) return {};
  const Answers answers_before = Answer(**before), answers_after = Answer(**after);
  const ComparedRuns runs = CompareAnswered({**before, answers_before}, {**after, answers_after});
  std::string text;
  for (size_t i = 0; i < runs.causes.size() && i < kShownCauses; ++i) {
    const int64_t delta_ns = runs.causes[i].delta_ns;
    text += fmt::format("{:<12} {}{}  {}\n", i == 0 ? "Last pair" : "", delta_ns > 0 ? "+" : "-",
                        FormatDuration(std::abs(delta_ns)), runs.causes[i].text);
  }
  for (const std::string& key : Ineffective(**after, settings)) {
    text += fmt::format("{} had no effect: the program sets it in its code\n", key);
  }
  return text;
}

std::string ReportText(const Proof& proof, const Change& change, bool checks_results) {
  std::string text = TextOf(proof) + "\n";
  if (!change.subject.change.empty()) text += fmt::format("{:<12} {}\n", "Change", change.subject.change);
  if (change.promise) text += PromiseLine(*change.promise, proof.effects);
  text += MeasureLines(proof.effects, proof.decisive, proof.currency) + Explain(proof, change.settings);
  if (proof.recorded) return text + fmt::format("{:<12} {}\n", "Unchecked", kRecordedUnchecked);
  if (!checks_results) return text + "Results are not compared.\n";
  for (const std::string& unchecked : proof.results.Unchecked())
    text += fmt::format("{:<12} {}\n", "Unchecked", unchecked);
  return text;
}

// The proof for a comment of a pull request.
std::string ReportMarkdown(const Proof& proof, std::string_view details) {
  return fmt::format("**{}**\n\n```\n{}```\n", TextOf(proof), details);
}

// Sends what a collector keeps of the proof, because the whole may exceed its limit. A collector that does not keep it
// changes nothing about the verdict.
void KeepProof(const CollectorOptions& server, const ProofSubject& subject, const std::string& json) {
  if (subject.group.empty()) return PrintNote("no run left a recording, so the collector does not keep the proof");
  const Result<KnownProof> proof = ParseProof(json);
  if (!proof) return PrintNote("the collector does not keep the proof: " + proof.error().message);
  const Result<ServerClient> client = ServerClient::Create(server);
  const Result<HttpResponse> response =
      client ? client->Send("POST", "/proofs", KnownProofJson(*proof), {{"content-type", "application/json"}})
             : Result<HttpResponse>(tl::unexpected(client.error()));
  if (response && response->status == 201) return;
  PrintNote("the collector does not keep the proof: " +
            (response ? ServerClient::Describe(*response) : response.error().message));
}

// Why the options do not fit together; empty if they do.
std::string MisuseOf(const ProveOptions& options, const std::vector<std::string>& command) {
  const bool has_baseline = !options.baseline.empty();
  if (command.empty()) return "expected the job's command after --";
  if (options.changes.empty() && options.finding.empty() && options.after.empty() && !has_baseline)
    return "expected a change: --change KEY=VALUE, --finding ID --from INPUT, or --after COMMAND";
  if (options.finding.empty() != options.from.empty()) return "--finding and --from require each other";
  if (has_baseline && !options.after.empty())
    return "--baseline: the command after -- is the changed program; leave out --after";
  if (has_baseline && !options.budget.empty())
    return "--baseline: --runs fixes the number of runs beforehand; leave out --budget";
  if (options.server.server.empty()) return "";
  const Result<ServerClient> client = ServerClient::Create(options.server);
  return client ? "" : client.error().message;
}

// Files of the output folder, and what the command prints.
Result<void> WriteProof(const ProveOptions& options, const ProofOptions& proving, const Proof& proof,
                        const Change& change, const std::string& json) {
  const std::string report = ReportText(proof, change, proving.checks_results);
  const std::string details = report.substr(report.find('\n') + 1);
  Result<void> written = WriteFile(proving.output + "/proof.json", json);
  if (written) written = WriteFile(proving.output + "/proof.html", ProofPage(proof, change.subject, details));
  if (written && !options.markdown.empty()) written = WriteOutput(options.markdown, ReportMarkdown(proof, details));
  return written ? WriteOutput("-", options.json ? json : WrapForTerminal(report)) : written;
}

int RunProve(const ProveOptions& options, const std::vector<std::string>& command, const CLI::App& app) {
  if (const std::string problem = MisuseOf(options, command); !problem.empty()) return Misuse(app, problem);
  ProofOptions proving;
  if (!options.budget.empty()) {
    const Result<int64_t> budget_ns = ParseDuration(options.budget);
    if (!budget_ns) return Misuse(app, Refusal("--budget", options.budget, budget_ns.error()));
    proving.budget_ns = *budget_ns;
  }
  Result<std::vector<std::string>> reset = SplitWords(options.reset);
  if (!reset) return Misuse(app, "--reset: " + reset.error().message);
  Result<std::optional<PriceList>> prices = ReadPrices(options.prices);
  if (!prices) return Complain(prices.error().message);
  proving.prices = std::move(*prices);
  Result<Change> change = ChangeOf(options);
  if (!change) return Complain(change.error().message);
  ProofSubject& subject = change->subject;
  // Recorded runs had no fingerprints taken, which cost time.
  const std::string check = options.baseline.empty() ? options.check : "off";
  Result<ProvedProgram> before = ProgramWith(command, {}, check);
  if (!before) return Complain(before.error().message);
  Result<ProvedProgram> after = ProgramAfter(command, options, *change, check);
  if (!after) return Complain(after.error().message);
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Complain("/proc/self/exe: " + error.message());
  if (!options.baseline.empty()) {
    Result<Baseline> baseline = ReadBaseline(options.baseline, options.server, proving.prices);
    if (!baseline) return Complain(baseline.error().message);
    proving.recorded = std::move(baseline->runs);
    if (subject.application.empty()) {
      subject.application = baseline->application;
      subject.group = baseline->group;
    }
  }
  const Result<std::string> output = NewOutputFolder(options.output);
  if (!output) return Complain(output.error().message);

  proving.before = std::move(*before);
  proving.after = std::move(*after);
  proving.output = *output;
  proving.profiler = {self, "run", "--no-report"};
  proving.reset = std::move(*reset);
  proving.runs = options.runs.value_or(proving.recorded ? RecordedRuns::kDefaultRuns : ProofOptions().runs);
  proving.decisive = change->Decisive();
  proving.checks_results = check != "off";
  proving.checks_values = check == "full";
  proving.allows_writes = options.allows_writes;
  proving.read = [](const std::string& path) { return LoadOneApplication(path, "", {}); };
  proving.note = PrintNote;
  PrintNote(fmt::format("runs the job {}; output in {}",
                        proving.recorded ? fmt::format("to compare it with {} recorded runs", proving.recorded->size())
                                         : "with and without " + subject.change,
                        *output));
  WaitedSignals signals;
  const Result<Proof> proof = Prove(proving, &signals);
  if (!proof) return Complain(proof.error().message);
  subject.time_ms = EpochNanos() / kNanosPerMilli;
  if (subject.application.empty()) {
    subject.application = proof->application;
    subject.group = proof->group;
  }
  const std::string json = ProofJson(*proof, change->promise, subject) + "\n";
  if (Result<void> written = WriteProof(options, proving, *proof, *change, json); !written)
    return Complain(written.error().message);
  if (signals.Received() != 0) return 128 + signals.Received();
  if (!options.server.server.empty()) KeepProof(options.server, subject, json);
  return proof->verdict == ProofVerdict::kProved ? kExitSuccess : kExitNo;
}

}  // namespace

std::function<int()> DefineProve(CLI::App& command) {
  const auto options = std::make_shared<ProveOptions>();
  AddOption(command, "--change KEY=VALUE", &options->changes,
            "A setting of Spark to change; repeatable, and replaces the same key of the command")
      ->allow_extra_args(false);
  AddOption(command, "--finding ID", &options->finding, "Change the settings that this finding advises: skew-4.0");
  AddOption(command, "--from INPUT", &options->from, "The recording, event log or output folder with the finding");
  AddOption(command, "--after COMMAND", &options->after, "The command of the changed program");
  AddOption(command, "--baseline INPUT", &options->baseline,
            "Recorded runs in place of runs before the change, repeatable: recordings, event logs, folders, addresses "
            "on a collector; with --server also IDs of applications and names of groups")
      ->allow_extra_args(false);
  AddOption(command, "--runs NUMBER", &options->runs,
            fmt::format("Most measured runs, before and after the change together (default: {}); with --baseline "
                        "the runs after it (default: {})",
                        ProofOptions().runs, RecordedRuns::kDefaultRuns))
      ->check(AtLeast(2));
  AddOption(command, "--budget TIME", &options->budget, "Begin no pair of runs after this time: 30m");
  AddOption(command, "--reset COMMAND", &options->reset,
            "Command before each run, which restores the data that the job changes; no shell");
  command.add_flag("--allow-writes", options->allows_writes,
                   "Go on although the job appends, merges, deletes or streams, so that each run finds other data");
  AddOption(command, "--output-check LEVEL", &options->check,
            "Compare what each query writes or returns: nothing, the numbers of rows, or all values")
      ->capture_default_str()
      ->check(CLI::IsMember({"off", "rows", "full"}));
  AddOption(command, "--output-dir DIR", &options->output,
            "Output folder; new, for logs and recordings of the runs (default: ./sparkprof-DATE-TIME)");
  AddPricesTo(command, &options->prices);
  AddOption(command, "--server URL", &options->server.server, "URL of `sparkprof serve`; keeps the proof");
  options->server.AddAccessTo(command, "Options");
  AddOption(command, "--markdown FILE", &options->markdown, "Also write Markdown");
  command.add_flag("--json", options->json, "Print JSON");
  const auto job = std::make_shared<std::vector<std::string>>();
  command.add_option("COMMAND", *job, "The job, after \"--\"");
  command.footer(
      "Runs the job several times, so a job that appends, merges or deletes changes its data each time: give --reset, "
      "or\n"
      "--allow-writes. After a run of each to warm up, pairs of runs in random order go on until the difference is\n"
      "proved (p ≤ 0.01 at any time), is certainly smaller than 2% or than the noise, or --runs are used up. The exit\n"
      "code is 0 if the change is proved to be faster with equal results, 1 for any other verdict.\n"
      "Examples:\n"
      "  sparkprof prove --change spark.sql.shuffle.partitions=64 -- spark-submit job.py\n"
      "  sparkprof prove --finding tiny-tasks-4.0 --from sparkprof-output -- spark-submit job.py\n"
      "  sparkprof prove --after 'spark-submit job_fixed.py' --markdown proof.md -- spark-submit job.py\n"
      "  sparkprof prove --baseline daily_sales --server http://collector:8320 -- spark-submit job.py");
  return [options, job, &command] { return RunProve(*options, *job, command); };
}

}  // namespace sparkprof
