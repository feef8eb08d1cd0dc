// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "model/segment/segment_codec.h"
#include "model/segment/segment_parts.h"

namespace sparkprof {
namespace {

using protozero::pbf_writer;

// Field numbers are those of segment.proto, in its order.

template <typename Write>
void AddMessage(std::string* out, uint32_t field, Write write) {
  pbf_writer parent{*out};
  pbf_writer message{parent, field};
  write(&message);
}

// `required`: fields beyond it are written only if they differ from their default.
template <typename Row>
void EncodeRow(const Row& row, pbf_writer* out, uint32_t required = UINT32_MAX) {
  uint32_t number = 0;
  const auto add = [&]<typename Value>(const Value& value) {
    if (++number > required && value == Value()) return;
    if constexpr (std::is_same_v<Value, std::string>) {
      out->add_string(number, value);
    } else if constexpr (std::is_same_v<Value, bool>) {
      out->add_bool(number, value);
    } else if constexpr (std::is_same_v<Value, int32_t>) {
      out->add_int32(number, value);
    } else if constexpr (std::is_same_v<Value, uint64_t>) {
      out->add_uint64(number, value);
    } else {
      out->add_int64(number, value);
    }
  };
  std::apply([&](auto... member) { (add(row.*member), ...); }, kFields<Row>);
}

template <typename Row>
void AddRows(std::string* out, uint32_t field, const std::vector<Row>& rows, uint32_t required = UINT32_MAX) {
  for (const Row& row : rows) AddMessage(out, field, [&](pbf_writer* writer) { EncodeRow(row, writer, required); });
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
    Pack<PackedUnsigned>(writer, 1, frames, &Frame::kind);
    Pack<PackedUnsigned>(writer, 2, frames, &Frame::name);
    Pack<PackedUnsigned>(writer, 3, frames, &Frame::file);
    Pack<PackedUnsigned>(writer, 4, frames, &Frame::line);
  });
  std::vector<StackTable::Node> nodes;
  for (size_t id = 0; id < segment.stacks.Size(); ++id) nodes.push_back(segment.stacks.Get(static_cast<StackId>(id)));
  AddMessage(out, 5, [&](pbf_writer* writer) {
    Pack<PackedUnsigned>(writer, 1, nodes, &StackTable::Node::parent);
    Pack<PackedUnsigned>(writer, 2, nodes, &StackTable::Node::frame);
  });
}

void EncodeThreads(const std::vector<Thread>& threads, pbf_writer* out) {
  Pack<PackedSigned>(out, 1, threads, &Thread::tid);
  Pack<PackedUnsigned>(out, 2, threads, &Thread::name);
  const bool any_pid =
      std::any_of(threads.begin(), threads.end(), [](const Thread& thread) { return thread.pid != 0; });
  if (any_pid) Pack<PackedSigned>(out, 3, threads, &Thread::pid);
}

void EncodeSamples(const std::vector<SegmentSample>& samples, pbf_writer* out) {
  using Row = SegmentSample;
  PackDeltas(out, 1, samples, &Row::bucket);
  Pack<PackedUnsigned>(out, 2, samples, &Row::event);
  Pack<PackedUnsigned>(out, 3, samples, &Row::thread);
  Pack<PackedZigZag>(out, 4, samples, &Row::task);
  Pack<PackedUnsigned>(out, 5, samples, &Row::category);
  Pack<PackedUnsigned>(out, 6, samples, &Row::state);
  Pack<PackedUnsigned>(out, 7, samples, &Row::stack);
  Pack<PackedSigned>(out, 8, samples, &Row::weight);
  Pack<PackedSigned>(out, 9, samples, &Row::count);
  const bool any_python =
      std::any_of(samples.begin(), samples.end(), [](const Row& row) { return row.python != PythonState::kUnknown; });
  if (any_python) Pack<PackedUnsigned>(out, 10, samples, &Row::python);
}

