// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace sparkprof {

// The position of a row in the list: its value in the query's order, then its key. Stored as text in
// ApplicationPage::next.
struct ApplicationCursor {
  std::variant<int64_t, std::string> value;
  ApplicationKey key;

  bool operator==(const ApplicationCursor&) const = default;
};

// kName, kUser and kGroup compare bytes of text; all other orders compare numbers, kStatus in the order of
// ApplicationStatus.
bool IsTextOrder(ApplicationOrder order);

ApplicationCursor CursorOf(const ApplicationRow& row, ApplicationOrder order);
// Opaque text of letters, digits, "-" and "_", which includes the order and its direction.
std::string CursorText(const ApplicationCursor& cursor, const ApplicationQuery& query);
// Fails unless `query.cursor` is a cursor of the same order and direction.
Result<ApplicationCursor> ParseCursor(const ApplicationQuery& query);

}  // namespace sparkprof
