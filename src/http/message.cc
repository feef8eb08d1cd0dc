// SPDX-License-Identifier: Apache-2.0
#include "http/message.h"

#include <algorithm>

#include "base/text/characters.h"
#include "base/text/escaped_text.h"
#include "http/url.h"

namespace sparkprof {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string_view Find(const Pairs& pairs, std::string_view name) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [name](const auto& pair) { return pair.first == name; });
  return found == pairs.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

std::string_view FindHeader(const HttpHeaders& headers, std::string_view name) { return Find(headers, name); }

bool IsHeaderName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return IsAlnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

std::string HeaderValue(std::string_view value) {
  std::string safe(value);
  std::replace_if(
      safe.begin(), safe.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return safe;
}

std::string AttachmentNamed(std::string_view file_name) {
  constexpr std::string_view kReplaced = "\xEF\xBF\xBD";
  const std::string shown = ForTerminal(file_name);
  std::string ascii, whole;
  for (std::string_view rest = shown; !rest.empty();) {
    // A UTF-8 character: continuation bytes start with the bits 10.
    size_t size = 1;
    while (size < rest.size() && (rest[size] & 0xc0) == 0x80) ++size;
    const std::string_view character = rest.substr(0, size);
    rest.remove_prefix(size);
    const char c = character.front();
    const bool is_safe = IsAlnum(c) || c == '.' || c == '_' || c == '-';
    ascii += is_safe ? c : '_';
    whole += is_safe || (size > 1 && character != kReplaced) ? character : "_";
  }
  if (ascii.empty()) ascii = whole = "_";
  // Prevents hidden names and the parent folder.
  const size_t dots = std::min(ascii.find_first_not_of('.'), ascii.size());
  std::fill_n(ascii.begin(), dots, '_');
  std::fill_n(whole.begin(), dots, '_');
  return "attachment; filename=" + ascii + (ascii == whole ? "" : "; filename*=utf-8''" + PercentEncode(whole));
}

std::string_view HttpRequest::Parameter(std::string_view name) const { return Find(parameters, name); }

HttpResponse MakeResponse(unsigned status, std::string content_type, std::string body) {
  return {status, {{"content-type", std::move(content_type)}}, std::make_shared<const std::string>(std::move(body))};
}

}  // namespace sparkprof
