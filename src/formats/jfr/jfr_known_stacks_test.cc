// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_known_stacks.h"

#include <gtest/gtest.h>

#include "formats/jfr/testing/event_recorder.h"
#include "formats/jfr/testing/example_chunk.h"

namespace sparkprof {
namespace {

using testing::EventRecorder;
using testing::JfrChunkWriter;
using testing::Varint;
using testing::Writer;

// A chunk with one sample of a stack of methods 100 and 101, leaf first; a name that is empty is left undescribed.
std::string Chunk(const std::string& leaf, const std::string& root, Writer writer = Writer::kAsyncProfiler,
                  JfrChunkWriter::Options options = {}) {
  JfrChunkWriter chunk(options);
  testing::AddExampleConstants(writer, &chunk);
  chunk.Type("jdk.ExecutionSample", {{"startTime", "long"},
                                     {"sampledThread", "java.lang.Thread", true},
                                     {"stackTrace", "jdk.types.StackTrace", true},
                                     {"state", "jdk.types.ThreadState", true}});
  for (const auto& [key, name] : {std::pair<uint64_t, std::string>{100, leaf}, {101, root}}) {
    if (name.empty()) continue;
    chunk.Symbol(key, name);
    chunk.Method(key, 1, key);
  }
  chunk.StackTrace(50, {{.method = 100, .line = 1, .type = 1}, {.method = 101, .line = 2, .type = 1}});
  chunk.Event(
      "jdk.ExecutionSample",
      {{"startTime", Varint(2000)}, {"sampledThread", Varint(77)}, {"stackTrace", Varint(50)}, {"state", Varint(1)}});
  return chunk.Finish();
}

std::string LeafName(const EventRecorder& recorder) {
  const std::string stack = recorder.Stack(recorder.samples.back().stack);
  return stack.substr(stack.rfind('.') + 1);
}

TEST(JfrKnownStacksTest, AStackOfAnEarlierChunkIsTheSameStack) {
  EventRecorder recorder;
  ASSERT_TRUE(recorder.Read(Chunk("leaf", "root")));
  const size_t nodes = recorder.stacks.Size();
  ASSERT_TRUE(recorder.Read(Chunk("leaf", "root")));
  EXPECT_EQ(recorder.samples[0].stack, recorder.samples[1].stack);
  EXPECT_EQ(recorder.stacks.Size(), nodes);
}

TEST(JfrKnownStacksTest, TheSameBytesWithOtherMethodsAreAnotherStack) {
  EventRecorder recorder;
  ASSERT_TRUE(recorder.Read(Chunk("leaf", "root")));
  ASSERT_TRUE(recorder.Read(Chunk("other", "root")));
  EXPECT_EQ(LeafName(recorder), "other");
  ASSERT_TRUE(recorder.Read(Chunk("leaf", "root")));
  EXPECT_EQ(LeafName(recorder), "leaf");
  EXPECT_EQ(recorder.samples[0].stack, recorder.samples[2].stack);
}

TEST(JfrKnownStacksTest, AMethodThatALaterChunkDescribesGetsItsName) {
  EventRecorder recorder;
  ASSERT_TRUE(recorder.Read(Chunk("", "root")));
  EXPECT_EQ(LeafName(recorder), "root;[unknown]");
  ASSERT_TRUE(recorder.Read(Chunk("leaf", "root")));
  EXPECT_EQ(LeafName(recorder), "leaf");
}

TEST(JfrKnownStacksTest, AnotherWritersLayoutIsReadAnew) {
  EventRecorder recorder;
  ASSERT_TRUE(recorder.Read(Chunk("leaf", "root")));
  ASSERT_TRUE(recorder.Read(Chunk("leaf", "root", Writer::kJdk, {.reverse_fields = true})));
  EXPECT_EQ(recorder.Stack(recorder.samples[0].stack), recorder.Stack(recorder.samples[1].stack));
}

}  // namespace
}  // namespace sparkprof
