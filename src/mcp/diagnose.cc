// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/answers.h"
#include "base/text/json_writer.h"
#include "base/time.h"
#include "mcp/facts.h"
#include "mcp/job_text.h"
#include "mcp/tool.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxFrames = 3;
constexpr size_t kMaxSentence = 600;  // bytes

std::string FindingJson(const Finding& finding) {
  JsonWriter json;
  json.BeginObject().Member("rule", finding.rule).Member("title", Marked(finding.title));
  json.Member("change", Marked(finding.change, kMaxSentence)).Key("savingMs");
  if (const Saving& saving = finding.saving; saving.IsKnown()) {
    json.BeginObject()
        .Member("low", saving.low_ns / kNanosPerMilli)
        .Member("high", saving.high_ns / kNanosPerMilli)
        .EndObject();
  } else if (finding.is_failure) {
    json.Value(0);
  } else {
    json.Null();
  }
  json.Key("frames").BeginArray();
  for (size_t i = 0; i < std::min(finding.frames.size(), kMaxFrames); ++i) json.Value(Marked(finding.frames[i], 160));
  return json.EndArray().EndObject().Take();
}

// Formats the selection of a finding as arguments of other tools: "stage=3.0 task=17".
std::string SeeAlso(const Finding& finding) {
  std::string text;
  const Selection& selection = finding.selection;
  if (selection.stage) text += fmt::format(" stage={}", *selection.stage);
  if (selection.stage_attempt) text += fmt::format(".{}", *selection.stage_attempt);
  if (!selection.tasks.empty()) text += fmt::format(" task={}", selection.tasks.front());
  if (selection.executor) text += fmt::format(" executor={}", Marked(*selection.executor, 40));
  if (selection.sql) text += fmt::format(" sql={}", *selection.sql);
  return text;
}

std::string FindingText(const Application& application, const Finding& finding, size_t number) {
  const std::string source = SourceOfFinding(application, finding);
  const std::string saving = SavingRange(finding);
  std::string text =
      fmt::format("\n{}. {} · severity {} · confidence {} · {}{}", number, finding.rule, SeverityName(finding.severity),
                  ConfidenceName(finding.confidence), saving.empty() ? "saving unknown" : saving,
                  finding.overlaps.empty() ? "" : ", not in addition to " + finding.overlaps);
  text += fmt::format("\n   {} {}", Marked(finding.title), source);
  if (IsFolded(finding)) return text;
  const std::string evidence = finding.evidence.empty() ? "" : "; " + finding.evidence;
  text += fmt::format("\n   Evidence: {} {}", Marked(finding.what + evidence, kMaxSentence), source);
  if (!finding.frames.empty()) {
    std::vector<std::string> frames;
    for (size_t i = 0; i < std::min(finding.frames.size(), kMaxFrames); ++i)
      frames.push_back(Marked(finding.frames[i], 160));
    text += fmt::format("\n   Code: {}", fmt::join(frames, ", "));
  }
  text += fmt::format("\n   Change: {}", Marked(finding.change, kMaxSentence));
  if (const std::string see = SeeAlso(finding); !see.empty()) text += fmt::format("\n   See:{}", see);
  return text;
}

}  // namespace

Result<ToolAnswer> AnswerDiagnose(ApplicationSource* source, const ToolArguments& arguments) {
  const Result<AskedApplication> asked = LoadAsked(source, arguments);
  if (!asked) return tl::unexpected(asked.error());
  const Application& application = *asked->recorded;
  ToolAnswer answer;
  answer.verdict = Marked(asked->answers->verdict, std::string::npos);
  for (std::string& line : Headline(*asked)) answer.Add(std::move(line));
  const auto& findings = asked->answers->findings;
  answer.Add(fmt::format("Verdict: {} {}", answer.verdict,
                         findings.empty() ? fmt::format("[{}]", SourceOfTasks(application))
                                          : SourceOfFinding(application, findings.front())));
  const std::string not_measured = NotMeasured(*asked);
  answer.Add(not_measured.empty() ? "Not measured: nothing; all rules had their data"
                                  : fmt::format("Not measured, so unknown: {}", not_measured));
  AddProofs(source, application, &answer);
  size_t number = 0;
  for (const Finding& finding : findings) {
    answer.blocks.push_back({FindingText(application, finding, ++number), FindingJson(finding)});
  }
  for (const Finding& finding : asked->answers->context) {
    answer.Add(fmt::format("About the run: {} {}", Marked(finding.title), SourceOfFinding(application, finding)));
  }
  return answer;
}

}  // namespace sparkprof
