// SPDX-License-Identifier: Apache-2.0
// Any bytes as lines of an event log: Spark's REST API answers from what comes of it, in valid JSON or as an error.
#include <simdjson.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event_log/event_parser.h"
#include "history/history_answers.h"
#include "history/history_batch.h"

namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

void Check(const sparkprof::History& history, const std::vector<std::string>& path) {
  const Parameters parameters = {{"details", "true"}, {"withSummaries", "true"}, {"quantiles", "0,0.5,1"}};
  const sparkprof::HistoryAnswer answer = sparkprof::AnswerHistory(history, path, parameters, 0);
  simdjson::dom::parser parser;
  if (answer.status == 200 && parser.parse(answer.body).error() != simdjson::SUCCESS) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sparkprof::History history;
  sparkprof::Replay replay;
  replay.history = &history;
  sparkprof::EventParser parser;
  std::string text(reinterpret_cast<const char*>(data), size);
  text.append(sparkprof::LineReader::kPadding, '\0');
  sparkprof::HistoryBatch batch;
  batch.Lines().lines = std::string_view(text).substr(0, size);
  batch.Decode(&parser);
  batch.Apply(&parser, &replay);
  sparkprof::FinishReplay(&replay);
  for (const char* const what : {"jobs", "stages", "allexecutors", "allmiscellaneousprocess", "sql", "environment"}) {
    Check(history, {what});
  }
  Check(history, {"storage", "rdd"});
  for (const auto& [key, stage] : history.stages) {
    const std::vector<std::string> path = {"stages", std::to_string(key.first), std::to_string(key.second)};
    Check(history, {path[0], path[1], path[2], "taskSummary"});
    Check(history, {path[0], path[1], path[2], "taskList"});
  }
  return 0;
}
