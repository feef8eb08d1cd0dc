// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "event_log/testing/read_events.h"
#include "model/segment/block.h"
#include "model/testing/example_segment.h"
#include "recording/application_builder.h"
#include "recording/recordings.h"

namespace sparkprof {
namespace {

constexpr std::string_view kEvents[] = {
    R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.1"})",
    R"({"Event":"SparkListenerApplicationStart","App Name":"etl","App ID":"app-1","Timestamp":1700000000000,"User":"eve"})",
    R"({"Event":"SparkListenerEnvironmentUpdate","JVM Information":{"Java Version":"17.0.2"},
        "Spark Properties":{"spark.master":"yarn","spark.my.password":"x"}})",
    R"({"Event":"SparkListenerExecutorAdded","Timestamp":1700000000100,"Executor ID":"1","Executor Info":{"Host":"h1","Total Cores":4}})",
    R"({"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":1,"Executor Resource Requests":{"memory":{"Resource Name":"memory","Amount":4096}},
        "Task Resource Requests":{"cpus":{"Resource Name":"cpus","Amount":1.5}}})",
    R"({"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"1","Host":"h1"},"Maximum Memory":384093388,"Timestamp":1700000000150})",
    R"({"Event":"SparkListenerStageExecutorMetrics","Executor ID":"1","Executor Metrics":{"JVMHeapMemory":123,"OnHeapExecutionMemory":7}})",
    R"({"Event":"SparkListenerExecutorAdded","Timestamp":1700000000100,"Executor ID":"2","Executor Info":{"Host":"h2","Total Cores":4}})",
    R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":0,"description":"q","details":"d",
        "physicalPlanDescription":"== plan ==","time":1700000000200,"sparkPlanInfo":{"nodeName":"Scan","simpleString":"Scan t","children":[],
        "metrics":[{"name":"rows","accumulatorId":7,"metricType":"sum"},{"name":"time","accumulatorId":8,"metricType":"timing"},
                   {"name":"avg","accumulatorId":9,"metricType":"average"},{"name":"never","accumulatorId":10,"metricType":"size"}]}})",
    R"({"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1700000000300,"Stage IDs":[0,1],"Stage Infos":[
        {"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"map at A.scala:1","Number of Tasks":2,"Details":"A","Parent IDs":[]},
        {"Stage ID":1,"Stage Attempt ID":0,"Stage Name":"count at A.scala:2","Number of Tasks":1,"Details":"B","Parent IDs":[0]}],
        "Properties":{"spark.sql.execution.id":"0","spark.jobGroup.id":"g","spark.job.description":"desc","callSite.short":"count at A.scala:2"}})",
    R"({"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"map at A.scala:1","Number of Tasks":2,"Submission Time":1700000000310},
        "Properties":{"spark.sql.execution.id":"0"}})",
    R"({"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},
        "Task Info":{"Task ID":0,"Index":0,"Attempt":0,"Partition ID":0,"Launch Time":1700000000320,"Executor ID":"1","Host":"h1","Locality":"ANY","Finish Time":1700000001320,
        "Accumulables":[{"ID":7,"Update":"12"},{"ID":8,"Update":"34"},{"ID":9,"Update":"5"}]},
        "Task Metrics":{"Executor Run Time":900,"Executor CPU Time":800000001,"JVM GC Time":7,"Shuffle Read Metrics":{"Remote Bytes Read":3,"Local Bytes Read":4}}})",
    R"({"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{"Reason":"ExceptionFailure","Full Stack Trace":"java.io.IOException: full\n\tat A"},
        "Task Info":{"Task ID":1,"Index":1,"Attempt":1,"Launch Time":1700000000320,"Executor ID":"2","Host":"h2","Speculative":true,"Finish Time":1700000001325,"Failed":true}})",
    R"({"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":2,"Index":1,"Attempt":2,"Launch Time":1700000001400,"Executor ID":"1"}})",
    R"({"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"map at A.scala:1","Number of Tasks":2,
        "Submission Time":1700000000310,"Completion Time":1700000001500,"Failure Reason":"disk"}})",
    R"({"Event":"SparkListenerExecutorRemoved","Timestamp":1700000001600,"Executor ID":"2","Removed Reason":"lost"})",
    R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd","executionId":0,"time":1700000001700})",
    R"({"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":1700000001650,"Job Result":{"Result":"JobFailed","Exception":{"Message":"stage 0 failed"}}})",
    R"({"Event":"SparkListenerApplicationEnd","Timestamp":1700000002000})",
};

