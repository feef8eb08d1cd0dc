// SPDX-License-Identifier: Apache-2.0
#include "base/text/hadoop_configuration.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/io/file.h"

namespace sparkprof {
namespace {

TEST(HadoopConfigurationTest, PropertiesOfAFile) {
  HadoopConfiguration properties;
  AddHadoopProperties(
      "<?xml version=\"1.0\"?>\n<?xml-stylesheet type=\"text/xsl\" href=\"configuration.xsl\"?>\n<!-- site -->\n"
      "<configuration>\n  "
      "<property><name>fs.defaultFS</name><value>hdfs://cluster</value><final>true</final></property>\n"
      "  <!-- old -->\n  <property>\n    <name> a </name>\n    <value> x &amp; y </value>\n  </property>\n"
      "</configuration>\n",
      &properties);
  EXPECT_EQ(properties, (HadoopConfiguration{{"fs.defaultFS", "hdfs://cluster"}, {"a", "x & y"}}));
}

TEST(HadoopConfigurationTest, AFileThatIsNoXmlHasNone) {
  HadoopConfiguration properties;
  AddHadoopProperties("<configuration><property>", &properties);
  EXPECT_TRUE(properties.empty());
}

TEST(HadoopConfigurationTest, BothFilesOfAFolderCount) {
  const std::string folder = testing::TempDir() + "sparkprof_hadoop_test_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  const auto site = [](const char* name, const char* value) {
    return std::string("<configuration><property><name>") + name + "</name><value>" + value +
           "</value></property></configuration>";
  };
  ASSERT_TRUE(WriteFile(folder + "/core-site.xml", site("fs.defaultFS", "hdfs://a")));
  ASSERT_TRUE(WriteFile(folder + "/hdfs-site.xml", site("dfs.nameservices", "a")));
  EXPECT_EQ(ReadHadoopConfiguration(folder),
            (HadoopConfiguration{{"dfs.nameservices", "a"}, {"fs.defaultFS", "hdfs://a"}}));
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(ReadHadoopConfiguration(folder).empty());
  EXPECT_TRUE(ReadHadoopConfiguration("").empty());
}

}  // namespace
}  // namespace sparkprof
