// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/saturate.h"
#include "formats/otlp/otlp_dictionary.h"
#include "formats/otlp/otlp_messages.h"
#include "formats/protobuf_profile.h"
#include "formats/value_unit.h"

namespace sparkprof {
namespace {

constexpr std::string_view kProcessId = "process.pid";

FrameKind KindOfOtlpType(std::string_view type) {
  if (type == "jvm") return FrameKind::kJit;
  if (type == "cpython") return FrameKind::kPython;
  if (type == "native") return FrameKind::kNative;
  if (type == "kernel") return FrameKind::kKernel;
  return FrameKind::kUnknown;
}

// "java.lang.Object.equals" of "boolean java.lang.Object.equals(java.lang.Object)", as OpenTelemetry's eBPF profiler
// names methods.
std::string_view WithoutSignature(std::string_view method) {
  const size_t arguments = method.find('(');
  if (arguments == std::string_view::npos) return method;
  method = method.substr(0, arguments);
  return method.substr(method.rfind(' ') + 1);
}

class OtlpProfilesReader {
 public:
  // The bytes start at `offset` of the input.
  OtlpProfilesReader(std::string_view bytes, size_t offset, ProfileBuilder* builder)
      : bytes_(bytes), offset_(offset), builder_(builder), allowance_(bytes.size()) {}

  Result<void> Read() {
    Result<void> outcome = Damage([&] { ReadDictionary(); });
    if (!outcome) return outcome;
    if (!has_dictionary_) {
      return builder_->Damaged(
          fmt::format("offset {}: expected OTLP profiles of {}, found no dictionary", offset_, kOtlpProfilesVersion));
    }
    frames_of_.resize(dictionary_.locations.size());
    stack_of_.resize(dictionary_.stacks.size());
    outcome = Damage([&] { ReadProfiles(); });
    if (Result<void> fits = allowance_.Check(builder_); !fits) return fits;
    return outcome;
  }

 private:
  template <typename Reading>
  Result<void> Damage(Reading&& read) {
    try {
      read();
      return {};
    } catch (const protozero::exception& error) {
      return builder_->Damaged(fmt::format("offset {}: expected the next field of OTLP profiles of {}, found {}",
                                           offset_ + position_, kOtlpProfilesVersion, FoundInstead(error)));
    }
  }

  void ReadDictionary() {
    MessageReader data{protozero::data_view(bytes_.data(), bytes_.size())};
    while (data.next()) {
      if (data.tag() == 2) {
        has_dictionary_ = true;
        dictionary_.Read(data.get_message());
      } else {
        data.skip();
      }
      position_ = bytes_.size() - data.length();
    }
    position_ = 0;
  }

  void ReadProfiles() {
    MessageReader data{protozero::data_view(bytes_.data(), bytes_.size())};
    while (data.next()) {
      if (data.tag() == 1) {
        const MessageReader profiles = data.get_message();
        process_ = ProcessOf(profiles);
        ForEachField(profiles, [&](MessageReader& resource) {
          if (resource.tag() == 2) {
            ForEachField(resource.get_message(), [&](MessageReader& scope) {
              if (scope.tag() == 2) {
                ReadProfile(scope.get_message());
              } else {
                scope.skip();
              }
            });
          } else {
            resource.skip();
          }
        });
      } else {
        data.skip();
      }
      position_ = bytes_.size() - data.length();
    }
  }

  // The ID of the process that the resource of these profiles describes; 0 if it describes none.
  int64_t ProcessOf(const MessageReader& profiles) const {
    int64_t process = 0;
    ForEachField(profiles, [&](MessageReader& field) {
      if (field.tag() != 1) return field.skip();
      ForEachField(field.get_message(), [&](MessageReader& resource) {
        if (resource.tag() != 1) return resource.skip();
        std::string_view key;
        int64_t number = 0;
        ForEachField(resource.get_message(), [&](MessageReader& attribute) {
          if (attribute.tag() == 1) {
            const protozero::data_view text = attribute.get_view();
            key = {text.data(), text.size()};
          } else if (attribute.tag() == 2) {
            ForEachField(attribute.get_message(), [&](MessageReader& value) {
              if (value.tag() != 3) return value.skip();
              number = value.get_int64();
            });
          } else if (attribute.tag() == 3) {
            key = dictionary_.Text(attribute.get_uint64());
          } else {
            attribute.skip();
          }
        });
        if (key == kProcessId) process = number;
      });
    });
    return process;
  }

