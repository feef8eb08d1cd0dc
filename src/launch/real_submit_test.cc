// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/testing/folder_test.h"
#include "launch/spark_submit.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

TEST(RealSubmitTest, NamesThatStandForSparkSubmit) {
  EXPECT_EQ(SubmitNameOf("/opt/bin/sparkprof-submit"), "spark-submit");
  EXPECT_EQ(SubmitNameOf("spark-submit"), "spark-submit");
  EXPECT_EQ(SubmitNameOf("/usr/local/bin/spark3-submit"), "spark3-submit");
  EXPECT_EQ(SubmitNameOf("/opt/spark-submit/sparkprof"), std::nullopt);
}

class FindRealSubmitTest : public FolderTest {
 protected:
  std::string Program(const std::string& path) {
    const std::string whole = Path(path);
    fs::create_directories(fs::path(whole).parent_path());
    std::ofstream(whole) << "#!/bin/sh\n";
    chmod(whole.c_str(), 0755);
    return whole;
  }
};

TEST_F(FindRealSubmitTest, ALinkToThisProgramIsPassedOver) {
  const std::string own = Program("own/sparkprof");
  fs::create_directories(Path("first"));
  fs::create_symlink(own, Path("first/spark-submit"));
  const std::string real = Program("second/spark-submit");
  const auto found =
      FindRealSubmit("spark-submit", {{"PATH", Path("first") + ":" + Path("second")}}, {fs::canonical(own)});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, real);
}

TEST_F(FindRealSubmitTest, SparkHomeServesWherePathHasNone) {
  const std::string real = Program("spark/bin/spark-submit");
  const auto found = FindRealSubmit("spark3-submit", {{"PATH", Path("none")}, {"SPARK_HOME", Path("spark")}}, {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, real);
}

TEST_F(FindRealSubmitTest, NoneIsAnErrorWithTheFix) {
  const auto found = FindRealSubmit("spark-submit", {{"PATH", Path("none")}}, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "cannot find spark-submit: add it to PATH, or set SPARK_HOME");
}

}  // namespace
}  // namespace sparkprof
