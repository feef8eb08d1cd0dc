// SPDX-License-Identifier: Apache-2.0
#include "fragments/fragment_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "analysis/findings/failures/failure_cause.h"
#include "analysis/findings/failures/failure_report.h"
#include "base/redaction/redaction.h"
#include "base/text/quantity.h"
#include "base/text/text.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxFragmentBytes = size_t{64} << 20;
constexpr size_t kMaxReasonBytes = 400;
constexpr size_t kMaxFailures = 20;

struct KnownReader {
  FragmentReader* read;
  FragmentKind kind;
  bool is_redacted_whole = true;  // false for JSON, which redaction could damage, and for long logs
};

constexpr KnownReader kReaders[] = {
    {AnswerStreamingProgress, FragmentKind::kStreamingProgress, false},
    {AnswerSparkApplication, FragmentKind::kSparkApplication, false},
    {AnswerRestAnswer, FragmentKind::kRestAnswer, false},
    {AnswerYarnRestAnswer, FragmentKind::kYarnRestAnswer, false},
    {AnswerLivy, FragmentKind::kLivyAnswer, false},
    {AnswerOperatorLog, FragmentKind::kOperatorLog},
    {AnswerCrashReport, FragmentKind::kCrashReport},
    {AnswerKernelLog, FragmentKind::kKernelLog},
    {AnswerThreadDump, FragmentKind::kThreadDump, false},
    {AnswerHeapHistogram, FragmentKind::kHeapHistogram, false},
    {AnswerGcLog, FragmentKind::kGcLog, false},
    {AnswerExplainPlan, FragmentKind::kExplainPlan},
    {AnswerPodDescription, FragmentKind::kPodDescription},
    {AnswerKubernetesTable, FragmentKind::kEventList},
    {AnswerKubernetesTable, FragmentKind::kPodList},
    {AnswerYarnStatus, FragmentKind::kYarnStatus},
    {AnswerYarnList, FragmentKind::kYarnList},
    {AnswerSubmitCommand, FragmentKind::kSubmitCommand},
    {AnswerWebPage, FragmentKind::kWebPage},
    {AnswerJsonMessage, FragmentKind::kJsonMessage, false},
    {AnswerQueryHistory, FragmentKind::kQueryHistory, false},
    {AnswerStackTrace, FragmentKind::kStackTrace},
};

// Adds a subject to those of a failure: the first ones, so that many do not cost the square of their number.
void AddSubject(std::string_view subject, Finding* finding) {
  constexpr size_t kMaxBytes = 4'000;
  constexpr std::string_view kMore = ", …";
  std::string& what = finding->what;
  if (what.ends_with(kMore) || what.find(subject) != std::string::npos) return;
  what += what.size() < kMaxBytes ? fmt::format(", {}", subject) : kMore;
}

void RedactAnswer(FragmentAnswer* answer) {
  RedactInPlace(&answer->answers.verdict);
  for (std::string& fact : answer->facts) RedactInPlace(&fact);
  for (Finding& finding : answer->answers.findings) {
    for (std::string* text : {&finding.title, &finding.what, &finding.evidence, &finding.change}) RedactInPlace(text);
    for (std::string& frame : finding.frames) RedactInPlace(&frame);
    if (!finding.failure) continue;
    auto report = std::make_shared<FailureReport>(*finding.failure);
    for (FailureEvent& event : report->chain) RedactInPlace(&event.text);
    RedactInPlace(&report->means);
    for (RemedyStep& step : report->remedy) RedactInPlace(&step.value);
    finding.failure = std::move(report);
  }
}

// Removes the stack trace and the final period from a reason.
std::string OneLineOf(std::string_view reason) {
  std::string text;
  while (!reason.empty() && text.size() < kMaxReasonBytes) {
    const std::string_view line = Trim(TakeLine(&reason));
    if (line.empty() || line.starts_with("at ")) continue;
    text.append(text.empty() ? "" : " ").append(line);
  }
  while (text.ends_with('.')) text.pop_back();
  return Shorten(ToOneLine(text), kMaxReasonBytes);
}

std::string Capitalized(std::string_view text) {
  std::string capitalized(text);
  if (!capitalized.empty() && capitalized[0] >= 'a' && capitalized[0] <= 'z') capitalized[0] -= 'a' - 'A';
  return capitalized;
}

// The rule for a failure by its subject, as in an application: memory, work or an executor.
std::string_view RuleOf(std::string_view subject, const std::optional<FailureReport>& report) {
  if (report && IsForMemory(*report)) return "oom";
  if (subject.starts_with("Executor ")) return "lost-executors";
  for (const std::string_view work : {"Stage ", "Job ", "Query ", "A task"}) {
    if (subject.starts_with(work)) return "failed-work";
  }
  return "failure";
}

