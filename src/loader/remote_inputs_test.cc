// SPDX-License-Identifier: Apache-2.0
#include "loader/remote_inputs.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(RemoteInputsTest, TheAddressOfAPageNamesItsRecording) {
  constexpr const char* kRecording = "http://host:8320/api/sparkprof/v1/applications/app-1/recording";
  EXPECT_EQ(RecordingUrl("http://host:8320/applications/app-1").value(), kRecording);
  EXPECT_EQ(RecordingUrl("http://host:8320/applications/app-1/#stage=3").value(), kRecording);
  EXPECT_EQ(RecordingUrl("http://host:8320/api/sparkprof/v1/applications/app-1/flame?event=cpu").value(), kRecording);
  EXPECT_EQ(RecordingUrl("http://host:8320/applications/app-1?attempt=2").value(),
            std::string(kRecording) + "?attempt=2");
  EXPECT_EQ(RecordingUrl("https://host/spark/applications/a%2Fb").value(),
            "https://host/spark/api/sparkprof/v1/applications/a%2Fb/recording");
}

TEST(RemoteInputsTest, TheAddressOfAGroupListsItsLastRuns) {
  EXPECT_TRUE(IsGroupUrl("http://host:8320/groups/etl"));
  EXPECT_EQ(LastRunsUrl("http://host:8320/groups/etl?from=0").value(),
            "http://host:8320/api/sparkprof/v1/applications?status=finished&sort=-startTime&limit=20&group=etl");
  EXPECT_EQ(
      LastRunsUrl("https://host/spark/api/sparkprof/v1/groups/a%2Fb+c/findings").value(),
      "https://host/spark/api/sparkprof/v1/applications?status=finished&sort=-startTime&limit=20&group=a%2Fb%2Bc");
  for (const char* const text : {"http://host:8320/", "http://host/groups/", "http://host/applications/groups",
                                 "http://me:secret@host/groups/etl"}) {
    EXPECT_FALSE(IsGroupUrl(text)) << text;
    EXPECT_FALSE(LastRunsUrl(text)) << text;
  }
}

TEST(RemoteInputsTest, OtherAddressesAreRefused) {
  for (const char* const text : {"http://host:8320/", "http://host/groups/etl", "http://host/applications/",
                                 "ftp://host/applications/a", "http://me:secret@host/applications/a"}) {
    EXPECT_FALSE(RecordingUrl(text)) << text;
  }
}

}  // namespace
}  // namespace sparkprof
