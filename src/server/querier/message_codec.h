// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <protozero/pbf_writer.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/answer_limit.h"
#include "base/result.h"
#include "base/text/json_writer.h"

namespace sparkprof {

// Codecs of the Connect protocol: protobuf and its JSON mapping.
enum class MessageCodec : uint8_t { kProtobuf, kJson };

// The names of an enumeration's values from 0 on; unknown values become -1.
struct MessageEnum {
  int64_t* value = nullptr;
  std::span<const std::string_view> names;
};

// Binds a field of a request to a variable. The name is that of the protobuf field, "profile_typeID"; JSON may also
// have "profileTypeID".
struct MessageField {
  // A bool is set to true if the field is present. The function returns the fields of a nested message and is called
  // for each occurrence.
  using Value = std::variant<std::string*, std::vector<std::string>*, int64_t*, double*, bool*, MessageEnum,
                             std::function<std::vector<MessageField>()>>;

  uint32_t number = 0;
  std::string_view name;
  Value value;
};

// Sets the fields that occur in the message. Ignores unknown fields; fails for values of a wrong type.
Result<void> DecodeMessage(MessageCodec codec, std::string_view message, const std::vector<MessageField>& fields);

// Writes one message of a response. Names are those of JSON. Omits default values (0 or empty), as both codecs require,
// and replaces invalid UTF-8.
class MessageWriter {
 public:
  explicit MessageWriter(JsonWriter* json) : json_(json) {}
  explicit MessageWriter(protozero::pbf_writer message) : protobuf_(std::move(message)) {}

  void Text(uint32_t number, std::string_view name, std::string_view value);
  void Integer(uint32_t number, std::string_view name, int64_t value);
  void Number(uint32_t number, std::string_view name, double value);
  void Boolean(uint32_t number, std::string_view name, bool value);
  void Texts(uint32_t number, std::string_view name, const std::vector<std::string>& values);
  void Integers(uint32_t number, std::string_view name, const std::vector<int64_t>& values);

  // Writes a nested message with `write(&writer)`.
  template <typename Write>
  void Message(uint32_t number, std::string_view name, const Write& write) {
    if (json_ != nullptr) json_->Key(name);
    Nested(number, write);
  }
  // Writes a nested message per row with `write(row, &writer)`.
  template <typename Rows, typename Write>
  void Messages(uint32_t number, std::string_view name, const Rows& rows, const Write& write) {
    if (rows.empty()) return;
    if (json_ != nullptr) json_->Key(name).BeginArray();
    for (const auto& row : rows) {
      Nested(number, [&](MessageWriter* message) { write(row, message); });
    }
    if (json_ != nullptr) json_->EndArray();
  }

 private:
  template <typename Write>
  void Nested(uint32_t number, const Write& write) {
    if (json_ != nullptr) {
      json_->BeginObject();
      MessageWriter message(json_);
      write(&message);
      json_->EndObject();
    } else {
      MessageWriter message(protozero::pbf_writer(*protobuf_, number));
      write(&message);
    }
  }

  JsonWriter* json_ = nullptr;  // null = protobuf
  std::optional<protozero::pbf_writer> protobuf_;
};

// Encodes a message written by `write(&writer)`.
template <typename Write>
std::string EncodeMessage(MessageCodec codec, const Write& write) {
  if (codec == MessageCodec::kJson) {
    JsonWriter json;
    json.BeginObject();
    MessageWriter message(&json);
    write(&message);
    json.EndObject();
    return json.Take();
  }
  std::string bytes;
  {
    MessageWriter message{protozero::pbf_writer(bytes)};
    write(&message);
  }
  CheckAnswerSize(bytes.size());
  return bytes;
}

}  // namespace sparkprof