// The failure with its remedy, sized by the numbers of the fragment; nullopt if no failure matches.
std::optional<FailureReport> ReportOf(const std::optional<FailureMatch>& match, std::string_view subject,
                                      std::string_view reason, const FailureContext& context) {
  if (!match || match->failure->rank < FailureRank::kWrapper) return std::nullopt;
  FailureReport report{match->failure, match->offset, {}, {}};
  report.chain = {{.what = match->failure->id,
                   .at_ns = context.at_ns,
                   .host = context.host,
                   .text = std::string(match->failure->means)}};
  AddTaskIn(reason, &report.chain.front());
  const bool is_of_driver =
      fmt::format("{} {}", subject, reason).find("driver") != std::string::npos || NamesDriver(reason);
  const auto number_of = [&](std::string_view name) -> std::optional<double> {
    const ProcessMemory& memory = is_of_driver || name == "driver" ? context.driver : context.executor;
    const bool is_heap = name == "heap" || name == "driver";
    if (!is_heap && name != "overhead") return std::nullopt;
    const std::optional<int64_t> bytes = is_heap ? memory.heap : memory.overhead;
    return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
  };
  report.means = MeaningOf(*match, number_of);
  report.remedy = RemedyOf(*match, number_of);
  constexpr std::string_view kOfExecutor = "spark.executor.memory";
  for (RemedyStep& step : report.remedy) {
    if (is_of_driver && step.setting.starts_with(kOfExecutor))
      step.setting = fmt::format("spark.driver.memory{}", step.setting.substr(kOfExecutor.size()));
  }
  return report;
}

// Adds a known failure in the text around a command, list or table without findings, such as the log of a step.
void AddFailureBeside(FragmentKind kind, std::string_view text, FragmentAnswer* answer) {
  constexpr FragmentKind kKinds[] = {FragmentKind::kSubmitCommand, FragmentKind::kWebPage,
                                     FragmentKind::kPodList,       FragmentKind::kYarnList,
                                     FragmentKind::kThreadDump,    FragmentKind::kOperatorLog};
  if (!answer->answers.findings.empty() || std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds))
    return;
  const std::optional<FailureMatch> match = FindFailure(text);
  // Frames of a thread dump are not messages. A crashed Python worker prints stacks, too.
  const FailureRank least = kind == FragmentKind::kThreadDump ? FailureRank::kDecisive : FailureRank::kEffect;
  if (!match || match->failure->rank < least) return;
  const std::string_view line = LineAt(text, match->offset);
  // The operator tries again after most errors that its log has.
  if (kind == FragmentKind::kOperatorLog && line.find(".go:") != std::string_view::npos) return;
  // A delay at the start of a pod that started is a fact already.
  const auto tells_of = [&](const std::string& fact) {
    const size_t start = fact.find(kWhichStarted);
    const size_t reason = start == std::string::npos ? start : fact.find(": ", start + kWhichStarted.size() + 2);
    return reason != std::string::npos && line.find(fact.substr(reason + 2)) != std::string_view::npos;
  };
  if (std::any_of(answer->facts.begin(), answer->facts.end(), tells_of)) return;
  AddFailure("The text beside it", line, "the log around it", answer);
}

}  // namespace

Result<FragmentAnswer> AnswerFragment(const Input& input) {
  const Result<std::unique_ptr<ByteSource>> source = input.Open();
  if (!source) return tl::unexpected(source.error());
  std::optional<Error> damage;
  std::string text = ReadUpTo(source->get(), kMaxFragmentBytes + 1, &damage);
  FragmentAnswer answer;
  answer.application.id = input.path.substr(input.path.find_last_of("/!") + 1);
  answer.application.name = answer.application.id;
  if (damage) answer.facts.push_back(damage->message);
  if (text.size() > kMaxFragmentBytes) {
    text.resize(kMaxFragmentBytes);
    answer.facts.push_back(fmt::format("Only the first {} were read", FormatBytes(kMaxFragmentBytes)));
  }
  std::string main_fact;
  for (const KnownReader& reader : kReaders) {
    if (reader.kind != input.fragment->kind) continue;
    if (reader.is_redacted_whole) RedactInPlace(&text);
    main_fact = reader.read(text, &answer);
  }
  AddFailureBeside(input.fragment->kind, text, &answer);
  const std::string_view colon = main_fact.empty() ? "" : ": ";
  answer.answers.verdict = fmt::format("{}{}{}.", Capitalized(input.fragment->name), colon, main_fact);
  std::vector<Finding>& findings = answer.answers.findings;
  std::stable_sort(findings.begin(), findings.end(), IsMoreImportant);
  RedactAnswer(&answer);
  if (!findings.empty()) findings.front().facts = answer.facts;
  return answer;
}

