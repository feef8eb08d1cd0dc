// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {

// The version of opentelemetry.proto.profiles that is read and written. It is still in development: fields were renamed
// and moved as late as 1.9.
inline constexpr std::string_view kOtlpProfilesVersion = "v1development of opentelemetry-proto 1.11";

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

// OTLP profiles as proto3 JSON ("resourceProfiles", also "resource_profiles"; 64-bit integers as strings or numbers) as
// the same message in protobuf, with the fields that ReadOtlp uses and the attributes of resources. Members of the
// wrong type are left out; in arrays they become the default value, so that rows keep their numbers.
std::string OtlpMessageOfJson(const simdjson::dom::object& profiles);

// Adds the samples of one message ProfilesData in protobuf. `offset`: of the message in the input, for error messages.
Result<void> ReadOtlpProfiles(std::string_view message, size_t offset, ProfileBuilder* builder);

}  // namespace sparkprof
