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

// A value of a Java serialization stream (Java Object Serialization Specification, version 5), as far as collections of
// plain objects go.
struct JavaValue {
  std::string class_name;  // of an object; empty for primitive values and null
  int64_t integer = 0;
  std::string text;  // of a String
  std::vector<std::pair<std::string, const JavaValue*>> fields;
  std::vector<const JavaValue*> elements;  // what a collection's own writeObject wrote: keys and values in turn

  const JavaValue* Field(std::string_view name) const;
};

// The first object of a stream, which owns all others, as they may refer to one another in circles; null if it is
// damaged or of an unknown type.
std::shared_ptr<const JavaValue> ReadJavaObject(std::string_view stream);

}  // namespace sparkprof
