// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/io/compression.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "formats/json/json_document.h"
#include "formats/otlp/otlp_messages.h"
#include "formats/read_input.h"
#include "formats/readers.h"
#include "model/samples/profile.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxOtlpSize = size_t{2} << 30;
constexpr size_t kMaxMessageSize = size_t{256} << 20;  // maximum of a compressed message

Result<void> ReadJsonMessage(const simdjson::dom::element& root, std::string_view place, ProfileBuilder* builder) {
  simdjson::dom::object profiles;
  if (root.get(profiles) != simdjson::SUCCESS) {
    return builder->Damaged(fmt::format("{}: expected an object of OTLP profiles", place));
  }
  return ReadOtlpProfiles(OtlpMessageOfJson(profiles), 0, builder);
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
  return ReadOtlpProfiles(message, offset, builder);
}

Result<void> ReadMessages(std::string_view bytes, ProfileBuilder* builder) {
  const OtlpFraming framing = OtlpFramingOf(bytes).value_or(OtlpFraming::kMessage);
  if (framing == OtlpFraming::kJson) return ReadJson(bytes, builder);
  if (framing == OtlpFraming::kMessage) return ReadOtlpProfiles(bytes, 0, builder);
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

// OTLP profiles: messages ProfilesData (or ExportProfilesServiceRequest, which has the same fields) in protobuf or
// JSON, one or a stream of them (OtlpFraming), each with its own dictionary. Each sample type becomes an event; threads
// come from the attributes thread.id and thread.name, frame kinds from profile.frame.type.
Result<void> ReadOtlp(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  const Result<std::string> bytes = ReadWhole(source.get(), kMaxOtlpSize, builder);
  if (!bytes) return tl::unexpected(bytes.error());
  Result<void> read = ReadMessages(*bytes, builder);
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeOtlp(std::string_view head) { return OtlpFramingOf(head).has_value(); }

}  // namespace sparkprof
