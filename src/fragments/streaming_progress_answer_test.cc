// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fragments/testing/answer_text.h"

namespace sparkprof {
namespace {

using testing::AnswerStartsOf;
using testing::AnswerText;
using testing::Summary;

std::string Progress(int batch, int seconds, int duration_ms, int state_rows) {
  return fmt::format(
      "{{\"id\":\"q\",\"runId\":\"r\",\"name\":\"clicks\",\"timestamp\":\"2026-11-28T07:{:02}:{:02}.000Z\",\"batchId\":"
      "{},"
      "\"numInputRows\":1000,\"durationMs\":{{\"addBatch\":{},\"queryPlanning\":10,\"triggerExecution\":{}}},"
      "\"stateOperators\":[{{\"numRowsTotal\":{},\"memoryUsedBytes\":1048576}}],"
      "\"sources\":[{{\"description\":\"Kafka\",\"numInputRows\":1000,\"inputRowsPerSecond\":200.0,"
      "\"processedRowsPerSecond\":100.0}}]}}",
      seconds / 60, seconds % 60, batch, duration_ms - 20, duration_ms, state_rows);
}

TEST(StreamingProgressAnswerTest, ReadsOneTrigger) {
  EXPECT_EQ(Summary(AnswerText(Progress(1, 0, 2000, 10))),
            "The progress of a streaming query: 1 trigger.\n"
            "clicks: 1 trigger, the longest takes 2.0 s\n"
            "clicks: addBatch takes 99.0% of a batch, queryPlanning 0.5%\n"
            "clicks: 200.0 rows per second arrive, 100.0 are processed: it falls behind\n"
            "clicks: 10 rows of state in 1.0 MiB\n");
}

TEST(StreamingProgressAnswerTest, TheRulesOfStreamsApplyToLinesAndArrays) {
  std::string lines, array = "[";
  int seconds = 0;
  for (int batch = 0; batch < 12; ++batch) {
    const std::string one = Progress(batch, seconds, 2000 + 1000 * batch, 100 * batch);
    seconds += 2 + batch;
    lines += one + "\n";
    array += (batch == 0 ? "" : ",\n") + one;
  }
  for (const std::string& text : {lines, array + "]"}) {
    const FragmentAnswer answer = AnswerText(text);
    ASSERT_FALSE(answer.answers.findings.empty());
    const bool has_behind = std::any_of(answer.answers.findings.begin(), answer.answers.findings.end(),
                                        [](const Finding& one) { return one.rule == "streaming-behind"; });
    EXPECT_TRUE(has_behind) << Summary(answer);
    EXPECT_FALSE(IsFolded(answer.answers.findings[0]));
  }
}

TEST(StreamingProgressAnswerTest, ReadsTheDictionaryOfPython) {
  const FragmentAnswer answer = AnswerText(
      "{'id': 'q', 'runId': 'r', 'name': None, 'timestamp': '2026-11-28T07:00:01.000Z', 'batchId': 3, 'numInputRows': "
      "5, "
      "'durationMs': {'addBatch': 1000, 'triggerExecution': 1200}, 'stateOperators': [], 'sources': [{'description': "
      "\"it's\", "
      "'numInputRows': 5, 'isLate': False}]}");
  EXPECT_EQ(answer.answers.verdict, "The progress of a streaming query: 1 trigger.");
}

TEST(StreamingProgressAnswerTest, DamageDoesNoHarm) { AnswerStartsOf("[" + Progress(1, 0, 2000, 10) + "]"); }

TEST(StreamingProgressAnswerTest, TextAroundAProgressIsLeftOut) {
  EXPECT_TRUE(Summary(AnswerText("The lag grows (see {this}), one progress:\n\n" + Progress(1, 0, 2000, 10) +
                                 "\n\nand the numbers of yesterday\n"))
                  .starts_with("The progress of a streaming query: 1 trigger.\n"));
}

}  // namespace
}  // namespace sparkprof
