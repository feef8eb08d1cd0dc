// SPDX-License-Identifier: Apache-2.0
#include "server/folders/node_recordings.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kNoon = 1'795'435'200 * kNanosPerSecond;  // 2026-11-23T12:00:00Z
constexpr int64_t kDay = 86'400 * kNanosPerSecond;

TEST(NodeRecordingsTest, ADayOfAHostIsKnownByItsId) {
  EXPECT_EQ(HostOfDay("node-worker-1-20261123", kNoon, kNoon), "worker-1");
  EXPECT_EQ(HostOfDay("node-10.0.0.7-20261123", kNoon, kNoon), "10.0.0.7");
}

TEST(NodeRecordingsTest, OnlyDaysOnWhichTheApplicationRanCount) {
  EXPECT_EQ(HostOfDay("node-h-20261124", kNoon, kNoon + kDay), "h");
  EXPECT_EQ(HostOfDay("node-h-20261124", kNoon, kNoon), "");
  EXPECT_EQ(HostOfDay("node-h-20261122", kNoon, kNoon), "");
}

TEST(NodeRecordingsTest, OtherIdsAreNotDaysOfHosts) {
  for (const char* const id : {"", "node-", "node-h", "node--20261123", "h-20261123", "node-h-2026112"}) {
    EXPECT_EQ(HostOfDay(id, kNoon, kNoon), "") << id;
  }
}

TEST(NodeRecordingsTest, ADayOfAHostsProfileIsKnownByItsId) {
  EXPECT_EQ(HostOfProfile("profile-host_worker-1_etl-20261123-0a1b2c3d", kNoon, kNoon), "worker-1");
  EXPECT_EQ(HostOfProfile("profile-host__etl-20261123-0a1b2c3d", kNoon, kNoon), "");
  EXPECT_EQ(HostOfProfile("profile-host_worker-1_etl-20261124-0a1b2c3d", kNoon, kNoon), std::nullopt);
  for (const char* const id :
       {"profile-etl-20261123-0a1b2c3d", "profile-host_", "profile-host_h", "profile-host_h_-2"}) {
    EXPECT_EQ(HostOfProfile(id, kNoon, kNoon), std::nullopt) << id;
  }
}

}  // namespace
}  // namespace sparkprof
