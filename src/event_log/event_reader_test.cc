// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_reader.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <utility>
#include <vector>

#include "event_log/testing/read_events.h"
#include "model/redaction/event_redaction.h"

namespace sparkprof {
namespace {

constexpr std::string_view kLogStart = R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.3"})";
constexpr std::string_view kApplicationStart =
    R"({"Event":"SparkListenerApplicationStart","App Name":"job","App ID":"app-7","Timestamp":1000,)"
    R"("User":"ada","App Attempt ID":"2"})";

TEST(EventReaderTest, TheApplicationHasItsNamesAndTimes) {
  const Application application =
      ReadEvents({kLogStart, kApplicationStart, R"({"Event":"SparkListenerApplicationEnd","Timestamp":9000})"});
  EXPECT_EQ(application.spark_version, "3.5.3");
  EXPECT_EQ(application.id, "app-7");
  EXPECT_EQ(application.attempt, "2");
  EXPECT_EQ(application.name, "job");
  EXPECT_EQ(application.user, "ada");
  EXPECT_EQ(application.start_ns, 1'000'000'000);
  EXPECT_EQ(application.end_ns, 9'000'000'000);
  EXPECT_TRUE(application.ended);
}

TEST(EventReaderTest, AnApplicationWithoutEndEndsWithTheLastThingKnown) {
  const Application application =
      ReadEvents({kApplicationStart, R"({"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":5000})"});
  EXPECT_FALSE(application.ended);
  EXPECT_EQ(application.end_ns, 5'000'000'000);
}

std::string ExecutorAdded(int64_t time_ms) {
  return R"({"Event":"SparkListenerExecutorAdded","Executor ID":"1","Executor Info":{},"Timestamp":)" +
         std::to_string(time_ms) + "}";
}

std::string JobStart(int64_t time_ms) {
  return R"({"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":)" + std::to_string(time_ms) + "}";
}

TEST(EventReaderTest, EventsStampedFarAheadOfThoseThatFollowDoNotStretchTheApplication) {
  constexpr int64_t kYear = 31'536'000'000;
  const Application application = ReadEvents({kApplicationStart, ExecutorAdded(kYear), JobStart(5000)});
  EXPECT_EQ(application.end_ns, 5'000'000'000);
  ASSERT_EQ(application.notices.size(), 1u);
  EXPECT_TRUE(application.notices[0].notice.text.starts_with("1 event is stamped"))
      << application.notices[0].notice.text;
}

TEST(EventReaderTest, AnApplicationThatPausedForDaysLastsThatLong) {
  constexpr int64_t kWeek = 604'800'000;
  const std::string task = R"("Task Info":{"Task ID":1,"Launch Time":2000,"Finish Time":)";
  const Application application =
      ReadEvents({kApplicationStart, JobStart(kWeek),
                  R"({"Event":"SparkListenerTaskEnd","Stage ID":0,"Task End Reason":{"Reason":"Success"},)" + task +
                      std::to_string(kWeek + 1) + "}}",
                  ExecutorAdded(kWeek + 2)});
  EXPECT_EQ(application.end_ns, (kWeek + 2) * 1'000'000);
  EXPECT_TRUE(application.notices.empty());
}

TEST(EventReaderTest, UnknownEventsAreCountedAndSkipped) {
  const Application application =
      ReadEvents({R"({"Event":"com.example.SparkListenerNews","x":[1,{"y":2}]})", "{}", R"({"Event":7})", kLogStart});
  EXPECT_EQ(application.unknown_events, 3);
  EXPECT_EQ(application.damaged_events, 0);
  EXPECT_EQ(application.spark_version, "3.5.3");
}

TEST(EventReaderTest, LinesThatAreNotTheJsonTheyShouldBeAreCountedAndSkipped) {
  const Application application =
      ReadEvents({"not json", "[1,2]", "7", R"({"Event":"SparkListenerLogStart")",
                  R"({"Event":"SparkListenerTaskEnd","Task Info":{"Task ID":"x"}})",
                  R"({"Event":"SparkListenerTaskEnd","Task Info":[]})", R"({"Event":"SparkListenerJobStart"})",
                  R"({"Event":"SparkListenerStageSubmitted","Stage Info":{}})",
                  R"({"Event":"SparkListenerExecutorAdded","Executor ID":5})", kLogStart});
  EXPECT_EQ(application.damaged_events, 9);
  EXPECT_EQ(application.tasks.Size(), 0u);
  EXPECT_EQ(application.spark_version, "3.5.3");
}

TEST(EventReaderTest, ALineCutAtAnyByteIsCountedOnce) {
  const std::string whole(kApplicationStart);
  for (size_t size = 1; size < whole.size(); ++size) {
    const Application application = ReadEvents({std::string_view(whole).substr(0, size)});
    EXPECT_EQ(application.damaged_events, 1) << size;
  }
}

TEST(EventReaderTest, KeysMayComeInAnyOrder) {
  const Application application = ReadEvents(
      {R"({"Timestamp":1000,"User":"ada","Event":"SparkListenerApplicationStart","App ID":"app-7","new":{"a":[]}})"});
  EXPECT_EQ(application.id, "app-7");
  EXPECT_EQ(application.start_ns, 1'000'000'000);
}

TEST(EventReaderTest, NumbersOutOfAnyRangeDoNoHarm) {
  const Application application = ReadEvents(
      {R"({"Event":"SparkListenerTaskEnd","Stage ID":1,"Task Info":{"Task ID":1,"Index":99999999999,"Attempt":-5,)"
       R"("Launch Time":-9223372036854775808,"Finish Time":9223372036854775807},"Task Metrics":{)"
       R"("Executor Run Time":9223372036854775807,"Executor Deserialize Time":1e300,"Result Size":-7,)"
       R"("Shuffle Read Metrics":{"Remote Bytes Read":9223372036854775807,"Local Bytes Read":9223372036854775807}}})"});
  ASSERT_EQ(application.tasks.Size(), 1u);
  EXPECT_EQ(application.tasks.index[0], -1);
  EXPECT_EQ(application.tasks.Column(TaskMetric::kResultSize)[0], 0);
  EXPECT_GE(application.tasks.Column(TaskMetric::kShuffleReadBytes)[0], 0);
}

TEST(EventReaderTest, ALineOfInvalidUtf8IsReadWithReplacements) {
  const Application application =
      ReadEvents({"{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"a\xff\",\"Timestamp\":1}"});
  EXPECT_EQ(application.damaged_events, 0);
  EXPECT_EQ(application.name, "a\xEF\xBF\xBD");
}

TEST(EventReaderTest, LinesMayEndInAnyWayAndEmptyOnesAreSkipped) {
  for (const std::string_view separator : {"\n", "\r\n", "\n\n\n"}) {
    Application application;
    EventReader reader(&application);
    std::string text;
    for (const std::string_view event : {kLogStart, kApplicationStart}) text.append(event).append(separator);
    text.append(R"({"Event":"SparkListenerApplicationEnd","Timestamp":9000})");  // no line end
    reader.AddLines(text);
    reader.AddLines("");
    reader.Finish();
    EXPECT_EQ(application.spark_version, "3.5.3");
    EXPECT_EQ(application.id, "app-7");
    EXPECT_TRUE(application.ended);
    EXPECT_EQ(application.damaged_events, 0);
  }
}

TEST(EventReaderTest, ExecutorsComeAndGo) {
  const Application application = ReadEvents(
      {R"({"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"<driver>","Host":"h0"},"Timestamp":1})",
       R"({"Event":"SparkListenerExecutorAdded","Timestamp":2,"Executor ID":"1","Executor Info":{"Host":"h1","Total Cores":4}})",
       R"({"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"1","Host":"other"},"Timestamp":3})",
       R"({"Event":"SparkListenerExecutorRemoved","Timestamp":9,"Executor ID":"1","Removed Reason":"OOM"})"});
  ASSERT_EQ(application.executors.size(), 2u);
  EXPECT_EQ(application.executors[0].id, "driver");
  EXPECT_EQ(application.executors[0].host, "h0");
  const Executor& executor = application.executors[1];
  EXPECT_EQ(executor.id, "1");
  EXPECT_EQ(executor.host, "h1");
  EXPECT_EQ(executor.cores, 4);
  EXPECT_EQ(executor.add_ns, 2'000'000);
  EXPECT_EQ(executor.remove_ns, 9'000'000);
  EXPECT_EQ(executor.remove_reason, "OOM");
}

TEST(EventReaderTest, DroppedValuesAreReportedAsALoss) {
  Application application;
  EventReader reader(&application);
  reader.Add(simdjson::padded_string(DroppedValuesEvent(2)));
  reader.Add(simdjson::padded_string(DroppedValuesEvent(3)));
  reader.Finish();
  ASSERT_EQ(application.losses.size(), 1u);
  EXPECT_EQ(application.losses[0].what, "event_values");
  EXPECT_EQ(application.losses[0].count, 5);
  EXPECT_EQ(application.damaged_events, 0);
}

TEST(EventReaderTest, TheEnvironmentIsTheLastOneWithItsSecretsRedacted) {
  const Application application = ReadEvents(
      {R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"old":"1"}})",
       R"({"Event":"SparkListenerEnvironmentUpdate","JVM Information":{"Java Version":"17"},)"
       R"("Spark Properties":{"spark.master":"local[2]","my.password":"abc"},"Classpath Entries":{"/a.jar":"System Classpath"}})"});
  EXPECT_EQ(application.master, "local[2]");
  EXPECT_EQ(application.java_version, "17");
  ASSERT_EQ(application.environment.size(), 3u);
  EXPECT_EQ(application.environment[0].first, "JVM");
  EXPECT_EQ(application.environment[1].first, "Spark");
  ASSERT_EQ(application.environment[1].second.size(), 2u);
  EXPECT_EQ(application.environment[1].second[1].second, "*********(redacted)");
  EXPECT_EQ(application.environment[2].first, "Classpath");
}

