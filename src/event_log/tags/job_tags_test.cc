// SPDX-License-Identifier: Apache-2.0
#include "event_log/tags/job_tags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sparkprof {
namespace {

using Tags = std::vector<std::string>;

TEST(JobTagsTest, TagsOfTheContextAreKept) {
  EXPECT_EQ(JobTags("nightly,a_b,nightly"), (Tags{"nightly", "a_b"}));
  EXPECT_EQ(JobTags(""), Tags());
}

TEST(JobTagsTest, TagsOfConnectNameUserSessionAndOperation) {
  EXPECT_EQ(JobTags("SparkConnect_OperationTag_User_my_me_Session_153d1051-4b1c-47d6-b7f3-038bf9a13b9f_Operation_"
                    "59a75d65-5e84-4517-bbd0-d8f18a9ef093,SparkConnect_SessionTag_User_my_me_Session_"
                    "153d1051-4b1c-47d6-b7f3-038bf9a13b9f_Tag_a_b,spark-session-528883fe-1752-4edc-b6a1-bec4023090c7-"
                    "execution-root-id-0,spark-session-528883fe-1752-4edc-b6a1-bec4023090c7"),
            (Tags{"user:my_me", "session:153d1051-4b1c-47d6-b7f3-038bf9a13b9f",
                  "operation:59a75d65-5e84-4517-bbd0-d8f18a9ef093", "a_b"}));
}

TEST(JobTagsTest, AClientWithoutAUserHasNoTagOfAUser) {
  EXPECT_EQ(JobTags("SparkConnect_OperationTag_User__Session_153d1051-4b1c-47d6-b7f3-038bf9a13b9f_Operation_1"),
            (Tags{"session:153d1051-4b1c-47d6-b7f3-038bf9a13b9f", "operation:1"}));
}

TEST(JobTagsTest, UnknownFormsStayAsTheyAre) {
  EXPECT_EQ(JobTags("SparkConnect_OperationTag_User_x"), (Tags{"SparkConnect_OperationTag_User_x"}));
  EXPECT_EQ(JobTags("spark-session-528883fe-1752-4edc-b6a1-bec4023090c7-etl,user:me"), (Tags{"etl", "user:me"}));
}

}  // namespace
}  // namespace sparkprof
