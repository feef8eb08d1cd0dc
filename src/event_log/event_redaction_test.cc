// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_redaction.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>

#include "base/redaction/redaction.h"
#include "event_log/event_reader.h"

namespace sparkprof {
namespace {

TEST(EventRedactionTest, AnEventThatRedactionWouldBreakLosesTheValueAndKeepsTheRest) {
  for (const std::string secret : {R"("password":987654)", R"("password":["hunter2","hunter3",987654])",
                                   R"("secret":{"value":"hunter2","n":987654})", R"("x":"password=[hunter2","y":"z]")",
                                   R"("a":[["password",987654]],"b":"-----BEGIN PRIVATE KEY-----hunter2")"}) {
    std::string event = R"({"Event":"E","before":1,)" + secret + R"(,"after":"kept"})";
    const EventRedaction redaction = RedactEvent(&event);
    EXPECT_TRUE(redaction.changed) << secret;
    simdjson::dom::parser parser;
    EXPECT_EQ(parser.parse(event).error(), simdjson::SUCCESS) << event;
    EXPECT_EQ(event.find("hunter"), std::string::npos) << event;
    EXPECT_NE(event.find(R"("before":1)"), std::string::npos) << event;
    EXPECT_NE(event.find(R"("after":"kept")"), std::string::npos) << event;
  }
}

TEST(EventRedactionTest, DroppedValuesAreCounted) {
  std::string event = R"({"Event":"E","password":987654,"secret":["hunter2",{"a":"hunter3"}]})";
  EXPECT_EQ(RedactEvent(&event).dropped_values, 3);
  const std::string gone = "\"" + std::string(kRedacted) + "\"";
  EXPECT_EQ(event, "{\"Event\":\"E\",\"password\":" + gone + ",\"secret\":[" + gone + ",{\"a\":" + gone + "}]}");
}

TEST(EventRedactionTest, ATruncatedEventIsRedactedAsText) {
  std::string event = R"({"Event":"E","password":"hunter2","x":)";
  EXPECT_TRUE(RedactEvent(&event).changed);
  EXPECT_EQ(event.find("hunter2"), std::string::npos) << event;
}

TEST(EventRedactionTest, EventsWithoutSecretsStay) {
  const std::string event = R"({"Event":"E","x":"y"})";
  std::string redacted = event;
  const EventRedaction redaction = RedactEvent(&redacted);
  EXPECT_FALSE(redaction.changed);
  EXPECT_EQ(redacted, event);
}

TEST(EventRedactionTest, TheReaderReportsDroppedValuesAsALoss) {
  Application application;
  EventReader reader(&application);
  reader.Add(simdjson::padded_string(DroppedValuesEvent(2)));
  reader.Add(simdjson::padded_string(DroppedValuesEvent(3)));
  reader.Finish();
  ASSERT_EQ(application.losses.size(), 1u);
  EXPECT_EQ(application.losses[0].what, "event_values");
  EXPECT_EQ(application.losses[0].count, 5);
  EXPECT_EQ(application.damaged_events, 0);
}

}  // namespace
}  // namespace sparkprof
