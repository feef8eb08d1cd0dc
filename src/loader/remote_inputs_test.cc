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

TEST(RemoteInputsTest, OtherAddressesAreRefused) {
  for (const char* const text : {"http://host:8320/", "http://host/groups/etl", "http://host/applications/",
                                 "ftp://host/applications/a", "http://me:secret@host/applications/a"}) {
    EXPECT_FALSE(RecordingUrl(text)) << text;
  }
}

}  // namespace
}  // namespace sparkprof
