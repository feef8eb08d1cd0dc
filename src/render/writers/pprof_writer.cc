// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <protozero/pbf_writer.hpp>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/saturate.h"
#include "model/samples/profile.h"
#include "render/writers/gzip.h"
#include "render/writers/message_strings.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

// Calls `group(samples)` for the samples of each stack, thread and task: those of all events and times together.
template <typename Group>
void ForEachSampleGroup(const Profile& profile, Group&& group) {
  const auto key = [](const Sample& sample) { return std::tuple(sample.stack, sample.thread, sample.task); };
  std::vector<Sample> samples = profile.samples;
  std::stable_sort(samples.begin(), samples.end(), [&](const Sample& a, const Sample& b) { return key(a) < key(b); });
  for (size_t begin = 0; begin < samples.size();) {
    size_t end = begin + 1;
    while (end < samples.size() && key(samples[end]) == key(samples[begin])) ++end;
    group(std::span<const Sample>(samples).subspan(begin, end - begin));
    begin = end;
  }
}

std::string_view PprofUnit(std::string_view unit) { return unit == "ns" ? "nanoseconds" : unit; }

class PprofWriter {
 public:
  explicit PprofWriter(const Profile& profile) : profile_(profile), locations_(profile.frames.Size()) {}

  std::string Write(EventId default_event) {
    for (const ProfileEvent& event : profile_.events) {
      const bool alone = profile_.events.size() == 1;
      count_columns_.push_back(-1);
      if (event.unit != "count") {
        count_columns_.back() = static_cast<int>(columns_++);
        AddType(1, alone ? "samples" : fmt::format("{}_samples", event.name), "count");
      }
      weight_columns_.push_back(columns_++);
      AddType(1, event.name, PprofUnit(event.unit));
    }
    ForEachSampleGroup(profile_, [&](std::span<const Sample> group) { AddSample(group); });
    AddMapping();
    if (profile_.start_ns != kNoTime) message_.add_int64(9, profile_.start_ns);
    if (!profile_.events.empty()) message_.add_int64(14, strings_.Row(profile_.events[default_event].name));
    for (const std::string& text : strings_.All()) message_.add_string(6, text);
    return std::move(bytes_);
  }

 private:
  void AddType(protozero::pbf_tag_type tag, std::string_view name, std::string_view unit) {
    protozero::pbf_writer type(message_, tag);
    type.add_int64(1, strings_.Row(name));
    type.add_int64(2, strings_.Row(unit));
  }

  void AddMapping() {
    protozero::pbf_writer mapping(message_, 3);
    mapping.add_uint64(1, 1);
    mapping.add_int64(5, strings_.Row(profile_.name));
    for (const protozero::pbf_tag_type has : {7, 8, 9}) mapping.add_bool(has, true);
  }

  void AddSample(std::span<const Sample> group) {
    location_ids_.clear();
    for (StackId stack = group[0].stack; stack != 0; stack = profile_.stacks.Get(stack).parent) {
      location_ids_.push_back(Location(profile_.stacks.Get(stack).frame));
    }
    values_.assign(columns_, 0);
    for (const Sample& sample : group) {
      AddSaturated(sample.weight, &values_[weight_columns_[sample.event]]);
      if (const int column = count_columns_[sample.event]; column >= 0) {
        AddSaturated(sample.count, &values_[static_cast<size_t>(column)]);
      }
    }
    protozero::pbf_writer writer(message_, 2);
    writer.add_packed_uint64(1, location_ids_.begin(), location_ids_.end());
    writer.add_packed_int64(2, values_.begin(), values_.end());
    const ProfileThread& thread = profile_.threads[group[0].thread];
    if (!thread.name.empty()) AddLabel(&writer, "thread", thread.name);
    if (thread.tid != 0) AddLabel(&writer, "tid", thread.tid);
    if (thread.process != 0) AddLabel(&writer, "pid", thread.process);
    const ProfileTask& task = profile_.tasks[group[0].task];
    if (task.task >= 0) AddLabel(&writer, "task", task.task);
    if (task.stage >= 0) AddLabel(&writer, "stage", task.stage);
    if (task.stage_attempt >= 0) AddLabel(&writer, "stage_attempt", task.stage_attempt);
    if (task.partition >= 0) AddLabel(&writer, "partition", task.partition);
  }

  void AddLabel(protozero::pbf_writer* sample, std::string_view key, std::string_view text) {
    protozero::pbf_writer label(*sample, 3);
    label.add_int64(1, strings_.Row(key));
    label.add_int64(2, strings_.Row(text));
  }
  void AddLabel(protozero::pbf_writer* sample, std::string_view key, int64_t number) {
    protozero::pbf_writer label(*sample, 3);
    label.add_int64(1, strings_.Row(key));
    label.add_int64(3, number);
  }

  uint64_t Location(FrameId id) {
    if (locations_[id] != 0) return locations_[id];
    const Frame& frame = profile_.frames.Get(id);
    // All lines of a function share one entry.
    const auto [function, is_new] = functions_.emplace(uint64_t{frame.name} << 32 | frame.file, functions_.size() + 1);
    if (is_new) {
      protozero::pbf_writer writer(message_, 5);
      // Without a system name: pprof would demangle it, which corrupts "<module>" and "std::vector<int>::push_back".
      writer.add_uint64(1, function->second);
      writer.add_int64(2, strings_.Row(profile_.strings.Get(frame.name)));
      writer.add_int64(4, strings_.Row(profile_.strings.Get(frame.file)));
    }
    locations_[id] = ++location_count_;
    protozero::pbf_writer location(message_, 4);
    location.add_uint64(1, locations_[id]);
    location.add_uint64(2, 1);
    protozero::pbf_writer line(location, 4);
    line.add_uint64(1, function->second);
    if (frame.line != 0) line.add_int64(2, frame.line);
    return locations_[id];
  }

  const Profile& profile_;
  std::string bytes_;
  protozero::pbf_writer message_{bytes_};
  MessageStrings strings_;
  size_t columns_ = 0;
  std::vector<size_t> weight_columns_;  // by event
  std::vector<int> count_columns_;      // by event; -1 = none
  std::vector<uint64_t> locations_;     // by FrameId; 0 = not written yet
  uint64_t location_count_ = 0;
  std::unordered_map<uint64_t, uint64_t> functions_;  // by name and file
  std::vector<uint64_t> location_ids_;
  std::vector<int64_t> values_;
};

}  // namespace

void WritePprof(const Profile& profile, EventId default_event, OutputFile* output) {
  output->Append(Gzip(PprofWriter(profile).Write(default_event)));
}

}  // namespace sparkprof
