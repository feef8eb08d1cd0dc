// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/streams/stream_pace.h"
#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "fragments/fragment_readers.h"
#include "model/streaming_progress.h"

namespace sparkprof {
namespace {

constexpr double kFaster = 1.1;  // tolerance, because Spark's rates fluctuate
constexpr int64_t kLeastRows = 100;

// Converts a Python dictionary, as notebooks print `query.lastProgress`, to JSON: {'name': None} to {"name": null}.
std::string JsonOfDictionary(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"None", "null"}, {"True", "true"}, {"False", "false"}, {"nan", "null"}, {"inf", "null"}};
  std::string json;
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      json += '"';
    } else if (quote != 0 && c == '\\' && at + 1 < text.size()) {
      if (text[++at] != '\'') json += '\\';
      json += text[at];
    } else if (c == quote && quote != 0) {
      quote = 0;
      json += '"';
    } else if (quote != 0) {
      if (c == '"') json += '\\';
      json += c;
    } else {
      const auto word = std::find_if(std::begin(kWords), std::end(kWords),
                                     [&](const auto& one) { return text.substr(at).starts_with(one.first); });
      json += word == std::end(kWords) ? std::string_view(&text[at], 1) : word->second;
      if (word != std::end(kWords)) at += word->first.size() - 1;
    }
  }
  return json;
}

void AddProgress(const simdjson::dom::object& progress, Application* application) {
  const std::string_view run_id = TextAt(progress, "runId");
  simdjson::dom::object inner;  // progress within a listener's event
  if (run_id.empty() && ObjectAt(progress, "progress", &inner)) return AddProgress(inner, application);
  if (run_id.empty()) return;
  std::vector<StreamingQuery>& queries = application->streaming_queries;
  auto query =
      std::find_if(queries.begin(), queries.end(), [&](const StreamingQuery& one) { return one.run_id == run_id; });
  if (query == queries.end()) {
    query = queries.insert(queries.end(),
                           StreamingQuery{.id = std::string(TextAt(progress, "id")), .run_id = std::string(run_id)});
    query->name = TextAt(progress, "name");
  }
  StreamingBatch batch = StreamingBatchOf(progress);
  batch.query = static_cast<int32_t>(query - queries.begin());
  if (query->start_ns == 0) query->start_ns = batch.start_ns;
  application->streaming_batches.push_back(std::move(batch));
}

void AddFacts(const Application& application, int32_t query, std::vector<std::string>* facts) {
  std::vector<const StreamingBatch*> batches;
  for (const StreamingBatch& batch : application.streaming_batches) {
    if (batch.query == query) batches.push_back(&batch);
  }
  if (batches.empty()) return;
  int64_t longest_ns = 0;
  double input = 0, processed = 0;
  for (const StreamingBatch* const batch : batches) {
    longest_ns = std::max(longest_ns, batch->duration_ns);
    input += batch->input_rows_per_second;
    processed += batch->processed_rows_per_second;
  }
  const auto count = static_cast<double>(batches.size());
  const std::string name = NameOf(application.streaming_queries[static_cast<size_t>(query)]);
  facts->push_back(fmt::format("{}: {}, the longest takes {}", name,
                               Counted(static_cast<int64_t>(batches.size()), "trigger"), FormatDuration(longest_ns)));
  if (const std::string phases = PhasesText(batches); !phases.empty())
    facts->push_back(fmt::format("{}: {}", name, phases));
  const StreamingBatch &first = *batches.front(), &last = *batches.back();
  // The rate of a few rows is mostly batch overhead.
  const bool has_rate = last.input_rows >= kLeastRows || batches.size() > 1;
  if (has_rate && (input > 0 || processed > 0)) {
    // If the source has more data, a limit determines the input rate.
    facts->push_back(fmt::format("{}: {:.1f} rows per second {}, {:.1f} are processed{}", name, input / count,
                                 last.offsets_behind > 0 ? "are taken" : "arrive", processed / count,
                                 input > kFaster * processed ? ": it falls behind" : ""));
  }
  if (last.id == 0) facts->push_back(fmt::format("{}: its first batch, with the time to plan and to compile", name));
  if (last.state_rows > 0)
    facts->push_back(
        fmt::format("{}: {} rows of state in {}{}", name, CountText(last.state_rows), FormatBytes(last.state_bytes),
                    &first == &last ? std::string() : fmt::format(", {} at first", CountText(first.state_rows))));
  if (last.offsets_behind > 0)
    facts->push_back(
        fmt::format("{}: {} offsets of a partition behind the latest", name, CountText(last.offsets_behind)));
}

// Rows that arrive after the watermark are dropped without an error.
void AddLateRows(const Application& application, FragmentAnswer* answer) {
  constexpr double kNoticeable = 0.01, kMuch = 0.1;  // share of the input
  int64_t dropped = 0, input = 0;
  for (const StreamingBatch& batch : application.streaming_batches) {
    AddSaturated(batch.input_rows, &input);
    for (const auto& [name, value] : batch.state_metrics) {
      if (name == "numRowsDroppedByWatermark") AddSaturated(value, &dropped);
    }
  }
  const double share = static_cast<double>(dropped) / static_cast<double>(std::max<int64_t>(1, input));
  if (dropped < kLeastRows || share < kNoticeable) return;
  Finding& finding = AddFinding(
      "late-rows", fmt::format("{} rows came after the watermark and were dropped", CountText(dropped)), answer);
  finding.what = "Rows whose event time is before the watermark are missing in the result, without an error";
  finding.evidence = fmt::format("beside {} input rows in {}", CountText(input),
                                 Counted(static_cast<int64_t>(application.streaming_batches.size()), "trigger"));
  finding.condition = "Stateful operators drop 100 rows or more behind the watermark, 1% of the input";
  finding.change =
      "Raise the delay of withWatermark to the age of the rows that must count. Read old rows, as of a backfill, in a "
      "run of their own and in the order of their time: newer ones move the watermark beyond them";
  finding.severity = share >= kMuch ? Severity::kHigh : Severity::kMedium;
}

}  // namespace

std::vector<std::string> FactsOfStreams(const Application& application) {
  std::vector<std::string> facts;
  for (size_t query = 0; query < application.streaming_queries.size(); ++query)
    AddFacts(application, static_cast<int32_t>(query), &facts);
  return facts;
}

std::string AnswerStreamingProgress(std::string_view text, FragmentAnswer* answer) {
  Application& application = answer->application;
  const auto add = [&](const simdjson::dom::object& progress) { AddProgress(progress, &application); };
  ForEachJsonObject(text, add);
  if (application.streaming_batches.empty()) ForEachJsonObject(JsonOfDictionary(text), add);
  if (application.streaming_batches.empty()) return "no whole trigger";
  std::vector<StreamingBatch>& batches = application.streaming_batches;
  std::stable_sort(batches.begin(), batches.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  application.start_ns = batches.front().start_ns;
  application.end_ns = batches.back().start_ns + batches.back().duration_ns;
  // The rules for streams need only the progress.
  answer->answers.findings = Answer(application).findings;
  for (Finding& finding : answer->answers.findings) finding.is_from_fragment = true;
  AddLateRows(application, answer);
  for (std::string& fact : FactsOfStreams(application)) answer->facts.push_back(std::move(fact));
  return Counted(static_cast<int64_t>(batches.size()), "trigger");
}

}  // namespace sparkprof
