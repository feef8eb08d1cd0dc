// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/notifications.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(NotificationTest, NamesAreNoMarkup) {
  Notification notification;
  notification.application.name = "<!here> a & b <https://x.org|link> @channel \x1b[31m\xe2\x80\xae";
  notification.application.key.id = "app-1";
  notification.application.group = "<!channel>";
  FindingRow finding;
  finding.severity = "high";
  finding.title = "Stage <@U1> failed";
  notification.findings.push_back(finding);
  const std::string json = NotificationJson(notification, {.page = "https://sparkprof.example"});
  const std::string text = json.substr(0, json.find("\"url\""));
  for (const char* markup :
       {"<!here>", "<!channel>", "<https", "<@U1>", "@channel", "\x1b", "\\u001b", "\xe2\x80\xae"}) {
    EXPECT_EQ(text.find(markup), std::string::npos) << markup << " in " << text;
  }
  EXPECT_NE(text.find("&lt;!here&gt; a &amp; b"), std::string::npos) << text;
  EXPECT_NE(text.find("https://sparkprof.example/applications/app-1"), std::string::npos) << text;
}

TEST(NotificationTest, HasTheCostOfTheApplication) {
  Notification notification;
  notification.application.name = "daily_sales";
  notification.application.core_ms = 2 * 3'600'000;                  // 2 core-hours
  notification.application.memory_mib_s = int64_t{4} * 1024 * 3600;  // 4 GB-hours
  NotificationOptions options{.page = "https://sparkprof.example"};
  EXPECT_EQ(NotificationJson(notification, options).find("cost"), std::string::npos);
  options.prices = PriceList{.currency = "USD", .core_hour = 0.05, .gb_hour = 0.01};
  const std::string json = NotificationJson(notification, options);
  EXPECT_NE(json.find("finished, cost 0.14 USD\\n"), std::string::npos) << json;
  EXPECT_NE(json.find("\"cost\":{\"total\":0.14,\"currency\":\"USD\"}"), std::string::npos) << json;
}

TEST(NotificationTest, SizesThatWereTakenBackLinkToThePageOfTheGroup) {
  EXPECT_EQ(WayBackJson("daily/<etl>", "rolled back spark.executor.memory 6g -> 8g", {.page = "https://c"}),
            R"({"text":"group daily/&lt;etl&gt;: automatic sizes rolled back spark.executor.memory 6g -&gt; 8g\n)"
            R"(https://c/groups/daily%2F%3Cetl%3E?view=auto","url":"https://c/groups/daily%2F%3Cetl%3E?view=auto",)"
            R"("auto":{"group":"daily/<etl>","reason":"rolled back spark.executor.memory 6g -> 8g"}})");
}

}  // namespace
}  // namespace sparkprof
