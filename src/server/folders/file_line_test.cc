// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/folders/collector_files.h"

namespace sparkprof {
namespace {

TEST(FileLineTest, KeepsNamesWithLineEndsBlanksAndBackslashes) {
  for (const char* const name : {"/data/app 1.sprof", "/da\nta/app-1.sprof", "/da\\nta/\\app.sprof\\", "/\n"}) {
    const std::string line = FormatFileLine({name, 388, 1'700'000'000'000'000'000});
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const std::optional<StoredFile> file = ParseFileLine(line);
    ASSERT_TRUE(file) << line;
    EXPECT_EQ(file->name, name);
    EXPECT_EQ(file->size, 388);
    EXPECT_EQ(file->modified_ns, 1'700'000'000'000'000'000);
  }
}

TEST(FileLineTest, OtherLinesAreNone) {
  for (const char* const line : {"", "events", "files 388 17 /a", "388 /a", "x 17 /a"}) {
    EXPECT_FALSE(ParseFileLine(line)) << line;
  }
}

}  // namespace
}  // namespace sparkprof
