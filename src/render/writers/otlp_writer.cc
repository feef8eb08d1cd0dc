// SPDX-License-Identifier: Apache-2.0
#include <protozero/pbf_writer.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text/text.h"
#include "render/writers/message_strings.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

std::string_view FrameType(FrameKind kind) {
  switch (kind) {
    case FrameKind::kJit:
    case FrameKind::kInterpreted:
    case FrameKind::kInlined:
      return "jvm";
    case FrameKind::kNative:
      return "native";
    case FrameKind::kKernel:
      return "kernel";
    case FrameKind::kPython:
      return "cpython";
    default:
      return {};
  }
}

std::string_view OtlpUnit(std::string_view unit) { return unit == "ns" ? "nanoseconds" : unit; }

class OtlpWriter {
 public:
  explicit OtlpWriter(const Profile& profile)
      : profile_(profile), locations_(profile.frames.Size()), stacks_(profile.stacks.Size()) {
    // The first row of each table is the empty value.
    for (const protozero::pbf_tag_type table : {1, 2, 3, 4, 6, 7}) dictionary_.add_message(table, std::string());
  }

  std::string Write() {
    std::string profiles;
    for (EventId event = 0; event < profile_.EventCount(); ++event) {
      protozero::pbf_writer(profiles).add_message(2, ProfileOf(event));
    }
    std::string scope;
    protozero::pbf_writer(scope).add_string(1, "sparkprof");
    std::string scope_profiles;
    protozero::pbf_writer(scope_profiles).add_message(1, scope);
    scope_profiles += profiles;
    std::string resource_profiles;
    protozero::pbf_writer(resource_profiles).add_message(1, Resource());
    protozero::pbf_writer(resource_profiles).add_message(2, scope_profiles);
    for (const std::string& text : strings_.All()) dictionary_.add_string(5, text);
    std::string data;
    protozero::pbf_writer writer(data);
    writer.add_message(1, resource_profiles);
    writer.add_message(2, dictionary_bytes_);
    return data;
  }

 private:
  std::string Resource() const {
    std::string value, attribute, resource;
    protozero::pbf_writer(value).add_string(1, ToUtf8(profile_.name));
    protozero::pbf_writer writer(attribute);
    writer.add_string(1, "service.name");
    writer.add_message(2, value);
    protozero::pbf_writer(resource).add_message(1, attribute);
    return resource;
  }

  std::string ProfileOf(EventId event) {
    std::string type;
    protozero::pbf_writer type_writer(type);
    type_writer.add_int32(1, strings_.Row(profile_.events[event].name));
    type_writer.add_int32(2, strings_.Row(OtlpUnit(profile_.events[event].unit)));
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_message(1, type);
    for (const Sample& sample : profile_.samples) {
      if (sample.event == event) writer.add_message(2, SampleOf(sample));
    }
    if (profile_.start_ns != kNoTime && profile_.start_ns > 0) {
      writer.add_fixed64(3, static_cast<uint64_t>(profile_.start_ns));
    }
    return bytes;
  }

  std::string SampleOf(const Sample& sample) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_int32(1, Stack(sample.stack));
    std::vector<int32_t> attributes;
    const ProfileThread& thread = profile_.threads[sample.thread];
    if (!thread.name.empty()) attributes.push_back(Attribute("thread.name", thread.name, 0));
    if (thread.tid != 0) attributes.push_back(Attribute("thread.id", {}, thread.tid));
    if (thread.process != 0) attributes.push_back(Attribute("process.pid", {}, thread.process));
    writer.add_packed_int32(2, attributes.begin(), attributes.end());
    writer.add_packed_int64(4, &sample.weight, &sample.weight + 1);
    return bytes;
  }

  int32_t Stack(StackId id) {
    if (id == 0 || stacks_[id] != 0) return stacks_[id];
    std::vector<int32_t> locations;
    for (StackId stack = id; stack != 0; stack = profile_.stacks.Get(stack).parent) {
      locations.push_back(Location(profile_.stacks.Get(stack).frame));
    }
    std::string bytes;
    protozero::pbf_writer(bytes).add_packed_int32(1, locations.begin(), locations.end());
    dictionary_.add_message(7, bytes);
    return stacks_[id] = ++stack_count_;
  }

  int32_t Location(FrameId id) {
    if (locations_[id] != 0) return locations_[id];
    const Frame& frame = profile_.frames.Get(id);
    const auto [function, is_new] =
        functions_.emplace(uint64_t{frame.name} << 32 | frame.file, static_cast<int32_t>(functions_.size()) + 1);
    if (is_new) {
      std::string bytes;
      protozero::pbf_writer writer(bytes);
      writer.add_int32(1, strings_.Row(profile_.strings.Get(frame.name)));
      writer.add_int32(3, strings_.Row(profile_.strings.Get(frame.file)));
      dictionary_.add_message(3, bytes);
    }
    std::string line;
    protozero::pbf_writer line_writer(line);
    line_writer.add_int32(1, function->second);
    if (frame.line != 0) line_writer.add_int64(2, frame.line);
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_message(3, line);
    if (const std::string_view type = FrameType(frame.kind); !type.empty()) {
      const int32_t attribute = Attribute("profile.frame.type", type, 0);
      writer.add_packed_int32(4, &attribute, &attribute + 1);
    }
    dictionary_.add_message(2, bytes);
    return locations_[id] = ++location_count_;
  }

  // Adds a text, or a number if the text is empty.
  int32_t Attribute(std::string_view key, std::string_view text, int64_t number) {
    std::string value;
    if (text.empty()) {
      protozero::pbf_writer(value).add_int64(3, number);
    } else {
      protozero::pbf_writer(value).add_string(1, ToUtf8(text));
    }
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_int32(1, strings_.Row(key));
    writer.add_message(2, value);
    const auto [entry, is_new] = attributes_.emplace(bytes, static_cast<int32_t>(attributes_.size()) + 1);
    if (is_new) dictionary_.add_message(6, bytes);
    return entry->second;
  }

  const Profile& profile_;
  std::string dictionary_bytes_;
  protozero::pbf_writer dictionary_{dictionary_bytes_};
  MessageStrings strings_;
  std::vector<int32_t> locations_;  // by FrameId; 0 = not written yet
  std::vector<int32_t> stacks_;     // by StackId; 0 = not written yet
  int32_t location_count_ = 0, stack_count_ = 0;
  std::unordered_map<uint64_t, int32_t> functions_;      // by name and file
  std::unordered_map<std::string, int32_t> attributes_;  // by serialized bytes
};

}  // namespace

void WriteOtlp(const Profile& profile, OutputFile* output) { output->Append(OtlpWriter(profile).Write()); }

}  // namespace sparkprof
