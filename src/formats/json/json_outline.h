// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace sparkprof {

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
  char begin_ = 0;  // of the document; 0 if it is neither an object nor an array
  std::set<std::string, std::less<>> paths_;
};

}  // namespace sparkprof
