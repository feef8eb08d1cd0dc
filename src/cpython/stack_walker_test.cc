// SPDX-License-Identifier: Apache-2.0
#include "cpython/stack_walker.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "cpython/frame_text.h"

namespace sparkprof {
namespace {

// Memory that is an image, at an address of its own.
class ImageMemory : public PythonMemory {
 public:
  static constexpr uint64_t kBegin = 0x10000;

  explicit ImageMemory(size_t size) : bytes(size, '\0') {}

  bool Read(uint64_t address, void* out, size_t size) override {
    if (address < kBegin || address - kBegin > bytes.size() || size > bytes.size() - (address - kBegin)) return false;
    std::memcpy(out, bytes.data() + (address - kBegin), size);
    return true;
  }

  void Set(uint64_t address, uint64_t value) { std::memcpy(bytes.data() + (address - kBegin), &value, sizeof value); }

  std::string bytes;
};

constexpr uint64_t kRuntime = ImageMemory::kBegin, kInterpreter = 0x11000, kThread = 0x12000, kCframe = 0x12800;
constexpr uint64_t kFrames = 0x13000, kCodes = 0x18000, kCodeType = 0x1F000;

// A stack of `depth` frames, the first the leaf: the data stack grows upwards.
uint64_t FrameAt(int depth, int i) { return kFrames + static_cast<uint64_t>(depth - 1 - i) * 0x100; }

// Python 3.11 with one thread and `depth` frames, the first the leaf.
std::unique_ptr<ImageMemory> MakePython(const CPythonLayout& layout, int depth) {
  auto memory = std::make_unique<ImageMemory>(1 << 17);
  memory->Set(kRuntime + layout.interpreters_head, kInterpreter);
  memory->Set(kRuntime + layout.current_thread, kThread);
  memory->Set(kInterpreter + layout.threads_head, kThread);
  memory->Set(kThread + layout.thread_interpreter, kInterpreter);
  memory->Set(kThread + layout.native_id, 42);
  memory->Set(kThread + layout.thread_frame, kCframe);
  for (int i = 0; i < depth; ++i) {
    const uint64_t frame = FrameAt(depth, i), code = kCodes + static_cast<uint64_t>(i) * 0x200;
    memory->Set(frame + layout.frame_previous, i + 1 == depth ? 0 : FrameAt(depth, i + 1));
    memory->Set(frame + layout.frame_code, code);
    memory->Set(frame + layout.frame_instruction, code + layout.code_instructions + 6);
    memory->Set(code + layout.object_type, kCodeType);
    memory->Set(code + layout.code_first_line, static_cast<uint64_t>(i) + 1);
  }
  memory->Set(kCframe + layout.cframe_frame, FrameAt(depth, 0));
  // The first function's frame begins the data stack, in the one chunk of which the frames lie. Its header is all
  // zeros.
  memory->Set(kThread + layout.stack_chunk, kFrames - 32);
  memory->Set(kThread + layout.stack_chunk + 8, FrameAt(depth, -1));
  return memory;
}

TEST(StackWalker, FindsThreadsHolderAndFrames) {
  const CPythonLayout layout = *LayoutOfVersion(3, 11);
  const auto memory = MakePython(layout, 5);
  StackWalker walker(layout, kRuntime, kCodeType, memory.get());
  uint64_t threads[4];
  ASSERT_EQ(walker.ListThreads(threads, 4), 1u);
  EXPECT_EQ(threads[0], kThread);
  EXPECT_EQ(walker.GilHolder(), kThread);
  RawStack stack;
  ASSERT_EQ(walker.Walk(kThread, &stack), WalkResult::kGood);
  ASSERT_EQ(stack.depth, 5u);
  EXPECT_EQ(stack.native_id, 42);
  EXPECT_EQ(stack.frames[2].first_line, 3);
  EXPECT_EQ(stack.frames[2].instruction, 6);
}

TEST(StackWalker, AStackThatEndsElsewhereIsTorn) {
  const CPythonLayout layout = *LayoutOfVersion(3, 11);
  const auto memory = MakePython(layout, 5);
  StackWalker walker(layout, kRuntime, kCodeType, memory.get());
  RawStack stack;
  ASSERT_EQ(walker.Walk(kThread, &stack), WalkResult::kGood);
  memory->Set(FrameAt(5, 2) + layout.frame_previous, 0);
  EXPECT_EQ(walker.Walk(kThread, &stack), WalkResult::kTorn);
}

TEST(StackWalker, AFrameOfAFunctionThatWasLeftIsTorn) {
  const CPythonLayout layout = *LayoutOfVersion(3, 11);
  const auto memory = MakePython(layout, 5);
  StackWalker walker(layout, kRuntime, kCodeType, memory.get());
  RawStack stack;
  memory->Set(kThread + layout.stack_chunk + 8, FrameAt(5, 1));
  EXPECT_EQ(walker.Walk(kThread, &stack), WalkResult::kTorn);
  memory->Set(kCframe + layout.cframe_frame, FrameAt(5, 2));
  ASSERT_EQ(walker.Walk(kThread, &stack), WalkResult::kGood);
  EXPECT_EQ(stack.depth, 3u);
}

TEST(StackWalker, UpTo310OnlyFramesThatRunMakeAStack) {
  const CPythonLayout layout = *LayoutOfVersion(3, 10);
  const auto memory = MakePython(layout, 3);
  memory->Set(kThread + layout.thread_frame, FrameAt(3, 0));
  StackWalker walker(layout, kRuntime, kCodeType, memory.get());
  RawStack stack;
  ASSERT_EQ(walker.Walk(kThread, &stack), WalkResult::kGood);
  EXPECT_EQ(stack.depth, 3u);
  constexpr char kReturned = 1;
  memory->bytes[FrameAt(3, 2) - ImageMemory::kBegin + layout.frame_state] = kReturned;
  EXPECT_EQ(walker.Walk(kThread, &stack), WalkResult::kTorn);
}

// A program that goes on between two looks.
class MovingMemory : public ImageMemory {
 public:
  using ImageMemory::ImageMemory;
  void LookAgain() override { move(); }
  std::function<void()> move;
};

TEST(StackWalker, UpTo310AStackThatStillRunsIsTakenWhateverLiesAboveItThen) {
  const CPythonLayout layout = *LayoutOfVersion(3, 9);
  MovingMemory memory(1 << 17);
  memory.bytes = MakePython(layout, 3)->bytes;
  for (int i = 0; i < 3; ++i) {
    memory.bytes[FrameAt(3, i) - ImageMemory::kBegin + layout.frame_state] = layout.state_running;
  }
  memory.Set(kThread + layout.thread_frame, FrameAt(3, 0));
  // A generator was suspended just after it was found at the top.
  constexpr uint64_t kGenerator = 0x17000;
  memory.Set(kGenerator + layout.frame_code, kCodes);
  memory.move = [&] { memory.Set(kThread + layout.thread_frame, kGenerator); };
  StackWalker walker(layout, kRuntime, kCodeType, &memory);
  RawStack stack;
  ASSERT_EQ(walker.Walk(kThread, &stack), WalkResult::kGood);
  EXPECT_EQ(stack.depth, 3u);
  // One of its functions has returned.
  memory.Set(kThread + layout.thread_frame, FrameAt(3, 0));
  memory.move = [&] {
    memory.Set(kThread + layout.thread_frame, kGenerator);
    memory.bytes[FrameAt(3, 1) - ImageMemory::kBegin + layout.frame_state] = layout.state_running + 1;
  };
  EXPECT_EQ(walker.Walk(kThread, &stack), WalkResult::kTorn);
}

TEST(StackWalker, CirclesForeignCodeAndDeepStacksDoNoHarm) {
  const CPythonLayout layout = *LayoutOfVersion(3, 11);
  RawStack stack;
  const auto circle = MakePython(layout, 5);
  circle->Set(FrameAt(5, 4) + layout.frame_previous, FrameAt(5, 0));
  EXPECT_EQ(StackWalker(layout, kRuntime, kCodeType, circle.get()).Walk(kThread, &stack), WalkResult::kTorn);
  const auto foreign = MakePython(layout, 5);
  foreign->Set(kCodes + 0x200 + layout.object_type, 1);
  StackWalker walker(layout, kRuntime, kCodeType, foreign.get());
  EXPECT_EQ(walker.Walk(kThread, &stack), WalkResult::kTorn);
  const auto empty = MakePython(layout, 0);
  empty->Set(kCframe + layout.cframe_frame, 0);
  EXPECT_EQ(StackWalker(layout, kRuntime, kCodeType, empty.get()).Walk(kThread, &stack), WalkResult::kEmpty);
}

TEST(StackWalker, RandomMemoryIsRefusedOrReadWithinBounds) {
  uint32_t random = 99;
  const auto next = [&random] { return random = random * 1664525 + 1013904223; };
  auto stack = std::make_unique<RawStack>();
  auto reader = std::make_unique<FrameReader>();
  for (int round = 0; round < 3000; ++round) {
    const CPythonLayout layout = *LayoutOfVersion(3, 9 + round % 4);
    const auto memory = MakePython(*LayoutOfVersion(3, 11), 20);
    // Pointers into the image and anything else, anywhere.
    for (int k = 0; k < 400; ++k) {
      const uint64_t at = ImageMemory::kBegin + (next() >> 8) % (memory->bytes.size() - 8);
      const uint64_t value = (next() & 1) != 0 ? ImageMemory::kBegin + (next() >> 8) % memory->bytes.size()
                                               : uint64_t{next()} << 32 | next();
      memory->Set(at, value);
    }
    StackWalker walker(layout, kRuntime, round % 2 == 0 ? kCodeType : 0, memory.get());
    uint64_t threads[8];
    const size_t count = walker.ListThreads(threads, 8);
    ASSERT_LE(count, 8u);
    walker.GilHolder();
    for (size_t i = 0; i < count; ++i) {
      if (walker.Walk(threads[i], stack.get()) != WalkResult::kGood) continue;
      ASSERT_LE(stack->depth, kMaxFrames);
      FrameReader::Text text;
      for (size_t frame = 0; frame < stack->depth; ++frame)
        reader->Read(layout, memory.get(), stack->frames[frame], &text);
    }
  }
}

}  // namespace
}  // namespace sparkprof
