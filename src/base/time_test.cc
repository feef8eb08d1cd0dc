// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(TimeTest, ATimestampIsReadBack) {
  for (const int64_t epoch_ms : {int64_t{0}, int64_t{951'782'399'999}, int64_t{1'795'453'213'856}}) {
    const int64_t epoch_ns = epoch_ms * kNanosPerMilli;
    EXPECT_EQ(ParseTimestamp(FormatTimestamp(epoch_ns)), epoch_ns);
  }
  EXPECT_EQ(ParseTimestamp("2026-11-23T17:00:13Z"), 1'795'453'213 * kNanosPerSecond);
}

TEST(TimeTest, OtherTextsAreNoTimestamps) {
  for (const char* text :
       {"", "2026-11-23", "2026-11-23T17:00:13.856", "2026-02-30T17:00:13.856Z", "2026-11-23T25:00:13.856Z",
        "2026-11-23T17:00:13.856Zx", "1850-01-01T00:00:00Z", "2026-11-23T17:00:nanZ"}) {
    EXPECT_FALSE(ParseTimestamp(text)) << text;
  }
}

}  // namespace
}  // namespace sparkprof
