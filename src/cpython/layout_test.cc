// SPDX-License-Identifier: Apache-2.0
#include "cpython/layout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace sparkprof {
namespace {

// The debug offsets of CPython 3.13.0 on x86-64, as its _PyRuntime holds them.
std::vector<uint64_t> DebugOffsets313() {
  return {0x7970677562656478,
          0x030D00F0,
          0,  // cookie, version, free-threaded
          256'000,
          64,
          632,  // runtime
          300'000,
          7352,
          0,
          7344,
          7400,
          7500,
          7600,
          7700,
          7800,
          7900,
          0,
          7912,
          7904,  // interpreter
          400,
          0,
          8,
          16,
          72,
          152,
          160,
          232,
          36,  // thread
          88,
          8,
          0,
          56,
          72,
          70,  // frame
          232,
          112,
          120,
          128,
          136,
          68,
          52,
          96,
          104,
          200,  // code
          16,
          8,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0};  // object, and what follows
}

// Likewise of CPython 3.15.2.
std::vector<uint64_t> DebugOffsets315() {
  return {0x7970677562656478,
          0x030F02F0,
          0,  // cookie, …
          346568,
          912,
          936,  // runtime
          226240,
          7272,
          7264,
          7336,
          7352,
          7400,
          7592,
          7576,
          7584,
          16,
          7736,
          0,
          7752,
          7744,
          7944,
          0,  // interpreter
          888,
          0,
          8,
          16,
          72,
          80,
          88,
          96,
          176,
          184,
          256,
          32,
          36,
          40,
          136,
          288,  // thread
          0,    // exception
          88,
          8,
          0,
          56,
          80,
          74,
          64,
          0,  // frame
          216,
          112,
          120,
          128,
          136,
          68,
          52,
          96,
          104,
          208,
          0,  // code
          16,
          8};  // object
}

std::string Bytes(const std::vector<uint64_t>& numbers) {
  std::string bytes(kDebugOffsetsSize + 64, '\0');
  std::memcpy(bytes.data(), numbers.data(), std::min(bytes.size(), numbers.size() * 8));
  return bytes;
}

TEST(CPythonLayout, OldVersionsByTableOthersRefused) {
  for (int minor = 9; minor <= 12; ++minor) EXPECT_EQ(LayoutOfVersion(3, minor)->minor, minor);
  for (const int minor : {6, 8, 13, 20}) {
    ASSERT_FALSE(LayoutOfVersion(3, minor));
    EXPECT_NE(LayoutOfVersion(3, minor).error().message.find("Python 3."), std::string::npos);
  }
  EXPECT_FALSE(LayoutOfVersion(2, 9));
}

TEST(CPythonLayout, NewVersionsByWhatTheyPublish) {
  const Result<CPythonLayout> layout = LayoutFromDebugOffsets(Bytes(DebugOffsets313()));
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->minor, 13);
  EXPECT_EQ(layout->interpreters_head, 632u);
  EXPECT_EQ(layout->threads_head, 7344u);
  EXPECT_EQ(layout->thread_frame, 72u);
  EXPECT_EQ(layout->native_id, 160u);
  EXPECT_EQ(layout->frame_instruction, 56u);
  EXPECT_EQ(layout->code_instructions, 200u);
  EXPECT_EQ(layout->gil_holder, 7904u);
  EXPECT_FALSE(layout->free_threaded);
  std::vector<uint64_t> free_threaded = DebugOffsets313();
  free_threaded[2] = 1;
  EXPECT_TRUE(LayoutFromDebugOffsets(Bytes(free_threaded))->free_threaded);
}

TEST(CPythonLayout, TheThreadOf315HasMore) {
  const Result<CPythonLayout> layout = LayoutFromDebugOffsets(Bytes(DebugOffsets315()));
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->minor, 15);
  EXPECT_EQ(layout->threads_head, 7336u);
  EXPECT_EQ(layout->gil_locked, 7752u);
  EXPECT_EQ(layout->gil_holder, 7744u);
  EXPECT_EQ(layout->code_generation, 7944u);
  EXPECT_EQ(layout->thread_frame, 72u);
  EXPECT_EQ(layout->thread_id, 176u);
  EXPECT_EQ(layout->native_id, 184u);
  EXPECT_EQ(layout->stack_chunk, 256u);
  EXPECT_EQ(layout->frame_owner, 74u);
  EXPECT_EQ(layout->code_instructions, 208u);
  EXPECT_EQ(layout->object_type, 8u);
}

TEST(CPythonLayout, OffsetsOutsideTheirStructureAreRefused) {
  const std::vector<uint64_t> good = DebugOffsets313();
  // Runtime, interpreter, thread, frame and code, each: an offset that is used.
  for (const size_t position : {5, 9, 17, 18, 22, 24, 26, 29, 33, 35, 38, 43, 45}) {
    std::vector<uint64_t> bad = good;
    bad[position] = uint64_t{1} << 40;
    EXPECT_FALSE(LayoutFromDebugOffsets(Bytes(bad))) << position;
    bad[position] = UINT64_MAX;
    EXPECT_FALSE(LayoutFromDebugOffsets(Bytes(bad))) << position;
  }
  std::vector<uint64_t> odd = good;
  odd[24] = 153;  // a pointer is aligned
  EXPECT_FALSE(LayoutFromDebugOffsets(Bytes(odd)));
}

TEST(CPythonLayout, OtherMemoryIsRefused) {
  EXPECT_FALSE(LayoutFromDebugOffsets(""));
  EXPECT_FALSE(LayoutFromDebugOffsets(std::string(kDebugOffsetsSize, '\0')));
  std::vector<uint64_t> later = DebugOffsets313();
  later[1] = 0x031000F0;
  const auto layout = LayoutFromDebugOffsets(Bytes(later));
  ASSERT_FALSE(layout);
  EXPECT_NE(layout.error().message.find("3.16"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof
