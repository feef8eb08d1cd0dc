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
  bool is_redacted_whole = true;  // false: JSON, which redaction could damage, and long logs without texts of users
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
    {AnswerStackTrace, FragmentKind::kStackTrace},
};

void RedactAnswer(FragmentAnswer* answer) {
  RedactInPlace(&answer->answers.verdict);
  for (std::string& fact : answer->facts) RedactInPlace(&fact);
  for (Finding& finding : answer->answers.findings) {
    for (std::string* text : {&finding.title, &finding.what, &finding.evidence, &finding.change}) RedactInPlace(text);
    for (std::string& frame : finding.frames) RedactInPlace(&frame);
  }
}

// A reason without the frames of its stack trace, and without its last period.
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

void AddFailure(std::string_view subject, std::string_view reason, std::string_view log, FragmentAnswer* answer) {
  constexpr std::string_view kCondition = "The input states that a part of a job failed";
  const std::string evidence = OneLineOf(reason);
  size_t failures = 0;
  for (Finding& known : answer->answers.findings) {
    if (known.condition != kCondition) continue;
    ++failures;
    if (evidence.empty() ? !known.evidence.empty() : known.evidence.find(evidence) == std::string::npos) continue;
    if (known.what.find(subject) == std::string::npos) known.what += fmt::format(", {}", subject);
    return;
  }
  if (failures == kMaxFailures) return;
  const std::string stated = fmt::format("Reason: {}", reason);  // the match's values are views of it
  const std::optional<FailureMatch> match = FindFailure(stated);
  const bool is_known = match && match->failure->rank > FailureRank::kWrapper;
  for (Finding& known : answer->answers.findings) {
    if (!is_known || !known.failure || known.failure->failure != match->failure) continue;
    if (known.what.find(subject) == std::string::npos) known.what += fmt::format(", {}", subject);
    if (known.evidence.size() < kMaxReasonBytes) known.evidence += fmt::format("; {}", evidence);
    return;
  }
  const FailureCause cause = CauseOfFailure(reason);
  Finding& finding =
      AddFinding("failed-work", fmt::format("{}: {}", subject, cause.text.empty() ? "failed" : cause.text), answer);
  // An application or a pod that waits for its cluster did not fail.
  const bool may_wait = is_known && match->failure->holds == "cluster";
  finding.what = fmt::format("{}: {}", may_wait ? "Affected" : "Failed", subject);
  finding.evidence = evidence;
  finding.condition = kCondition;
  finding.change = fmt::format("Correct the cause that the reason names; {} has more of it", log);
  if (is_known) {
    FailureReport report;
    report.failure = match->failure;
    report.remedy = RemedyOf(*match, [](std::string_view) { return std::nullopt; });
    const bool is_of_driver = fmt::format("{} {}", subject, reason).find("driver") != std::string::npos;
    constexpr std::string_view kOfExecutor = "spark.executor.memory";
    for (RemedyStep& step : report.remedy) {
      if (is_of_driver && step.setting.starts_with(kOfExecutor))
        step.setting = fmt::format("spark.driver.memory{}", step.setting.substr(kOfExecutor.size()));
    }
    finding.title = fmt::format("{}: {}", subject, ShortMeaning(*report.failure));
    finding.change = fmt::format("{}; {} has more of it", AdviceOf(report), log);
    finding.failure = std::make_shared<const FailureReport>(std::move(report));
  }
  if (!cause.line.empty()) finding.frames.push_back(cause.line);
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  finding.confidence = 1;
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
