// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <random>

#include "base/io/file.h"
#include "cpython/ring/ring_reader.h"
#include "cpython/ring/ring_writer.h"
#include "cpython/ring/testing/ring_folder.h"

namespace sparkprof {
namespace {

using testing::RingFolder;

constexpr size_t kSmall = kRingMinDataBytes;

// Stores the received records, samples as "TID function:line<function:line".
struct Told : RingHandler {
  void OnCode(const RingCode& code, std::string_view function, std::string_view file) override {
    codes[code.code] = std::string(function) + "@" + std::string(file) + ":" + std::to_string(code.first_line);
  }
  void OnSample(const RingSample& sample, const RingFrame* frames) override {
    std::string text = std::to_string(sample.task);
    for (size_t i = 0; i < sample.frames; ++i) {
      text += " " + codes[frames[i].code] + "+" + std::to_string(frames[i].line);
    }
    samples.push_back(text);
    cpu_ns += sample.cpu_ns;
    flags = sample.flags;
  }
  void OnTaskBegin(const RingTaskBegin& begin) override { marks.push_back("begin " + std::to_string(begin.task)); }
  void OnTaskEnd(const RingTaskEnd& end) override { marks.push_back("end " + std::to_string(end.task)); }
  void OnUdf(const RingUdf& udf, std::string_view function, std::string_view file) override {
    marks.push_back("udf " + std::to_string(udf.eval_type) + " " + std::string(function) + "@" + std::string(file));
  }
  void OnNotice(uint16_t level, std::string_view text) override {
    marks.push_back("notice " + std::to_string(level) + " " + std::string(text));
  }
  void OnAllocation(const RingAllocation& allocation, const RingFrame* frames) override {
    marks.push_back("allocation " + std::to_string(allocation.number) + " " + std::to_string(allocation.weight));
    for (size_t i = 0; i < allocation.frames; ++i) marks.back() += " " + codes[frames[i].code];
  }
  void OnRelease(const RingRelease& release) override { marks.push_back("release " + std::to_string(release.number)); }
  void OnArrow(const RingArrow& arrow) override { marks.push_back("arrow " + std::to_string(arrow.bytes)); }
  void OnNativeCode(const RingNativeCode& code, std::string_view path) override {
    codes[code.code] = std::string(path) + "#" + std::to_string(code.address);
  }

  std::map<uint32_t, std::string> codes;
  std::vector<std::string> samples, marks;
  int64_t cpu_ns = 0;
  uint16_t flags = 0;
};

RingSample SampleOf(int64_t task, uint16_t frames, int64_t cpu_ns = 0) {
  RingSample sample{};
  sample.task = task;
  sample.frames = frames;
  sample.cpu_ns = cpu_ns;
  return sample;
}

class RingTest : public ::testing::Test {
 protected:
  std::string Create(RingWriter* writer, size_t data_bytes = kSmall) {
    const std::string path = folder_.Ring(41, ++rings_);
    EXPECT_TRUE(writer->Create(path.c_str(), 41, rings_, 10'000'000, 5, data_bytes)) << strerror(errno);
    return path;
  }
  // Puts `bytes` into the file behind the writer's back.
  void Overwrite(const std::string& path, size_t offset, const void* bytes, size_t size) {
    const FileDescriptor file(open(path.c_str(), O_RDWR));
    ASSERT_EQ(pwrite(file.Get(), bytes, size, static_cast<off_t>(offset)), static_cast<ssize_t>(size));
  }
  template <typename T>
  void Overwrite(const std::string& path, size_t offset, T value) {
    Overwrite(path, offset, &value, sizeof value);
  }

  RingFolder folder_;
  int64_t rings_ = 0;
};

TEST_F(RingTest, GivesBackEveryKindOfRecord) {
  RingWriter writer;
  const std::string path = Create(&writer);
  auto reader = RingReader::Open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->Pid(), 41);
  EXPECT_EQ(reader->IntervalNs(), 10'000'000);

