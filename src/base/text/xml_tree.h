// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// An element of S3's XML responses: name, text, no attributes.
struct XmlElement {
  std::string name;
  std::string text;  // trimmed; empty if it has children
  std::vector<XmlElement> children;

  // The text of the first child `name`; empty if missing.
  std::string_view Text(std::string_view child) const;
};

// Parses a document. Skips a declaration, comments and attributes. Fails for document types, entities other than XML's
// own and character references, CDATA, and elements nested more than 16 deep.
Result<XmlElement> ParseXml(std::string_view text);

}  // namespace sparkprof
