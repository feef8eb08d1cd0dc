// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_log_ends.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

constexpr int64_t kStartMs = 1'700'000'000'000;
constexpr std::string_view kStart =
    R"({"Event":"SparkListenerLogStart","Spark Version":"4.1.1"}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":0,"Finish Time":1700000009000}}
{"Event":"SparkListenerApplicationStart","App Name":"job","App ID":"app-1","Timestamp":1700000000000,"User":"ada"}
)";
constexpr std::string_view kFailedJob =
    R"({"Event":"SparkListenerJobStart","Job ID":7,"Submission Time":1700000001000,"Stage Infos":[],"Stage IDs":[]}
{"Event":"SparkListenerJobEnd","Job ID":7,"Completion Time":1700000002000,"Job Result":{"Result":"JobFailed","Exception":{"Message":"x","Stack Trace":[]}}}
)";
constexpr std::string_view kLastTask =
    R"({"Event":"SparkListenerTaskEnd","Stage ID":1,"Stage Attempt ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":5,"Index":0,"Attempt":0,"Launch Time":1700000003000,"Executor ID":"1","Host":"h","Locality":"ANY","Finish Time":1700000004000,"Failed":false,"Killed":false}}
)";
constexpr std::string_view kEnd = R"({"Event":"SparkListenerApplicationEnd","Timestamp":1700000003500}
)";

std::string Text(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

TEST(EventLogEndsTest, TheHeadIsTheApplicationsBegin) {
  const auto source = StringSource(Text({kStart, kFailedJob}));
  const Result<std::optional<EventLogHead>> head = ReadEventLogHead(source.get(), "log");
  ASSERT_TRUE(head && *head);
  EXPECT_EQ((*head)->id, "app-1");
  EXPECT_EQ((*head)->user, "ada");
  EXPECT_EQ((*head)->spark_version, "4.1.1");
  EXPECT_EQ((*head)->start_ns, kStartMs * 1'000'000);
}

TEST(EventLogEndsTest, ALogWithoutAnApplicationIsNone) {
  const auto tasks_only = StringSource(std::string(kLastTask));
  EXPECT_FALSE(ReadEventLogHead(tasks_only.get(), "log"));
  const auto text = StringSource("hello\n");
  const Result<std::optional<EventLogHead>> other = ReadEventLogHead(text.get(), "log");
  EXPECT_TRUE(other && !*other);
}

TEST(EventLogEndsTest, TheEndOfTheApplicationCountsNotThatOfALaterTask) {
  const EventLogTail tail = ReadEventLogTail(Text({kFailedJob, kLastTask, kEnd}));
  EXPECT_TRUE(tail.ended);
  EXPECT_TRUE(tail.has_failed);
  EXPECT_EQ(tail.end_ns, (kStartMs + 3'500) * 1'000'000);
}

TEST(EventLogEndsTest, WithoutAnEndItIsTheTimeOfTheLastTask) {
  const EventLogTail tail = ReadEventLogTail(Text({kFailedJob, kLastTask}));
  EXPECT_FALSE(tail.ended);
  EXPECT_EQ(tail.end_ns, (kStartMs + 4'000) * 1'000'000);
}

}  // namespace
}  // namespace sparkprof