std::string WhyNoFindings(const Input& input) {
  return fmt::format("{}: {} without known problems; {}", input.path, input.fragment->name, input.fragment->more);
}

Finding& AddFinding(std::string_view rule, std::string title, FragmentAnswer* answer) {
  constexpr double kMediumConfidence = 0.5;
  std::vector<Finding>& findings = answer->answers.findings;
  const auto same =
      std::count_if(findings.begin(), findings.end(), [&](const Finding& one) { return one.rule == rule; });
  Finding& finding = findings.emplace_back();
  finding.rule = rule;
  finding.id = same == 0 ? finding.rule : fmt::format("{}-{}", rule, same + 1);
  finding.title = std::move(title);
  finding.is_from_fragment = true;
  finding.confidence = kMediumConfidence;
  finding.selection.event = EventName(Event::kCpu);
  return finding;
}

void AddFailure(std::string_view subject, std::string_view reason, std::string_view log, FragmentAnswer* answer,
                const FailureContext& context) {
  constexpr std::string_view kCondition = "The input states that a part of a job failed";
  const std::string evidence = OneLineOf(reason);
  size_t failures = 0;
  for (Finding& known : answer->answers.findings) {
    if (known.condition != kCondition) continue;
    ++failures;
    if (evidence.empty() ? !known.evidence.empty() : known.evidence.find(evidence) == std::string::npos) continue;
    AddSubject(subject, &known);
    return;
  }
  if (failures == kMaxFailures) return;
  const std::string stated = fmt::format("Reason: {}", reason);  // the match views this text
  const std::optional<FailureMatch> match = FindFailure(stated);
  const bool is_known = match && match->failure->rank > FailureRank::kWrapper;
  for (Finding& known : answer->answers.findings) {
    if (!is_known || !known.failure || known.failure->failure != match->failure) continue;
    AddSubject(subject, &known);
    if (known.evidence.size() < kMaxReasonBytes) known.evidence += fmt::format("; {}", evidence);
    return;
  }
  const FailureCause cause = CauseOfFailure(reason);
  std::optional<FailureReport> report = ReportOf(match, subject, reason, context);
  Finding& finding = AddFinding(RuleOf(subject, report),
                                fmt::format("{}: {}", subject, cause.text.empty() ? "failed" : cause.text), answer);
  // An application or pod that waits for resources has not failed.
  const bool may_wait = is_known && match->failure->holds == "cluster";
  finding.what = fmt::format("{}: {}", may_wait ? "Affected" : "Failed", subject);
  finding.evidence = evidence;
  finding.condition = kCondition;
  finding.change = fmt::format("Correct the cause that the reason names; {} has more of it", log);
  if (is_known) {
    finding.title = fmt::format("{}: {}", subject, ShortMeaning(*report));
    finding.change = fmt::format("{}; {} has more of it", AdviceOf(*report), log);
  } else if (report) {
    report->chain.front().text = finding.title + ".";
  }
  if (report) finding.failure = std::make_shared<const FailureReport>(std::move(*report));
  if (!cause.line.empty()) finding.frames.push_back(cause.line);
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  finding.confidence = 1;
}

std::optional<int64_t> MemoryIn(std::string_view text) {
  // Kubernetes writes "9011Mi".
  const Result<int64_t> bytes = ParseBytes(text.ends_with('i') ? std::string(text) + "B" : std::string(text));
  return bytes && *bytes > 0 ? std::optional(*bytes) : std::nullopt;
}

std::string CountsText(const Counts& counts) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : counts) texts.push_back(fmt::format("{} {}", count, name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void ForEachJsonObject(std::string_view text, const std::function<void(const simdjson::dom::object&)>& visit) {
  JsonParser parser;
  size_t begin = 0;
  int depth = 0;
  bool in_string = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = depth > 0;
    } else if (c == '{') {
      if (depth++ == 0) begin = at;
    } else if (c == '}' && depth > 0 && --depth == 0) {
      simdjson::dom::object object;
      if (parser.Parse(text.substr(begin, at + 1 - begin)).get_object().get(object) == simdjson::SUCCESS) visit(object);
    }
  }
}

}  // namespace sparkprof
