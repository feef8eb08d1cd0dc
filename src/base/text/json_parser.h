// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace sparkprof {

// simdjson's parser for untrusted documents. It reserves 14 bytes per byte of a document, but uses only as many as the
// document has values; a MemoryLimit counts the used ones.
class JsonParser {
 public:
  JsonParser() = default;
  ~JsonParser();
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;

  // The root of `text`, valid until the next call. Fails with MEMALLOC if the thread's MemoryLimit is exceeded.
  simdjson::simdjson_result<simdjson::dom::element> Parse(std::string_view text, size_t max_depth = 1024);

 private:
  simdjson::dom::parser parser_;
  size_t counted_bytes_ = 0;
};

// Values of a foreign JSON document. A missing value or one of the wrong type results in the default.

inline int64_t IntegerOf(const simdjson::dom::element& value, int64_t fallback) {
  int64_t integer = 0;
  if (value.get_int64().get(integer) == simdjson::SUCCESS) return integer;
  double real = 0;
  constexpr double kLimit = 9.2e18;  // just below the limit of int64
  if (value.get_double().get(real) == simdjson::SUCCESS && real > -kLimit && real < kLimit) {
    return static_cast<int64_t>(real);
  }
  return fallback;
}

// The view is valid only while the document exists.
inline std::string_view TextOf(const simdjson::dom::element& value) {
  std::string_view text;
  return value.get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
}

inline bool BooleanOf(const simdjson::dom::element& value) {
  bool boolean = false;
  return value.get_bool().get(boolean) == simdjson::SUCCESS && boolean;
}

// Finds a member by name. Returns false if it is missing.
inline bool Find(const simdjson::dom::object& object, std::string_view key, simdjson::dom::element* value) {
  return object.at_key(key).get(*value) == simdjson::SUCCESS;
}

inline int64_t IntegerAt(const simdjson::dom::object& object, std::string_view key, int64_t fallback) {
  simdjson::dom::element value;
  return Find(object, key, &value) ? IntegerOf(value, fallback) : fallback;
}

inline std::string_view TextAt(const simdjson::dom::object& object, std::string_view key) {
  simdjson::dom::element value;
  return Find(object, key, &value) ? TextOf(value) : std::string_view();
}

inline bool BooleanAt(const simdjson::dom::object& object, std::string_view key) {
  simdjson::dom::element value;
  return Find(object, key, &value) && BooleanOf(value);
}

inline bool ObjectAt(const simdjson::dom::object& object, std::string_view key, simdjson::dom::object* value) {
  return object.at_key(key).get_object().get(*value) == simdjson::SUCCESS;
}

inline bool ArrayAt(const simdjson::dom::object& object, std::string_view key, simdjson::dom::array* value) {
  return object.at_key(key).get_array().get(*value) == simdjson::SUCCESS;
}

// Converts Spark's milliseconds to non-negative nanoseconds. Limits them to the year 2100, so that differences and
// small sums cannot overflow.
inline int64_t NanosFromMillis(int64_t millis) {
  constexpr int64_t kMaxMillis = 4'102'444'800'000;
  if (millis <= 0) return 0;
  return (millis < kMaxMillis ? millis : kMaxMillis) * kNanosPerMilli;
}

inline int64_t NanosAt(const simdjson::dom::object& object, std::string_view key) {
  return NanosFromMillis(IntegerAt(object, key, 0));
}

}  // namespace sparkprof
