// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// The version of opentelemetry.proto.profiles that is read and written. It is still in development: fields were renamed
// and moved as late as 1.9.
inline constexpr std::string_view kOtlpProfilesVersion = "v1development of opentelemetry-proto 1.11";

// OTLP profiles: messages ProfilesData (or ExportProfilesServiceRequest, which has the same fields) in protobuf or
// JSON, one or a stream of them (OtlpFraming), each with its own dictionary. Each sample type becomes an event; threads
// come from the attributes thread.id and thread.name, frame kinds from profile.frame.type.
Result<void> ReadOtlp(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeOtlp(std::string_view head);

}  // namespace sparkprof
