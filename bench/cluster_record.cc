// SPDX-License-Identifier: Apache-2.0
// The recording of a large application, written by the agent's own writer:
//   cluster_record FOLDER [EXECUTORS [TASKS [ROWS [HOURS]]]]
// Each executor has eight task slots and a file of its own with a block a minute, ten series with a point in each, and
// ROWS sample rows of each task; the driver's file has Spark's events of 3 KB a task. By default 1,000 executors, one
// million tasks, 20 rows and 10 hours.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "apps/agent/segment_writer.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kSlots = 8;
constexpr int64_t kStep = 60 * kNanosPerSecond;  // between two blocks
constexpr size_t kStacks = 2'000;
constexpr char kApplication[] = "application_1763800000000_0001";
constexpr const char* kSeries[] = {
    "jvm.heap_used_bytes", "jvm.heap_committed_bytes", "process.rss_bytes", "process.cpu_ns", "jvm.gc_time_ns",
    "process.read_bytes",  "process.write_bytes",      "process.pss_bytes", "host.cpu_ns",    "sampler.cpu_ns"};

struct Size {
  int64_t executors = 1'000;
  int64_t tasks = 1'000'000;
  int64_t rows = 20;  // per task
  int64_t duration_ns = 10 * 3'600 * kNanosPerSecond;

  // A stage is one task of each slot.
  int64_t Slots() const { return executors * kSlots; }
  int64_t Stages() const { return (tasks + Slots() - 1) / Slots(); }
  int64_t TaskNanos() const { return duration_ns / Stages(); }
};

std::string HostOf(int64_t executor) { return fmt::format("node{:04}.example.com", executor / 4); }

SegmentWriter WriterOf(std::ofstream* file, int64_t executor) {
  SegmentWriter writer([file](const std::string& block, bool) { *file << block; });
  Source& source = writer.source();
  source.application_id = kApplication;
  source.application_name = "large";
  source.executor_id = executor < 0 ? "driver" : std::to_string(executor);
  source.role = executor < 0 ? "driver" : "executor";
  source.host = executor < 0 ? "driver.example.com" : HostOf(executor);
  source.boot_id = source.host;
  source.pid = executor + 1'000;
  source.start_ticks = 1;
  source.spark_version = "4.1.1";
  source.java_version = "17";
  source.bucket_ns = kNanosPerSecond;
  return writer;
}

// The stacks of one executor's minute: some dozen of the application's.
void AddTaskSamples(int64_t begin_ns, int64_t end_ns, int64_t task, uint32_t thread, int64_t rows, SampleBatch* batch,
                    std::vector<StackId>* stacks, std::mt19937_64* random) {
  for (int64_t row = 0; row < rows; ++row) {
    const uint64_t which = std::min((*random)() % kStacks, (*random)() % kStacks);
    StackId& stack = (*stacks)[which];
    for (uint64_t depth = 0; stack == 0 || depth < 40; ++depth) {
      if (depth == 0 && stack != 0) break;
      const uint64_t method = depth < 30 ? depth : (which * 31 + depth) % 500;
      const std::string name = fmt::format("org.example.package{}.Class{}.method{}", method % 7, method % 41, method);
      stack = batch->stacks.Push(stack, batch->frames.Intern({batch->strings.Intern(name), 0, 0, FrameKind::kJit}));
    }
    SegmentSample sample;
    sample.bucket = (begin_ns + (end_ns - begin_ns) * row / std::max<int64_t>(rows, 1)) / kNanosPerSecond;
    sample.event = row % 3 == 0 ? Event::kWall : Event::kCpu;
    sample.category = Category::kTask;
    sample.state = ThreadState::kRunning;
    sample.thread = thread;
    sample.task = task;
    sample.stack = stack;
    sample.weight = (end_ns - begin_ns) / std::max<int64_t>(rows, 1);
    sample.count = sample.weight / (10 * kNanosPerMilli) + 1;
    batch->samples.Add(sample);
  }
}