Application FromEvents() {
  Application application;
  EventReader reader(&application);
  for (const std::string_view event : kEvents) reader.Add(event);
  reader.Finish();
  EXPECT_EQ(application.damaged_events, 0);
  return application;
}

std::string Recorded(const Application& application) {
  std::string bytes;
  WriteRecording(application, [&](std::string_view block) { bytes += block; });
  return bytes;
}

Application ReadBack(const std::string& bytes) {
  SourceGrouping sources;
  sources.BeginFile();
  const auto status = ReadBlocks(bytes, "test", [&](Segment&& segment) { sources.Add(std::move(segment)); });
  EXPECT_TRUE(status.has_value());
  sources.EndFile(false);
  auto recorded = sources.Take();
  EXPECT_EQ(recorded.size(), 1u);
  return BuildApplication(std::move(recorded.front()));
}

void ExpectSameTasks(const Application& a, const Application& b) {
  ASSERT_EQ(a.tasks.Size(), b.tasks.Size());
  EXPECT_EQ(a.tasks.id, b.tasks.id);
  EXPECT_EQ(a.tasks.index, b.tasks.index);
  EXPECT_EQ(a.tasks.partition, b.tasks.partition);
  EXPECT_EQ(a.tasks.attempt, b.tasks.attempt);
  EXPECT_EQ(a.tasks.launch_ns, b.tasks.launch_ns);
  EXPECT_EQ(a.tasks.finish_ns, b.tasks.finish_ns);
  EXPECT_EQ(a.tasks.outcome, b.tasks.outcome);
  EXPECT_EQ(a.tasks.speculative, b.tasks.speculative);
  EXPECT_EQ(a.tasks.locality, b.tasks.locality);
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    const MetricColumn& first = a.tasks.metrics[metric];
    const MetricColumn& second = b.tasks.metrics[metric];
    EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin(), second.end()))
        << Text(static_cast<TaskMetric>(metric)).name;
  }
  for (size_t row = 0; row < a.tasks.Size(); ++row) {
    EXPECT_EQ(a.profile.strings.Get(a.tasks.reason[row]), b.profile.strings.Get(b.tasks.reason[row]));
    ASSERT_EQ(a.tasks.stage[row] < 0, b.tasks.stage[row] < 0);
    ASSERT_EQ(a.tasks.executor[row] < 0, b.tasks.executor[row] < 0);
    if (a.tasks.stage[row] >= 0) {
      EXPECT_EQ(a.stages[static_cast<size_t>(a.tasks.stage[row])].id,
                b.stages[static_cast<size_t>(b.tasks.stage[row])].id);
    }
    if (a.tasks.executor[row] >= 0) {
      EXPECT_EQ(a.executors[static_cast<size_t>(a.tasks.executor[row])].id,
                b.executors[static_cast<size_t>(b.tasks.executor[row])].id);
    }
  }
}

