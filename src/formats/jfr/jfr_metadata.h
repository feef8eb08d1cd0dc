// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// The unit of a time, from the field's annotation jdk.jfr.Timespan.
enum class JfrTimeUnit : uint8_t { kNone, kTicks, kNanos, kMicros, kMillis, kSeconds };

struct JfrField {
  std::string name;
  uint64_t type = 0;
  bool constant_pool = false;  // the record has a key of the type's pool instead of a value
  bool array = false;
  JfrTimeUnit unit = JfrTimeUnit::kNone;
};

struct JfrType {
  std::string name;  // "jdk.ExecutionSample", "java.lang.Thread", "int"
  uint64_t id = 0;
  std::vector<JfrField> fields;
};

// The types that a chunk describes. Ids hold for that chunk only.
struct JfrMetadata {
  std::vector<JfrType> types;
  std::unordered_map<uint64_t, uint32_t> type_by_id;  // to a position in types

  const JfrType* Find(uint64_t id) const;
};

// The content of the metadata event (type 0) at `position`: size, type, start, duration, id, content. Most chunks of a
// recording have equal ones.
Result<std::string_view> FindJfrMetadata(std::string_view chunk, size_t position);

// Reads such a content: a table of strings; a tree of elements {name, attributes, children} of which "class", "field"
// and "annotation" matter.
Result<JfrMetadata> ReadJfrMetadata(std::string_view content);

}  // namespace sparkprof
