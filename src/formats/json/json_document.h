// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "base/io/byte_source.h"
#include "base/result.h"
#include "base/text/json_parser.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {

// A JSON document of a foreign profile. It is read into memory, up to kMaxJsonSize.
inline constexpr size_t kMaxJsonSize = size_t{1} << 30;

class JsonDocument {
 public:
  struct Options {
    std::string_view format;        // for messages: "speedscope's JSON"
    size_t max_depth = 1024;        // nested arrays and objects
    bool may_end_in_array = false;  // the "]" of the outer array may be missing
  };

  // Reads and parses all of `source`. Damage fails unless lenient; then the values before it are kept.
  Result<void> Read(ByteSource* source, const Options& options, ProfileBuilder* builder);

  // Valid until the document is destroyed or read again.
  simdjson::dom::element Root() const { return root_; }

  // The end is missing: absent values may have been in it.
  bool IsCut() const { return is_cut_; }

 private:
  JsonParser parser_;
  simdjson::dom::element root_;
  bool is_cut_ = false;
};

// The offset of the first invalid byte of a JSON document (RFC 8259, UTF-8), text.size() if it is truncated, npos if it
// is valid.
size_t FindJsonDamage(std::string_view text);

// Closes truncated JSON after its last complete value.
std::string CloseJson(std::string_view text);

// The members at the start of a JSON document, which may be truncated: what formats are recognized by. Arrays do not
// count: `[{"ph":"X"}]` has "ph", and `{"shared":{"frames":[{"name":"f"}]}}` has "shared.frames.name". Members below
// the third level are left out, and so is everything behind the first document.
class JsonOutline {
 public:
  explicit JsonOutline(std::string_view head);

  bool IsObject() const { return begin_ == '{'; }
  bool IsArray() const { return begin_ == '['; }
  bool Has(std::string_view path) const { return paths_.find(path) != paths_.end(); }

 private:
  char begin_ = 0;  // first character; 0 if the document is neither an object nor an array
  std::set<std::string, std::less<>> paths_;
};

}  // namespace sparkprof
