// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <string>

namespace sparkprof {

// OTLP profiles as proto3 JSON ("resourceProfiles", also "resource_profiles"; 64-bit integers as strings or numbers) as
// the same message in protobuf, with the fields that ReadOtlp uses and the attributes of resources. Members of the
// wrong type are left out; in arrays they become the default value, so that rows keep their numbers.
std::string OtlpMessageOfJson(const simdjson::dom::object& profiles);

}  // namespace sparkprof