TEST(RecordingWriterTest, AnEventLogsApplicationComesBackFromItsRecording) {
  const Application first = FromEvents();
  const Application second = ReadBack(Recorded(first));
  EXPECT_EQ(second.id, "app-1");
  EXPECT_EQ(second.name, "etl");
  EXPECT_EQ(second.user, "eve");
  EXPECT_EQ(second.spark_version, "3.5.1");
  EXPECT_EQ(second.java_version, "17.0.2");
  EXPECT_EQ(second.master, "yarn");
  EXPECT_EQ(second.start_ns, first.start_ns);
  EXPECT_EQ(second.end_ns, first.end_ns);
  EXPECT_TRUE(second.ended);
  EXPECT_EQ(second.environment, first.environment);
  ExpectSameTasks(first, second);

  ASSERT_EQ(second.jobs.size(), 1u);
  EXPECT_EQ(second.jobs[0].status, RunStatus::kFailed);
  EXPECT_EQ(second.jobs[0].failure, "stage 0 failed");
  EXPECT_EQ(second.jobs[0].name, first.jobs[0].name);
  EXPECT_EQ(second.jobs[0].group, "g");
  EXPECT_EQ(second.jobs[0].description, "desc");
  EXPECT_EQ(second.jobs[0].sql_execution, 0);
  EXPECT_EQ(second.jobs[0].stages, first.jobs[0].stages);
  ASSERT_EQ(second.stages.size(), 2u);
  EXPECT_EQ(second.stages[0].status, RunStatus::kFailed);
  EXPECT_EQ(second.stages[0].failure, "disk");
  EXPECT_EQ(second.stages[0].details, "A");
  EXPECT_EQ(second.stages[0].submit_ns, first.stages[0].submit_ns);
  EXPECT_EQ(second.stages[0].end_ns, first.stages[0].end_ns);
  EXPECT_EQ(second.stages[0].job, 0);
  EXPECT_EQ(second.stages[1].status, RunStatus::kSkipped);
  EXPECT_EQ(second.stages[1].details, "B");
  EXPECT_EQ(second.stages[1].parents, std::vector<int64_t>{0});
  ASSERT_EQ(second.executors.size(), 2u);
  EXPECT_EQ(second.executors[1].host, "h2");
  EXPECT_EQ(second.executors[1].cores, 4);
  EXPECT_EQ(second.executors[0].max_memory_bytes, 384093388);
  EXPECT_EQ(second.executors[0].peak_metrics, first.executors[0].peak_metrics);
  ASSERT_EQ(second.resource_profiles.size(), 1u);
  EXPECT_EQ(second.resource_profiles[0].requests, first.resource_profiles[0].requests);
  EXPECT_EQ(second.executors[1].remove_reason, "lost");
  EXPECT_EQ(second.executors[1].remove_ns, first.executors[1].remove_ns);
}

TEST(RecordingWriterTest, PlansKeepTheirMetrics) {
  const Application first = FromEvents();
  const Application second = ReadBack(Recorded(first));
  ASSERT_EQ(second.sql_executions.size(), 1u);
  const SqlExecution& execution = second.sql_executions[0];
  EXPECT_EQ(execution.plan_text, "== plan ==");
  EXPECT_EQ(execution.status, RunStatus::kFailed);  // its job failed
  EXPECT_EQ(execution.failure, "stage 0 failed");
  EXPECT_EQ(execution.end_ns, first.sql_executions[0].end_ns);
  EXPECT_EQ(execution.jobs, std::vector<int64_t>{0});
  ASSERT_EQ(execution.plan.metrics.size(), 4u);
  EXPECT_EQ(execution.plan.metrics[0].value, 12);
  EXPECT_EQ(execution.plan.metrics[1].value, 34e6);
  EXPECT_EQ(execution.plan.metrics[2].value, 0.5);
  EXPECT_FALSE(execution.plan.metrics[3].has_value);
}