  void ReadProfile(const MessageReader& message) {
    ValueType type, period_type;
    uint64_t start = 0;
    int64_t period = 0;
    ForEachField(message, [&](MessageReader& field) {
      if (field.tag() == 1) {
        type = TypeOf(field.get_message());
      } else if (field.tag() == 5 && field.wire_type() == protozero::pbf_wire_type::length_delimited) {
        period_type = TypeOf(field.get_message());
      } else if (field.tag() == 6 && field.wire_type() == protozero::pbf_wire_type::varint) {
        period = field.get_int64();
      } else if (field.tag() == 3 && field.wire_type() == protozero::pbf_wire_type::fixed64) {
        start = field.get_fixed64();
      } else {
        field.skip();
      }
    });
    ValueUnit known = UnitOf(type.unit);
    std::string_view event_name = type.name.empty() ? "samples" : type.name;
    // Samples with a period of time weigh that period.
    const ValueUnit of_period = UnitOf(period_type.unit);
    const bool has_period = event_name == "samples" && known.name == "count" && of_period.name == "ns" && period > 0 &&
                            !period_type.name.empty();
    int64_t period_ns = 0;
    if (has_period && !__builtin_mul_overflow(period, of_period.scale, &period_ns)) {
      known = {"ns", period_ns};
      event_name = period_type.name;
    }
    const EventId event = builder_->AddEvent(event_name, known.name);
    if (start != 0 && start < INT64_MAX && builder_->options().bucket_ns != 0) {
      int64_t& first = builder_->profile().start_ns;
      first = first == kNoTime ? static_cast<int64_t>(start) : std::min(first, static_cast<int64_t>(start));
    }
    ForEachField(message, [&](MessageReader& field) {
      if (field.tag() == 2) {
        ReadSample(field.get_message(), event, known, period_ns > 0);
      } else {
        field.skip();
      }
    });
  }

  struct ValueType {
    std::string_view name, unit;
  };
  ValueType TypeOf(const MessageReader& message) const {
    uint64_t name = 0, unit = 0;
    ReadIntegers(message, {{1, &name}, {2, &unit}});
    return {dictionary_.Text(name), dictionary_.Text(unit)};
  }

  // `are_counts`: the values count samples, each of which weighs the unit's scale.
  void ReadSample(const MessageReader& message, EventId event, const ValueUnit& unit, bool are_counts) {
    Sample sample{.event = event};
    ProfileThread thread;
    thread.process = process_;
    values_.clear();
    times_.clear();
    uint64_t stack = 0;
    ForEachField(message, [&](MessageReader& field) {
      switch (field.tag()) {
        case 1:
          stack = field.get_uint64();
          break;
        case 2:
          ReadNumbers(&field, [&](uint64_t id) { AddTo(&thread, id); });
          break;
        case 4:
          ReadNumbers(&field, [&](uint64_t value) { values_.push_back(static_cast<int64_t>(value)); });
          break;
        case 5:
          if (field.wire_type() == protozero::pbf_wire_type::length_delimited) {
            for (const uint64_t nanos : field.get_packed_fixed64()) times_.push_back(ToTime(nanos));
          } else {
            times_.push_back(ToTime(field.get_fixed64()));
          }
          break;
        default:
          field.skip();
      }
    });
    sample.stack = Stack(stack);
    sample.thread = builder_->AddThread(thread);
    // Values and times go together one to one; where one of them is missing it is one sample for each of the other.
    const size_t count = std::max(values_.size(), times_.size());
    for (size_t i = 0; i < count; ++i) {
      const int64_t value = i < values_.size() ? values_[i] : values_.empty() ? 1 : 0;
      sample.time_ns = i < times_.size() ? times_[i] : kNoTime;
      sample.weight = MultiplySaturated(value, unit.scale);
      sample.count = are_counts ? value : unit.name == "count" ? sample.weight : 1;
      if (value != 0) builder_->Add(sample);
    }
  }

