// SPDX-License-Identifier: Apache-2.0
#include "formats/otlp/otlp_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/compression.h"
#include "base/json_parser.h"
#include "base/lines.h"
#include "base/text.h"
#include "formats/frame_allowance.h"
#include "formats/json/json_document.h"
#include "formats/otlp/otlp_json.h"
#include "formats/otlp/otlp_messages.h"
#include "formats/protobuf_damage.h"
#include "formats/value_unit.h"
#include "model/default_event.h"
#include "model/message_reader.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxOtlpSize = size_t{2} << 30;
constexpr size_t kMaxMessageSize = size_t{256} << 20;  // of a compressed message

struct Line {
  uint64_t function = 0;
  int64_t line = 0;
};

struct OtlpLocation {
  uint64_t mapping = 0;
  uint64_t address = 0;
  std::vector<Line> lines;  // leaf first
  std::vector<uint64_t> attributes;
};

struct OtlpFunction {
  uint64_t name = 0, file = 0;
};

struct Attribute {
  uint64_t key = 0;
  std::string_view text;
  uint64_t text_row = 0;  // instead of `text`, if not 0
  int64_t number = 0;
};

FrameKind KindOfOtlpType(std::string_view type) {
  if (type == "jvm") return FrameKind::kJit;
  if (type == "cpython") return FrameKind::kPython;
  if (type == "native") return FrameKind::kNative;
  if (type == "kernel") return FrameKind::kKernel;
  return FrameKind::kUnknown;
}

// A repeated number is packed or not.
template <typename Add>
void ReadNumbers(MessageReader* message, Add&& add) {
  if (message->wire_type() == protozero::pbf_wire_type::length_delimited) {
    for (const uint64_t number : message->get_packed_uint64()) add(number);
  } else {
    add(message->get_uint64());
  }
}

class OtlpReader {
 public:
  // The bytes start at `offset` of the input.
  OtlpReader(std::string_view bytes, size_t offset, ProfileBuilder* builder)
      : bytes_(bytes), offset_(offset), builder_(builder), allowance_(bytes.size()) {}

