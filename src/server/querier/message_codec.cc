// SPDX-License-Identifier: Apache-2.0
#include "server/querier/message_codec.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>

#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "model/segment/message_reader.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxMessageDepth = 64;

// Converts "profile_typeID" to "profileTypeID".
std::string JsonFieldName(std::string_view name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool is_start = i > 0 && name[i - 1] == '_';
    if (name[i] == '_') continue;
    text += is_start && name[i] >= 'a' && name[i] <= 'z' ? static_cast<char>(name[i] - 'a' + 'A') : name[i];
  }
  return text;
}

struct ProtobufValue {
  MessageReader* reader;

  void operator()(std::string* value) const { *value = reader->get_string(); }
  void operator()(std::vector<std::string>* values) const { values->push_back(reader->get_string()); }
  void operator()(int64_t* value) const { *value = reader->get_int64(); }
  void operator()(double* value) const { *value = reader->get_double(); }
  void operator()(bool* is_present) const {
    *is_present = true;
    reader->skip();
  }
  void operator()(const MessageEnum& known) const {
    const int64_t value = reader->get_int64();
    *known.value = value >= 0 && value < static_cast<int64_t>(known.names.size()) ? value : -1;
  }
  void operator()(const std::function<std::vector<MessageField>()>& fields) const;
};

void ReadProtobuf(MessageReader message, const std::vector<MessageField>& fields) {
  while (message.next()) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const MessageField& known) { return known.number == message.tag(); });
    if (field == fields.end()) {
      message.skip();
    } else {
      std::visit(ProtobufValue{&message}, field->value);
    }
  }
}

void ProtobufValue::operator()(const std::function<std::vector<MessageField>()>& fields) const {
  ReadProtobuf(reader->get_message(), fields());
}

using JsonElement = simdjson::dom::element;

Result<void> ReadJson(const JsonElement& message, const std::vector<MessageField>& fields);

// JSON has 64-bit integers as numbers or texts.
std::optional<int64_t> IntegerInJson(const JsonElement& element) {
  int64_t integer = 0;
  if (element.get_int64().get(integer) == simdjson::SUCCESS) return integer;
  constexpr double kLimit = 9.2e18;  // just below the limit of int64
  double real = 0;
  if (element.get_double().get(real) == simdjson::SUCCESS && std::abs(real) < kLimit && std::trunc(real) == real) {
    return static_cast<int64_t>(real);
  }
  std::string_view text;
  return element.get_string().get(text) == simdjson::SUCCESS ? ParseInteger(text) : std::nullopt;
}

struct JsonValue {
  std::string_view name;
  JsonElement element;

  tl::unexpected<Error> Expected(std::string_view what) const {
    return Fail(fmt::format("{}: expected {}", name, what));
  }

  Result<void> operator()(std::string* value) const {
    std::string_view text;
    if (element.get_string().get(text) != simdjson::SUCCESS) return Expected("a string");
    *value = text;
    return {};
  }
  Result<void> operator()(std::vector<std::string>* values) const {
    simdjson::dom::array rows;
    if (element.get_array().get(rows) != simdjson::SUCCESS) return Expected("an array of strings");
    for (const JsonElement& row : rows) {
      std::string_view text;
      if (row.get_string().get(text) != simdjson::SUCCESS) return Expected("an array of strings");
      values->emplace_back(text);
    }
    return {};
  }
  Result<void> operator()(int64_t* value) const {
    const std::optional<int64_t> integer = IntegerInJson(element);
    if (!integer) return Expected("a 64-bit integer");
    *value = *integer;
    return {};
  }
  Result<void> operator()(double* value) const {
    if (element.get_double().get(*value) != simdjson::SUCCESS) return Expected("a number");
    return {};
  }
  Result<void> operator()(bool* is_present) const {
    simdjson::dom::array rows;
    simdjson::dom::object members;
    const bool is_empty = element.get_array().get(rows) == simdjson::SUCCESS       ? rows.size() == 0
                          : element.get_object().get(members) == simdjson::SUCCESS ? members.size() == 0
                                                                                   : false;
    *is_present = *is_present || !is_empty;
    return {};
  }
  Result<void> operator()(const MessageEnum& known) const {
    std::string_view text;
    int64_t value = -1;
    if (element.get_string().get(text) == simdjson::SUCCESS) {
      const auto found = std::find(known.names.begin(), known.names.end(), text);
      if (found != known.names.end()) value = found - known.names.begin();
    } else if (const std::optional<int64_t> number = IntegerInJson(element)) {
      if (*number >= 0 && *number < static_cast<int64_t>(known.names.size())) value = *number;
    } else {
      return Expected("the name of a value");
    }
    *known.value = value;
    return {};
  }
  Result<void> operator()(const std::function<std::vector<MessageField>()>& fields) const {
    simdjson::dom::array rows;
    if (element.get_array().get(rows) != simdjson::SUCCESS) return ReadJson(element, fields());
    for (const JsonElement& row : rows) {
      if (Result<void> read = ReadJson(row, fields()); !read) return read;
    }
    return {};
  }
};