void EncodeTaskIntervals(const std::vector<TaskInterval>& intervals, pbf_writer* out) {
  using Row = TaskInterval;
  uint32_t field = 0;
  for (const auto member : {&Row::task, &Row::stage, &Row::stage_attempt, &Row::partition, &Row::attempt, &Row::tid,
                            &Row::sql_execution, &Row::begin_ns, &Row::end_ns})
    Pack<PackedSigned>(out, ++field, intervals, member);
  Pack<PackedUnsigned>(out, ++field, intervals, &Row::status);
}

void EncodeSeries(const Series& series, pbf_writer* out) {
  out->add_string(1, series.name);
  out->add_int64(2, series.pid);
  out->add_int64(3, series.start_ticks);
  out->add_uint32(4, static_cast<uint32_t>(series.kind));
  PackDeltas(out, 5, series.points, &SeriesPoint::time_ns);
  protozero::packed_field_double values{*out, 6};
  for (const SeriesPoint& point : series.points) values.add_element(point.value);
}

void EncodeHeapSummary(const HeapSummary& summary, pbf_writer* out) {
  out->add_int64(1, summary.time_ns);
  out->add_int64(2, summary.pause_ns);
  Pack<PackedUnsigned>(out, 3, summary.classes, &HeapClass::name);
  Pack<PackedSigned>(out, 4, summary.classes, [](const HeapClass& row) { return row.objects.instances; });
  Pack<PackedSigned>(out, 5, summary.classes, [](const HeapClass& row) { return row.objects.bytes; });
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
  constexpr uint32_t kRequiredOfProcess = 7;
  AddMessage(&out, 1, [&](pbf_writer* writer) { EncodeRow(segment.source, writer); });
  AddRows(&out, 2, segment.anchors);
  EncodeTables(segment, &out);
  AddMessage(&out, 6, [&](pbf_writer* writer) { EncodeThreads(segment.threads, writer); });
  AddMessage(&out, 7, [&](pbf_writer* writer) { EncodeSamples(segment.samples, writer); });
  AddMessage(&out, 8, [&](pbf_writer* writer) { EncodeTaskIntervals(segment.task_intervals, writer); });
  for (const std::string& event : segment.spark_events) pbf_writer{out}.add_bytes(9, event);
  for (const Series& series : segment.series) {
    AddMessage(&out, 10, [&](pbf_writer* writer) { EncodeSeries(series, writer); });
  }
  AddRows(&out, 11, segment.processes, kRequiredOfProcess);
  AddRows(&out, 12, segment.losses);
  for (const Notice& notice : segment.notices) {
    AddMessage(&out, 13, [&](pbf_writer* writer) {
      writer->add_int64(1, notice.time_ns);
      writer->add_uint32(2, static_cast<uint32_t>(notice.level));
      writer->add_string(3, notice.text);
    });
  }
  AddRows(&out, 14, segment.settings);
  if (segment.final) pbf_writer{out}.add_bool(15, true);
  if (segment.logs.Size() > 0 || segment.logs.dropped > 0) {
    AddMessage(&out, 16, [&](pbf_writer* writer) { EncodeLogRecords(segment.logs, writer); });
  }
  for (const Column& column : segment.task_columns) {
    AddMessage(&out, 17, [&](pbf_writer* writer) {
      writer->add_string(1, column.name);
      PackDeltas(writer, 2, column.value, std::identity());
    });
  }
  AddRows(&out, 18, segment.udfs);
  AddRows(&out, 19, segment.python_tasks);
  for (const HeapSummary& summary : segment.heap_summaries) {
    AddMessage(&out, 20, [&](pbf_writer* writer) { EncodeHeapSummary(summary, writer); });
  }
  for (const Neighbor& neighbor : segment.neighbors) {
    AddMessage(&out, 21, [&](pbf_writer* writer) { EncodeNeighbor(neighbor, writer); });
  }
  return out;
}

}  // namespace sparkprof
