// SPDX-License-Identifier: Apache-2.0
#include "model/redaction/own_redaction.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event_log/event_reader.h"

namespace sparkprof {
namespace {

Application ReadEvents(std::initializer_list<std::string_view> events) {
  Application application;
  EventReader reader(&application);
  for (const std::string_view event : events) reader.AddLines(event);
  reader.Finish();
  return application;
}

TEST(OwnRedactionTest, SettingsWhoseNameOrValueTheApplicationCallsSecretAreRedacted) {
  const Application application = ReadEvents(
      {R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.redaction.regex":"(?i)pin|hidden",)"
       R"("spark.my.PIN":"1234","spark.x":"a hidden thing","spark.password":"p","spark.y":"shown"}})"});
  const auto& rows = application.environment.at(0).second;
  const std::vector<std::pair<std::string, std::string>> expected = {{"spark.redaction.regex", "(?i)pin|hidden"},
                                                                     {"spark.my.PIN", "*********(redacted)"},
                                                                     {"spark.x", "*********(redacted)"},
                                                                     {"spark.password", "*********(redacted)"},
                                                                     {"spark.y", "shown"}};
  EXPECT_EQ(rows, expected);
}

TEST(OwnRedactionTest, AnExpressionThatSparkRedactedHidesNothingElse) {
  const Application application =
      ReadEvents({R"x({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":)x"
                  R"x({"spark.redaction.regex":"*********(redacted)","spark.master":"yarn"}})x"});
  EXPECT_EQ(application.environment.at(0).second.at(1).second, "yarn");
  EXPECT_TRUE(application.notices.empty());
}

TEST(OwnRedactionTest, LocalPropertiesOfJobsAreSettings) {
  const Application application = ReadEvents(
      {R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.redaction.regex":"jobGroup|payroll"}})",
       R"({"Event":"SparkListenerJobStart","Job ID":1,"Stage IDs":[],"Properties":{"spark.jobGroup.id":"anyone",)"
       R"("spark.job.description":"the payroll of May","callSite.short":"count at job.py:3"}})"});
  ASSERT_EQ(application.jobs.size(), 1u);
  EXPECT_EQ(application.jobs[0].group, "*********(redacted)");
  EXPECT_EQ(application.jobs[0].description, "*********(redacted)");
  EXPECT_EQ(application.jobs[0].call_site, "count at job.py:3");
}

TEST(OwnRedactionTest, PartsOfSqlPlansAndFailuresThatTheApplicationCallsSecretAreRedacted) {
  const Application application = ReadEvents(
      {R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.redaction.string.regex":"cust-[0-9]+"}})",
       R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":1,)"
       R"("description":"select cust-77","details":"","physicalPlanDescription":"Filter id = cust-78",)"
       R"("sparkPlanInfo":{"nodeName":"Filter","simpleString":"Filter cust-79","children":[],"metadata":{},"metrics":[]},)"
       R"("time":1})",
       R"({"Event":"SparkListenerJobStart","Job ID":1,"Stage IDs":[],"Properties":{"spark.job.description":"cust-80 of May"}})",
       R"({"Event":"SparkListenerTaskEnd","Stage ID":1,"Task End Reason":{"Reason":"ExceptionFailure",)"
       R"("Class Name":"E","Description":"no cust-81","Full Stack Trace":"E: no cust-81"},"Task Info":{"Task ID":1,"Failed":true}})"});
  ASSERT_EQ(application.sql_executions.size(), 1u);
  const SqlExecution& execution = application.sql_executions[0];
  EXPECT_EQ(execution.description, "select *********(redacted)");
  EXPECT_EQ(execution.plan_text, "Filter id = *********(redacted)");
  EXPECT_EQ(execution.plan.text, "Filter *********(redacted)");
  ASSERT_EQ(application.jobs.size(), 1u);
  EXPECT_EQ(application.jobs[0].description, "*********(redacted) of May");
  ASSERT_EQ(application.tasks.Size(), 1u);
  const std::string reason(application.profile.strings.Get(application.tasks.reason[0]));
  EXPECT_EQ(reason.find("cust-81"), std::string::npos) << reason;
  EXPECT_NE(reason.find("no *********(redacted)"), std::string::npos) << reason;
}

// Spark's rule: SQL's own expression, and only without one the general one.
TEST(OwnRedactionTest, TheExpressionOfSqlComesBeforeTheGeneralOne) {
  const Application application = ReadEvents(
      {R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.redaction.string.regex":"red",)"
       R"("spark.sql.redaction.string.regex":"blue"}})",
       R"({"Event":"SparkListenerJobStart","Job ID":1,"Stage IDs":[],"Properties":{"spark.job.description":"red blue"}})"});
  ASSERT_EQ(application.jobs.size(), 1u);
  EXPECT_EQ(application.jobs[0].description, "red *********(redacted)");
}

TEST(OwnRedactionTest, AnUnsupportedExpressionIsNamedInANotice) {
  const Application application = ReadEvents(
      {R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.redaction.regex":"(?<=pin)x"}})"});
  ASSERT_EQ(application.notices.size(), 1u);
  EXPECT_NE(application.notices[0].notice.text.find("spark.redaction.regex"), std::string::npos);
}

// RE2 has no look-around, possessive quantifiers, atomic groups or references: what is found instead is more, never
// less.
TEST(OwnRedactionTest, AnUnsupportedExpressionRedactsAtLeastWhatItFinds) {
  for (const std::string_view expression : {"(?i)payroll(?!x)", "(?<!y)payroll", "(?>payroll)", "p++ayroll",
                                            R"((p)ayr\\1?oll)", R"([a-z&&[^b]]+\\X)", R"(\\Gpayroll)"}) {
    const std::string event =
        std::string(R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.redaction.regex":")")
            .append(expression)
            .append(R"(","spark.my.payroll":"1234"}})");
    const Application application = ReadEvents({event});
    ASSERT_FALSE(application.environment.empty()) << event;
    EXPECT_EQ(application.environment.at(0).second.at(1).second, "*********(redacted)") << expression;
  }
}

TEST(OwnRedactionTest, EachSnapshotIsRedactedByTheExpressionThatCameLast) {
  Application application;
  EventReader reader(&application);
  const auto description_of = [](int job, const std::string& description) {
    return R"({"Event":"SparkListenerJobStart","Job ID":)" + std::to_string(job) +
           R"(,"Stage IDs":[],"Properties":{"spark.job.description":")" + description + "\"}}";
  };
  reader.Add(description_of(1, "cust-1 of May"));
  EXPECT_EQ(reader.Snapshot().jobs[0].description, "cust-1 of May");
  reader.Add(
      R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.redaction.string.regex":"cust-[0-9]+"}})");
  reader.Add(description_of(2, "cust-2 of May"));
  for (int i = 0; i < 2; ++i) {
    const Application snapshot = reader.Snapshot();
    EXPECT_EQ(snapshot.jobs[0].description, "*********(redacted) of May");
    EXPECT_EQ(snapshot.jobs[1].description, "*********(redacted) of May");
  }
}

}  // namespace
}  // namespace sparkprof