TEST(EventReader, ExecutorsKeepTheirPeaksAndStagesTheirResourceProfile) {
  Application application;
  EventReader reader(&application);
  reader.AddLines(
      R"({"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":1,"Executor Resource Requests":{"memory":{"Resource Name":"memory","Amount":4096}},"Task Resource Requests":{"cpus":{"Resource Name":"cpus","Amount":2.0}}}
{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":3,"Stage Attempt ID":0,"Resource Profile Id":1}}
{"Event":"SparkListenerTaskEnd","Stage ID":3,"Task Info":{"Task ID":1,"Executor ID":"2"},"Task Executor Metrics":{"JVMHeapMemory":5,"MinorGCCount":7}}
{"Event":"SparkListenerStageExecutorMetrics","Executor ID":"2","Executor Metrics":{"JVMHeapMemory":9,"MinorGCCount":1}}
)");
  ASSERT_EQ(application.executors.size(), 1u);
  const std::vector<std::pair<std::string, int64_t>> peaks = {{"JVMHeapMemory", 9}, {"MinorGCCount", 7}};
  EXPECT_EQ(application.executors[0].peak_metrics, peaks);
  EXPECT_EQ(application.stages[0].resource_profile, 1);
  ASSERT_EQ(application.resource_profiles.size(), 1u);
  EXPECT_EQ(application.resource_profiles[0].requests.at(0).second, "4096");
}

TEST(EventReader, TheBeginOfAnotherLogIsLeftToTheCaller) {
  const std::string first =
      "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"3.5.7\"}\n"
      "{\"Event\":\"SparkListenerApplicationStart\",\"App ID\":\"a\",\"Timestamp\":5}\n";
  Application application;
  EventReader reader(&application);
  EXPECT_EQ(reader.AddLines(first), "");
  EXPECT_EQ(reader.AddLines(first), first);
}

}  // namespace
}  // namespace sparkprof
