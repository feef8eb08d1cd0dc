// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "settings/settings.h"

namespace sparkprof {
namespace {

std::string Text(const std::map<std::string_view, std::string_view>& set) {
  return SamplingText([&](std::string_view key) {
    const Setting& setting = *SettingByKey(key);
    return ReadSetting(setting, set.contains(key) ? set.at(key) : setting.standard).value();
  });
}

TEST(SamplingTextTest, NamesEachEventWithItsInterval) {
  EXPECT_EQ(Text({}),
            "sampling cpu every 10ms, wall every 100ms, alloc every 2MiB, lock every 5ms, Python every 10ms, pyalloc "
            "every 512KiB");
  EXPECT_EQ(Text({{"events", "alloc"}, {"alloc.interval", "512k"}, {"python.enabled", "false"}}),
            "sampling alloc every 512KiB");
  EXPECT_EQ(Text({{"events", "nativemem,nativelock"}, {"python.enabled", "false"}}),
            "sampling nativemem every 4MiB, nativelock every 5ms");
}

TEST(SamplingTextTest, NamesWhatIsLeftOut) {
  EXPECT_EQ(Text({{"events", "cpu"}, {"driver.enabled", "false"}, {"executor.fraction", "0.125"}}),
            "sampling cpu every 10ms, Python every 10ms; not the driver; 12.5% of the executors");
  EXPECT_EQ(Text({{"events", "cpu"}, {"executor.enabled", "false"}}), "sampling cpu every 10ms; not the executors");
  EXPECT_EQ(Text({{"events", "none"}}), "recording tasks without samples");
  EXPECT_EQ(Text({{"events", "none,cpu"}, {"python.enabled", "false"}}), "sampling cpu every 10ms");
  EXPECT_EQ(Text({{"driver.enabled", "false"}, {"executor.enabled", "false"}}), "profiling is disabled");
}

}  // namespace
}  // namespace sparkprof
