// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "base/testing/folder_test.h"
#include "capture/container_limits.h"

namespace sparkprof {
namespace {

class AllowedCpusTest : public FolderTest {
 protected:
  AllowedCpusTest() { std::filesystem::create_directories(Path("cpu")); }
};

TEST_F(AllowedCpusTest, AQuotaOfACgroupOfEitherVersionCounts) {
  Write("cpu/cpu.cfs_quota_us", "25000\n");
  Write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(AllowedCpus(folder_), 0.25);
  Write("cpu.max", "50000 100000\n");
  EXPECT_EQ(AllowedCpus(folder_), 0.5);
}

TEST_F(AllowedCpusTest, WithoutAQuotaTheAffinityCounts) {
  const double affinity = AllowedCpus(folder_);
  EXPECT_GE(affinity, 1);
  for (const char* none : {"max 100000\n", "-1 100000\n", "nonsense\n", "", "100 0\n"}) {
    Write("cpu.max", none);
    EXPECT_EQ(AllowedCpus(folder_), affinity) << none;
  }
  Write("cpu.max", "100000000 100000\n");
  EXPECT_EQ(AllowedCpus(folder_), affinity);
}

}  // namespace
}  // namespace sparkprof
