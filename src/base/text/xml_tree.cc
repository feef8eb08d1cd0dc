// SPDX-License-Identifier: Apache-2.0
#include "base/text/xml_tree.h"

#include <fmt/format.h>

#include "base/text/escaped_text.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int kMaxDepth = 16;

class XmlParser {
 public:
  explicit XmlParser(std::string_view text) : text_(text) {}

  Result<XmlElement> ParseDocument() {
    if (Result<void> skipped = SkipOutside(); !skipped) return tl::unexpected(skipped.error());
    XmlElement root;
    if (Result<void> read = ReadElement(&root, 0); !read) return tl::unexpected(read.error());
    if (Result<void> skipped = SkipOutside(); !skipped) return tl::unexpected(skipped.error());
    if (at_ != text_.size()) return Wrong("expected the end");
    return root;
  }

 private:
  tl::unexpected<Error> Wrong(std::string_view problem) const {
    return Fail(fmt::format("invalid XML at byte {}: {}", at_, problem));
  }
  bool Take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  Result<void> SkipBehind(std::string_view end) {
    const size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) return Wrong(fmt::format("'{}' is missing", end));
    at_ = found + end.size();
    return {};
  }

  // Skips whitespace, the declaration and comments.
  Result<void> SkipOutside() {
    while (true) {
      while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
      Result<void> skipped;
      if (Take("<?")) {
        skipped = SkipBehind("?>");
      } else if (Take("<!--")) {
        skipped = SkipBehind("-->");
      } else {
        return {};
      }
      if (!skipped) return skipped;
    }
  }

  std::string_view ReadName() {
    const size_t begin = at_;
    while (at_ < text_.size() && std::string_view(" \t\r\n/><=").find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Result<void> ReadElement(XmlElement* element, int depth) {
    if (depth > kMaxDepth) return Wrong("nested too deep");
    if (!Take("<")) return Wrong("expected an element");
    element->name = ReadName();
    if (element->name.empty() || element->name.starts_with('!')) return Wrong("expected an element's name");
    const size_t end = text_.find('>', at_);
    if (end == std::string_view::npos) return Wrong("'>' is missing");
    const bool is_empty = text_[end - 1] == '/';
    at_ = end + 1;
    if (is_empty) return {};
    while (true) {
      const size_t tag = text_.find('<', at_);
      if (tag == std::string_view::npos) return Wrong(fmt::format("</{}> is missing", element->name));
      if (Result<void> added = AddText(text_.substr(at_, tag - at_), &element->text); !added) return added;
      at_ = tag;
      if (Take("</")) break;
      if (Take("<!--")) {
        if (Result<void> skipped = SkipBehind("-->"); !skipped) return skipped;
        continue;
      }
      if (Result<void> read = ReadElement(&element->children.emplace_back(), depth + 1); !read) return read;
    }
    if (ReadName() != element->name || !Take(">")) return Wrong(fmt::format("expected </{}>", element->name));
    element->text = element->children.empty() ? std::string(Trim(element->text)) : std::string();
    return {};
  }

  Result<void> AddText(std::string_view text, std::string* to) const {
    while (!text.empty()) {
      const size_t entity = text.find('&');
      to->append(text.substr(0, entity));
      if (entity == std::string_view::npos) break;
      text.remove_prefix(entity + 1);
      const size_t end = text.find(';');
      if (end == std::string_view::npos || !AppendXmlEntity(text.substr(0, end), to)) return Wrong("unknown entity");
      text.remove_prefix(end + 1);
    }
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::string_view XmlElement::Text(std::string_view child) const {
  for (const XmlElement& element : children) {
    if (element.name == child) return element.text;
  }
  return {};
}

Result<XmlElement> ParseXml(std::string_view text) { return XmlParser(text).ParseDocument(); }

}  // namespace sparkprof
