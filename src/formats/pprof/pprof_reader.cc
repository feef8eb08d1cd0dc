// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/saturate.h"
#include "formats/protobuf_profile.h"
#include "formats/read_input.h"
#include "formats/readers.h"
#include "formats/value_unit.h"
#include "model/segment/message_reader.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxPprofSize = size_t{2} << 30;

struct SampleType {
  uint64_t name = 0, unit = 0;  // strings
};

struct PprofLocation {
  std::vector<std::pair<uint64_t, int64_t>> lines;  // function and line, leaf first
  uint64_t address = 0;
  uint64_t mapping = 0;
};

struct PprofFunction {
  uint64_t name = 0, file = 0;
};

struct SampleColumn {
  std::optional<EventId> event;
  int64_t scale = 1;
  std::optional<size_t> count_column;
  bool only_counts = false;  // counts the samples of the next column
  bool has_samples = false;
};

// pprof: one protobuf message perftools.profiles.Profile (google/pprof, proto/profile.proto), decompressed. Each sample
// type becomes an event in ns, bytes or a count, except that a type "samples" (or "NAME_samples") before a type NAME
// with a unit has the sample counts of NAME. The default is the profile's own, else the last, as in Go's pprof; if it
// has no samples, the first that has. Values may be negative, as in differences. Threads come from the labels "thread"
// and "tid" ("thread id"), tasks from "task" and "stage". Fields may be in any order.
class PprofReader {
 public:
  PprofReader(std::string_view bytes, ProfileBuilder* builder)
      : bytes_(bytes), builder_(builder), allowance_(bytes.size()) {}

  Result<void> Read() {
    // Samples refer to tables that may follow them. Of a damaged message, the part before the damage is read.
    Result<void> outcome = Damage(&PprofReader::ReadTables);
    if (!outcome) return outcome;
    AddEvents();
    if (columns_.empty()) return builder_->Damaged("offset 0: expected a pprof profile with sample types, found none");
    outcome = Damage(&PprofReader::ReadSamples);
    ChooseDefault();
    if (Result<void> fits = allowance_.Check(builder_); !fits) return fits;
    return outcome;
  }

 private:
  Result<void> Damage(void (PprofReader::*read)()) {
    try {
      (this->*read)();
      return {};
    } catch (const protozero::exception& error) {
      return builder_->Damaged(
          fmt::format("offset {}: expected a pprof profile's next field, found {}", position_, FoundInstead(error)));
    }
  }

  template <typename OnField>
  void ForEachField(OnField&& on_field) {
    MessageReader message{protozero::data_view(bytes_.data(), bytes_.size())};
    while (message.next()) {
      on_field(message);
      position_ = bytes_.size() - message.length();
    }
  }

  void ReadTables() {
    ForEachField([&](MessageReader& message) {
      switch (message.tag()) {
        case 1:
          types_.push_back(ReadType(message.get_message()));
          break;
        case 3: {
          uint64_t id = 0, file = 0;
          ReadIntegers(message.get_message(), {{1, &id}, {5, &file}});
          mappings_[id] = file;
          break;
        }
        case 4:
          ReadLocation(message.get_message());
          break;
        case 5:
          ReadFunction(message.get_message());
          break;
        case 6: {
          const protozero::data_view text = message.get_view();
          strings_.emplace_back(text.data(), text.size());
          break;
        }
        case 9:
          if (const int64_t time = message.get_int64(); time > 0) time_ns_ = time;
          break;
        case 14:
          default_type_ = message.get_uint64();
          break;
        default:
          message.skip();
      }
    });
  }

  static SampleType ReadType(MessageReader message) {
    SampleType type;
    ReadIntegers(message, {{1, &type.name}, {2, &type.unit}});
    return type;
  }

  void ReadLocation(MessageReader message) {
    uint64_t id = 0;
    PprofLocation location;
    ReadFields(&message, id, location.mapping, location.address, [&] {
      uint64_t function = 0, number = 0;
      ReadIntegers(message.get_message(), {{1, &function}, {2, &number}});
      location.lines.emplace_back(function, static_cast<int64_t>(number));
    });
    locations_[id] = std::move(location);
  }

  void ReadFunction(MessageReader message) {
    uint64_t id = 0;
    PprofFunction function;
    ReadIntegers(message, {{1, &id}, {2, &function.name}, {4, &function.file}});
    functions_[id] = function;
  }

  std::string_view Text(uint64_t row) const { return row < strings_.size() ? strings_[row] : std::string_view(); }

  void AddEvents() {
    for (size_t i = 0; i < types_.size(); ++i) {
      const std::string_view name = Text(types_[i].name);
      const ValueUnit unit = UnitOf(Text(types_[i].unit));
      SampleColumn column;
      column.scale = unit.scale;
      if (unit.name == "count" && i + 1 < types_.size() && UnitOf(Text(types_[i + 1].unit)).name != "count" &&
          (name == "samples" || name == fmt::format("{}_samples", Text(types_[i + 1].name)))) {
        column.only_counts = true;
      } else {
        column.event = builder_->AddEvent(name.empty() ? "samples" : name, unit.name);
        if (i > 0 && columns_.back().only_counts) {
          column.count_column = i - 1;
          builder_->profile().events[*column.event].counts_as = Text(types_[i - 1].name);
        }
        // Its own counts are samples only where it counts them; others are an event of their own.
        builder_->profile().events[*column.event].has_counts =
            unit.name == "count" && (name.empty() || name == "samples");
      }
      columns_.push_back(column);
    }
    if (builder_->options().bucket_ns != 0 && time_ns_) builder_->profile().start_ns = *time_ns_;
  }

