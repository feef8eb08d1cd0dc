// SPDX-License-Identifier: Apache-2.0
#include "render/svg/name_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/byte_source.h"
#include "base/text.h"
#include "base/xml_text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxAttributesSize = size_t{64} << 20;
constexpr std::array<std::string_view, 7> kAttributeNames = {"id",     "class",   "g_extra", "href",
                                                             "target", "a_extra", "title"};

std::string_view Value(const NameAttributes::Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string_view() : found->second;
}

}  // namespace

Result<void> NameAttributes::Read(const std::string& path) {
  const Result<std::string> text = ReadAll(path, kMaxAttributesSize);
  if (!text) return tl::unexpected(text.error());
  size_t number = 0;
  for (const std::string_view line : Split(*text, '\n')) {
    ++number;
    if (Trim(line).empty()) continue;
    const std::vector<std::string_view> parts = Split(line.substr(0, line.find_last_not_of('\r') + 1), '\t');
    if (parts.size() < 2)
      return Fail(fmt::format("{}: line {}: expected NAME, a tab and ATTRIBUTE=VALUE", path, number));
    Attributes& attributes = by_name_[std::string(parts[0])];
    for (size_t i = 1; i < parts.size(); ++i) {
      const size_t equal = parts[i].find('=');
      const std::string_view name = parts[i].substr(0, equal);
      if (equal == std::string_view::npos ||
          std::find(kAttributeNames.begin(), kAttributeNames.end(), name) == kAttributeNames.end()) {
        return Fail(
            fmt::format("{}: line {}: expected id, class, g_extra, href, target, a_extra or title, = and a "
                        "value, found '{}'",
                        path, number, parts[i].substr(0, 60)));
      }
      const std::string_view value = parts[i].substr(equal + 1);
      if (name.ends_with("_extra") && value.find_first_of("<>") != std::string_view::npos) {
        return Fail(fmt::format("{}: line {}: expected XML attributes without < and >, found '{}'", path, number,
                                value.substr(0, 60)));
      }
      attributes[std::string(name)] = value;
    }
  }
  return {};
}

const NameAttributes::Attributes* NameAttributes::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

std::string OpenGroup(const NameAttributes::Attributes& attributes, std::string_view label, std::string_view info) {
  std::string group = "<g";
  for (const std::string_view name : {"id", "class"}) {
    const std::string_view value = Value(attributes, name);
    if (!value.empty()) group += fmt::format(" {}=\"{}\"", name, EscapeXml(value));
  }
  if (const std::string_view extra = Value(attributes, "g_extra"); !extra.empty()) group += fmt::format(" {}", extra);
  const std::string_view title = Value(attributes, "title");
  // A custom title does not contain the name.
  if (!title.empty()) group += fmt::format(" data-name=\"{}\"", EscapeXml(label));
  group += '>';
  if (const std::string_view link = Value(attributes, "href"); !link.empty()) {
    const std::string_view target = Value(attributes, "target"), extra = Value(attributes, "a_extra");
    // Otherwise the link would open inside the <object> that shows the picture.
    group += fmt::format("<a href=\"{}\" target=\"{}\"{}{}>", EscapeXml(link),
                         EscapeXml(target.empty() ? "_top" : target), extra.empty() ? "" : " ", extra);
  }
  return group + fmt::format("<title>{}</title>", EscapeXml(title.empty() ? info : title));
}

std::string CloseGroup(const NameAttributes::Attributes& attributes) {
  return Value(attributes, "href").empty() ? "</g>\n" : "</a></g>\n";
}

}  // namespace sparkprof
