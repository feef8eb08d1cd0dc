// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fragments/testing/answer_text.h"

namespace sparkprof {
namespace {

using testing::AnswerStartsOf;
using testing::AnswerText;
using testing::Summary;

constexpr char kColumns[] =
    "statement_id,execution_status,statement_text,error_message,total_duration_ms,waiting_for_compute_duration_ms,"
    "waiting_at_capacity_duration_ms,execution_duration_ms,read_bytes,read_files,pruned_files,spilled_local_bytes\n";

TEST(QueryHistoryTest, RowsOfTheSystemTableAsCsv) {
  const std::string text =
      std::string(kColumns) +
      "01f0-a,FINISHED,\"select \"\"a\"\", b\nfrom t\",,40000,1000,19000,20000,1073741824,25,75,3221225472\n"
      "01f0-b,FAILED,select c,[TABLE_OR_VIEW_NOT_FOUND] The table or view `c` cannot be found.,500,0,0,0,0,0,0,\n"
      "01f0-c,FINISHED,select 1,,1000,0,0,1000,0,0,0,0\n"
      "damaged\n";
  const FragmentAnswer answer = AnswerText(text);
  EXPECT_EQ(Summary(answer),
            "A query history of Databricks: 3 statements: 1 FAILED, 2 FINISHED.\n"
            "Their time: 41.5 s: 2% waiting for compute, 46% waiting at capacity, 51% execution\n"
            "Statement 01f0-a takes 40.0 s, reads 1.0 GiB, 25 of 100 files: select \"a\", b from t\n"
            "Statement 01f0-c takes 1.0 s: select 1\n"
            "Statement 01f0-b takes 500 ms: select c\n"
            "failure: Statement 01f0-b: the table or view `c` does not exist in the catalog that the job uses\n"
            "spill: Statement 01f0-a spills 3.0 GiB to disk\n"
            "waiting-for-executors: Statements wait 20.0 s for a busy warehouse, 48% of their time\n");
  AnswerStartsOf(text);
}

TEST(QueryHistoryTest, ShortWaitsAndSmallSpillsAreNoFindings) {
  EXPECT_TRUE(AnswerText(std::string(kColumns) + "a,FINISHED,select 1,,20000,9999,0,10000,0,0,0,16777215\n")
                  .answers.findings.empty());
  EXPECT_TRUE(AnswerText(std::string(kColumns) + "a,FINISHED,select 1,,400000,10000,0,390000,0,0,0,0\n")
                  .answers.findings.empty());
}

TEST(QueryHistoryTest, RowsOfTheSystemTableAsJson) {
  EXPECT_EQ(
      Summary(AnswerText(
          R"({"statement_id":"a","execution_status":"FINISHED","total_duration_ms":30000,"waiting_for_compute_duration_ms":"20000"})"
          "\n"
          R"({"statement_id":"b","execution_status":"CANCELED","total_duration_ms":1000,"error_message":null})")),
      "A query history of Databricks: 2 statements: 1 CANCELED, 1 FINISHED.\n"
      "Their time: 31.0 s: 65% waiting for compute\n"
      "Statement a takes 30.0 s\n"
      "Statement b takes 1.0 s\n"
      "waiting-for-executors: Statements wait 20.0 s for compute to start, 65% of their time\n");
}

TEST(QueryHistoryTest, AnswersOfTheRestApi) {
  const std::string text =
      R"({"next_page_token":"x","has_next_page":true,"res":[{"query_id":"q","status":"FAILED","query_text":"select 1",)"
      R"("duration":2000,"error_message":"password=abcdefgh12345678 refused","metrics":{"compilation_time_ms":500,)"
      R"("execution_time_ms":1500,"read_bytes":2048,"read_files_count":1,"pruned_files_count":3,)"
      R"("spill_to_disk_bytes":20971520}}]})";
  EXPECT_EQ(Summary(AnswerText(text)),
            "A query history of Databricks: 1 statement: 1 FAILED.\n"
            "Their time: 2.0 s: 25% compilation, 75% execution\n"
            "Statement q takes 2.0 s, reads 2.0 KiB, 1 of 4 files: select 1\n"
            "failure: Statement q: password=*********(redacted) refused\n"
            "spill: Statement q spills 20.0 MiB to disk\n");
  AnswerStartsOf(text);
}

}  // namespace
}  // namespace sparkprof
