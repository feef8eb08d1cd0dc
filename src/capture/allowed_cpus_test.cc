// SPDX-License-Identifier: Apache-2.0
#include "capture/allowed_cpus.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace sparkprof {
namespace {

class AllowedCpusTest : public testing::Test {
 protected:
  AllowedCpusTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/cpu");
  }
  ~AllowedCpusTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) { std::ofstream(folder_ + "/" + name) << text; }

  const std::string folder_ = testing::TempDir() + "/allowed_cpus-" + std::to_string(getpid());
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
