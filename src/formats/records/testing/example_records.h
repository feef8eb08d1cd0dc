// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "formats/record_reader.h"

namespace sparkprof {

// Records as their profilers write them, shortened to what matters; one of each kind, and their readers' answer.

inline constexpr std::string_view kCpuAndMemoryRecord =
    R"({"nonHeapMemoryTotalUsed":1.2735288E7,"bufferPools":[{"totalCapacity":8192,"name":"direct","count":1,"memoryUsed":4096}],)"
    R"("heapMemoryTotalUsed":1.8590608E7,"epochMillis":1550420474091,"nonHeapMemoryCommitted":1.3238272E7,)"
    R"("heapMemoryCommitted":2.57425408E8,"memoryPools":[{"peakUsageMax":-1,"usageMax":-1,"peakUsageUsed":561344,)"
    R"("name":"Code Cache","peakUsageCommitted":2555904,"usageUsed":524288,"type":"Non-heap memory","usageCommitted":2555904}],)"
    R"("processCpuLoad":0.25,"systemCpuLoad":0.5,"processCpuTime":1168116000,"appId":null,"name":"8465@laptop",)"
    R"("host":"laptop","processUuid":"a17058d4","gc":[{"collectionTime":5,"name":"PS Scavenge","collectionCount":1},)"
    R"({"collectionTime":7,"name":"PS MarkSweep","collectionCount":2}]})";
inline constexpr std::string_view kStacktraceRecord =
    R"({"stacktrace":["java.lang.Object.wait","java.lang.ref.ReferenceQueue.remove","java.lang.ref.Finalizer.run"],)"
    R"("endEpoch":1550400755483,"appId":"application_1_2","role":"driver","host":"laptop","name":"8465@laptop",)"
    R"("processUuid":"a17058d4","threadState":"WAITING","count":3,"startEpoch":1550400754659,"threadName":"Finalizer"})";
inline constexpr std::string_view kProcessInfoRecord =
    R"({"jvmInputArguments":"-Xmx1g","jvmClassPath":"a.jar","epochMillis":1550420474000,"cmdline":"java Job",)"
    R"("appId":null,"name":"8465@laptop","host":"laptop","processUuid":"a17058d4","agentVersion":"1.0.0",)"
    R"("appClass":null,"xmxBytes":1073741824,"appJar":null})";
inline constexpr std::string_view kIoRecord =
    R"({"stat":[{"system":20091,"idle":218063,"cpu":"cpu","iowait":882,"user":73252,"nice":0},)"
    R"({"system":91,"idle":18063,"cpu":"cpu0","iowait":82,"user":252,"nice":0}],"self":{"io":{"wchar":106774,)"
    R"("write_bytes":180224,"rchar":6271210,"read_bytes":798720}},"epochMillis":1550420474200,"name":"8465@laptop",)"
    R"("processUuid":"a17058d4"})";
inline constexpr std::string_view kThreadInfoRecord =
    R"({"liveThreadCount":5,"appId":null,"name":"8465@laptop","host":"laptop","processUuid":"a17058d4",)"
    R"("epochMillis":1550420474300,"totalStartedThreadCount":6,"peakThreadCount":7,"newThreadCount":8})";
inline constexpr std::string_view kMethodDurationRecord =
    R"({"metricName":"duration.sum","processName":"8465@laptop","host":"laptop","processUuid":"a17058d4",)"
    R"("metricValue":478.0,"methodName":"sleep","className":"org.example.Job","epochMillis":1550420474400})";
inline constexpr std::string_view kMethodArgumentRecord =
    R"({"metricName":"arg.1.473","processName":"8465@laptop","host":"laptop","processUuid":"a17058d4",)"
    R"("metricValue":2.0,"methodName":"sleep","className":"org.example.Job","epochMillis":1550420474500})";
inline constexpr std::string_view kPySparkCpuMemoryRecord =
    R"({"pid": 7510, "epochMillis": 1550397003812, "pmem_rss": 80871424, "pmem_vms": 4655525888, )"
    R"("pmem_pfaults": 22741, "cpu_percent": 100.0})";
inline constexpr std::string_view kPySparkStackRecord =
    R"({"stacktrace":["job.py:inner:208","job.py:<lambda>:37","runpy.py:_run_module_as_main:193"],"count":5772,"i_d":"8_id"})";
inline constexpr std::string_view kBabarMetricLine =
    "BABAR\tvm_p2T8N2wA\tJVM_HEAP_MEMORY_USED_BYTES\t1795256429005\t8310784.0\t";
inline constexpr std::string_view kBabarTraceLine =
    "BABAR\tvm_p2T8N2wA\tCPU_TRACES\t1795256429005\t9.0\tmain|Load.main:7|java.lang.Thread.start:809|"
    "java.lang.Thread.start0:-2";
inline constexpr std::string_view kExampleLines[] = {
    kCpuAndMemoryRecord, kStacktraceRecord,     kProcessInfoRecord,    kIoRecord,
    kThreadInfoRecord,   kMethodDurationRecord, kMethodArgumentRecord, kPySparkCpuMemoryRecord,
    kPySparkStackRecord, kBabarMetricLine,      kBabarTraceLine};

inline ProfilerRecords ReadRecords(std::string_view lines, RecordReadOptions options = {}) {
  ProfilerRecords records;
  RecordReader reader(&records, options);
  reader.AddLines(lines);
  reader.Finish();
  return records;
}

inline const RecordSeries* FindSeries(const ProfilerRecords& records, std::string_view name) {
  for (const RecordSeries& series : records.series) {
    if (series.metric.name == name) return &series;
  }
  return nullptr;
}

// The value of the first point of a metric; -1 if there is none.
inline double FirstValue(const ProfilerRecords& records, std::string_view name) {
  const RecordSeries* const series = FindSeries(records, name);
  return series == nullptr ? -1 : series->points.front().value;
}

// "root;…;leaf count" for each row of stacks, in their order.
inline std::string Folded(const ProfilerRecords& records) {
  std::string text;
  for (const RecordStack& row : records.stack_counts) {
    std::vector<FrameId> frames;
    records.stacks.Unwind(row.stack, &frames);
    for (size_t i = 0; i < frames.size(); ++i) {
      text += (i > 0 ? ";" : "") + RecordFrameText(records.strings, records.frames.Get(frames[i]));
    }
    text += " " + std::to_string(row.count) + "\n";
  }
  return text;
}

}  // namespace sparkprof