  RingTaskBegin begin{};
  begin.task = 7;
  writer.AddTaskBegin(begin);
  writer.AddUdf(7, 200, "Model.score", "/job.py", 12);
  writer.AddCode(3, "f", "job.py", 10);
  writer.AddCode(65'535, "g", "", 0);
  writer.AddNativeCode(4, 4711, "/lib/libz.so");
  const RingFrame frames[] = {{4, 0}, {65'535, 1}, {3, 11}};
  writer.AddSample(SampleOf(7, 3, 100), frames);
  writer.SetNative(9, 2, 3);
  writer.AddNotice(1, "hm");
  RingTaskEnd end{};
  end.task = 7;
  writer.AddTaskEnd(end);

  Told told;
  reader->Drain(&told);
  EXPECT_TRUE(told.marks.empty()) << "before Publish() the reader sees nothing";
  EXPECT_TRUE(writer.Publish());
  reader->Drain(&told);
  EXPECT_EQ(told.marks, (std::vector<std::string>{"begin 7", "udf 200 Model.score@/job.py", "notice 1 hm", "end 7"}));
  EXPECT_EQ(told.samples, std::vector<std::string>{"7 /lib/libz.so#4711+0 g@:0+1 f@job.py:10+11"});
  EXPECT_EQ(reader->NativeStacks(), 9);
  EXPECT_EQ(reader->NativeUnknown(), 2);
  EXPECT_EQ(reader->NativeGuessed(), 3);
  EXPECT_EQ(reader->DamagedBytes(), 0);
}

TEST_F(RingTest, GoesRoundManyTimesWithoutLoss) {
  RingWriter writer;
  const std::string path = Create(&writer);
  auto reader = RingReader::Open(path);
  ASSERT_TRUE(reader);
  Told told;
  std::mt19937 random(1);
  const std::vector<RingFrame> frames(64);
  int64_t written = 0;
  for (int round = 0; round < 5'000; ++round) {
    writer.AddSample(SampleOf(round, static_cast<uint16_t>(random() % 64), 3), frames.data());
    ASSERT_TRUE(writer.Publish());
    ++written;
    if (random() % 3 == 0 || round % 6 == 0) reader->Drain(&told);
  }
  reader->Drain(&told);
  EXPECT_EQ(static_cast<int64_t>(told.samples.size()), written);
  EXPECT_EQ(told.cpu_ns, 3 * written);
  EXPECT_EQ(reader->DamagedBytes(), 0);
  EXPECT_EQ(reader->Dropped(), 0);
}

TEST_F(RingTest, DropsWholeAndCountsWhatFindsNoRoom) {
  RingWriter writer;
  const std::string path = Create(&writer);
  auto reader = RingReader::Open(path);
  ASSERT_TRUE(reader);
  const std::vector<RingFrame> frames(100);
  int64_t kept = 0, dropped = 0;
  for (int i = 0; i < 10; ++i) {
    writer.AddCode(static_cast<uint32_t>(i), "f" + std::to_string(i), "job.py", 1);
    writer.AddSample(SampleOf(1, 100), frames.data());
    ++(writer.Publish() ? kept : dropped);
  }
  Told told;
  reader->Drain(&told);
  EXPECT_GT(kept, 2);
  EXPECT_EQ(static_cast<int64_t>(told.samples.size()), kept);
  EXPECT_EQ(static_cast<int64_t>(told.codes.size()), kept) << "a code goes with its sample";
  EXPECT_EQ(reader->Dropped(), dropped);
  writer.AddSample(SampleOf(1, 100), frames.data());
  EXPECT_TRUE(writer.Publish()) << "there is room again";
}

TEST_F(RingTest, GivesBackAllocationsReleasesAndArrowsMemory) {
  RingWriter writer;
  const std::string path = Create(&writer);
  auto reader = RingReader::Open(path);
  ASSERT_TRUE(reader);
  writer.AddCode(3, "f", "job.py", 10);
  RingAllocation allocation{};
  allocation.number = 9;
  allocation.weight = 4096;
  allocation.frames = 1;
  const RingFrame frame{3, 11};
  writer.AddAllocation(allocation, &frame);
  RingRelease release{};
  release.number = 9;
  writer.AddRelease(release);
  RingArrow arrow{};
  arrow.bytes = 5;
  writer.AddArrow(arrow);
  ASSERT_TRUE(writer.Publish());
  Told told;
  reader->Drain(&told);
  EXPECT_EQ(told.marks, (std::vector<std::string>{"allocation 9 4096 f@job.py:10", "release 9", "arrow 5"}));
}

TEST_F(RingTest, TheLastQuarterHasRoomForReleasesOnly) {
  RingWriter writer;
  const std::string path = Create(&writer);
  auto reader = RingReader::Open(path);
  ASSERT_TRUE(reader);
  uint64_t allocated = 0, released = 0;
  for (RingAllocation allocation{}; writer.AddAllocation(allocation, nullptr), writer.Publish();) ++allocated;
  EXPECT_NEAR(static_cast<double>(allocated * sizeof(RingAllocation)), 0.75 * kSmall, 2 * sizeof(RingAllocation));
  for (RingRelease release{}; writer.AddRelease(release), writer.Publish();) ++released;
  EXPECT_GT(released, kSmall / 4 / sizeof(RingRelease) - 4);
  Told told;
  reader->Drain(&told);
  EXPECT_EQ(told.marks.size(), allocated + released);
}

TEST_F(RingTest, CutsWhatIsTooLong) {
  RingWriter writer;
  const std::string path = Create(&writer, 1 << 16);
  writer.AddCode(1, std::string(10'000, 'f'), std::string(70'000, 'x'), 1);
  const std::vector<RingFrame> frames(1000, RingFrame{1, 2});
  writer.AddSample(SampleOf(1, 1000), frames.data());
  EXPECT_TRUE(writer.Publish());
  auto reader = RingReader::Open(path);
  ASSERT_TRUE(reader);
  Told told;
  reader->Drain(&told);
  ASSERT_EQ(told.samples.size(), 1U);
  EXPECT_EQ(told.flags & kRingTruncated, kRingTruncated);
  EXPECT_EQ(told.codes[1].size(), 2 * kRingMaxText + 3);
}

TEST_F(RingTest, AKilledWriterLosesNothingThatWasPublished) {
  const std::string path = folder_.Ring(1, 1);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    RingWriter writer;
    writer.Create(path.c_str(), 1, 1, 1, 1);
    for (int i = 0; i < 500; ++i) {
      writer.AddSample(SampleOf(i, 0), nullptr);
      writer.Publish();
    }
    writer.AddSample(SampleOf(999, 0), nullptr);  // not published
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  auto reader = RingReader::Open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  Told told;
  reader->Drain(&told);
  EXPECT_EQ(told.samples.size(), 500U);
}

TEST_F(RingTest, ReadsWhileAnotherProcessWrites) {
  const std::string path = folder_.Ring(1, 1);
  RingWriter first;
  ASSERT_TRUE(first.Create(path.c_str(), 1, 1, 1, 1, kSmall));
  constexpr int kSamples = 20'000;
  const pid_t child = fork();
  if (child == 0) {
    const RingFrame frames[] = {{1, 1}, {2, 2}, {3, 3}};
    for (int i = 0; i < kSamples; ++i) {
      first.AddSample(SampleOf(i, static_cast<uint16_t>(i % 4), 1), frames);
      while (!first.Publish()) first.AddSample(SampleOf(i, static_cast<uint16_t>(i % 4), 1), frames);
    }
    _exit(0);
  }
  auto reader = RingReader::Open(path);
  ASSERT_TRUE(reader);
  Told told;
  while (waitpid(child, nullptr, WNOHANG) == 0) reader->Drain(&told);
  reader->Drain(&told);
  ASSERT_EQ(told.samples.size(), static_cast<size_t>(kSamples));
  for (size_t i = 0; i < told.samples.size(); ++i) {
    ASSERT_EQ(told.samples[i].substr(0, told.samples[i].find(' ')), std::to_string(i));
  }
  EXPECT_EQ(reader->DamagedBytes(), 0);
}

TEST_F(RingTest, TheWriterSeesWhichIntervalTheReaderWants) {
  RingWriter writer;
  auto reader = RingReader::Open(Create(&writer));
  ASSERT_TRUE(reader);
  EXPECT_EQ(writer.WantedIntervalNs(), 0);
  reader->SetIntervalNs(5'000'000);
  EXPECT_EQ(writer.WantedIntervalNs(), 5'000'000);
  EXPECT_EQ(reader->IntervalNs(), 5'000'000);
  reader->SetIntervalNs(0);
  EXPECT_EQ(writer.WantedIntervalNs(), kRingPaused);
}

TEST_F(RingTest, TheWriterMakesNoFileWhereOneIs) {
  RingWriter writer, other;
  const std::string path = Create(&writer);
  EXPECT_FALSE(other.Create(path.c_str(), 1, 1, 1, 1, kSmall));
  EXPECT_FALSE(other.Create((folder_.Path() + "/none/1-1.ring").c_str(), 1, 1, 1, 1, kSmall));
  EXPECT_FALSE(other.Create(folder_.Ring(2, 2).c_str(), 1, 1, 1, 1, 5000)) << "no power of two";
  EXPECT_FALSE(other.Publish());
  other.AddNotice(0, "into nothing");
}

TEST_F(RingTest, RefusesWhatIsNoRing) {
  EXPECT_FALSE(RingReader::Open(folder_.Path() + "/none.ring"));
  EXPECT_FALSE(RingReader::Open(folder_.Path()));
  const std::string path = folder_.Path() + "/x.ring";
  ASSERT_TRUE(WriteFile(path, "short"));
  EXPECT_FALSE(RingReader::Open(path));
  ASSERT_TRUE(WriteFile(path, std::string(kRingHeaderBytes + kSmall, '\0')));
  EXPECT_FALSE(RingReader::Open(path));
  for (const uint64_t data_bytes : {uint64_t{0}, uint64_t{5000}, uint64_t{kSmall} * 2, uint64_t{1} << 63}) {
    RingWriter writer;
    const std::string ring = Create(&writer);
    Overwrite(ring, offsetof(RingHeader, data_bytes), data_bytes);
    EXPECT_FALSE(RingReader::Open(ring)) << data_bytes;
  }
}

TEST_F(RingTest, CountsDamageAndGoesOnBehindIt) {
  RingWriter writer;
  const std::string path = Create(&writer);
  auto reader = RingReader::Open(path);
  ASSERT_TRUE(reader);
  for (int i = 0; i < 3; ++i) writer.AddSample(SampleOf(i, 0), nullptr);
  ASSERT_TRUE(writer.Publish());
  Overwrite(path, kRingHeaderBytes + sizeof(RingSample), uint32_t{7});  // the second one's size
  Told told;
  reader->Drain(&told);
  EXPECT_EQ(told.samples, std::vector<std::string>{"0"});
  EXPECT_EQ(reader->DamagedBytes(), static_cast<int64_t>(2 * sizeof(RingSample)));
  writer.AddSample(SampleOf(3, 0), nullptr);
  ASSERT_TRUE(writer.Publish());
  reader->Drain(&told);
  EXPECT_EQ(told.samples.back(), "3");
}

TEST_F(RingTest, SurvivesImpossiblePositionsAndACutFile) {
  for (const uint64_t position : {uint64_t{3}, uint64_t{kSmall} + 8, UINT64_MAX, UINT64_MAX - 7}) {
    RingWriter writer;
    const std::string path = Create(&writer);
    auto reader = RingReader::Open(path);
    ASSERT_TRUE(reader);
    Overwrite(path, offsetof(RingHeader, write_position), position);
    Told told;
    reader->Drain(&told);
    EXPECT_TRUE(told.samples.empty());
    EXPECT_GT(reader->DamagedBytes(), 0) << position;
  }
  RingWriter writer;
  const std::string path = Create(&writer);
  auto reader = RingReader::Open(path);
  ASSERT_TRUE(reader);
  ASSERT_EQ(truncate(path.c_str(), 100), 0);
  Told told;
  reader->Drain(&told);
  EXPECT_TRUE(told.samples.empty());
}

TEST_F(RingTest, AWriterWithAnImpossibleReadPositionDropsOnly) {
  RingWriter writer;
  const std::string path = Create(&writer);
  Overwrite(path, offsetof(RingHeader, read_position), uint64_t{1} << 60);
  writer.AddSample(SampleOf(1, 0), nullptr);
  EXPECT_FALSE(writer.Publish());
}

TEST_F(RingTest, TruncatedAndRandomRecordsNeverReachTheHandlerInPart) {
  RingWriter model;
  const std::string good_path = Create(&model);
  model.AddUdf(7, 200, "f", "job.py", 1);
  model.AddCode(1, "f", "job.py", 1);
  model.AddNativeCode(2, 7, "/lib/libz.so");
  const RingFrame frames[] = {{1, 1}};
  model.AddSample(SampleOf(7, 1), frames);
  model.AddNotice(0, "text");
  ASSERT_TRUE(model.Publish());
  const auto good = ReadFile(good_path);
  ASSERT_TRUE(good);
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string bytes = *good;
    for (int flips = 0; flips < 4; ++flips) bytes[kRingHeaderBytes + random() % 200] = static_cast<char>(random());
    const std::string path = folder_.Path() + "/r.ring";
    ASSERT_TRUE(WriteFile(path, bytes));
    auto reader = RingReader::Open(path);
    ASSERT_TRUE(reader);
    Told told;
    reader->Drain(&told);
  }
}

}  // namespace
}  // namespace sparkprof
