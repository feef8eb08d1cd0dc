// SPDX-License-Identifier: Apache-2.0
#include "catalogue/application_cursor.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

ApplicationRow Row() {
  return {.key = {"app:1", "2"},
          .name = "3:\nname ü",
          .user = "u",
          .group = "",
          .status = ApplicationStatus::kFailed,
          .start_ns = 5,
          .end_ns = 12,
          .tasks = 3,
          .cpu_ns = -4,
          .findings = 9};
}

constexpr ApplicationOrder kOrders[] = {
    ApplicationOrder::kStart, ApplicationOrder::kEnd,      ApplicationOrder::kDuration, ApplicationOrder::kTasks,
    ApplicationOrder::kCpu,   ApplicationOrder::kFindings, ApplicationOrder::kName,     ApplicationOrder::kUser,
    ApplicationOrder::kGroup, ApplicationOrder::kStatus,
};

TEST(ApplicationCursorTest, TextHoldsThePlaceInEveryOrder) {
  for (const ApplicationOrder order : kOrders) {
    ApplicationQuery query{.order = order};
    const ApplicationCursor cursor = CursorOf(Row(), order);
    query.cursor = CursorText(cursor, query);
    EXPECT_EQ(query.cursor.find_first_of("+/=&?%"), std::string::npos) << query.cursor;
    const Result<ApplicationCursor> parsed = ParseCursor(query);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, cursor) << static_cast<int>(order);
    EXPECT_EQ(parsed->key.id, "app:1");
  }
}

TEST(ApplicationCursorTest, IsRefusedInAnotherOrderOrDirection) {
  ApplicationQuery query{.order = ApplicationOrder::kTasks};
  query.cursor = CursorText(CursorOf(Row(), query.order), query);
  ApplicationQuery other = query;
  other.order = ApplicationOrder::kCpu;
  EXPECT_FALSE(ParseCursor(other));
  other = query;
  other.descending = false;
  EXPECT_FALSE(ParseCursor(other));
}

TEST(ApplicationCursorTest, DamagedTextIsAnError) {
  ApplicationQuery query{.order = ApplicationOrder::kName};
  const std::string whole = CursorText(CursorOf(Row(), query.order), query);
  for (size_t size = 0; size < whole.size(); ++size) {
    query.cursor = whole.substr(0, size);
    EXPECT_FALSE(ParseCursor(query)) << size;
  }
  for (const char* text : {"ß", "99", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk6", "LTE6"}) {
    query.cursor = text;
    EXPECT_FALSE(ParseCursor(query)) << text;
  }
}

}  // namespace
}  // namespace sparkprof
