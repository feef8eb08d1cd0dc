// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <protozero/pbf_writer.hpp>

#include "model/segment/segment_codec.h"
#include "model/segment/segment_parts.h"

namespace sparkprof {
namespace {

using protozero::pbf_writer;

// Field numbers are those of segment.proto, in its order.

template <typename Rows, typename Get>
void PackUnsigned(pbf_writer* writer, uint32_t field, const Rows& rows, Get get) {
  protozero::packed_field_uint64 packed{*writer, field};
  for (const auto& row : rows) packed.add_element(static_cast<uint64_t>(get(row)));
}

template <typename Rows, typename Get>
void PackSigned(pbf_writer* writer, uint32_t field, const Rows& rows, Get get) {
  protozero::packed_field_int64 packed{*writer, field};
  for (const auto& row : rows) packed.add_element(static_cast<int64_t>(get(row)));
}

template <typename Rows, typename Get>
void PackZigZag(pbf_writer* writer, uint32_t field, const Rows& rows, Get get) {
  protozero::packed_field_sint64 packed{*writer, field};
  for (const auto& row : rows) packed.add_element(static_cast<int64_t>(get(row)));
}

// Differences wrap instead of overflowing: a reader that sums them with wrapping gets the values back.
template <typename Rows, typename Get>
void PackDeltas(pbf_writer* writer, uint32_t field, const Rows& rows, Get get) {
  protozero::packed_field_sint64 packed{*writer, field};
  uint64_t before = 0;
  for (const auto& row : rows) {
    const auto value = static_cast<uint64_t>(static_cast<int64_t>(get(row)));
    packed.add_element(static_cast<int64_t>(value - before));
    before = value;
  }
}

template <typename Write>
void AddMessage(std::string* out, uint32_t field, Write write) {
  pbf_writer parent{*out};
  pbf_writer message{parent, field};
  write(&message);
}

void EncodeSource(const Source& source, pbf_writer* out) {
  out->add_string(1, source.application_id);
  out->add_string(2, source.application_attempt);
  out->add_string(3, source.application_name);
  out->add_string(4, source.executor_id);
  out->add_string(5, source.host);
  out->add_string(6, source.boot_id);
  out->add_int64(7, source.pid);
  out->add_int64(8, source.start_ticks);
  out->add_string(9, source.spark_version);
  out->add_string(10, source.java_version);
  out->add_string(11, source.sparkprof_version);
  out->add_int64(12, source.bucket_ns);
  out->add_uint64(13, source.sequence);
  out->add_string(14, source.role);
}

void EncodeTables(const Segment& segment, std::string* out) {
  AddMessage(out, 3, [&](pbf_writer* writer) {
    for (size_t id = 0; id < segment.strings.Size(); ++id) {
      const std::string_view text = segment.strings.Get(static_cast<StringId>(id));
      writer->add_string(1, text.data(), text.size());
    }
  });
  std::vector<Frame> frames;
  for (size_t id = 0; id < segment.frames.Size(); ++id) frames.push_back(segment.frames.Get(static_cast<FrameId>(id)));
  AddMessage(out, 4, [&](pbf_writer* writer) {
    PackUnsigned(writer, 1, frames, [](const Frame& frame) { return static_cast<uint8_t>(frame.kind); });
    PackUnsigned(writer, 2, frames, [](const Frame& frame) { return frame.name; });
    PackUnsigned(writer, 3, frames, [](const Frame& frame) { return frame.file; });
    PackUnsigned(writer, 4, frames, [](const Frame& frame) { return frame.line; });
  });
  std::vector<StackTable::Node> nodes;
  for (size_t id = 0; id < segment.stacks.Size(); ++id) nodes.push_back(segment.stacks.Get(static_cast<StackId>(id)));
  AddMessage(out, 5, [&](pbf_writer* writer) {
    PackUnsigned(writer, 1, nodes, [](const StackTable::Node& node) { return node.parent; });
    PackUnsigned(writer, 2, nodes, [](const StackTable::Node& node) { return node.frame; });
  });
}

void EncodeSamples(const std::vector<SegmentSample>& samples, pbf_writer* out) {
  PackDeltas(out, 1, samples, [](const SegmentSample& row) { return row.bucket; });
  PackUnsigned(out, 2, samples, [](const SegmentSample& row) { return static_cast<uint8_t>(row.event); });
  PackUnsigned(out, 3, samples, [](const SegmentSample& row) { return row.thread; });
  PackZigZag(out, 4, samples, [](const SegmentSample& row) { return row.task; });
  PackUnsigned(out, 5, samples, [](const SegmentSample& row) { return static_cast<uint8_t>(row.category); });
  PackUnsigned(out, 6, samples, [](const SegmentSample& row) { return static_cast<uint8_t>(row.state); });
  PackUnsigned(out, 7, samples, [](const SegmentSample& row) { return row.stack; });
  PackSigned(out, 8, samples, [](const SegmentSample& row) { return row.weight; });
  PackSigned(out, 9, samples, [](const SegmentSample& row) { return row.count; });
  const bool any_python = std::any_of(samples.begin(), samples.end(),
                                      [](const SegmentSample& row) { return row.python != PythonState::kUnknown; });
  if (any_python)
    PackUnsigned(out, 10, samples, [](const SegmentSample& row) { return static_cast<uint8_t>(row.python); });
}

void EncodeTaskIntervals(const std::vector<TaskInterval>& intervals, pbf_writer* out) {
  PackSigned(out, 1, intervals, [](const TaskInterval& row) { return row.task; });
  PackSigned(out, 2, intervals, [](const TaskInterval& row) { return row.stage; });
  PackSigned(out, 3, intervals, [](const TaskInterval& row) { return row.stage_attempt; });
  PackSigned(out, 4, intervals, [](const TaskInterval& row) { return row.partition; });
  PackSigned(out, 5, intervals, [](const TaskInterval& row) { return row.attempt; });
  PackSigned(out, 6, intervals, [](const TaskInterval& row) { return row.tid; });
  PackSigned(out, 7, intervals, [](const TaskInterval& row) { return row.sql_execution; });
  PackSigned(out, 8, intervals, [](const TaskInterval& row) { return row.begin_ns; });
  PackSigned(out, 9, intervals, [](const TaskInterval& row) { return row.end_ns; });
  PackUnsigned(out, 10, intervals, [](const TaskInterval& row) { return static_cast<uint8_t>(row.status); });
}

void EncodeSeries(const Series& series, pbf_writer* out) {
  out->add_string(1, series.name);
  out->add_int64(2, series.pid);
  out->add_int64(3, series.start_ticks);
  out->add_uint32(4, static_cast<uint32_t>(series.kind));
  PackDeltas(out, 5, series.points, [](const SeriesPoint& point) { return point.time_ns; });
  protozero::packed_field_double values{*out, 6};
  for (const SeriesPoint& point : series.points) values.add_element(point.value);
}

void EncodeProcess(const Process& process, pbf_writer* out) {
  out->add_int64(1, process.pid);
  out->add_int64(2, process.start_ticks);
  out->add_int64(3, process.parent_pid);
  out->add_string(4, process.role);
  out->add_string(5, process.command);
  out->add_int64(6, process.first_seen_ns);
  out->add_int64(7, process.last_seen_ns);
  if (process.started_ns != 0) out->add_int64(8, process.started_ns);
  if (process.ended) out->add_bool(9, true);
  const auto add = [out](uint32_t tag, const std::string& text) {
    if (!text.empty()) out->add_string(tag, text);
  };
  add(10, process.user);
  add(11, process.application_id);
  add(12, process.executor_id);
  add(13, process.container_id);
  add(14, process.control_group);
  add(15, process.name);
  add(16, process.state);
}

void EncodeHeapSummary(const HeapSummary& summary, pbf_writer* out) {
  out->add_int64(1, summary.time_ns);
  out->add_int64(2, summary.pause_ns);
  PackUnsigned(out, 3, summary.classes, [](const HeapClass& row) { return row.name; });
  PackSigned(out, 4, summary.classes, [](const HeapClass& row) { return row.objects.instances; });
  PackSigned(out, 5, summary.classes, [](const HeapClass& row) { return row.objects.bytes; });
  out->add_int64(6, summary.other_classes);
  out->add_int64(7, summary.others.instances);
  out->add_int64(8, summary.others.bytes);
}

void EncodeNeighbor(const Neighbor& neighbor, pbf_writer* out) {
  out->add_string(1, neighbor.host);
  for (const std::string& executor : neighbor.executor_ids) out->add_string(2, executor);
  out->add_string(3, neighbor.application_id);
  out->add_string(4, neighbor.user);
  out->add_string(5, neighbor.name);
  out->add_int64(6, neighbor.processes);
  out->add_double(7, neighbor.host_cores);
  out->add_int64(8, neighbor.begin_ns);
  out->add_int64(9, neighbor.step_ns);
  out->add_packed_double(10, neighbor.cpu_ns.begin(), neighbor.cpu_ns.end());
  out->add_packed_double(11, neighbor.disk_bytes.begin(), neighbor.disk_bytes.end());
}

}  // namespace

std::string EncodeSegment(const Segment& segment) {
  std::string out;
  AddMessage(&out, 1, [&](pbf_writer* writer) { EncodeSource(segment.source, writer); });
  for (const ClockAnchor& anchor : segment.anchors) {
    AddMessage(&out, 2, [&](pbf_writer* writer) {
      writer->add_int64(1, anchor.monotonic_ns);
      writer->add_int64(2, anchor.epoch_ns);
    });
  }
  EncodeTables(segment, &out);
  AddMessage(&out, 6, [&](pbf_writer* writer) {
    PackSigned(writer, 1, segment.threads, [](const Thread& thread) { return thread.tid; });
    PackUnsigned(writer, 2, segment.threads, [](const Thread& thread) { return thread.name; });
    const bool any_pid = std::any_of(segment.threads.begin(), segment.threads.end(),
                                     [](const Thread& thread) { return thread.pid != 0; });
    if (any_pid) PackSigned(writer, 3, segment.threads, [](const Thread& thread) { return thread.pid; });
  });
  AddMessage(&out, 7, [&](pbf_writer* writer) { EncodeSamples(segment.samples, writer); });
  AddMessage(&out, 8, [&](pbf_writer* writer) { EncodeTaskIntervals(segment.task_intervals, writer); });
  for (const std::string& event : segment.spark_events) pbf_writer{out}.add_bytes(9, event);
  for (const Series& series : segment.series) {
    AddMessage(&out, 10, [&](pbf_writer* writer) { EncodeSeries(series, writer); });
  }
  for (const Process& process : segment.processes) {
    AddMessage(&out, 11, [&](pbf_writer* writer) { EncodeProcess(process, writer); });
  }
  for (const Loss& loss : segment.losses) {
    AddMessage(&out, 12, [&](pbf_writer* writer) {
      writer->add_string(1, loss.what);
      writer->add_string(2, loss.reason);
      writer->add_int64(3, loss.count);
    });
  }
  for (const Notice& notice : segment.notices) {
    AddMessage(&out, 13, [&](pbf_writer* writer) {
      writer->add_int64(1, notice.time_ns);
      writer->add_uint32(2, static_cast<uint32_t>(notice.level));
      writer->add_string(3, notice.text);
    });
  }
  for (const ProfilerSetting& setting : segment.settings) {
    AddMessage(&out, 14, [&](pbf_writer* writer) {
      writer->add_string(1, setting.name);
      writer->add_string(2, setting.value);
    });
  }
  if (segment.final) pbf_writer{out}.add_bool(15, true);
  if (segment.logs.Size() > 0 || segment.logs.dropped > 0) {
    AddMessage(&out, 16, [&](pbf_writer* writer) { EncodeLogRecords(segment.logs, writer); });
  }
  for (const Column& column : segment.task_columns) {
    AddMessage(&out, 17, [&](pbf_writer* writer) {
      writer->add_string(1, column.name);
      PackDeltas(writer, 2, column.value, [](int64_t value) { return value; });
    });
  }
  for (const Udf& udf : segment.udfs) {
    AddMessage(&out, 18, [&](pbf_writer* writer) {
      writer->add_int64(1, udf.task);
      writer->add_int32(2, udf.eval_type);
      writer->add_string(3, udf.name);
      writer->add_string(4, udf.file);
      writer->add_int64(5, udf.line);
    });
  }
  for (const PythonTask& task : segment.python_tasks) {
    AddMessage(&out, 19, [&](pbf_writer* writer) {
      writer->add_int64(1, task.task);
      writer->add_int64(2, task.pid);
      writer->add_int64(3, task.start_ticks);
      writer->add_int64(4, task.begin_ns);
      writer->add_int64(5, task.end_ns);
      writer->add_int64(6, task.cpu_ns);
    });
  }
  for (const HeapSummary& summary : segment.heap_summaries) {
    AddMessage(&out, 20, [&](pbf_writer* writer) { EncodeHeapSummary(summary, writer); });
  }
  for (const Neighbor& neighbor : segment.neighbors) {
    AddMessage(&out, 21, [&](pbf_writer* writer) { EncodeNeighbor(neighbor, writer); });
  }
  return out;
}

}  // namespace sparkprof
