// SPDX-License-Identifier: Apache-2.0
#include "formats/unread_formats.h"

#include <gtest/gtest.h>

#include "formats/profile_formats.h"

namespace sparkprof {
namespace {

TEST(UnreadFormatsTest, AreNamedAndNotTakenForOthers) {
  for (const auto& [head, name] : {
           std::pair(R"({"snapshot":{"meta":{}},"nodes":[1,2],)", "a V8 heap snapshot"),
           std::pair(R"({"dhatFileVersion":2,"mode":"heap")", "a profile of Valgrind's DHAT"),
           std::pair(R"({"version":1,"flamebearer":{"names":["total"])", "a Pyroscope flame graph"),
           std::pair(R"({"start_time":1,"root_frame":{"function":"f")", "a pyinstrument session"),
           std::pair(R"({"resourceSpans":[{"resource":{})", "traces of OpenTelemetry, without profiles"),
           std::pair("JAVA PROFILE 1.0.2", "a JVM heap dump (HPROF)"),
           std::pair("# callgrind format\nversion: 1\n", "a profile of Callgrind"),
       }) {
    EXPECT_EQ(NameOfUnreadFormat(head), name);
    EXPECT_EQ(RecognizeProfileFormat(head), nullptr) << head;
  }
  EXPECT_EQ(NameOfUnreadFormat("just text\n"), "");
  EXPECT_EQ(NameOfUnreadFormat(R"({"a":1})"), "");
}

}  // namespace
}  // namespace sparkprof