  Result<void> Read() {
    Result<void> outcome = Damage([&] { ReadDictionary(); });
    if (!outcome) return outcome;
    if (!has_dictionary_) {
      return builder_->Damaged(
          fmt::format("offset {}: expected OTLP profiles of {}, found no dictionary", offset_, kOtlpProfilesVersion));
    }
    frames_of_.resize(locations_.size());
    stack_of_.resize(stacks_.size());
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

  // Calls on_field(message) for each field; it reads or skips it.
  template <typename OnField>
  static void ForEach(MessageReader message, OnField&& on_field) {
    while (message.next()) on_field(message);
  }

  void ReadDictionary() {
    MessageReader data{protozero::data_view(bytes_.data(), bytes_.size())};
    while (data.next()) {
      if (data.tag() == 2) {
        has_dictionary_ = true;
        ForEach(data.get_message(), [&](MessageReader& field) { ReadTable(field); });
      } else {
        data.skip();
      }
      position_ = bytes_.size() - data.length();
    }
    position_ = 0;
  }

  void ReadTable(MessageReader& field) {
    switch (field.tag()) {
      case 1: {
        uint64_t file = 0;
        ForEach(field.get_message(), [&](MessageReader& mapping) {
          if (mapping.tag() == 4) {
            file = mapping.get_uint64();
          } else {
            mapping.skip();
          }
        });
        mappings_.push_back(file);
        break;
      }
      case 2:
        ReadLocation(field.get_message());
        break;
      case 3: {
        OtlpFunction function;
        ForEach(field.get_message(), [&](MessageReader& part) {
          if (part.tag() == 1) {
            function.name = part.get_uint64();
          } else if (part.tag() == 3) {
            function.file = part.get_uint64();
          } else {
            part.skip();
          }
        });
        functions_.push_back(function);
        break;
      }
      case 5: {
        const protozero::data_view text = field.get_view();
        strings_.emplace_back(text.data(), text.size());
        break;
      }
      case 6:
        ReadAttribute(field.get_message());
        break;
      case 7: {
        std::vector<uint64_t> locations;
        ForEach(field.get_message(), [&](MessageReader& part) {
          if (part.tag() == 1) {
            ReadNumbers(&part, [&](uint64_t id) { locations.push_back(id); });
          } else {
            part.skip();
          }
        });
        stacks_.push_back(std::move(locations));
        break;
      }
      default:
        field.skip();
    }
  }

  void ReadLocation(MessageReader message) {
    OtlpLocation location;
    ForEach(message, [&](MessageReader& part) {
      switch (part.tag()) {
        case 1:
          location.mapping = part.get_uint64();
          break;
        case 2:
          location.address = part.get_uint64();
          break;
        case 3: {
          Line line;
          ForEach(part.get_message(), [&](MessageReader& of_line) {
            if (of_line.tag() == 1) {
              line.function = of_line.get_uint64();
            } else if (of_line.tag() == 2) {
              line.line = of_line.get_int64();
            } else {
              of_line.skip();
            }
          });
          location.lines.push_back(line);
          break;
        }
        case 4:
          ReadNumbers(&part, [&](uint64_t id) { location.attributes.push_back(id); });
          break;
        default:
          part.skip();
      }
    });
    locations_.push_back(std::move(location));
  }

  void ReadAttribute(MessageReader message) {
    Attribute attribute;
    ForEach(message, [&](MessageReader& part) {
      if (part.tag() == 1) {
        attribute.key = part.get_uint64();
      } else if (part.tag() == 2) {
        ForEach(part.get_message(), [&](MessageReader& value) {
          if (value.tag() == 1) {
            const protozero::data_view text = value.get_view();
            attribute.text = {text.data(), text.size()};
          } else if (value.tag() == 3) {
            attribute.number = value.get_int64();
          } else if (value.tag() == 8) {
            attribute.text_row = value.get_uint64();
          } else {
            value.skip();
          }
        });
      } else {
        part.skip();
      }
    });
    attributes_.push_back(attribute);
  }

  void ReadProfiles() {
    MessageReader data{protozero::data_view(bytes_.data(), bytes_.size())};
    while (data.next()) {
      if (data.tag() == 1) {
        ForEach(data.get_message(), [&](MessageReader& resource) {
          if (resource.tag() == 2) {
            ForEach(resource.get_message(), [&](MessageReader& scope) {
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

  void ReadProfile(const MessageReader& message) {
    uint64_t name = 0, unit = 0, start = 0;
    ForEach(message, [&](MessageReader& field) {
      if (field.tag() == 1) {
        ForEach(field.get_message(), [&](MessageReader& type) {
          if (type.tag() == 1) {
            name = type.get_uint64();
          } else if (type.tag() == 2) {
            unit = type.get_uint64();
          } else {
            type.skip();
          }
        });
      } else if (field.tag() == 3 && field.wire_type() == protozero::pbf_wire_type::fixed64) {
        start = field.get_fixed64();
      } else {
        field.skip();
      }
    });
    const ValueUnit known = UnitOf(Text(unit));
    const std::string_view event_name = Text(name);
    const EventId event = builder_->AddEvent(event_name.empty() ? "samples" : event_name, known.name);
    if (start != 0 && start < INT64_MAX && builder_->options().bucket_ns != 0) {
      int64_t& first = builder_->profile().start_ns;
      first = first == kNoTime ? static_cast<int64_t>(start) : std::min(first, static_cast<int64_t>(start));
    }
    ForEach(message, [&](MessageReader& field) {
      if (field.tag() == 2) {
        ReadSample(field.get_message(), event, known);
      } else {
        field.skip();
      }
    });
  }

  void ReadSample(MessageReader message, EventId event, const ValueUnit& unit) {
    Sample sample{.event = event};
    ProfileThread thread;
    values_.clear();
    times_.clear();
    uint64_t stack = 0;
    ForEach(message, [&](MessageReader& field) {
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
            const protozero::data_view packed = field.get_view();
            MessageTimes(packed);
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
      if (__builtin_mul_overflow(value, unit.scale, &sample.weight)) sample.weight = INT64_MAX;
      sample.count = unit.name == "count" ? sample.weight : 1;
      if (value != 0) builder_->Add(sample);
    }
  }

  static int64_t ToTime(uint64_t nanos) { return nanos > INT64_MAX ? kNoTime : static_cast<int64_t>(nanos); }

  void MessageTimes(protozero::data_view packed) {
    for (size_t at = 0; at + 8 <= packed.size(); at += 8) {
      uint64_t nanos = 0;
      for (size_t byte = 0; byte < 8; ++byte) {
        nanos |= uint64_t{static_cast<unsigned char>(packed.data()[at + byte])} << (8 * byte);
      }
      times_.push_back(ToTime(nanos));
    }
  }

  void AddTo(ProfileThread* thread, uint64_t id) const {
    if (id >= attributes_.size()) return;
    const Attribute& attribute = attributes_[id];
    const std::string_view key = Text(attribute.key);
    if (key == "thread.name") {
      thread->name = std::string(TextOf(attribute));
    } else if (key == "thread.id") {
      thread->tid = attribute.number;
    } else if (key == "process.pid") {
      thread->process = attribute.number;
    }
  }

  std::string_view Text(uint64_t row) const { return row < strings_.size() ? strings_[row] : std::string_view(); }

  std::string_view TextOf(const Attribute& attribute) const {
    return attribute.text_row != 0 ? Text(attribute.text_row) : attribute.text;
  }

  StackId Stack(uint64_t row) {
    if (row >= stacks_.size()) return 0;
    std::optional<StackId>& known = stack_of_[row];
    if (!known) {
      StackId stack = 0;
      for (size_t i = stacks_[row].size(); i > 0; --i) {
        const std::vector<FrameId>& frames = FramesOf(stacks_[row][i - 1]);
        if (!allowance_.Take(frames.size())) return 0;
        for (const FrameId frame : frames) stack = builder_->profile().stacks.Push(stack, frame);
      }
      known = stack;
    }
    return *known;
  }

  const std::vector<FrameId>& FramesOf(uint64_t row) {
    static const std::vector<FrameId> kNone;
    if (row >= locations_.size()) return kNone;
    std::vector<FrameId>& frames = frames_of_[row];
    if (!frames.empty()) return frames;
    const OtlpLocation& location = locations_[row];
    FrameKind kind = FrameKind::kUnknown;
    for (const uint64_t id : location.attributes) {
      if (id < attributes_.size() && Text(attributes_[id].key) == "profile.frame.type")
        kind = KindOfOtlpType(TextOf(attributes_[id]));
    }
    StringTable& strings = builder_->profile().strings;
    for (size_t i = location.lines.size(); i > 0; --i) {
      const Line& line = location.lines[i - 1];
      if (line.function >= functions_.size()) continue;
      Frame frame{.kind = kind};
      frame.name = strings.Intern(Text(functions_[line.function].name));
      frame.file = strings.Intern(Text(functions_[line.function].file));
      if (line.line > 0 && line.line <= UINT32_MAX) frame.line = static_cast<uint32_t>(line.line);
      frames.push_back(builder_->profile().frames.Intern(frame));
    }
    if (frames.empty()) {
      const std::string_view file = location.mapping < mappings_.size() ? Text(mappings_[location.mapping]) : "";
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
  std::vector<std::string_view> strings_;
  std::vector<uint64_t> mappings_;  // file names
  std::vector<OtlpLocation> locations_;
  std::vector<OtlpFunction> functions_;
  std::vector<Attribute> attributes_;
  std::vector<std::vector<uint64_t>> stacks_;     // locations, leaf first
  std::vector<std::vector<FrameId>> frames_of_;   // by location, callers first
  std::vector<std::optional<StackId>> stack_of_;  // by stack
  std::vector<int64_t> values_;
  std::vector<int64_t> times_;
};

// One document of JSON.
Result<void> ReadJsonMessage(const simdjson::dom::element& root, std::string_view place, ProfileBuilder* builder) {
  simdjson::dom::object profiles;
  if (root.get(profiles) != simdjson::SUCCESS) {
    return builder->Damaged(fmt::format("{}: expected an object of OTLP profiles", place));
  }
  return OtlpReader(OtlpMessageOfJson(profiles), 0, builder).Read();
}

// One document, or one on each line.
Result<void> ReadJson(std::string_view text, ProfileBuilder* builder) {
  JsonParser parser;
  simdjson::dom::element root;
  std::string_view rest = text;
  std::string line(TakeLine(&rest));
  if (parser.Parse(line).get(root) != simdjson::SUCCESS && !rest.starts_with('{')) {
    JsonDocument document;
    const std::unique_ptr<ByteSource> source = ViewSource(text);
    if (Result<void> read = document.Read(source.get(), {.format = "OTLP profiles in JSON"}, builder); !read)
      return read;
    return ReadJsonMessage(document.Root(), "offset 0", builder);
  }
  rest = text;
  for (uint64_t number = 1; !rest.empty(); ++number) {
    line = TakeLine(&rest);
    if (Trim(line).empty()) continue;
    const std::string place = fmt::format("line {}", number);
    const simdjson::error_code error = parser.Parse(line).get(root);
    Result<void> read = error == simdjson::SUCCESS
                            ? ReadJsonMessage(root, place, builder)
                            : builder->Damaged(fmt::format("{}: expected OTLP profiles in JSON: {}", place,
                                                           simdjson::error_message(error)));
    if (!read) return read;
  }
  return {};
}

// One message of a file; the collector may have compressed it.
Result<void> ReadMessage(std::string_view message, size_t offset, ProfileBuilder* builder) {
  std::string expanded;
  if (message.starts_with("\x28\xB5\x2F\xFD")) {
    Result<std::string> content = ZstdDecompress(message, kMaxMessageSize);
    if (!content) return builder->Damaged(fmt::format("offset {}: {}", offset, content.error().message));
    expanded = std::move(*content);
    message = expanded;
  }
  if (message.starts_with('{')) return ReadJson(message, builder);
  return OtlpReader(message, offset, builder).Read();
}

Result<void> ReadMessages(std::string_view bytes, ProfileBuilder* builder) {
  const OtlpFraming framing = OtlpFramingOf(bytes).value_or(OtlpFraming::kMessage);
  if (framing == OtlpFraming::kJson) return ReadJson(bytes, builder);
  if (framing == OtlpFraming::kMessage) return OtlpReader(bytes, 0, builder).Read();
  std::string_view rest = bytes;
  while (const std::optional<std::string_view> message = TakeOtlpMessage(framing, &rest)) {
    const size_t offset = bytes.size() - rest.size() - message->size();
    if (Result<void> read = ReadMessage(*message, offset, builder); !read) return read;
  }
  if (rest.empty()) return {};
  return builder->Damaged(
      fmt::format("offset {}: expected a message of OTLP profiles after its size, found the end of the input",
                  bytes.size() - rest.size()));
}

}  // namespace

Result<void> ReadOtlp(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  std::optional<Error> damage;
  const std::string bytes = ReadUpTo(source.get(), kMaxOtlpSize, &damage);
  if (damage) {
    if (Result<void> kept = builder->Damaged(damage->message); !kept) return kept;
  }
  Result<void> read = ReadMessages(bytes, builder);
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeOtlp(std::string_view head) { return OtlpFramingOf(head).has_value(); }

}  // namespace sparkprof
