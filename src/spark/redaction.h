// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

inline constexpr std::string_view kRedacted = "*********(redacted)";  // as Spark writes it

// True for names of settings that hold secrets: with secret, password, passwd, token, credential, access key or api key
// (also with a dot between the words) in them, in any case.
bool IsSecretName(std::string_view name);

// `value` of the setting `name` as it may be kept: redacted when the name is a secret's; otherwise every NAME=VALUE
// inside it (JVM options, command lines) is redacted where NAME is a secret's.
std::string RedactSetting(std::string_view name, std::string_view value);

}  // namespace sparkprof
