// SPDX-License-Identifier: Apache-2.0
// Damaged chunks: never a crash, and what stands before the damage is kept.
#include <gtest/gtest.h>

#include "formats/jfr/jfr_reader.h"
#include "formats/jfr/testing/event_recorder.h"
#include "formats/jfr/testing/example_chunk.h"

namespace sparkprof {
namespace {

using testing::AddExampleConstants;
using testing::EventRecorder;
using testing::ExampleChunk;
using testing::JfrChunkWriter;
using testing::Varint;
using testing::Writer;

constexpr uint64_t kHuge = 0xFFFFFFFFFFFFFFFF;

std::string WithSizeInHeader(std::string chunk, uint64_t size) {
  for (size_t i = 0; i < 8; ++i) chunk[8 + i] = static_cast<char>(size >> (56 - 8 * i));
  return chunk;
}

TEST(JfrDamageTest, CutAnywhereItNeverCrashes) {
  const std::string whole = ExampleChunk(Writer::kAsyncProfiler);
  size_t read = 0;
  for (size_t length = 0; length < whole.size(); ++length) {
    std::string cut = whole.substr(0, length);
    EventRecorder recorder;
    EXPECT_FALSE(recorder.Read(cut));
    // The same with a header that claims the chunk is whole.
    if (length >= 68) read += recorder.Read(WithSizeInHeader(cut, length)).has_value();
  }
  EXPECT_EQ(read, 0u) << "the metadata stands at the end and is never whole";
}

TEST(JfrDamageTest, AnyByteChangedItNeverCrashes) {
  const std::string whole = ExampleChunk(Writer::kJdk);
  for (size_t position = 0; position < whole.size(); ++position) {
    for (const int value : {0x00, 0x01, 0x7F, 0x80, 0xFF, whole[position] ^ 0x01, whole[position] ^ 0x10}) {
      std::string damaged = whole;
      damaged[position] = static_cast<char>(value);
      EventRecorder recorder;
      recorder.Read(damaged);
      EXPECT_LT(recorder.stacks.Size(), 100u);
    }
  }
}

TEST(JfrDamageTest, RecordsBeforeAnImpossibleLengthAreKept) {
  JfrChunkWriter chunk;
  chunk.Type("jdk.ExecutionSample", {{"startTime", "long"}});
  chunk.Event("jdk.ExecutionSample", {{"startTime", Varint(5)}});
  std::string bytes = chunk.Finish();
  // Sets the size of the constant-pool event after the sample to 0.
  for (int i = 0; i < 4; ++i) bytes[68 + 6 + i] = i < 3 ? '\x80' : '\0';
  EventRecorder recorder;
  const auto status = recorder.Read(bytes);
  ASSERT_TRUE(status);
  EXPECT_EQ(recorder.samples.size(), 1u);
  EXPECT_EQ(status->damaged_events, 2u) << "the constants and the way on";
  EXPECT_EQ(status->unread_bytes, bytes.size() - 74);
}

TEST(JfrDamageTest, AShortRecordIsSkippedAndTheNextOneRead) {
  JfrChunkWriter chunk;
  chunk.Type("jdk.ExecutionSample", {{"startTime", "long"}, {"stackTrace", "jdk.types.StackTrace", true}});
  chunk.RawEvent(chunk.TypeId("jdk.ExecutionSample"), Varint(5));
  chunk.Event("jdk.ExecutionSample", {{"startTime", Varint(6)}});
  EventRecorder recorder;
  const auto status = recorder.Read(chunk.Finish());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->damaged_events, 1u);
  ASSERT_EQ(recorder.samples.size(), 1u);
  EXPECT_EQ(recorder.samples[0].ticks, 6);
}

TEST(JfrDamageTest, HugeCountsAreRefused) {
  for (const char* what : {"frames", "string", "chars", "strings"}) {
    JfrChunkWriter chunk;
    AddExampleConstants(Writer::kJdk, &chunk);
    chunk.Type("jdk.ExecutionSample", {{"startTime", "long"},
                                       {"stackTrace", "jdk.types.StackTrace", true},
                                       {"text", "java.lang.String"},
                                       {"texts", "java.lang.String", false, true}});
    JfrChunkWriter::Record sample = {{"stackTrace", Varint(9)}};
    if (what == std::string_view("frames")) {
      chunk.Constant("jdk.types.StackTrace", 9, {{"frames", Varint(kHuge)}});
    } else if (what == std::string_view("string")) {
      sample["text"] = "\3" + Varint(kHuge);
    } else if (what == std::string_view("chars")) {
      sample["text"] = "\4" + Varint(kHuge);
    } else {
      sample["texts"] = Varint(kHuge);
    }
    chunk.Event("jdk.ExecutionSample", sample);
    EventRecorder recorder;
    const auto status = recorder.Read(chunk.Finish());
    ASSERT_TRUE(status) << what;
    EXPECT_EQ(status->damaged_events, 1u) << what;
  }
}

TEST(JfrDamageTest, TypesThatHoldThemselvesAreNotRead) {
  JfrChunkWriter chunk;
  chunk.Type("Self", {{"self", "Self"}});
  chunk.Type("SelfArray", {{"inner", "SelfArray", false, true}});
  chunk.Type("jdk.ExecutionSample", {{"startTime", "long"}, {"self", "Self"}});
  chunk.Type("jdk.NativeMethodSample", {{"startTime", "long"}, {"nested", "SelfArray"}});
  chunk.Event("jdk.ExecutionSample", {});
  chunk.Event("jdk.NativeMethodSample", {{"nested", std::string(100'000, '\1')}});
  EventRecorder recorder;
  const auto status = recorder.Read(chunk.Finish());
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->damaged_events, 2u);
}

}  // namespace
}  // namespace sparkprof
