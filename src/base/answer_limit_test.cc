// SPDX-License-Identifier: Apache-2.0
#include "base/answer_limit.h"

#include <gtest/gtest.h>

#include "base/io/output_file.h"
#include "base/text/json_writer.h"

namespace sparkprof {
namespace {

void WriteJson(size_t values) {
  JsonWriter json;
  json.BeginArray();
  for (size_t i = 0; i < values; ++i) json.Value("0123456789");
  json.EndArray();
}

TEST(AnswerLimit, TextsInMemoryEndAtTheLimit) {
  WriteJson(1000);
  {
    const AnswerLimit limit(1000);
    WriteJson(10);
    EXPECT_THROW(WriteJson(1000), AnswerTooLarge);
    std::string text;
    OutputFile file = OutputFile::ToMemory(&text);
    EXPECT_THROW(
        {
          for (int i = 0; i < 1'000'000; ++i) file.Append("0123456789");
          (void)file.Commit();
        },
        AnswerTooLarge);
    EXPECT_LE(text.size(), 1000u);
    const AnswerLimit unlimited(AnswerLimit::kUnlimited);
    WriteJson(1000);
  }
  WriteJson(1000);
}

}  // namespace
}  // namespace sparkprof
