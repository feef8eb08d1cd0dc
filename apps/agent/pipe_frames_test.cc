// SPDX-License-Identifier: Apache-2.0
#include "pipe_frames.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(PipeReader, FindsFramesHoweverThePipeCutsThem) {
  const std::string bytes = EncodePipeFrame(ToPlugin{4}, "first") + EncodePipeFrame(ToPlugin{9}, "") +
                            EncodePipeFrame(ToPlugin{200}, "unknown kinds are frames too");
  for (size_t step = 1; step <= bytes.size(); ++step) {
    PipeReader reader;
    std::vector<std::string> payloads;
    for (size_t i = 0; i < bytes.size(); i += step) {
      reader.Append(std::string_view(bytes).substr(i, step));
      for (auto frame = reader.Next(); frame && *frame; frame = reader.Next()) payloads.emplace_back((*frame)->payload);
    }
    EXPECT_EQ(payloads, (std::vector<std::string>{"first", "", "unknown kinds are frames too"})) << step;
  }
}

TEST(PipeReader, AFrameLongerThanAllowedEndsTheConversation) {
  PipeReader reader;
  reader.Append(std::string_view("\x04\x04\x00\x00\x01", 5));
  EXPECT_FALSE(reader.Next());
}

TEST(PayloadReader, AShortPayloadGivesZerosAndSaysSo) {
  PayloadReader reader(std::string_view("\xff\xff\xff\xfe\x01", 5));
  EXPECT_EQ(reader.I32(), -2);
  EXPECT_EQ(reader.I64(), 0);
  EXPECT_FALSE(reader.Good());
  EXPECT_EQ(reader.U8(), 0);
}

TEST(ReadPairs, RefusesLengthsBeyondThePayload) {
  EXPECT_TRUE(ReadPairs("")->empty());
  EXPECT_EQ(ReadPairs(std::string_view("\0\0\0\1k\0\0\0\2vv", 11))->at("k"), "vv");
  EXPECT_FALSE(ReadPairs(std::string_view("\0\0\0\1k\0\0\0\3vv", 11)));
  EXPECT_FALSE(ReadPairs(std::string_view("\xff\xff\xff\xffk", 5)));
}

}  // namespace
}  // namespace sparkprof
