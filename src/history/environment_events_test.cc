// SPDX-License-Identifier: Apache-2.0
// An application's environment, resource profiles, resources of executors, and other processes.
#include <gtest/gtest.h>

#include <string>

#include "history/testing/history_fixture.h"

namespace sparkprof {
namespace {

class EnvironmentEventsTest : public HistoryFixture {};

constexpr char kEnvironment[] =
    R"({"Event":"SparkListenerEnvironmentUpdate","JVM Information":{"Java Version":"17","Java Home":"/jdk"},)"
    R"("Spark Properties":{"spark.task.cpus":"2","spark.app.name":"etl"},"Hadoop Properties":{"fs.trash":"1"},)"
    R"("System Properties":{"user.name":"me","my.secret":"x"},"Metrics Properties":{"*.sink":"csv"},)"
    R"("Classpath Entries":{"/b.jar":"System Classpath","/a.jar":"Added By User"}})";

constexpr char kProfile[] =
    R"({"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":1,"Executor Resource Requests":{"gpu":)"
    R"({"Resource Name":"gpu","Amount":2,"Discovery Script":"/find.sh","Vendor":"v"}},)"
    R"("Task Resource Requests":{"cpus":{"Resource Name":"cpus","Amount":3.0},"gpu":{"Resource Name":"gpu",)"
    R"("Amount":0.5}}})";

TEST_F(EnvironmentEventsTest, TheEnvironmentIsSortedAndHasTheResourceProfiles) {
  EXPECT_EQ(
      Get({kEnvironment, kProfile}, {"environment"}),
      R"({"runtime":{"javaVersion":"17","javaHome":"/jdk"},)"
      R"("sparkProperties":[["spark.app.name","etl"],["spark.task.cpus","2"]],"hadoopProperties":[["fs.trash","1"]],)"
      R"~("systemProperties":[["my.secret","*********(redacted)"],["user.name","me"]],)~"
      R"("metricsProperties":[["*.sink","csv"]],)"
      R"("classpathEntries":[["/a.jar","Added By User"],["/b.jar","System Classpath"]],)"
      R"("resourceProfiles":[{"id":1,"executorResources":{"gpu":{"resourceName":"gpu","amount":2,)"
      R"("discoveryScript":"/find.sh","vendor":"v"}},"taskResources":{"cpus":{"resourceName":"cpus","amount":3.0},)"
      R"("gpu":{"resourceName":"gpu","amount":0.5}}}]})");
}

TEST_F(EnvironmentEventsTest, AnExecutorRunsAsManyTasksAsItsCoresAllow) {
  const auto added = [](int profile) {
    return R"({"Event":"SparkListenerExecutorAdded","Timestamp":1200,"Executor ID":"1","Executor Info":{"Host":"h1",)"
           R"("Total Cores":7,"Resource Profile Id":)" +
           std::to_string(profile) + "}}";
  };
  ExpectHas(Get({added(0)}, {"executors"}), {R"("totalCores":7,"maxTasks":7)"});
  ExpectHas(Get({kEnvironment, added(0)}, {"executors"}), {R"("maxTasks":3)", R"("resourceProfileId":0)"});
  ExpectHas(Get({kEnvironment, kProfile, added(1)}, {"executors"}), {R"("maxTasks":2)", R"("resourceProfileId":1)"});
}

TEST_F(EnvironmentEventsTest, AnExecutorHasItsLogsAttributesAndResources) {
  const std::string added =
      R"({"Event":"SparkListenerExecutorAdded","Timestamp":1200,"Executor ID":"1","Executor Info":{"Host":"h1",)"
      R"("Total Cores":4,"Log Urls":{"stdout":"http://h1/out"},"Attributes":{"NM_HOST":"h1"},)"
      R"("Resources":{"gpu":{"name":"gpu","addresses":["0","1"]}}}})";
  EXPECT_EQ(Get({added}, {"executors"}),
            R"([{"id":"1","hostPort":"h1","isActive":true,"rddBlocks":0,"memoryUsed":0,"diskUsed":0,"totalCores":4,)"
            R"("maxTasks":4,"activeTasks":0,"failedTasks":0,"completedTasks":0,"totalTasks":0,"totalDuration":0,)"
            R"("totalGCTime":0,"totalInputBytes":0,"totalShuffleRead":0,"totalShuffleWrite":0,"isBlacklisted":false,)"
            R"("maxMemory":0,"addTime":"1970-01-01T00:00:01.200GMT","executorLogs":{"stdout":"http://h1/out"},)"
            R"("blacklistedInStages":[],"attributes":{"NM_HOST":"h1"},)"
            R"("resources":{"gpu":{"name":"gpu","addresses":["0","1"]}},"resourceProfileId":0,"isExcluded":false,)"
            R"("excludedInStages":[]}])");
}

TEST_F(EnvironmentEventsTest, OtherProcessesHaveTheirHostCoresAndLogs) {
  const std::string added =
      R"({"Event":"org.apache.spark.scheduler.SparkListenerMiscellaneousProcessAdded","time":1400,"processId":"yarn-am",)"
      R"("info":{"hostPort":"h1:7","cores":2,"logUrlInfo":{"stdout":"http://h1/am"}}})";
  EXPECT_EQ(Get({added}, {"allmiscellaneousprocess"}),
            R"([{"id":"yarn-am","hostPort":"h1:7","isActive":true,"totalCores":2,)"
            R"("addTime":"1970-01-01T00:00:01.400GMT","processLogs":{"stdout":"http://h1/am"}}])");
}

TEST_F(EnvironmentEventsTest, TheDriverHasTheTimeOfTheApplication) {
  const std::string driver =
      R"({"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"driver","Host":"h0","Port":5},)"
      R"("Maximum Memory":1000,"Timestamp":1100})";
  ExpectHas(Get({driver}, {"executors"}),
            {R"("id":"driver","hostPort":"h0:5","isActive":true)", R"("totalDuration":8000)"});
  ExpectHas(Get({driver, R"({"Event":"SparkListenerApplicationEnd","Timestamp":4000})"}, {"executors"}),
            {R"("totalDuration":3000)"});
}

}  // namespace
}  // namespace sparkprof
