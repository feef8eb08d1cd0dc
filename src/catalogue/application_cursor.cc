// SPDX-License-Identifier: Apache-2.0
#include "catalogue/application_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text/text.h"

namespace sparkprof {
namespace {

// Base64url alphabet (RFC 4648), which needs no percent-encoding.
std::string ToUrl(std::string base64) {
  std::replace(base64.begin(), base64.end(), '+', '-');
  std::replace(base64.begin(), base64.end(), '/', '_');
  std::erase(base64, '=');
  return base64;
}

std::string FromUrl(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  return text;
}

std::string OrderText(const ApplicationQuery& query) {
  return fmt::format("{}{}", query.descending ? '-' : '+', static_cast<int>(query.order));
}

// Formats "LENGTH:TEXT", so that texts may contain any byte.
std::string Counted(std::string_view text) { return fmt::format("{}:{}", text.size(), text); }

std::optional<std::string> TakeCounted(std::string_view* rest) {
  const size_t colon = rest->find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<int64_t> length = ParseInteger(rest->substr(0, colon));
  rest->remove_prefix(colon + 1);
  if (!length || *length < 0 || static_cast<uint64_t>(*length) > rest->size()) return std::nullopt;
  std::string text(rest->substr(0, static_cast<size_t>(*length)));
  rest->remove_prefix(text.size());
  return text;
}

std::optional<ApplicationCursor> Parse(std::string_view text, const ApplicationQuery& query) {
  const std::optional<std::string> order = TakeCounted(&text);
  const std::optional<std::string> value = TakeCounted(&text);
  std::optional<std::string> id = TakeCounted(&text);
  std::optional<std::string> attempt = TakeCounted(&text);
  if (!order || *order != OrderText(query) || !value || !id || !attempt || !text.empty()) return std::nullopt;
  ApplicationCursor cursor{.value = *value, .key = {std::move(*id), std::move(*attempt)}};
  if (!IsTextOrder(query.order)) {
    const std::optional<int64_t> number = ParseInteger(*value);
    if (!number) return std::nullopt;
    cursor.value = *number;
  }
  return cursor;
}

}  // namespace

bool IsTextOrder(ApplicationOrder order) {
  return order == ApplicationOrder::kName || order == ApplicationOrder::kUser || order == ApplicationOrder::kGroup;
}

ApplicationCursor CursorOf(const ApplicationRow& row, ApplicationOrder order) {
  const auto at = [&](auto value) { return ApplicationCursor{value, row.key}; };
  switch (order) {
    case ApplicationOrder::kStart:
      return at(row.start_ns);
    case ApplicationOrder::kEnd:
      return at(row.end_ns);
    case ApplicationOrder::kDuration:
      return at(row.end_ns - row.start_ns);
    case ApplicationOrder::kTasks:
      return at(row.tasks);
    case ApplicationOrder::kCpu:
      return at(row.cpu_ns);
    case ApplicationOrder::kFindings:
      return at(row.findings);
    case ApplicationOrder::kSaving:
      return at(row.saving_ns);
    case ApplicationOrder::kName:
      return at(row.name);
    case ApplicationOrder::kUser:
      return at(row.user);
    case ApplicationOrder::kGroup:
      return at(row.group);
    case ApplicationOrder::kStatus:
      break;
  }
  return at(static_cast<int64_t>(row.status));
}

std::string CursorText(const ApplicationCursor& cursor, const ApplicationQuery& query) {
  const int64_t* const number = std::get_if<int64_t>(&cursor.value);
  const std::string value = number != nullptr ? std::to_string(*number) : std::get<std::string>(cursor.value);
  return ToUrl(
      Base64Encode(Counted(OrderText(query)) + Counted(value) + Counted(cursor.key.id) + Counted(cursor.key.attempt)));
}

Result<ApplicationCursor> ParseCursor(const ApplicationQuery& query) {
  const std::optional<std::string> text = Base64Decode(FromUrl(query.cursor));
  const std::optional<ApplicationCursor> cursor = text ? Parse(*text, query) : std::nullopt;
  if (!cursor) {
    return Fail(fmt::format("cursor {}: not one of a page in this order (start again without a cursor)",
                            ToOneLine(Shorten(ToUtf8(query.cursor), 40))));
  }
  return *cursor;
}

}  // namespace sparkprof