  void ChooseDefault() {
    const SampleColumn* chosen = nullptr;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].event) continue;
      chosen = &columns_[i];
      if (default_type_ != 0 && types_[i].name == default_type_) break;
    }
    if (chosen == nullptr) return;
    if (!chosen->has_samples) {
      const auto found =
          std::find_if(columns_.begin(), columns_.end(), [](const SampleColumn& one) { return one.has_samples; });
      if (found != columns_.end()) chosen = &*found;
    }
    builder_->profile().default_event = *chosen->event;
  }

  void ReadSamples() {
    ForEachField([&](MessageReader& message) {
      if (message.tag() == 2) {
        ReadSample(message.get_message());
      } else {
        message.skip();
      }
    });
  }

  void ReadSample(MessageReader message) {
    location_ids_.clear();
    values_.clear();
    ProfileThread thread;
    ProfileTask task;
    ReadFields(
        &message, [&] { ReadNumbers(&message, [&](uint64_t id) { location_ids_.push_back(id); }); },
        [&] { ReadNumbers(&message, [&](uint64_t value) { values_.push_back(static_cast<int64_t>(value)); }); },
        [&] { ReadLabel(message.get_message(), &thread, &task); });
    Sample sample;
    sample.stack = Stack();
    sample.thread = builder_->AddThread(thread);
    sample.task = builder_->AddTask(task);
    if (time_ns_) sample.time_ns = *time_ns_;
    for (size_t i = 0; i < columns_.size() && i < values_.size(); ++i) {
      SampleColumn& column = columns_[i];
      if (!column.event || (values_[i] == 0 && (!column.count_column || values_[*column.count_column] == 0))) continue;
      column.has_samples = true;
      sample.event = *column.event;
      sample.weight = MultiplySaturated(values_[i], column.scale);
      sample.count = column.count_column ? values_[*column.count_column]
                     : column.scale == 1 && builder_->profile().events[*column.event].unit == "count" ? sample.weight
                                                                                                      : 1;
      builder_->Add(sample);
    }
  }

  void ReadLabel(MessageReader message, ProfileThread* thread, ProfileTask* task) const {
    uint64_t key_row = 0, text_row = 0, value = 0;
    ReadIntegers(message, {{1, &key_row}, {2, &text_row}, {3, &value}});
    const std::string_view key = Text(key_row), text = Text(text_row);
    const auto number = static_cast<int64_t>(value);
    if (key == "thread" || key == "thread_name") {
      thread->name = std::string(text);
    } else if (key == "tid" || key == "thread id" || key == "thread_id") {
      thread->tid = number;
    } else if (key == "pid" || key == "process_id") {
      thread->process = number;
    } else if (key == "task") {
      task->task = number;
    } else if (key == "stage") {
      task->stage = number;
    } else if (key == "stage_attempt") {
      task->stage_attempt = number;
    } else if (key == "partition") {
      task->partition = number;
    }
  }

  StackId Stack() {
    StackId stack = 0;
    for (size_t i = location_ids_.size(); i > 0; --i) {
      const std::vector<FrameId>& frames = FramesOf(location_ids_[i - 1]);
      if (!allowance_.Take(frames.size())) return 0;
      for (const FrameId frame : frames) stack = builder_->profile().stacks.Push(stack, frame);
    }
    return stack;
  }

  // A location's frames, callers first: where calls were inlined it has several lines.
  const std::vector<FrameId>& FramesOf(uint64_t id) {
    std::vector<FrameId>& frames = frames_[id];
    if (!frames.empty()) return frames;
    const auto found = locations_.find(id);
    if (found != locations_.end()) {
      const PprofLocation& location = found->second;
      for (size_t i = location.lines.size(); i > 0; --i) {
        const auto& [function_id, line] = location.lines[i - 1];
        const auto function = functions_.find(function_id);
        if (function == functions_.end()) continue;
        frames.push_back(
            builder_->AddFrame(Text(function->second.name), FrameKind::kUnknown, Text(function->second.file), line));
      }
      if (frames.empty()) {
        const auto mapping = mappings_.find(location.mapping);
        const std::string_view file = mapping == mappings_.end() ? std::string_view() : Text(mapping->second);
        frames.push_back(AddAddressFrame(file, location.address, builder_));
      }
    }
    if (frames.empty()) frames.push_back(builder_->AddFrame("[unknown]"));
    return frames;
  }

  std::string_view bytes_;
  ProfileBuilder* builder_;
  FrameAllowance allowance_;
  size_t position_ = 0;
  std::vector<SampleType> types_;
  std::vector<SampleColumn> columns_;
  std::vector<std::string_view> strings_;
  std::unordered_map<uint64_t, PprofLocation> locations_;
  std::unordered_map<uint64_t, PprofFunction> functions_;
  std::unordered_map<uint64_t, uint64_t> mappings_;            // file names
  std::unordered_map<uint64_t, std::vector<FrameId>> frames_;  // by location
  std::optional<int64_t> time_ns_;
  uint64_t default_type_ = 0;
  std::vector<uint64_t> location_ids_;
  std::vector<int64_t> values_;
};

}  // namespace

Result<void> ReadPprof(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  const Result<std::string> bytes = ReadWhole(source.get(), kMaxPprofSize, builder);
  return bytes ? PprofReader(*bytes, builder).Read() : tl::unexpected(bytes.error());
}

}  // namespace sparkprof