TEST(RecordingWriterTest, WhatProcessesRecordedComesBackWithTheirExecutor) {
  Application first = ReadBack(EncodeBlock(ExampleSegment()));
  first.notices.push_back({-1, {5, NoticeLevel::kError, "of nobody"}});
  const Application second = ReadBack(Recorded(first));
  ASSERT_EQ(second.profile.samples.size(), 2u);
  for (size_t row = 0; row < 2; ++row) {
    EXPECT_EQ(second.profile.samples[row].weight, first.profile.samples[row].weight);
    EXPECT_EQ(second.profile.samples[row].task, first.profile.samples[row].task);
    EXPECT_EQ(second.profile.samples[row].time_ns, first.profile.samples[row].time_ns);
    EXPECT_EQ(second.executors[static_cast<size_t>(second.ExecutorOf(second.profile.samples[row]))].id, "0");
    std::vector<FrameId> frames;
    second.profile.stacks.Unwind(second.profile.samples[row].stack, &frames);
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_EQ(second.profile.strings.Get(second.profile.frames.Get(frames[0]).name), "java.lang.Thread.run");
    EXPECT_EQ(second.profile.threads[second.profile.samples[row].thread].name,
              first.profile.threads[first.profile.samples[row].thread].name);
  }
  ExpectSameTasks(first, second);
  ASSERT_EQ(second.series.size(), 1u);
  EXPECT_EQ(second.series[0].points.size(), 2u);
  EXPECT_EQ(second.processes[static_cast<size_t>(second.series[0].process)].process.pid, 42);
  ASSERT_EQ(second.losses.size(), 1u);
  EXPECT_EQ(second.losses[0].count, 3);
  EXPECT_EQ(second.settings.size(), 1u);
  ASSERT_EQ(second.heap_summaries.size(), 1u);
  EXPECT_EQ(second.executors[static_cast<size_t>(second.heap_summaries[0].executor)].id, "0");
  const HeapSummary& heap = second.heap_summaries[0].summary;
  EXPECT_EQ(heap.pause_ns, 40'000'000);
  EXPECT_EQ(heap.Total().bytes, 89'680);
  EXPECT_EQ(second.profile.strings.Get(heap.classes.at(0).name), "byte[]");
  ASSERT_EQ(second.notices.size(), 2u);
  EXPECT_EQ(second.notices[0].executor, -1);
  EXPECT_EQ(second.notices[1].executor, 0);
}

TEST(RecordingWriterTest, FunctionsOfPythonWorkersComeBack) {
  Application first = FromEvents();
  first.udfs.push_back({.name = "score", .file = "/home/me/job.py", .line = 12});
  const Application second = ReadBack(Recorded(first));
  ASSERT_EQ(second.udfs.size(), 1U);
  EXPECT_EQ(second.udfs[0].name, "score");
  EXPECT_EQ(second.udfs[0].file, "/home/me/job.py");
  EXPECT_EQ(second.udfs[0].line, 12);
}

TEST(RecordingWriterTest, LogRecordsComeBackWithTheirExecutorsAndTemplates) {
  Application application = FromEvents();
  LogRecords& logs = application.logs;
  logs.sources = {"app/driver.log", "app/stderr"};
  logs.templates = {{}, {"Lost task <*>", 7, 1, 9, {0, 0, 0, 0, 7}}};
  logs.time_ns = {5, 9};
  logs.level = {LogLevel::kNone, LogLevel::kWarn};
  logs.executor = {-1, 1};
  logs.source = {0, 1};
  logs.line = {1, 12};
  logs.template_row = {0, 1};
  logs.text = "outLost task 1";
  logs.text_end = {3, 14};
  logs.dropped = 2;
  const Application copy = ReadBack(Recorded(application));
  ASSERT_EQ(copy.logs.Size(), 2u);
  EXPECT_EQ(copy.logs.Text(1), "Lost task 1");
  EXPECT_EQ(copy.logs.executor[0], -1);
  EXPECT_EQ(copy.executors[static_cast<size_t>(copy.logs.executor[1])].id, application.executors[1].id);
  EXPECT_EQ(copy.logs.sources[copy.logs.source[1]], "app/stderr");
  EXPECT_EQ(copy.logs.templates[copy.logs.template_row[1]].text, "Lost task <*>");
  EXPECT_EQ(copy.logs.templates[copy.logs.template_row[1]].count, 7);
  EXPECT_EQ(copy.logs.dropped, 2);
}

TEST(RecordingWriterTest, ManySamplesBecomeManySegmentsThatStandAlone) {
  Application first = ReadBack(EncodeBlock(ExampleSegment()));
  const Sample sample = first.profile.samples[0];
  for (int64_t i = 0; i < 600'000; ++i) {
    first.profile.samples.push_back(sample);
    first.profile.samples.back().time_ns += (i + 1) * first.profile.bucket_ns;
  }
  const Application second = ReadBack(Recorded(first));
  EXPECT_EQ(second.profile.samples.size(), first.profile.samples.size());
  EXPECT_EQ(second.tasks.Column(TaskMetric::kCpuSamples)[0], 600'001 * sample.weight);
}

}  // namespace
}  // namespace sparkprof
