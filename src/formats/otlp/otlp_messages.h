// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sparkprof {

// How a file of OTLP profiles holds its messages.
enum class OtlpFraming : uint8_t {
  kMessage,          // one message ProfilesData or ExportProfilesServiceRequest
  kLengthPrefixed,   // messages, each after its size as four bytes, big-endian: the OpenTelemetry Collector's file
                     // exporter
  kVarintDelimited,  // messages, each after its size as a varint: protobuf's delimited streams
  kJson,             // documents of proto3 JSON, one or one on each line
};

// The framing of content that starts with `head`; nullopt if it is not OTLP.
std::optional<OtlpFraming> OtlpFramingOf(std::string_view head);

// Takes the next message of a framed file from the front of `rest`; nullopt at its end, and if its size or content is
// truncated (then `rest` is not empty).
std::optional<std::string_view> TakeOtlpMessage(OtlpFraming framing, std::string_view* rest);

}  // namespace sparkprof
