// SPDX-License-Identifier: Apache-2.0
#include "engines/engines.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/text/text.h"

namespace sparkprof {
namespace {

TEST(EnginesTest, EveryLineOfTheTablesIsKnownAndComplete) {
  const std::set<std::string_view> with_one = {"engine", "loads", "operator", "operator-part", "clock",   "transition",
                                               "wait",   "code",  "thread",   "rows",          "wrapper", "reason"};
  const std::set<std::string_view> with_two = {"steps", "frame", "task", "kind"};
  const std::set<std::string_view> with_more = {"metric", "part", "without", "inclusive"};
  for (const std::string_view line : Split(kEngineTables, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> fields = Split(line, '\t');
    const bool has_more = with_more.contains(fields[0]);
    const size_t expected = with_one.contains(fields[0]) ? 2 : fields[0] == "without" ? 4 : 3;
    EXPECT_TRUE(has_more || with_one.contains(fields[0]) || with_two.contains(fields[0])) << line;
    EXPECT_TRUE(fields.size() == expected || (has_more && fields.size() > expected)) << line;
    for (const std::string_view field : fields) EXPECT_FALSE(field.empty()) << line;
  }
  for (const Engine& engine : Engines()) {
    const bool is_spark = &engine == &SparkEngine();
    EXPECT_EQ(engine.operators.empty() && engine.operator_parts.empty(), is_spark) << engine.name;
    EXPECT_FALSE(engine.metrics.empty() && engine.steps.empty() && !is_spark) << engine.name;
  }
}

TEST(EnginesTest, EachTaskMetricOfTheTablesHasAKnownMeaning) {
  size_t lines = 0, known = 0;
  for (const std::string_view line : Split(kEngineTables, '\n')) lines += line.starts_with("task\t") ? 1 : 0;
  for (const Engine& engine : Engines()) known += engine.task_metrics.size();
  EXPECT_EQ(known, lines);
  EXPECT_EQ(EngineTaskMetricOf("gpuSemaphoreWait"), EngineTaskMetric::kWait);
  EXPECT_FALSE(EngineTaskMetricOf("internal.metrics.resultSize"));
}

std::string_view NameOf(const Engine* engine) { return engine == nullptr ? "spark" : engine->name; }

TEST(EnginesTest, OperatorsBelongToTheEngineThatNamesThem) {
  EXPECT_EQ(NameOf(EngineOfOperator("CometHashAggregate")), "comet");
  EXPECT_EQ(NameOf(EngineOfOperator("GpuFilter")), "rapids");
  EXPECT_EQ(NameOf(EngineOfOperator("PhotonGroupingAgg")), "photon");
  EXPECT_EQ(NameOf(EngineOfOperator("ProjectExecTransformer")), "gluten");
  EXPECT_EQ(NameOf(EngineOfOperator("NativeSort")), "auron");
  EXPECT_EQ(NameOf(EngineOfOperator("NativeScan hive db.sales")), "gluten") << "the longest text counts";
  EXPECT_EQ(NameOf(EngineOfOperator("Execute GpuInsertIntoHadoopFsRelationCommand")), "rapids");
  EXPECT_EQ(NameOf(EngineOfOperator("HashAggregate")), "spark");
}

TEST(EnginesTest, OperatorsStandForThoseOfSpark) {
  const std::pair<std::string_view, std::string_view> expected[] = {
      {"HashAggregate", "HashAggregate"},
      {"CometSortMergeJoin", "SortMergeJoin"},
      {"CometColumnarExchange", "Exchange"},
      {"GpuShuffledHashJoin", "ShuffledHashJoin"},
      {"GpuColumnarExchange", "Exchange"},
      {"PhotonGroupingAgg", "HashAggregate"},
      {"PhotonScan", "Scan"},
      {"PhotonShuffleMapStage", "WholeStageCodegen"},
      {"ProjectExecTransformer", "Project"},
      {"ScanTransformer", "Scan"},
      {"ColumnarExchange", "Exchange"},
      {"ColumnarToRow", "ColumnarToRow"},
      {"WholeStageCodegenTransformer", "WholeStageCodegen"},
      {"NativeParquetScan", "Scan"},
      {"NativeHashAggregate", "HashAggregate"},
  };
  for (const auto& [kind, of_spark] : expected) EXPECT_EQ(SparkKindOf(kind), of_spark) << kind;
}

TEST(EnginesTest, SettingsNameTheEngineThatIsLoaded) {
  EXPECT_EQ(NameOf(EngineLoadedBy("org.apache.spark.CometPlugin,org.sparkprof.SparkProfPlugin")), "comet");
  EXPECT_EQ(NameOf(EngineLoadedBy("com.nvidia.spark.SQLPlugin,com.nvidia.spark.rapids.X")), "rapids");
  EXPECT_EQ(NameOf(EngineLoadedBy("org.sparkprof.SparkProfPlugin")), "spark");
}

TEST(EnginesTest, CodeOfRustAndCppIsRecognizedByItsNamespace) {
  EXPECT_TRUE(IsEngineCode("<tokio::runtime::scheduler::multi_thread::worker::Context>::run_task"));
  EXPECT_TRUE(IsEngineCode("facebook::velox::exec::Driver::run"));
  EXPECT_FALSE(IsEngineCode("JavaThread::run"));
  EXPECT_TRUE(IsEngineThread("multithreaded file reader worker-7"));
  EXPECT_FALSE(IsEngineThread("Executor task launch worker-0"));
  EXPECT_TRUE(IsEngineWait("org.apache.comet.Native.executePlan"));
  EXPECT_TRUE(IsFrameOfOperator("<datafusion_physical_plan::filter::FilterExecStream as X>::poll_next", "CometFilter"));
  EXPECT_FALSE(IsFrameOfOperator("datafusion_physical_plan::filter::batch_filter", "CometProject"));
  EXPECT_FALSE(IsOperatorFrame("arrow_select::take::take"));
  const std::string wrapper =
      "<datafusion_physical_plan::stream::RecordBatchStreamAdapter<datafusion_execution::async_stream::AsyncStream<"
      "core::result::Result<arrow_array::record_batch::RecordBatch>, ";
  const std::string merge = wrapper +
                            "<datafusion_physical_plan::sorts::merge::SortPreservingMergeStream<"
                            "datafusion_physical_plan::joins::sort_merge_join::Rows>>::create_stream>>>";
  EXPECT_TRUE(IsFrameOfOperator(merge, "CometSort"));
  EXPECT_FALSE(IsFrameOfOperator(merge, "CometSortMergeJoin")) << "a sort is not the join that it is for";
  EXPECT_FALSE(IsOperatorFrame(wrapper + "u64>>")) << "it wraps what is unknown";
  EXPECT_TRUE(IsTransition("CometColumnarToRow"));
  EXPECT_TRUE(IsTransition("ColumnarToRow"));
}

}  // namespace
}  // namespace sparkprof
