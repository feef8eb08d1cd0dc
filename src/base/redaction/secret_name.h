// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/redaction/rules.h"

namespace sparkprof::redaction {

// How secret the value of `name` is; `word_before` is the preceding word in a text, or empty. Only the last 200 bytes
// of the name count.
Secrecy SecrecyOf(std::string_view name, std::string_view word_before = {});

// Whether Spark's default spark.redaction.regex matches the setting: secret, password, token, access.key or accesskey
// anywhere in the name, case-insensitive.
bool SparkRedacts(std::string_view name);

}  // namespace sparkprof::redaction