  static int64_t ToTime(uint64_t nanos) { return nanos > INT64_MAX ? kNoTime : static_cast<int64_t>(nanos); }

  void AddTo(ProfileThread* thread, uint64_t id) const {
    if (id >= dictionary_.attributes.size()) return;
    const OtlpAttribute& attribute = dictionary_.attributes[id];
    const std::string_view key = dictionary_.Text(attribute.key);
    if (key == "thread.name") {
      thread->name = std::string(dictionary_.TextOf(attribute));
    } else if (key == "thread.id") {
      thread->tid = attribute.number;
    } else if (key == kProcessId) {
      thread->process = attribute.number;
    }
  }

  StackId Stack(uint64_t row) {
    if (row >= dictionary_.stacks.size()) return 0;
    std::optional<StackId>& known = stack_of_[row];
    if (!known) {
      StackId stack = 0;
      for (size_t i = dictionary_.stacks[row].size(); i > 0; --i) {
        const std::vector<FrameId>& frames = FramesOf(dictionary_.stacks[row][i - 1]);
        if (!allowance_.Take(frames.size())) return 0;
        for (const FrameId frame : frames) stack = builder_->profile().stacks.Push(stack, frame);
      }
      known = stack;
    }
    return *known;
  }

  const std::vector<FrameId>& FramesOf(uint64_t row) {
    static const std::vector<FrameId> kNone;
    if (row >= dictionary_.locations.size()) return kNone;
    std::vector<FrameId>& frames = frames_of_[row];
    if (!frames.empty()) return frames;
    const OtlpLocation& location = dictionary_.locations[row];
    FrameKind kind = FrameKind::kUnknown;
    for (const uint64_t id : location.attributes) {
      if (id < dictionary_.attributes.size() &&
          dictionary_.Text(dictionary_.attributes[id].key) == "profile.frame.type")
        kind = KindOfOtlpType(dictionary_.TextOf(dictionary_.attributes[id]));
    }
    for (size_t i = location.lines.size(); i > 0; --i) {
      const OtlpLine& line = location.lines[i - 1];
      if (line.function >= dictionary_.functions.size()) continue;
      const OtlpFunction& function = dictionary_.functions[line.function];
      const std::string_view name = dictionary_.Text(function.name);
      frames.push_back(builder_->AddFrame(kind == FrameKind::kJit ? WithoutSignature(name) : name, kind,
                                          dictionary_.Text(function.file), static_cast<int64_t>(line.line)));
    }
    if (frames.empty()) {
      const std::string_view file = location.mapping < dictionary_.mappings.size()
                                        ? dictionary_.Text(dictionary_.mappings[location.mapping])
                                        : "";
      frames.push_back(builder_->AddFrame(
          fmt::format("{}+{:#x}", file.empty() ? "[unknown]" : file.substr(file.rfind('/') + 1), location.address),
          FrameKind::kNative));
    }
    return frames;
  }

  std::string_view bytes_;
  const size_t offset_;
  ProfileBuilder* builder_;
  FrameAllowance allowance_;
  size_t position_ = 0;
  bool has_dictionary_ = false;
  OtlpDictionary dictionary_;
  std::vector<std::vector<FrameId>> frames_of_;   // by location, callers first
  std::vector<std::optional<StackId>> stack_of_;  // by stack
  int64_t process_ = 0;                           // for samples without a process
  std::vector<int64_t> values_;
  std::vector<int64_t> times_;
};

}  // namespace

Result<void> ReadOtlpProfiles(std::string_view message, size_t offset, ProfileBuilder* builder) {
  return OtlpProfilesReader(message, offset, builder).Read();
}

}  // namespace sparkprof
