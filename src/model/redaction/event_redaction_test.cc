// SPDX-License-Identifier: Apache-2.0
#include "model/redaction/event_redaction.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/redaction/redaction.h"

namespace sparkprof {
namespace {

EventRedaction RedactEvent(std::string* event, std::string_view settings = {}, std::string_view strings = {}) {
  OwnRedaction own;
  own.Set(settings, strings);
  return EventRedactor(std::move(own)).Redact(event);
}

std::string Redacted(std::string event, std::string_view settings = {}, std::string_view strings = {}) {
  RedactEvent(&event, settings, strings);
  return event;
}

const std::string kGone = "\"" + std::string(kRedacted) + "\"";

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
  EXPECT_EQ(event, "{\"Event\":\"E\",\"password\":" + kGone + ",\"secret\":[" + kGone + ",{\"a\":" + kGone + "}]}");
}

TEST(EventRedactionTest, SecretsInPropertiesAreReplacedAndTheRestStays) {
  const std::string text = Redacted(
      R"({"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.hadoop.fs.s3a.access.key":"AK1",)"
      R"("spark.ssl.keyPassword":"pw2","my.apiKey":"ak3","spark.app.name":"nightly","url":"jdbc:x://user:pw4@host/db"},)"
      R"("System Properties":{"sun.java.command":"x --conf my.password=pw5"},"Stage Name":"kept"})");
  for (const std::string secret : {"AK1", "pw2", "ak3", "pw4", "pw5"}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << secret << " in " << text;
  }
  for (const std::string kept : {R"("spark.app.name":"nightly")", R"("Stage Name":"kept")", "jdbc:x://user:"}) {
    EXPECT_NE(text.find(kept), std::string::npos) << kept << " in " << text;
  }
}

TEST(EventRedactionTest, TextsOfEventsAreRedactedAsTheyReadNotAsTheyAreWritten) {
  for (const std::string event :
       {R"({"Event":"E","Description":"Login failed: password='pw9 x'","m":"getPassword"})",
        R"({"Event":"E","Description":"password:\n  pw9secret"})", R"({"Event":"E","a":"\u0070assword=pw9"})",
        R"({"Event":"E","Accumulables":[{"ID":1,"Name":"db.password","Update":"pw9","Value":"pw9"}]})",
        R"({"Event":"E","list":[{"value":"pw9","name":"db.password"}]})",
        R"({"Event":"E","pairs":[["spark.x.secret","pw9"]]})", R"({"Event":"E","x --password pw9":1})",
        R"({"Event":"E","text":"{\"password\":\"pw9\"}"})", R"({"Event":"E","my.password":["a",{"b":"pw9"}]})"}) {
    const std::string text = Redacted(event);
    EXPECT_EQ(text.find("pw9"), std::string::npos) << text;
    simdjson::dom::parser parser;
    EXPECT_EQ(parser.parse(text).error(), simdjson::SUCCESS) << text;
  }
}

TEST(EventRedactionTest, APrivateKeyInTheTextsOfAnArrayIsReplaced) {
  EXPECT_EQ(Redacted(R"({"lines":["first","-----BEGIN PRIVATE KEY-----",)"
                     R"("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7","cGxhbnRlZA==",)"
                     R"("-----END PRIVATE KEY-----","last"]})"),
            R"({"lines":["first",)" + kGone + "," + kGone + "," + kGone + "," + kGone + R"(,"last"]})");
}

TEST(EventRedactionTest, TheApplicationsExpressionsCount) {
  const std::string event = R"({"Properties":{"spark.my.salary":"100","spark.sql.execution.id":"7","x":"a salary"}})";
  EXPECT_EQ(Redacted(event), event);
  EXPECT_EQ(Redacted(event, "salary"),
            R"({"Properties":{"spark.my.salary":)" + kGone + R"(,"spark.sql.execution.id":"7","x":)" + kGone + "}}");
  EXPECT_EQ(Redacted(R"({"Event":"E","description":"for cust-77 only"})", {}, "cust-[0-9]+"),
            R"({"Event":"E","description":"for )" + std::string(kRedacted) + R"( only"})");
  const std::string expression =
      R"({"Spark Properties":{"spark.redaction.regex":"(?i)secret|password|token","spark.master":"yarn"}})";
  EXPECT_EQ(Redacted(expression, "(?i)secret|password|token"), expression);
}

TEST(EventRedactionTest, NumbersAndNamesThatAreNoSecretsStayByteForByte) {
  const std::string event =
      R"({"Event":"SparkListenerTaskEnd","Task Info":{"Task ID":3,"Accumulables":[{"ID":9007199254740993,"Name":)"
      R"("avg hash probes per key","Update":"1.50","Value":1.0e5,"Internal":true},{"Name":"a\"b\u00e9","Value":-0}]}})";
  EXPECT_EQ(Redacted(event), event);
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

}  // namespace
}  // namespace sparkprof
