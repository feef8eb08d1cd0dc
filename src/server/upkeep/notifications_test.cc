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
  const std::string json = NotificationJson(notification, "https://sparkprof.example");
  const std::string text = json.substr(0, json.find("\"url\""));
  for (const char* markup :
       {"<!here>", "<!channel>", "<https", "<@U1>", "@channel", "\x1b", "\\u001b", "\xe2\x80\xae"}) {
    EXPECT_EQ(text.find(markup), std::string::npos) << markup << " in " << text;
  }
  EXPECT_NE(text.find("&lt;!here&gt; a &amp; b"), std::string::npos) << text;
  EXPECT_NE(text.find("https://sparkprof.example/applications/app-1"), std::string::npos) << text;
}

}  // namespace
}  // namespace sparkprof
