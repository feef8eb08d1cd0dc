// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <string_view>

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

}  // namespace sparkprof
