// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparkprof {

// A value of a Java serialization stream (Java Object Serialization Specification, version 5). Supports collections of
// plain objects.
struct JavaValue {
  std::string class_name;  // class of an object; empty for primitive values and null
  int64_t integer = 0;
  std::string text;  // value of a String
  std::vector<std::pair<std::string, const JavaValue*>> fields;
  std::vector<const JavaValue*>
      elements;  // elements written by a collection's writeObject: alternating keys and values

  const JavaValue* Field(std::string_view name) const;
};

// Returns the first object of a stream, which owns all others, because they may contain reference cycles; null if the
// stream is damaged or of an unknown type.
std::shared_ptr<const JavaValue> ReadJavaObject(std::string_view stream);

}  // namespace sparkprof