Result<void> ReadJson(const JsonElement& message, const std::vector<MessageField>& fields) {
  simdjson::dom::object object;
  if (message.get_object().get(object) != simdjson::SUCCESS) return Fail("expected a JSON object");
  for (const auto [key, element] : object) {
    if (element.is_null()) continue;
    const std::string_view name = key;
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const MessageField& known) {
      return known.name == name || JsonFieldName(known.name) == name;
    });
    if (field == fields.end()) continue;
    if (Result<void> read = std::visit(JsonValue{name, element}, field->value); !read) return read;
  }
  return {};
}

}  // namespace

Result<void> DecodeMessage(MessageCodec codec, std::string_view message, const std::vector<MessageField>& fields) {
  if (codec == MessageCodec::kJson) {
    JsonParser parser;
    JsonElement root;
    if (const auto error = parser.Parse(message, kMaxMessageDepth).get(root); error != simdjson::SUCCESS) {
      return Fail(fmt::format("expected a message in JSON: {}", simdjson::error_message(error)));
    }
    return ReadJson(root, fields);
  }
  try {
    ReadProtobuf(MessageReader{message.data(), message.size()}, fields);
  } catch (const protozero::exception& error) {
    return Fail(fmt::format("expected a protobuf message: {}", error.what()));
  }
  return {};
}

void MessageWriter::Text(uint32_t number, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (json_ != nullptr) {
    json_->Member(name, value);
  } else {
    protobuf_->add_string(number, ToUtf8(value));
  }
}

void MessageWriter::Integer(uint32_t number, std::string_view name, int64_t value) {
  if (value == 0) return;
  if (json_ != nullptr) {
    json_->Member(name, std::to_string(value));
  } else {
    protobuf_->add_int64(number, value);
  }
}

void MessageWriter::Number(uint32_t number, std::string_view name, double value) {
  if (value == 0) return;
  if (json_ != nullptr) {
    json_->Member(name, value);
  } else {
    protobuf_->add_double(number, value);
  }
}

void MessageWriter::Boolean(uint32_t number, std::string_view name, bool value) {
  if (!value) return;
  if (json_ != nullptr) {
    json_->Member(name, value);
  } else {
    protobuf_->add_bool(number, value);
  }
}

void MessageWriter::Texts(uint32_t number, std::string_view name, const std::vector<std::string>& values) {
  if (values.empty()) return;
  if (json_ == nullptr) {
    for (const std::string& value : values) protobuf_->add_string(number, ToUtf8(value));
    return;
  }
  json_->Member(name, values);
}

void MessageWriter::Integers(uint32_t number, std::string_view name, const std::vector<int64_t>& values) {
  if (values.empty()) return;
  if (json_ == nullptr) {
    protobuf_->add_packed_int64(number, values.begin(), values.end());
    return;
  }
  json_->Key(name).BeginArray();
  for (const int64_t value : values) json_->Value(std::to_string(value));
  json_->EndArray();
}

}  // namespace sparkprof
