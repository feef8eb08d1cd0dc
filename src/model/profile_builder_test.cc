// SPDX-License-Identifier: Apache-2.0
#include "model/profile_builder.h"

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

}  // namespace
}  // namespace sparkprof
