// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/call_site.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(ShortCallSiteTest, LeavesOutTheFolders) {
  EXPECT_EQ(ShortCallSite("collect at /home/me/jobs/demo.py:60"), "collect at demo.py:60");
  EXPECT_EQ(ShortCallSite("count at Job.scala:12"), "count at Job.scala:12");
  EXPECT_EQ(ShortCallSite("$anonfun$withThreadLocalCaptured$2 at CompletableFuture.java:1768"),
            "$anonfun$withThreadLocalCaptured$2 at CompletableFuture.java:1768");
  EXPECT_EQ(ShortCallSite("a/b"), "a/b");
}

}  // namespace
}  // namespace sparkprof
