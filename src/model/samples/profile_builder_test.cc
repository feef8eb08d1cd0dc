// SPDX-License-Identifier: Apache-2.0
#include "model/samples/profile_builder.h"

#include <gtest/gtest.h>

#include "base/redaction/redaction.h"

namespace sparkprof {
namespace {

TEST(ProfileBuilderTest, NamesOfThreadsLoseTheirSecrets) {
  ProfileBuilder builder({.keep_threads = true});
  const uint32_t thread = builder.AddThread({.tid = 7, .name = "poll jdbc:postgresql://joe:hunter2@h/db"});
  const Profile profile = builder.Take();
  EXPECT_EQ(profile.threads[thread].name, "poll jdbc:postgresql://joe:" + std::string(kRedacted) + "@h/db");
}

TEST(ProfileBuilderTest, ManyEventsShareTheLastRow) {
  Profile profile;
  for (int i = 0; i < 70'000; ++i) (void)profile.AddEvent("event" + std::to_string(i), "count");
  EXPECT_EQ(profile.events.size(), 1024u);
  EXPECT_EQ(profile.events.back().name, "[other events]");
  EXPECT_EQ(profile.AddEvent("event3", "count"), 3u);
  EXPECT_EQ(profile.AddEvent("event69999", "count"), 1023u);
}

}  // namespace
}  // namespace sparkprof
