// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "analysis/machines/series.h"
#include "base/testing/source_file.h"

namespace sparkprof {
namespace {

TEST(SeriesNamesTest, SeriesOfDevicesNameTheDevice) {
  EXPECT_EQ(LabelOfSeries("host.disk.sda.read_bytes"), "Read from disk sda");
  EXPECT_EQ(LabelOfSeries("cgroup./yarn/c1.cpu_ns"), "CPU of control group /yarn/c1");
  EXPECT_EQ(LabelOfSeries("host.cpu_iowait_ns"), "CPU of the host: iowait");
  EXPECT_EQ(LabelOfSeries("host.cpu_load"), "CPU load of the host");
}

TEST(SeriesNamesTest, UnknownSeriesKeepTheirName) { EXPECT_EQ(LabelOfSeries("other.thing"), "other.thing"); }

TEST(SeriesNamesTest, EverySeriesOfTheDocumentationHasALabel) {
  std::ifstream document(SourceFile("docs/series.md"));
  const std::regex name("`((?:process|jvm|agent|sampler|host|cgroup|babar)\\.[A-Za-z_.]+)`");
  std::string line;
  int names = 0;
  while (std::getline(document, line)) {
    if (!line.starts_with("| `")) continue;
    const std::string first = line.substr(0, line.find(" | ", 2));
    for (std::sregex_iterator found(first.begin(), first.end(), name), end; found != end; ++found, ++names) {
      EXPECT_NE(LabelOfSeries((*found)[1].str()), (*found)[1].str());
    }
  }
  EXPECT_GT(names, 60);
}

TEST(SeriesNamesTest, UnitsFollowTheEndOfTheName) {
  EXPECT_EQ(UnitOfSeries("process.rss_bytes"), "bytes");
  EXPECT_EQ(UnitOfSeries("jvm.gc_time_ns"), "ns");
  EXPECT_EQ(UnitOfSeries("host.cpu_load"), "share");
  EXPECT_EQ(UnitOfSeries("process.threads"), "");
}

}  // namespace
}  // namespace sparkprof
