// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/tenant_quotas.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/folder_test.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

TEST(TenantQuotasTest, QueriesBeyondARateAreRefusedUntilTimePasses) {
  TenantQuotas quotas({.each = {.queries = 2}, .own = {{"b", {.queries = 3}}, {"c", {.bytes = 1}}}}, nullptr, nullptr);
  const auto begin = TenantQuotas::Clock::now();
  const auto answered = [&](const std::string& tenant, int milliseconds) {
    int count = 0;
    while (count < 100 && quotas.TakeQuery(tenant, begin + std::chrono::milliseconds(milliseconds))) ++count;
    return count;
  };
  EXPECT_EQ(answered("a", 0), 2);
  EXPECT_EQ(answered("b", 0), 3) << "a limit of its own";
  EXPECT_EQ(answered("c", 0), 2) << "its own limit is another one";
  EXPECT_EQ(answered("", 0), 100) << "the default tenant has none";
  EXPECT_EQ(answered("a", 400), 0);
  EXPECT_EQ(answered("a", 600), 1);
  EXPECT_EQ(answered("a", 60'000), 2) << "no more than in one second";
}

using UnidentifiedBytesTest = FolderTest;

TEST_F(UnidentifiedBytesTest, CountUntilTheirRecordingIsRemoved) {
  AuditLog audit(folder_);
  const auto entries =
      std::move(*ApplicationEntries::Open(folder_, &audit, /*is_enforced=*/true, /*has_tenants=*/true));
  FetchedFiles fetched(Path("fetched"), 0);
  RecordingDirectory recordings(&fetched, entries.get(), Path("recordings"));
  TenantQuotas quotas({.each = {.bytes = 1000}, .own = {}}, &recordings, entries.get());
  const std::vector<std::string> unidentified = {kUnidentified};
  ASSERT_TRUE(quotas.Take("a", unidentified, 900));
  EXPECT_FALSE(quotas.Take("a", unidentified, 900)) << "before a count";
  std::filesystem::create_directories(Path("recordings/unidentified"));
  const std::string path = Path("recordings/unidentified/h-1-0.sprof");
  std::ofstream(path) << "blocks of two tenants";
  recordings.Note({{path, kUnidentified}});
  quotas.NoteUnidentified("a", path, 900);
  quotas.Count();
  EXPECT_FALSE(quotas.Take("a", unidentified, 200));
  EXPECT_TRUE(quotas.Take("b", unidentified, 900)) << "another tenant";
  std::filesystem::remove(path);
  recordings.Note({{path, kUnidentified}});
  quotas.Count();
  EXPECT_TRUE(quotas.Take("a", unidentified, 900));
}

}  // namespace
}  // namespace sparkprof
