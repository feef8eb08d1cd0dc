// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Attributes of SVG frames by name: flamegraph.pl's --nameattr. One line "NAME<tab>ATTRIBUTE=VALUE<tab>…" per name;
// attributes are id, class and g_extra of the frame's group, href (with target and a_extra) of a link around it, and
// title, which replaces the tooltip. The extras are verbatim XML attributes.
class NameAttributes {
 public:
  using Attributes = std::map<std::string, std::string, std::less<>>;

  // Fails for a line without a tab or with an unknown attribute: "FILE: line 3: expected …".
  Result<void> Read(const std::string& path);

  // Null if the name has none.
  const Attributes* Find(std::string_view name) const;

 private:
  std::map<std::string, Attributes, std::less<>> by_name_;
};

// Start tag of a frame's group with its title, and the end tag. `label` is the frame's name, `info` its tooltip.
std::string OpenGroup(const NameAttributes::Attributes& attributes, std::string_view label, std::string_view info);
std::string CloseGroup(const NameAttributes::Attributes& attributes);

}  // namespace sparkprof
