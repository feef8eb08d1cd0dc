// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// An element of the XML that S3 answers with: names, text, no attributes.
struct XmlElement {
  std::string name;
  std::string text;  // without blanks at both ends; empty if it has children
  std::vector<XmlElement> children;

  // The text of the first child `name`; empty if there is none.
  std::string_view Text(std::string_view child) const;
};

// Reads a document: a declaration, comments and attributes are skipped; document types, other entities than XML's own
// and character references, CDATA, and elements nested more than 16 deep are errors.
Result<XmlElement> ParseXml(std::string_view text);

}  // namespace sparkprof
