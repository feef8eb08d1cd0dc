// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <string_view>

namespace sparkprof {

// simdjson's parser for documents of any origin. It reserves 14 bytes for each byte of a document and uses as many as
// the document has values: a MemoryLimit counts what is used.
class JsonParser {
 public:
  JsonParser() = default;
  ~JsonParser();
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;

  // The root of `text`, valid until the next call. MEMALLOC if it exceeds the thread's MemoryLimit.
  simdjson::simdjson_result<simdjson::dom::element> Parse(std::string_view text, size_t max_depth = 1024);

 private:
  simdjson::dom::parser parser_;
  size_t counted_bytes_ = 0;
};

}  // namespace sparkprof