// Monotonic times are those of the task's interval, epoch times those of samples and series.
void WriteExecutor(const Size& size, int64_t executor, const std::string& folder, ClockAnchor start) {
  std::ofstream file(fmt::format("{}/{}-{}-{}.sprof", folder, executor, HostOf(executor), executor + 1'000));
  SegmentWriter writer = WriterOf(&file, executor);
  std::mt19937_64 random(static_cast<uint64_t>(executor));
  for (int64_t minute = 0; minute * kStep < size.duration_ns; ++minute) {
    const int64_t begin = minute * kStep, end = begin + kStep;
    SampleBatch batch;
    std::vector<StackId> stacks(kStacks);
    for (int64_t slot = 0; slot < kSlots; ++slot) {
      batch.threads.push_back(
          {100 + slot, batch.strings.Intern(fmt::format("Executor task launch worker {}", slot)), 0});
    }
    for (int64_t stage = begin / size.TaskNanos(); stage < size.Stages() && stage * size.TaskNanos() < end; ++stage) {
      const int64_t task_begin = stage * size.TaskNanos(), task_end = task_begin + size.TaskNanos();
      for (int64_t slot = 0; slot < kSlots; ++slot) {
        const int64_t task = stage * size.Slots() + executor * kSlots + slot;
        if (task >= size.tasks) continue;
        TaskInterval interval{task, stage, 0, task % size.Slots(), 0, 100 + slot, -1, start.monotonic_ns + task_begin};
        const bool ends = task_end <= end;
        if (ends) {
          interval.end_ns = start.monotonic_ns + task_end;
          interval.status = TaskStatus::kSucceeded;
        }
        if (task_begin >= begin || ends) writer.AddTaskInterval(interval);
        const int64_t from = std::max(begin, task_begin), to = std::min(end, task_end);
        const int64_t rows =
            size.rows * (to - task_begin) / size.TaskNanos() - size.rows * (from - task_begin) / size.TaskNanos();
        AddTaskSamples(start.epoch_ns + from, start.epoch_ns + to, task, static_cast<uint32_t>(slot), rows, &batch,
                       &stacks, &random);
      }
    }
    writer.AddSamples(std::move(batch));
    for (const char* const series : kSeries) {
      const SeriesKind kind = std::string_view(series).ends_with("_ns") ? SeriesKind::kCounter : SeriesKind::kGauge;
      writer.AddPoint(series, kind, executor + 1'000, 1,
                      {start.epoch_ns + end, static_cast<double>((minute + 1) * 1'000'000)});
    }
    writer.Flush();
  }
  writer.FlushLast(true);
}

std::string TaskInfo(int64_t task, int64_t index, int64_t executor, int64_t launch, int64_t finish,
                     std::string_view accumulables) {
  return fmt::format(
      R"("Task Info":{{"Task ID":{},"Index":{},"Attempt":0,"Partition ID":{},"Launch Time":{},"Executor ID":"{}",)"
      R"("Host":"{}","Locality":"PROCESS_LOCAL","Speculative":false,"Getting Result Time":0,"Finish Time":{},)"
      R"("Failed":false,"Killed":false,"Accumulables":[{}]}})",
      task, index, index, launch, executor, HostOf(executor), finish, accumulables);
}

std::string Accumulables(int64_t task) {
  std::string all;
  for (const char* const name :
       {"executorRunTime", "executorCpuTime", "resultSize", "jvmGCTime", "executorDeserializeTime",
        "peakExecutionMemory", "shuffle.read.localBytesRead", "shuffle.write.bytesWritten"}) {
    all += fmt::format(
        R"({}{{"ID":{},"Name":"internal.metrics.{}","Update":{},"Value":{},"Internal":true,"Count Failed Values":true}})",
        all.empty() ? "" : ",", all.size(), name, task % 1'000'003, task * 7);
  }
  return all;
}

void WriteDriver(const Size& size, const std::string& folder, ClockAnchor start) {
  std::ofstream file(folder + "/driver-driver.example.com-999.sprof");
  SegmentWriter writer = WriterOf(&file, -1);
  const int64_t start_ms = start.epoch_ns / kNanosPerMilli, task_ms = size.TaskNanos() / kNanosPerMilli;
  writer.AddSparkEvent(R"({"Event":"SparkListenerLogStart","Spark Version":"4.1.1"})");
  writer.AddSparkEvent(
      fmt::format(R"({{"Event":"SparkListenerApplicationStart","App Name":"large","App ID":"{}","Timestamp":{},)"
                  R"("User":"bench"}})",
                  kApplication, start_ms));
  for (int64_t executor = 0; executor < size.executors; ++executor) {
    writer.AddSparkEvent(fmt::format(
        R"({{"Event":"SparkListenerExecutorAdded","Timestamp":{},"Executor ID":"{}","Executor Info":{{"Host":"{}",)"
        R"("Total Cores":{},"Log Urls":{{}},"Attributes":{{}}}}}})",
        start_ms, executor, HostOf(executor), kSlots));
  }
  for (int64_t stage = 0; stage < size.Stages(); ++stage) {
    const int64_t begin = start_ms + stage * task_ms, end = begin + task_ms;
    const int64_t tasks = std::min(size.Slots(), size.tasks - stage * size.Slots());
    const auto info = [&](const std::string& times) {
      return fmt::format(
          R"({{"Stage ID":{},"Stage Attempt ID":0,"Stage Name":"stage at Job.scala:{}","Number of Tasks":{},)"
          R"("RDD Info":[],"Parent IDs":[],"Details":"","Accumulables":[]{}}})",
          stage, stage, tasks, times);
    };
    const std::string submitted = fmt::format(R"(,"Submission Time":{})", begin);
    writer.AddSparkEvent(fmt::format(
        R"({{"Event":"SparkListenerJobStart","Job ID":{},"Submission Time":{},"Stage Infos":[{}],"Stage IDs":[{}],)"
        R"("Properties":{{}}}})",
        stage, begin, info(""), stage));
    writer.AddSparkEvent(
        fmt::format(R"({{"Event":"SparkListenerStageSubmitted","Stage Info":{},"Properties":{{}}}})", info(submitted)));
    for (int64_t index = 0; index < tasks; ++index) {
      const int64_t task = stage * size.Slots() + index;
      writer.AddSparkEvent(fmt::format(R"({{"Event":"SparkListenerTaskStart","Stage ID":{},"Stage Attempt ID":0,{}}})",
                                       stage, TaskInfo(task, index, index / kSlots, begin, 0, "")));
    }
    for (int64_t index = 0; index < tasks; ++index) {
      const int64_t task = stage * size.Slots() + index;
      writer.AddSparkEvent(fmt::format(
          R"({{"Event":"SparkListenerTaskEnd","Stage ID":{},"Stage Attempt ID":0,"Task Type":"ShuffleMapTask",)"
          R"("Task End Reason":{{"Reason":"Success"}},{},"Task Executor Metrics":{{"JVMHeapMemory":{},)"
          R"("JVMOffHeapMemory":1,"OnHeapExecutionMemory":1,"OnHeapStorageMemory":1}},"Task Metrics":{{)"
          R"("Executor Deserialize Time":5,"Executor Deserialize CPU Time":4000000,"Executor Run Time":{},)"
          R"("Executor CPU Time":{},"Peak Execution Memory":1048576,"Result Size":2000,"JVM GC Time":{},)"
          R"("Result Serialization Time":0,"Memory Bytes Spilled":0,"Disk Bytes Spilled":0,)"
          R"("Shuffle Read Metrics":{{"Remote Blocks Fetched":0,"Local Blocks Fetched":8,"Fetch Wait Time":0,)"
          R"("Remote Bytes Read":0,"Remote Bytes Read To Disk":0,"Local Bytes Read":4000,"Total Records Read":100}},)"
          R"("Shuffle Write Metrics":{{"Shuffle Bytes Written":5000,"Shuffle Write Time":1000000,)"
          R"("Shuffle Records Written":100}},"Input Metrics":{{"Bytes Read":0,"Records Read":0}},)"
          R"("Output Metrics":{{"Bytes Written":0,"Records Written":0}},"Updated Blocks":[]}}}})",
          stage, TaskInfo(task, index, index / kSlots, begin, end, Accumulables(task)), task % 1'000'000'007,
          task_ms - 10, (task_ms - 10) * 900'000, task % 100));
    }
    writer.AddSparkEvent(fmt::format(R"({{"Event":"SparkListenerStageCompleted","Stage Info":{}}})",
                                     info(submitted + fmt::format(R"(,"Completion Time":{})", end))));
    writer.AddSparkEvent(fmt::format(
        R"({{"Event":"SparkListenerJobEnd","Job ID":{},"Completion Time":{},"Job Result":{{"Result":"JobSucceeded"}}}})",
        stage, end));
  }
  writer.AddSparkEvent(
      fmt::format(R"({{"Event":"SparkListenerApplicationEnd","Timestamp":{}}})", start_ms + size.Stages() * task_ms));
  writer.FlushLast(true);
}

}  // namespace
}  // namespace sparkprof

int main(int argc, char** argv) {
  using namespace sparkprof;
  if (argc < 2) {
    fmt::print(stderr, "usage: cluster_record FOLDER [EXECUTORS [TASKS [ROWS [HOURS]]]]\n");
    return 2;
  }
  const auto number = [&](int position, int64_t fallback) {
    return argc > position ? std::atoll(argv[position]) : fallback;
  };
  Size size;
  size.executors = std::max<int64_t>(1, number(2, size.executors));
  size.tasks = std::max<int64_t>(1, number(3, size.tasks));
  size.rows = number(4, size.rows);
  size.duration_ns = number(5, 10) * 3'600 * kNanosPerSecond;
  const std::string folder = std::string(argv[1]) + "/" + kApplication;
  std::filesystem::create_directories(folder);
  const ClockAnchor start = ReadClocks();
  WriteDriver(size, folder, start);
  for (int64_t executor = 0; executor < size.executors; ++executor) WriteExecutor(size, executor, folder, start);
  return 0;
}
