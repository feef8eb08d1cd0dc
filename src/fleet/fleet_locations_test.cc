// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/folder_test.h"
#include "fleet/fleet_result.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

class FleetLocationsTest : public FolderTest {
 protected:
  void SetUp() override { fs::create_directories(Path("_sparkprof")); }
};

TEST_F(FleetLocationsTest, EachLocationIsKeptOnceAndLocalOnesWithTheirWholePath) {
  EXPECT_TRUE(FleetLocations(folder_).empty());
  ASSERT_TRUE(AddFleetLocations(folder_, {"logs", "s3a://lake/logs"}));
  ASSERT_TRUE(AddFleetLocations(folder_, {"s3a://lake/logs", "/more \"logs\""}));
  EXPECT_EQ(FleetLocations(folder_),
            (std::vector<std::string>{fs::current_path().string() + "/logs", "s3a://lake/logs", "/more \"logs\""}));
}

TEST_F(FleetLocationsTest, ALineThatWasCutIsNone) {
  ASSERT_TRUE(AddFleetLocations(folder_, {"/logs"}));
  std::ofstream(Path("_sparkprof/locations.jsonl"), std::ios::app) << "\"/ot";
  EXPECT_EQ(FleetLocations(folder_), std::vector<std::string>{"/logs"});
  ASSERT_TRUE(AddFleetLocations(folder_, {"/others"}));
  EXPECT_EQ(FleetLocations(folder_), (std::vector<std::string>{"/logs", "/others"}));
}

}  // namespace
}  // namespace sparkprof
